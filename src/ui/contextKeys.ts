import { commands } from 'vscode';

/** Context keys for `when` clauses and the walkthrough, without the `hostedModel.` prefix. */
export type ContextKey =
  // Each of the first three keys completes a walkthrough step.
  | 'isSetUp'
  | 'hasGenerated'
  | 'hasChatted'
  /** True while the active document has a generation in progress, which Escape cancels. */
  | 'isGenerating'
  /** True once a generation was started in this window, even if it failed or was canceled. */
  | 'hasJobs'
  /** True once a generation in this window has received text. */
  | 'hasResult'
  /** True once this window has found usage for today, even if another window recorded it. */
  | 'hasUsage'
  /** True if a key is stored, a folder has an approval, or a source outside the editor is used. */
  | 'canSignOut'
  /** True if the service in use is set up and its access tokens must be refreshed. */
  | 'refreshesTokens';

export function setContextKey(key: ContextKey, value = true): void {
  void commands.executeCommand('setContext', `hostedModel.${key}`, value);
}
