import { createHash } from 'node:crypto';

/** Maximum length of the prompt excerpt in a response, in code points. */
const longestQuote = 60;

/**
 * Returns the text that the emulated model generates by default. The text depends only on the
 * prompt so that a test can check which prompt was sent. It has several words and lines, so that
 * streaming is visible in a demo.
 */
export function answerFor(prompt: string): string {
  return [
    'Hello from the emulated model!',
    `You wrote: “${quoteOf(prompt)}”`,
    `That is ${prompt.length} characters, checksum ${checksumOf(prompt)}.`,
    'A hosted model would now say something clever. This one only counts.',
  ].join('\n');
}

/** Splits text into chunks, each about as long as an output token. */
export function piecesOf(text: string): string[] {
  return text.match(/\s*\S{1,5}|\s+$/gu) ?? [];
}

/** Returns a plausible token count for the text. A short word counts as one token. */
export function tokenCount(text: string): number {
  return piecesOf(text).length;
}

function quoteOf(prompt: string): string {
  const points = [...(prompt.trim().split(/\r\n|\r|\n/u, 1)[0] ?? '')];
  return points.length <= longestQuote
    ? points.join('')
    : `${points.slice(0, longestQuote - 1).join('')}…`;
}

function checksumOf(prompt: string): string {
  return createHash('sha256').update(prompt).digest('hex').slice(0, 8);
}
