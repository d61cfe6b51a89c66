import { lineList } from '../diagnose/checkMessages.ts';
import { formatNumber } from '../messages/refusalMessages.ts';

/** Messages, progress texts, and button labels for generations. */

// Buttons
export const CONTINUE = 'Continue';
export const TRY_AGAIN = 'Try Again';
export const UNDO = 'Undo Generation';
export const CANCEL_AND_TRY_AGAIN = 'Cancel and Try Again';
export const OPEN_IN_NEW_DOCUMENT = 'Open in New Document';
export const COPY = 'Copy';
export const SEND = 'Send';
export const MASK_AND_SEND = 'Mask and Send';

// Before anything is sent
export const NO_DOCUMENT = 'open a document and select text first.';
export const NEEDS_PREVIEW =
  'nothing was sent, because this file now runs automatically and needs a preview. Generate again to get one.';
export const ALREADY_RUNNING = 'this text is being generated for already. Escape stops it.';
export const CHANGED_MEANWHILE =
  'nothing was sent, because the selected text changed first. Select it again.';
export const NEEDS_SELECTION = 'this template works on selected text. Select some first.';
export const ONLY_BLANKS = 'there is nothing but blanks to send.';

export const PROMPT_QUESTION = {
  title: 'Generate',
  prompt: 'Nothing is selected: the answer goes to the cursor.',
  placeHolder: 'What shall the model write?',
} as const;

export const NO_PROMPT = 'Type a prompt, or press Escape.';

export function tooMuchText(characters: number, most: number): string {
  return `Hosted Model: nothing was sent. The text has ${formatNumber(characters)} characters, and at most ${formatNumber(most)} are sent at a time. Select less.`;
}

/** Asks for confirmation before many requests are sent. */
export function manyRequests(requests: number): string {
  return `Send ${requests} requests, one for each selection?`;
}

/** Question before one large request is sent. */
export const MUCH_TEXT = 'Send this much text?';

/** Describes the size and cost of the requests to confirm. */
export function costText(isMany: boolean, characters: number, tokens: number): string {
  const size = `${formatNumber(characters)} characters, about ${formatNumber(tokens)} tokens`;
  return isMany
    ? `Together they have ${size}, and are billed to your account.`
    : `It has ${size}, and is billed to your account.`;
}

/** @param secrets kinds of secrets, formatted for use in a sentence */
export function holdsSecretText(secrets: string): string {
  return `Nothing was sent: the text holds ${secrets}.`;
}

export const MASKING =
  'Whatever is sent can be stored by the service and repeated by the model. Masked, it goes out as [redacted]; your document stays as it is.';

// Until the first text arrives
export const GENERATING = 'generating…';
export const STILL_WAITING = 'no answer yet, still waiting…';
export const NO_RESPONSE_YET =
  'Hosted Model: no answer for 5 seconds. The service is slow, or the connection has died unseen. Wait, or try again on another connection; the service may bill both requests.';

export function generatingCount(done: number, all: number): string {
  return `generating… ${done} of ${all} done`;
}

// After a response
export const NOTHING_TO_SAY =
  'the model had nothing to say to this text. Another prompt or model may do better.';
export const NOTHING_CUT = 'there is no answer here that the service cut.';
export const TAKEN_BACK = 'that answer was taken back. Generate a new one.';
export const CANNOT_INSERT =
  'nothing was sent, because the document was closed or the text at this place changed. Undo that, or generate again.';
export const NOTHING_TO_UNDO = 'there is no generated text here to take back.';
export const UNDO_REFUSED =
  'couldn’t remove the generated text. Most likely the document was closed, is read-only, or was changed there, or VS Code is busy.';
export const FORGOTTEN = 'the text of that generation is no longer available. Generate again.';
export const NO_RESULT = 'Hosted Model has generated nothing in this window yet.';

export function completeText(count: number): string {
  return count > 1 ? 'all answers are complete' : 'the answer is complete';
}

/** @param failed one-based first line of each selection whose generation failed */
export function partlyCompleteText(complete: number, failed: readonly number[]): string {
  return `${complete} of ${complete + failed.length} complete, ${lineList(failed)} failed`;
}

export function truncatedText(cut: number, count: number): string {
  const which = count === 1 ? 'the answer' : `${cut} of ${count} answers`;
  return `Hosted Model: the service cut ${which}, since a limit of tokens or time was reached.`;
}

/** Describes the removed and the remaining invisible characters. Empty if there are none. */
export function invisibleText(removed: number, kept: number): string {
  const out =
    removed === 1
      ? 'One invisible or control character was removed from the response.'
      : `${removed} invisible or control characters were removed from the response.`;
  const left =
    kept === 1
      ? 'One invisible character remains in the response'
      : `${kept} invisible characters remain in the response`;
  const why = `${left}, since some languages need such characters. Check for hidden text if yours doesn't.`;
  return [removed > 0 && out, kept > 0 && why].filter(Boolean).join(' ');
}

/**
 * @param where prefix that lists the lines of the selections; empty if there is only one selection
 */
export function notPlacedText(where: string): string {
  return `Hosted Model: ${where}the answer could not be put into the document, since it was closed, read-only or changed at that place, or VS Code is busy; then it may still follow. Show Last Response has it until the next one comes.`;
}
