import { insertModeIds } from '../editor/insertMode.ts';
import { formatNumber } from '../messages/rejectionMessages.ts';
import { capitalized } from '../messages/settingLabels.ts';
import { type Wait, waitText } from '../status/requestWait.ts';
import { oneLine } from '../ui/oneLine.ts';

/** UI strings for generations. */

// Buttons
export const CONTINUE = 'Continue';
export const UNDO = 'Undo Generation';
export const RETRY = 'Retry';
export const RAISE_LIMIT = 'Raise Limit...';
export const SHOW = 'Show';
export const OPEN_IN_NEW_DOCUMENT = 'Open in New Document';
export const COPY = 'Copy';
export const SEND = 'Send';
export const MASK_AND_SEND = 'Mask and Send';

// The start of messages about responses

/** Maximum length, in characters, of a document's name in a message. */
const LONGEST_NAME = 40;

/** Formats line numbers, as in "lines 3 and 7". */
function lineList(lines: readonly number[]): string {
  const list = new Intl.ListFormat('en').format(lines.map(String));
  return `${lines.length === 1 ? 'line' : 'lines'} ${list}`;
}

/**
 * Returns the start of a message about some responses, such as "main.ts, line 6: ".
 * @param name the name of the document; empty to omit it
 * @param lines the first line (one-based) of each affected selection; empty to omit the lines
 */
export function prefixText(name: string, lines: readonly number[]): string {
  const shownName = oneLine(name, LONGEST_NAME);
  if (lines.length === 0) return shownName === '' ? '' : `${shownName}: `;
  return shownName === ''
    ? `${capitalized(lineList(lines))}: `
    : `${shownName}, ${lineList(lines)}: `;
}

// Messages shown before anything is sent
export const NO_DOCUMENT = 'Open a document, or click in one, and then try again.';
export const INVALID_MODEL =
  'The model ID in the settings is invalid, so the default model is used.';
export const NEEDS_PREVIEW = 'This file runs automatically. Generate again for a preview.';
export const ALREADY_RUNNING = 'Already generating a response. Press Escape to cancel.';
export const CHANGED_MEANWHILE = 'Nothing was sent, because the text changed. Select it again.';
export const NEEDS_SELECTION = 'To use this template, select text first.';
export const ONLY_WHITESPACE = 'Nothing was sent. The text contains only whitespace.';

export function unknownInsertModeText(id: string): string {
  return `Nothing was sent, because “${oneLine(id)}” in hostedModel.insertMode isn’t an insert mode. Use one of these: ${insertModeIds.join(', ')}.`;
}

export const PROMPT_QUESTION = {
  title: 'Generate',
  prompt: 'Nothing is selected, so only this prompt is sent.',
  placeHolder: 'What should the model write?',
} as const;

export const NO_PROMPT = 'Enter a prompt, or press Escape to cancel.';

/** @param most maximum number of characters */
export function tooMuchText(most: number): string {
  return `Nothing was sent. The limit is ${formatNumber(most)} characters.`;
}

/** Returns the text that asks the user to confirm a large number of requests. */
export function manyRequests(requests: number): string {
  return `Send ${requests} requests, one for each selection?`;
}

/** The text that asks the user to confirm sending a lot of text. */
export const MUCH_TEXT = 'Send this much text?';

/** Describes the size of the requests, and warns that the service may bill the user's account. */
export function costText(isMany: boolean, characters: number, tokens: number): string {
  const size = `${formatNumber(characters)} characters (about ${formatNumber(tokens)} tokens)`;
  return isMany
    ? `The prompts total ${size}. The service may bill your account for them.`
    : `The text has ${size}. The service may bill your account for it.`;
}

/** @param limit the model's context length, in tokens */
export function probablyTooLong(limit: number): string {
  return `At least one request probably exceeds the model’s limit of ${formatNumber(limit)} tokens.`;
}

/** @param secrets kinds of secrets, formatted for use in a sentence */
export function holdsSecretText(secrets: string): string {
  return `Nothing was sent, because the text contains ${secrets}.`;
}

export const MASKING =
  'The service could store secrets, and the model could repeat them. If you mask them, [redacted] is sent instead. Your document doesn’t change.';

// Messages shown during a run
export const GENERATING = 'Generating…';
export const STILL_WAITING = 'No response yet.';
export const STALLED = 'No new text for over 10 seconds.';
export const RETRY_TOOLTIP = 'Send the request again';

/**
 * Adds a hint about Esc to progress text.
 * @param isActive true if the run's document is active. For Esc to work, the editor must also have
 * focus, which extensions can't detect. Labels always include the hint, because they appear only in
 * editors that show the document.
 */
export function withEscHint(text: string, isActive = true): string {
  return isActive ? `${text} Esc cancels` : text;
}

