import { type Fence, mayOpen, parseOpening } from './fenceLines.ts';
import { LINE_STARTS, NOT_BLANK } from './indentation.ts';
import { introducesCode, isProse, mayIntroduce } from './proseLines.ts';

/** Maximum total length, in characters, of the lines before a reopened fence. */
const MAX_HEAD_LENGTH = 500;

/** A fence at the start of a continuation. */
interface Reopening {
  readonly fence: Fence;
  /** True if the opening line has no info string. */
  readonly isBare: boolean;
  readonly hasIntroduction: boolean;
  /** The text after the opening line. */
  readonly rest: string;
}

/** Moves complete blank and introductory lines from the start of `rest` to the end of `before`. */
export function splitLeadingLines(
  before: string,
  rest: string,
): { readonly before: string; readonly rest: string } {
  let length = 0;
  for (const part of rest.split(LINE_STARTS)) {
    const line = part.replace('\n', '');
    const isIntroduction = mayIntroduce(before.length + length, line) && isProse(line);
    if (line === part || (NOT_BLANK.test(line) && !isIntroduction)) break;
    length += part.length;
  }
  return { before: before + rest.slice(0, length), rest: rest.slice(length) };
}

/**
 * Finds a fence at the start of a continuation. Chat models often reopen the fence that was open
 * when the response was truncated, sometimes after blank lines or an introduction. A fence line
 * without an info string counts as an opening line if the next line has text; otherwise, it counts
 * as a closing line.
 *
 * @param before the blank or introductory lines at the start of the continuation
 * @param text the text after these lines
 * @returns `no` if no fence is reopened; `maybe` if more text is needed to decide
 */
export function findReopening(before: string, text: string): Reopening | 'maybe' | 'no' {
  if (before.length > MAX_HEAD_LENGTH) return 'no';
  const lineEnd = text.indexOf('\n');
  if (lineEnd === -1) return mayOpen(text) || mayIntroduce(before.length, text) ? 'maybe' : 'no';
  const line = text.slice(0, lineEnd);
  const fence = parseOpening(line);
  const hasIntroduction = NOT_BLANK.test(before);
  if (!fence || (hasIntroduction && !introducesCode(before))) return 'no';
  const rest = text.slice(lineEnd + 1);
  const isBare = line.trim() === fence.marks;
  if (!isBare || /^[ \t]{0,200}[^ \t\n]/.test(rest))
    return { fence, isBare, hasIntroduction, rest };
  return /^[ \t]{0,200}$/.test(rest) ? 'maybe' : 'no';
}
