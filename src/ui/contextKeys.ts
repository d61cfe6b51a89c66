import { commands } from 'vscode';

/** The keys that `when` clauses and the walkthrough of the manifest read, as `hostedModel.<key>`. */
export type ContextKey =
  // Each of these completes a step of the walkthrough.
  | 'isSetUp'
  | 'isTested'
  | 'hasGenerated'
  | 'hasChatted'
  /** True if Escape would stop a generation that the user sees. */
  | 'isGenerating'
  /** True once a generation was started in this window, even if it failed. */
  | 'hasJobs'
  /** True once this window has counted requests of the day. */
  | 'hasUsage'
  /** True if a key is stored or a source outside the editor is in use. */
  | 'canSignOut'
  /** True if tokens can be refreshed. */
  | 'refreshesTokens';

export function setContextKey(key: ContextKey, value = true): void {
  void commands.executeCommand('setContext', `hostedModel.${key}`, value);
}
