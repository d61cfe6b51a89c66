import { LINE_STARTS, withoutIndentation } from './indentation.ts';

const NOT_BLANK = /[^ \t\n]/;
const BEGINS_WITH_BLANK_LINE = /^[ \t]*\n/;

interface Fence {
  readonly indentation: string;
  /** The backticks or tildes. */
  readonly marks: string;
}

/**
 * Removes the code fence from a response that starts with one, while it streams. The fence never
 * appears, not even briefly. Fences follow CommonMark, except that the opening one can have any
 * indentation, because models repeat the indentation of the prompt. Each line inside loses as much
 * of that indentation as it has.
 *
 * - Only text that may be part of a fence is held back. At the start, this is the leading
 *   whitespace and the first line. Later, it's a line that may close the fence, with the line break
 *   before it.
 * - The closing line and blank lines after it are removed, too. If the fence is never closed, as in
 *   a truncated response, the opening line stays removed.
 * - If text follows the closing line directly, that line is part of an inner fence, as in a doc
 *   comment. It is written, and so is the line that closes the inner fence.
 * - If text follows after a blank line, only the closing line is removed. The rest is written
 *   unchanged, including further fences. The opening line can't be restored by then, and half a
 *   fence would be worse than none. Dropping the rest would lose part of the response.
 * - A response that starts with anything else is written unchanged.
 *
 * Expects LF line ends.
 */
export class CodeFence {
  #state: 'before' | 'inside' | 'closed' | 'outside' = 'before';
  #fence: Fence = { indentation: '', marks: '' };
  /** True inside an inner fence. */
  #isInner = false;
  /** Blank lines at the start, or the line break before a line that may close the fence. */
  #blank = '';
  /** The start of a line that may be a fence. Undefined in the middle of a line that isn't one. */
  #line: string | undefined = '';
  /** Whitespace after the closing line. */
  #after = '';
  /** The start of a continuation that may be a fence. Undefined if nothing needs to be decided. */
  #head: string | undefined;

  add(text: string): string {
    if (this.#head === undefined) return this.#read(text);
    const head = this.#head + text;
    const found = reopening(head);
    this.#head = found === 'maybe' ? head : undefined;
    if (found === 'maybe') return '';
    if (found === 'no' || (found.isBare && this.#isInner)) return this.#read(head);
    this.#reopen(found.fence);
    return this.#read(found.rest);
  }

  /** Prepares for the continuation of a truncated response. A fence at its start is removed. */
  expectReopenedFence(): void {
    this.#head ??= '';
  }

  /** Returns the held-back text that isn't a fence, once no chunk follows. */
  end(): string {
    const head = this.#head ?? '';
    this.#head = undefined;
    return this.#read(head) + this.#finish();
  }

  #read(text: string): string {
    // Most responses have no fence, so this applies from the first line on.
    if (this.#state === 'outside') return text;
    let written = '';
    for (const line of text.split(LINE_STARTS)) written += this.#readLine(line);
    return written;
  }

  /** @param text part of a line, with its line end if it has arrived */
  #readLine(text: string): string {
    if (text === '' || this.#state === 'outside') return text;
    if (this.#state === 'closed') {
      this.#after += text;
      return NOT_BLANK.test(text) ? this.#leave(this.#after) + this.#read(this.#after) : '';
    }
    const isWhole = text.endsWith('\n');
    const part = isWhole ? text.slice(0, -1) : text;
    return this.#state === 'before' ? this.#open(part, isWhole) : this.#copy(part, isWhole);
  }

  #finish(): string {
    const line = this.#line ?? '';
    if (this.#state === 'before') {
      if (opening(line) || !NOT_BLANK.test(line)) return '';
      this.#state = 'outside';
      return this.#release(line);
    }
    if (this.#state !== 'inside' || closing(line, this.#fence) === 'yes') return '';
    if (line !== '') this.#line = undefined;
    return this.#release(withoutIndentation(line, this.#fence.indentation));
  }

  #open(part: string, isWhole: boolean): string {
    const line = (this.#line ?? '') + part;
    const fence = isWhole ? opening(line) : undefined;
    if (fence) {
      this.#begin(fence);
    } else if (isWhole && mayOpen(line) && !NOT_BLANK.test(line)) {
      this.#blank += `${line}\n`;
      this.#line = '';
    } else if (!isWhole && mayOpen(line)) {
      this.#line = line;
    } else {
      this.#state = 'outside';
      return this.#release(isWhole ? `${line}\n` : line);
    }
    return '';
  }

  #copy(part: string, isWhole: boolean): string {
    let written = part;
    if (this.#line !== undefined) {
      const line = this.#line + part;
      const verdict = closing(line, this.#fence);
      if (isWhole && verdict === 'yes') {
        this.#state = 'closed';
        this.#line = line;
        this.#after = '';
        return '';
      }
      if (!isWhole && verdict !== 'no') {
        this.#line = line;
        return '';
      }
      this.#isInner ||= opensInner(line, this.#fence);
      written = this.#release(withoutIndentation(line, this.#fence.indentation));
    }
    this.#line = isWhole ? '' : undefined;
    this.#blank = isWhole ? '\n' : '';
    return written;
  }

  /**
   * Ends the fence or continues inside it, depending on the text after the closing line.
   * @param text contains more than whitespace
   */
  #leave(text: string): string {
    if (!this.#isInner && BEGINS_WITH_BLANK_LINE.test(text)) {
      this.#state = 'outside';
      return this.#release('');
    }
    const written = this.#release(withoutIndentation(this.#line ?? '', this.#fence.indentation));
    this.#state = 'inside';
    this.#isInner = !this.#isInner;
    this.#blank = '\n';
    this.#line = '';
    return written;
  }

  #begin(fence: Fence): void {
    this.#fence = fence;
    this.#isInner = false;
    this.#state = 'inside';
    this.#blank = '';
    this.#line = '';
  }

  /** Continues where the text was truncated. A closing line in between is dropped. */
  #reopen(fence: Fence): void {
    const isClosed =
      this.#state === 'closed' ||
      (this.#state === 'inside' && closing(this.#line ?? '', this.#fence) === 'yes');
    const line = isClosed || this.#state === 'before' ? '' : this.#line;
    const blank = this.#state === 'before' ? '' : this.#blank;
    const isOutside = this.#state === 'outside';
    this.#begin(fence);
    this.#line = isOutside ? undefined : line;
    this.#blank = blank;
  }

  #release(text: string): string {
    const released = this.#blank + text;
    this.#blank = '';
    return released;
  }
}