/** @param retryLink a link with the label `RETRY` */
export function noResponseText(retryLink: string): string {
  return `No response for 20 seconds. ${retryLink} or keep waiting. If you retry, the service may bill your account for both requests.`;
}

/** @param why details about the wait, with a leading space; empty if there are none */
export function waitingText(wait: Wait, why = ''): string {
  return `${capitalized(waitText(wait))}${why}.`;
}

export function generatingCount(done: number, failed: number, all: number): string {
  const failures = failed > 0 ? `, ${failed} failed` : '';
  return `Generating… ${done} of ${all} done${failures}.`;
}

// Messages about generated responses
export const NOTHING_TRUNCATED = 'Nothing to continue. No response here reached a limit.';
export const ALREADY_UNDONE = 'The response was undone. Generate a new one.';
export const NOTHING_TO_UNDO = 'This document has no generated text to undo.';
export const UNDO_REFUSED = 'Couldn’t remove the text. Use Edit > Undo, or delete it.';
export const FORGOTTEN = 'The response is no longer available. Generate it again.';
export const NO_RESULT = 'Nothing has been generated in this window yet.';

/**
 * @param skipped number of responses that can't be inserted
 * @param all number of responses in the run
 */
export function cannotInsertText(skipped: number, all: number): string {
  const [which, others] =
    skipped === 1
      ? [all === 1 ? 'The response' : 'One response', 'a new one']
      : [all === skipped ? 'The responses' : 'Some responses', 'new ones'];
  return `${which} can’t be inserted. Generate ${others}.`;
}

/** @param count number of responses in the job */
export function emptyText(empty: number, count: number): string {
  const which =
    count === 1
      ? 'The response is'
      : `${empty} of ${count} responses ${empty === 1 ? 'is' : 'are'}`;
  return `${which} empty. Try another prompt or model.`;
}

/** @param isCodeOnly true if the text around a response's code was left out */
export function completeText(count: number, isCodeOnly: boolean): string {
  if (isCodeOnly) return 'Complete (code only)';
  return count > 1 ? 'All responses are complete' : 'The response is complete';
}

/**
 * @param all number of responses in the run
 * @param failed the first line (one-based) of each selection whose generation failed; empty if
 * generations were canceled but none failed
 */
export function partlyCompleteText(
  complete: number,
  all: number,
  failed: readonly number[],
): string {
  const rest =
    failed.length === 0 ? 'the rest canceled' : `${failed.length} failed (${lineList(failed)})`;
  return `${complete} of ${all} complete, ${rest}`;
}

/** @param tokens the token limit, if all truncated responses reached it */
export function truncatedText(
  truncated: number,
  count: number,
  tokens: number | undefined,
): string {
  const which = count === 1 ? 'The response' : `${truncated} of ${count} responses`;
  const limit =
    tokens === undefined ? 'a token or time limit' : `the limit of ${formatNumber(tokens)} tokens`;
  return `${which} reached ${limit}.`;
}

/** Also shown before the message about truncated responses. */
export const REPLACED = 'Your selection was replaced by incomplete text.';

/** @param settings a phrase that names the settings, such as `your user settings` */
export function limitQuestion(settings: string) {
  return {
    title: 'Raise Limit',
    prompt: `Enter the maximum number of tokens to generate. It’s saved as max_new_tokens in ${settings}.`,
  };
}

export function limitSaved(tokens: number): string {
  return `The new limit of ${formatNumber(tokens)} tokens is saved. Do you want to continue?`;
}

export function limitTooLow(limit: number): string {
  return `Enter a whole number greater than ${formatNumber(limit)}.`;
}

export function canceledText(hasText: boolean): string {
  return hasText ? 'Canceled, partial response kept' : 'Canceled';
}

export function outOfViewText(count: number): string {
  return count > 1
    ? 'The responses are complete, but not in view.'
    : 'The response is complete, but not in view.';
}

/**
 * Returns a message about the invisible characters that were removed or kept. Empty if there are
 * none.
 */
export function invisibleText(removed: number, kept: number): string {
  if (removed > 0 && kept > 0) {
    return `Invisible characters: ${removed} removed, ${kept} kept. Check the text.`;
  }
  if (removed > 0) {
    return removed === 1
      ? 'Removed an invisible or control character.'
      : `Removed ${removed} invisible or control characters.`;
  }
  if (kept === 0) return '';
  const which = kept === 1 ? 'an invisible character' : `${kept} invisible characters`;
  return `Check the generated text. It has ${which}.`;
}

export const MORE_CODE = 'Only the first code block was used. The rest was left out.';

export const NOT_INSERTED =
  'Couldn’t insert the generated text. The document may be closed or read-only, or an edit or undo may have changed the insertion point.';

/** @param failureText one or more sentences that describe what failed, such as `NOT_INSERTED` */
export function notPlacedText(failureText: string): string {
  return `${failureText} You can also open the text later with “Show Last Response”.`;
}
