import { window } from 'vscode';
import { secretNames } from '../messages/messages.ts';
import type { Client } from '../service/client.ts';
import { estimateTokens } from '../service/models/modelLimits.ts';
import { inform } from '../ui/notify.ts';
import type { Job } from './job.ts';

/** What is asked before text goes out. Nothing is ever cut. */

/** Characters; more is rarely meant, and costs. */
const ASK_ABOVE = 100_000;
const REFUSE_ABOVE = 1_000_000;
/** Selections; each one is a request of its own. */
const ASK_ABOVE_SELECTIONS = 10;

/**
 * Asks before many requests or much text, and refuses too much and what is nothing but blanks.
 * @returns whether to send it
 */
export async function confirmSize(prompts: readonly string[]): Promise<boolean> {
  const text = prompts.join('');
  if (text.trim() === '') {
    inform('there is nothing but blanks to send.');
    return false;
  }
  if (prompts.length <= ASK_ABOVE_SELECTIONS && text.length <= ASK_ABOVE) return true;
  const [characters, tokens] = [text.length, estimateTokens(text)].map(grouped);
  if (text.length > REFUSE_ABOVE) {
    const most = grouped(REFUSE_ABOVE);
    const refusal = `Hosted Model: nothing was sent. The text has ${characters} characters, and at most ${most} are sent at a time. Select less.`;
    void window.showWarningMessage(refusal);
    return false;
  }
  const isMany = prompts.length > ASK_ABOVE_SELECTIONS;
  const question = isMany
    ? `Send ${prompts.length} requests, one for each selection?`
    : 'Send this much text?';
  const size = `${characters} characters, about ${tokens} tokens`;
  const detail = isMany
    ? `Together they have ${size}, and are billed to your project.`
    : `It has ${size}, and is billed to your project.`;
  return (await window.showWarningMessage(question, { modal: true, detail }, 'Send')) === 'Send';
}

/**
 * Stops prompts that hold the user's own key or token or a private key, and masks them if the user
 * wants that. @returns whether they can be sent
 */
export async function isFreeOfSecrets(
  job: Job,
  answers: readonly number[],
  client: Client,
): Promise<boolean> {
  const found = answers.map((answer) => ({
    answer,
    kinds: client.secretsIn(job.promptOf(answer)),
  }));
  const holding = found.filter(({ kinds }) => kinds.length > 0);
  if (holding.length === 0) return true;
  const kinds = new Set(holding.flatMap((each) => each.kinds));
  const mask = 'Mask and Send';
  const options = {
    modal: true,
    detail:
      'Whatever is sent can be stored by the service and repeated by the model. Masked, it goes out as [redacted]; your document stays as it is.',
  };
  const text = `Nothing was sent: the text holds ${secretNames([...kinds])}.`;
  if ((await window.showWarningMessage(text, options, mask)) !== mask) return false;
  for (const { answer } of holding) job.setPrompt(answer, client.mask(job.promptOf(answer)));
  return true;
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}
