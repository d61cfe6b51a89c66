import { LINE_STARTS, withoutIndentation } from './indentation.ts';

const NOT_BLANK = /[^ \t\n]/;
const BEGINS_WITH_BLANK_LINE = /^[ \t]*\n/;

interface Fence {
  readonly indentation: string;
  /** The backticks or tildes. */
  readonly marks: string;
}

/**
 * Takes the code fence off an answer that begins with one, while it streams: no fence ever shows.
 * Fences are read as CommonMark says, but the opening one may be indented to any depth, since
 * models repeat the indentation of the prompt; the lines inside lose as much of it as they have.
 *
 * - Only what may still be a fence is held back: the blank beginning of the answer and its first
 *   line, later a line that may still close the fence, with the line break before it.
 * - What closes the fence, and blank lines after it, go too. A fence that is never closed (an
 *   answer that was cut off) stays off.
 * - If text follows the closing line at once, it was none, but a fence within the code, as in a doc
 *   comment: it is written, and so is the line that closes the inner fence.
 * - If text follows after a blank line, the closing line alone is left out and the rest is written
 *   as it came, further fences included. The opening line cannot be put back by then, and half a
 *   fence would be worse than none; to drop the rest would lose part of an answer.
 * - An answer that begins with anything else is written as it came.
 *
 * Expects LF line ends.
 */
export class CodeFence {
  #state: 'before' | 'inside' | 'closed' | 'outside' = 'before';
  #fence: Fence = { indentation: '', marks: '' };
  /** Inside a fence within the fence. */
  #isInner = false;
  /** Blank lines, or the line break before a line that may close the fence. */
  #blank = '';
  /** The beginning of a line that may be a fence; undefined in the middle of one that is not. */
  #line: string | undefined = '';
  /** Blanks after the closing line. */
  #after = '';
  /** The beginning of a continuation that may be a fence; undefined once that is known. */
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

  /** What comes next continues an answer that was cut off: a fence that it begins with goes. */
  expectReopenedFence(): void {
    this.#head ??= '';
  }

  /** What is held back and is no fence, once nothing follows any more. */
  end(): string {
    const head = this.#head ?? '';
    this.#head = undefined;
    return this.#read(head) + this.#finish();
  }

  #read(text: string): string {
    // Of most answers all that comes, from the first line on.
    if (this.#state === 'outside') return text;
    let written = '';
    for (const line of text.split(LINE_STARTS)) written += this.#readLine(line);
    return written;
  }

  /** @param text of a line, with its line end if it has come */
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

  /** @param text what follows the closing line, not only blanks */
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

  /** The text goes on where it was cut, without the closing line that stands between. */
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

// The lines that begin and end a fenced code block, as CommonMark reads them.

/** Longer lines are no fence; bounds what is held back. */
const MAX_FENCE_LENGTH = 200;
const OPENING = /^(?<indentation>[ \t]*)(?<marks>`{3,}(?=[^`]*$)|~{3,})/;
const BEGINS_OPENING = /^[ \t]*(?:`{0,2}|~{0,2}|`{3,}[^`]*|~{3}.*)$/;
const CLOSING = /^(?<indentation>[ \t]*)(?:(?<marks>`+|~+)(?<rest>[ \t]*))?$/;
const WITH_INFO = /^[ \t]*(?<marks>`{3,}|~{3,})[ \t]*[^`~\s]/;
const BLANK_LINES = /^(?:[ \t]*\n)*/;

/** The fence that a whole line opens. */
function opening(line: string): Fence | undefined {
  const groups = line.length > MAX_FENCE_LENGTH ? undefined : OPENING.exec(line)?.groups;
  return groups && { indentation: groups['indentation'] ?? '', marks: groups['marks'] ?? '' };
}

/** Whether a line that begins like this may open a fence. */
function mayOpen(line: string): boolean {
  return line.length <= MAX_FENCE_LENGTH && BEGINS_OPENING.test(line);
}

/** Whether a line, or the beginning of one, closes the fence. */
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

/** Whether a line inside the fence opens one that the marks of this fence would close. */
function opensInner(line: string, fence: Fence): boolean {
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
