import { commands } from 'vscode';

/** What a user has come to; each completes a step of the walkthrough. */
export type Milestone = 'isSetUp' | 'isTested' | 'hasGenerated';

export function reach(milestone: Milestone): void {
  void commands.executeCommand('setContext', `hostedModel.${milestone}`, true);
}
