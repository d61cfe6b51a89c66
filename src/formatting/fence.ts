/** The lines that begin and end a fenced code block, as CommonMark reads them. Pure. */

/** Longer lines are no fence; bounds what is held back. */
const MAX_FENCE_LENGTH = 200;
const OPENING = /^(?<indentation>[ \t]*)(?<marks>`{3,}(?=[^`]*$)|~{3,})/;
const BEGINS_OPENING = /^[ \t]*(?:`{0,2}|~{0,2}|`{3,}[^`]*|~{3}.*)$/;
const CLOSING = /^(?<indentation>[ \t]*)(?:(?<marks>`+|~+)(?<rest>[ \t]*))?$/;
const WITH_INFO = /^[ \t]*(?<marks>`{3,}|~{3,})[ \t]*[^`~\s]/;
const BLANK_LINES = /^(?:[ \t]*\n)*/;

export interface Fence {
  readonly indentation: string;
  /** The backticks or tildes. */
  readonly marks: string;
}

/** The fence that a whole line opens. */
export function opening(line: string): Fence | undefined {
  const groups = line.length > MAX_FENCE_LENGTH ? undefined : OPENING.exec(line)?.groups;
  return groups && { indentation: groups['indentation'] ?? '', marks: groups['marks'] ?? '' };
}

/** Whether a line that begins like this may open a fence. */
export function mayOpen(line: string): boolean {
  return line.length <= MAX_FENCE_LENGTH && BEGINS_OPENING.test(line);
}

/** Whether a line, or the beginning of one, closes the fence. */
export function closing(line: string, fence: Fence): 'yes' | 'maybe' | 'no' {
  if (line.length > MAX_FENCE_LENGTH) return 'no';
  const { indentation = '', marks = '', rest = '' } = CLOSING.exec(line)?.groups ?? { rest: line };
  const isShallow = /^ {0,3}$/.test(indentation);
  if (marks === '') {
    return rest === '' && (isShallow || fence.indentation.startsWith(indentation)) ? 'maybe' : 'no';
  }
  if (!isShallow && indentation !== fence.indentation) return 'no';
  if (!fence.marks.startsWith(marks) && !marks.startsWith(fence.marks)) return 'no';
  if (marks.length >= fence.marks.length) return 'yes';
  return rest === '' ? 'maybe' : 'no';
}

/** Whether a line inside the fence opens one that the marks of this fence would close. */
export function opensInner(line: string, fence: Fence): boolean {
  const marks = WITH_INFO.exec(line.slice(0, MAX_FENCE_LENGTH))?.groups?.['marks'];
  return marks?.startsWith(fence.marks) ?? false;
}

/**
 * Whether the continuation of an answer begins with a fence: chat models open the one again that
 * they were in. Marks alone do so only if text follows at once; otherwise they are the closing
 * fence. Blank lines may stand before it.
 *
 * @returns the fence and what follows its line; `maybe` as long as more text can tell
 */
export function reopening(
  text: string,
): { readonly fence: Fence; readonly isBare: boolean; readonly rest: string } | 'maybe' | 'no' {
  const blank = BLANK_LINES.exec(text)?.[0].length ?? 0;
  if (blank > MAX_FENCE_LENGTH) return 'no';
  const lineEnd = text.indexOf('\n', blank);
  if (lineEnd === -1) return mayOpen(text.slice(blank)) ? 'maybe' : 'no';
  const line = text.slice(blank, lineEnd);
  const fence = opening(line);
  if (!fence) return 'no';
  const rest = text.slice(lineEnd + 1);
  const isBare = line.trim() === fence.marks;
  if (!isBare || /^[ \t]{0,200}[^ \t\n]/.test(rest)) return { fence, isBare, rest };
  return /^[ \t]{0,200}$/.test(rest) ? 'maybe' : 'no';
}