// Opening and closing lines of fenced code blocks, as defined by CommonMark:
// https://spec.commonmark.org/0.31.2/#fenced-code-blocks

/** Longer lines aren't treated as fences, which limits the held-back text. */
const MAX_FENCE_LENGTH = 200;
const OPENING = /^(?<indentation>[ \t]*)(?<marks>`{3,}(?=[^`]*$)|~{3,})/;
const BEGINS_OPENING = /^[ \t]*(?:`{0,2}|~{0,2}|`{3,}[^`]*|~{3}.*)$/;
const CLOSING = /^(?<indentation>[ \t]*)(?:(?<marks>`+|~+)(?<rest>[ \t]*))?$/;
const WITH_INFO = /^[ \t]*(?<marks>`{3,}|~{3,})[ \t]*[^`~\s]/;
const BLANK_LINES = /^(?:[ \t]*\n)*/;

/** Returns the fence that a complete line opens. */
function opening(line: string): Fence | undefined {
  const groups = line.length > MAX_FENCE_LENGTH ? undefined : OPENING.exec(line)?.groups;
  return groups && { indentation: groups['indentation'] ?? '', marks: groups['marks'] ?? '' };
}

/** True if a line that starts like this may open a fence. */
function mayOpen(line: string): boolean {
  return line.length <= MAX_FENCE_LENGTH && BEGINS_OPENING.test(line);
}

/** Checks if a line closes the fence. The line may be incomplete. */
function closing(line: string, fence: Fence): 'yes' | 'maybe' | 'no' {
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

/**
 * True if a line inside the fence opens an inner fence whose closing line would also close this
 * one.
 */
function opensInner(line: string, fence: Fence): boolean {
  const marks = WITH_INFO.exec(line.slice(0, MAX_FENCE_LENGTH))?.groups?.['marks'];
  return marks?.startsWith(fence.marks) ?? false;
}

/**
 * Finds a fence at the start of a continuation. Chat models reopen the fence they were in. A line
 * of marks alone opens a fence if text follows directly. Otherwise it closes one. Blank lines may
 * come before it.
 *
 * @returns the fence and the text after its line; `maybe` if more text is needed to decide
 */
function reopening(
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
