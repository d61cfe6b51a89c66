import { window } from 'vscode';
import { secretNames } from '../messages/messages.ts';
import { estimateTokens } from '../service/api/usageEstimate.ts';
import type { Connection } from '../service/connection.ts';
import { inform } from '../ui/notify.ts';
import * as texts from './generateMessages.ts';
import type { Job } from './job.ts';

/**
 * Checks and confirmations before text is sent. They never shorten the text. Confirmations are
 * modal, because users can overlook a notification. docs/generate.md lists all checks under *Checks
 * before sending*. A new check belongs in one of these places, depending on what it checks:
 *
 * - The number of characters or selections, or nothing specific: extend `confirmSize` so that the
 *   user is asked only once.
 * - The selected text: in `generate.ts`, check each target's `selectedText` after `captureTargets`.
 * - The insert mode: in `generate.ts`, check `job.mode` after `confirmSize`. By then, the job is
 *   tracking the selections, so the dialog can stay open.
 * - The prompts: add a function here, and call it in `generate.ts` after `confirmSize`.
 *
 * *Try Again*, *Retry*, and *Continue* skip these checks. If a check must apply to them, too, call
 * it only in `runJob.ts`, next to `confirmSecrets`.
 */

/**
 * Total number of characters above which the user has to confirm the requests. Sending that much
 * text is rarely intentional and can be expensive.
 */
const ASK_ABOVE = 100_000;
const REJECT_ABOVE = 1_000_000;
/**
 * Number of selections above which the user has to confirm the requests. Each selection is a
 * separate request.
 */
const ASK_ABOVE_SELECTIONS = 10;

/**
 * Asks for confirmation before sending many requests or a lot of text. Rejects prompts that total
 * more than a million characters or contain only whitespace.
 * @param limit the model's context length, in tokens, if known
 * @returns true if the prompts may be sent
 */
export async function confirmSize(
  prompts: readonly string[],
  limit = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const text = prompts.join('');
  if (text.trim() === '') {
    inform(texts.ONLY_WHITESPACE);
    return false;
  }
  if (prompts.length <= ASK_ABOVE_SELECTIONS && text.length <= ASK_ABOVE) return true;
  if (text.length > REJECT_ABOVE) {
    void window.showWarningMessage(texts.tooMuchText(REJECT_ABOVE));
    return false;
  }
  const tokens = estimateTokens(text);
  const isMany = prompts.length > ASK_ABOVE_SELECTIONS;
  const question = isMany ? texts.manyRequests(prompts.length) : texts.MUCH_TEXT;
  const cost = texts.costText(isMany, text.length, tokens);
  const isTooLong = prompts.some((prompt) => estimateTokens(prompt) > limit);
  const detail = isTooLong ? `${cost} ${texts.probablyTooLong(limit)}` : cost;
  const { SEND } = texts;
  return (await window.showWarningMessage(question, { modal: true, detail }, SEND)) === SEND;
}

/**
 * Checks the prompts for the user's keys and tokens, and for any private keys. If any are found,
 * asks the user to mask these secrets or cancel.
 * @returns true if the prompts may be sent
 */
export async function confirmSecrets(
  job: Job,
  indices: readonly number[],
  connection: Connection,
): Promise<boolean> {
  const guard = connection.promptGuard;
  const kinds = new Set(indices.flatMap((index) => guard.secretKindsIn(job.promptOf(index))));
  if (kinds.size === 0) return true;
  const text = texts.holdsSecretText(secretNames([...kinds]));
  const options = { modal: true, detail: texts.MASKING };
  const picked = await window.showWarningMessage(text, options, texts.MASK_AND_SEND);
  if (picked !== texts.MASK_AND_SEND) return false;
  for (const index of indices) job.setPrompt(index, guard.mask(job.promptOf(index)));
  return true;
}
