import { commands } from 'vscode';

/** What a user has come to; each completes a step of the walkthrough. */
export type WalkthroughStep = 'isSetUp' | 'isTested' | 'hasGenerated' | 'hasChatted';

export function completeWalkthroughStep(step: WalkthroughStep): void {
  void commands.executeCommand('setContext', `hostedModel.${step}`, true);
}
