import { window } from 'vscode';
import { secretNames } from '../messages/messages.ts';
import { estimateTokens } from '../service/api/requestUsage.ts';
import type { Connection } from '../service/connection.ts';
import { inform } from '../ui/notify.ts';
import * as texts from './generateMessages.ts';
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
    inform(texts.ONLY_BLANKS);
    return false;
  }
  if (prompts.length <= ASK_ABOVE_SELECTIONS && text.length <= ASK_ABOVE) return true;
  if (text.length > REFUSE_ABOVE) {
    void window.showWarningMessage(texts.tooMuchText(text.length, REFUSE_ABOVE));
    return false;
  }
  const tokens = estimateTokens(text);
  const isMany = prompts.length > ASK_ABOVE_SELECTIONS;
  const question = isMany ? texts.manyRequests(prompts.length) : texts.MUCH_TEXT;
  const detail = texts.costText(isMany, text.length, tokens);
  const { SEND } = texts;
  return (await window.showWarningMessage(question, { modal: true, detail }, SEND)) === SEND;
}

/**
 * Stops prompts that hold the user's own key or token or a private key, and masks them if the user
 * wants that. @returns whether they can be sent
 */
export async function confirmSecrets(
  job: Job,
  indices: readonly number[],
  connection: Connection,
): Promise<boolean> {
  const guard = await connection.promptGuard();
  const kinds = new Set(indices.flatMap((index) => guard.secretKindsIn(job.promptOf(index))));
  if (kinds.size === 0) return true;
  const text = texts.holdsSecretText(secretNames([...kinds]));
  const options = { modal: true, detail: texts.MASKING };
  const picked = await window.showWarningMessage(text, options, texts.MASK_AND_SEND);
  if (picked !== texts.MASK_AND_SEND) return false;
  for (const index of indices) job.setPrompt(index, guard.mask(job.promptOf(index)));
  return true;
}
