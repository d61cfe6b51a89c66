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
  /** True once today's usage of the current key, in any window, includes a request. */
  | 'hasUsage'
  /** True if a key is stored, a folder has an approval, or a source outside the editor is used. */
  | 'canSignOut'
  /** True if the current service is set up and uses access tokens instead of sending its key. */
  | 'refreshesTokens';

export function setContextKey(key: ContextKey, value = true): void {
  void commands.executeCommand('setContext', `hostedModel.${key}`, value);
}
