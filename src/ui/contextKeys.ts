import { commands } from 'vscode';

/** Context keys for `when` clauses and the walkthrough, which read `hostedModel.<key>`. */
export type ContextKey =
  // Each of the following keys completes a walkthrough step.
  | 'isSetUp'
  | 'isTested'
  | 'hasGenerated'
  | 'hasChatted'
  /** True if Escape would cancel a visible generation. */
  | 'isGenerating'
  /** True after the first generation in this window, even if it failed. */
  | 'hasJobs'
  /** True if this window has counted requests today. */
  | 'hasUsage'
  /** True if there is a stored key, a source outside the editor in use, or an approval of any folder. */
  | 'canSignOut'
  /** True if the service in use is set up, and exchanges its key for tokens. */
  | 'refreshesTokens';

export function setContextKey(key: ContextKey, value = true): void {
  void commands.executeCommand('setContext', `hostedModel.${key}`, value);
}
