import { commands } from 'vscode';

/** Context keys for `when` clauses and the walkthrough, without the `hostedModel.` prefix. */
export type ContextKey =
  // Each of these four keys completes a step in the walkthrough.
  | 'isSetUp'
  | 'hasGenerated'
  | 'hasUsedTemplate'
  | 'hasChatted'
  /** True while the active document has a generation in progress, which Escape cancels. */
  | 'isGenerating'
  /** True once a generation has started in this window, even if it failed or was canceled. */
  | 'hasJobs'
  /** True once a generation in this window has received text. */
  | 'hasResult'
  /**
   * True if a key or an approval is stored, or if the most recently used source is outside the
   * editor. In these cases, there may also be usage to show.
   */
  | 'canSignOut'
  /** True if the extension is set up for a service whose access tokens need to be refreshed. */
  | 'refreshesTokens';

export function setContextKey(key: ContextKey, value = true): void {
  void commands.executeCommand('setContext', `hostedModel.${key}`, value);
}
