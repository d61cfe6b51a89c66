/**
 * Opening and closing lines of fenced code blocks. Follows CommonMark, except for the indentation:
 * https://spec.commonmark.org/0.31.2/#fenced-code-blocks
 */

export interface Fence {
  readonly indentation: string;
  /** The backticks or tildes that open the fence. */
  readonly marks: string;
}

/** Maximum length of a fence line, in characters. A longer line isn't held back. */
const MAX_FENCE_LENGTH = 200;
/** A closing line that is indented further than this belongs to the code. */
const MAX_EXTRA_SPACES = 3;
const OPENING = /^(?<indentation>[ \t]*)(?<marks>`{3,}(?=[^`]*$)|~{3,})/;
const BEGINS_OPENING = /^[ \t]*(?:`{0,2}|~{0,2}|`{3,}[^`]*|~{3}.*)$/;
const CLOSING = /^(?<indentation>[ \t]*)(?:(?<marks>`+|~+)[ \t]*)?$/;
const WITH_INFO = /^[ \t]*(?<marks>`{3,}|~{3,})[ \t]*[^`~\s]/;
const FENCE_IN_TEXT = /^[ \t]*(?:`{3}|~{3})/m;

/** Returns the fence that a complete line opens, if any. */
export function parseOpening(line: string): Fence | undefined {
  const groups = line.length > MAX_FENCE_LENGTH ? undefined : OPENING.exec(line)?.groups;
  return groups && { indentation: groups['indentation'] ?? '', marks: groups['marks'] ?? '' };
}

/** True if a line that starts with this text may open a fence. */
export function mayOpen(line: string): boolean {
  return line.length <= MAX_FENCE_LENGTH && BEGINS_OPENING.test(line);
}

/** True if a line that starts with this text may close the fence, or open an inner fence. */
export function mayBeFence(line: string): boolean {
  return line.length <= MAX_FENCE_LENGTH && CLOSING.test(line);
}

/** True if a complete line closes the fence. */
export function closes(line: string, fence: Fence): boolean {
  const groups = line.length > MAX_FENCE_LENGTH ? undefined : CLOSING.exec(line)?.groups;
  const { indentation = '', marks } = groups ?? {};
  // The limit is relative to the opening line, because in a list item, indentation is measured from
  // the item's content.
  const limit = fence.indentation.length + MAX_EXTRA_SPACES;
  const isNear = !indentation.includes('\t') && indentation.length <= limit;
  return marks?.startsWith(fence.marks) === true && (isNear || indentation === fence.indentation);
}

/**
 * True if a line opens an inner fence whose closing line could be mistaken for the closing line of
 * the outer fence.
 */
export function opensInner(line: string, fence: Fence): boolean {
  const marks = WITH_INFO.exec(line.slice(0, MAX_FENCE_LENGTH))?.groups?.['marks'];
  return marks?.startsWith(fence.marks) ?? false;
}

/** Returns the fence that is still open at the end of the text, if any. */
export function openFence(text: string): Fence | undefined {
  let open: Fence | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (!open) open = parseOpening(line);
    else if (closes(line, open)) open = undefined;
  }
  return open;
}

/** True if any line of the text opens or closes a fence. */
export function hasFence(text: string): boolean {
  return FENCE_IN_TEXT.test(text);
}
