import { window } from 'vscode';
import { oneLine } from '../ui/oneLine.ts';
import { questionsOf } from './variables.ts';

/**
 * Asks the questions of a prompt, one box after the other.
 * @returns the answers by question; undefined if the user gave up
 */
export async function askInputs(template: {
  readonly name: string;
  readonly prompt: string;
}): Promise<ReadonlyMap<string, string> | undefined> {
  const answers = new Map<string, string>();
  for (const question of questionsOf(template.prompt)) {
    const answer = await window.showInputBox({
      title: oneLine(template.name),
      prompt: oneLine(question),
      // The answer may stand in another window.
      ignoreFocusOut: true,
    });
    if (answer === undefined) return undefined;
    answers.set(question, answer);
  }
  return answers;
}
