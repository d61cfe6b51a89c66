import { LINE_STARTS, withoutIndentation } from './indentation.ts';
import { introducesCode, isProse, mayBeProse, mayIntroduce } from './textAroundCode.ts';

const NOT_BLANK = /[^ \t\n]/;
const BEGINS_WITH_BLANK_LINE = /^[ \t]*\n/;

interface Fence {
  readonly indentation: string;
  /** The backticks or tildes that open the fence. */
  readonly marks: string;
}

/**
 * Removes the code fence around a response while it streams, so that the fence never appears. Also
 * removes an introduction before the fence, and an explanation after it. Fences follow CommonMark,
 * except that the opening and closing lines can be indented by any amount, as long as it's the same
 * for both, because models repeat the prompt's indentation. That indentation is also removed from
 * the lines inside the fence.
 *
 * - Only text that may be removed is held back. At the start, that's the leading blank lines, an
 *   introduction, and a line that may open the fence. Later, it's a line that may close the fence
 *   or open an inner one, and the line break before that line.
 * - If only blank lines follow the closing line, they're removed, too. If the fence is never
 *   closed, as in a truncated response, the opening line is still removed.
 * - If the line directly after a closing line has text, the closing line is kept as part of an
 *   inner fence, such as an example in a doc comment. While an inner fence is open, the closing
 *   line is kept even if blank lines precede the text.
 * - Otherwise, if the first line after the blank lines is prose, all text from there on is removed,
 *   including other code blocks. If that line isn't prose, the text is written unchanged, including
 *   fences. The closing line is still removed, because the opening line is already gone.
 * - A response that starts with neither a fence nor an introduction is written unchanged.
 *
 * Expects LF line endings.
 */
export class CodeFence {
  #state: 'before' | 'inside' | 'closed' | 'after' | 'outside' = 'before';
  #fence: Fence = { indentation: '', marks: '' };
  /** True inside an inner fence. */
  #isInner = false;
  /**
   * Held-back lines at the start of the response, or the line break before a line that may close
   * the fence.
   */
  #held = '';
  /**
   * The current line as received so far, if it may be held back, or the closing line that was just
   * received. Undefined once it can no longer be a fence line.
   */
  #line: string | undefined = '';
  /** Text received after the closing line. */
  #after = '';
  /**
   * The start of a continuation, held back until it's clear whether the continuation reopens the
   * fence. Undefined at all other times.
   */
  #head: string | undefined;
  #hasIntroduction = false;

  /** What was removed around the code, if anything: only text, or also another code block. */
  get leftOut(): 'text' | 'code' | undefined {
    const isExplained = this.#state === 'after';
    if (isExplained && FENCE_IN_TEXT.test(this.#after)) return 'code';
    return isExplained || this.#hasIntroduction ? 'text' : undefined;
  }

  add(text: string): string {
    if (this.#head === undefined) return this.#read(text);
    const head = this.#head + text;
    const found = findReopening(head);
    this.#head = found === 'maybe' ? head : undefined;
    if (found === 'maybe') return '';
    if (found === 'no') return this.#read(head);
    if (this.#state === 'closed' && NOT_BLANK.test(this.#after)) this.#state = 'after';
    if (this.#state === 'after' || (found.isBare && this.#isInner)) return this.#read(head);
    this.#hasIntroduction ||= found.hasIntroduction;
    this.#reopen(found.fence);
    return this.#read(found.rest);
  }

  /**
   * Prepares for the continuation of a truncated response. If the continuation starts by reopening
   * the fence, the repeated opening line is removed.
   */
  expectReopenedFence(): void {
    this.#head ??= '';
  }

  /**
   * Called after the last chunk. Returns the held-back text that isn't removed.
   * @param options `isComplete`: false if the response was canceled or failed, so that the start of
   * an introduction is removed, too
   */
  end({ isComplete } = { isComplete: true }): string {
    const head = this.#head ?? '';
    this.#head = undefined;
    const text = this.#read(head);
    if (!isComplete && this.#state === 'before') this.#begin(this.#fence);
    return text + this.#finish();
  }

  #read(text: string): string {
    // Fast path for text outside the fence.
    if (this.#state === 'outside') return text;
    let written = '';
    for (const line of text.split(LINE_STARTS)) written += this.#readLine(line);
    return written;
  }

  /** @param text part of a line, including its line break if it has arrived */
  #readLine(text: string): string {
    if (text === '' || this.#state === 'outside') return text;
    if (this.#state === 'closed' || this.#state === 'after') return this.#readAfter(text);
    const isWhole = text.endsWith('\n');
    const part = isWhole ? text.slice(0, -1) : text;
    return this.#state === 'before' ? this.#open(part, isWhole) : this.#copy(part, isWhole);
  }

  #finish(): string {
    const line = this.#line ?? '';
    if (this.#state === 'before') {
      if (this.#openedBy(line) || !NOT_BLANK.test(this.#held + line)) return '';
      this.#state = 'outside';
      return this.#release(line);
    }
    if (this.#state === 'closed' && NOT_BLANK.test(this.#after)) return this.#resolveClosing(true);
    if (this.#state !== 'inside' || closes(line, this.#fence)) return '';
    if (line !== '') this.#line = undefined;
    return this.#release(withoutIndentation(line, this.#fence.indentation));
  }

  #open(part: string, isWhole: boolean): string {
    const line = (this.#line ?? '') + part;
    const fence = isWhole ? this.#openedBy(line) : undefined;
    const mayBeRemoved = mayOpen(line) || mayIntroduce(this.#held, line);
    if (fence) {
      this.#begin(fence);
    } else if (isWhole && mayBeRemoved && (!NOT_BLANK.test(line) || isProse(line))) {
      this.#held += `${line}\n`;
      this.#line = '';
    } else if (!isWhole && mayBeRemoved) {
      this.#line = line;
    } else {
      this.#state = 'outside';
      return this.#release(isWhole ? `${line}\n` : line);
    }
    return '';
  }

  /** Returns the fence that a complete line at the start of the response opens, if any. */
  #openedBy(line: string): Fence | undefined {
    const isAtStart = !NOT_BLANK.test(this.#held) || introducesCode(this.#held);
    return isAtStart ? parseOpening(line) : undefined;
  }

  #copy(part: string, isWhole: boolean): string {
    let written = part;
    if (this.#line !== undefined) {
      const line = this.#line + part;
      if (isWhole && closes(line, this.#fence)) {
        this.#state = 'closed';
        this.#line = line;
        this.#after = '';
        return '';
      }
      if (!isWhole && mayBeFence(line)) {
        this.#line = line;
        return '';
      }
      this.#isInner ||= opensInner(line, this.#fence);
      written = this.#release(withoutIndentation(line, this.#fence.indentation));
    }
    this.#line = isWhole ? '' : undefined;
    this.#held = isWhole ? '\n' : '';
    return written;
  }

  /** @param text text after the closing line; at most one line */
  #readAfter(text: string): string {
    this.#after += text;
    if (this.#state === 'after' || !NOT_BLANK.test(this.#after)) return '';
    return this.#resolveClosing(text.endsWith('\n'));
  }

  /**
   * Decides whether a closing line closes the outer fence or belongs to an inner fence, and whether
   * the text after it is an explanation. Returns the text to write, or an empty string if the rest
   * of the line is needed to decide.
   * @param isWhole true if the first line with text after the closing line is complete
   */
  #resolveClosing(isWhole: boolean): string {
    const after = this.#after;
    if (!this.#isInner && BEGINS_WITH_BLANK_LINE.test(after)) {
      const line = after.replace(BLANK_LINES, '').replace('\n', '');
      if (!isWhole && mayBeProse(line)) return '';
      this.#state = isProse(line) ? 'after' : 'outside';
      return this.#state === 'after' ? '' : this.#release(after);
    }
    const closing = this.#release(withoutIndentation(this.#line ?? '', this.#fence.indentation));
    this.#state = 'inside';
    this.#isInner = !this.#isInner;
    this.#held = '\n';
    this.#line = '';
    return closing + this.#read(after);
  }

  #begin(fence: Fence): void {
    this.#hasIntroduction ||= this.#state === 'before' && NOT_BLANK.test(this.#held);
    this.#fence = fence;
    this.#isInner = false;
    this.#state = 'inside';
    this.#held = '';
    this.#line = '';
  }

  /**
   * Continues where the text was truncated, inside the fence that the continuation reopened. If the
   * truncated text ended with a closing line, that line is dropped.
   */
  #reopen(fence: Fence): void {
    const isClosed =
      this.#state === 'closed' ||
      (this.#state === 'inside' && closes(this.#line ?? '', this.#fence));
    const isBefore = this.#state === 'before';
    const line = isClosed || isBefore ? '' : this.#line;
    const held = isBefore ? '' : this.#held;
    const isOutside = this.#state === 'outside';
    this.#begin(fence);
    this.#line = isOutside ? undefined : line;
    this.#held = held;
  }

  #release(text: string): string {
    const released = this.#held + text;
    this.#held = '';
    return released;
  }
}

// Opening and closing lines of fenced code blocks, as defined by CommonMark:
// https://spec.commonmark.org/0.31.2/#fenced-code-blocks

/** Maximum length of a fence line, in characters. A longer line isn't held back. */
const MAX_FENCE_LENGTH = 200;
const OPENING = /^(?<indentation>[ \t]*)(?<marks>`{3,}(?=[^`]*$)|~{3,})/;
const BEGINS_OPENING = /^[ \t]*(?:`{0,2}|~{0,2}|`{3,}[^`]*|~{3}.*)$/;
const CLOSING = /^(?<indentation>[ \t]*)(?:(?<marks>`+|~+)[ \t]*)?$/;
const WITH_INFO = /^[ \t]*(?<marks>`{3,}|~{3,})[ \t]*[^`~\s]/;
const BLANK_LINES = /^(?:[ \t]*\n)*/;
/** Maximum length of the lines before a fence that a continuation reopens, in characters. */
const MAX_HEAD_LENGTH = 500;
/** Matches an opening line anywhere in text. */
const FENCE_IN_TEXT = /^[ \t]*(?:`{3}|~{3})/m;

/** Returns the fence that a complete line opens, if any. */
function parseOpening(line: string): Fence | undefined {
  const groups = line.length > MAX_FENCE_LENGTH ? undefined : OPENING.exec(line)?.groups;
  return groups && { indentation: groups['indentation'] ?? '', marks: groups['marks'] ?? '' };
}

/** True if a line that starts with this text may open a fence. */
function mayOpen(line: string): boolean {
  return line.length <= MAX_FENCE_LENGTH && BEGINS_OPENING.test(line);
}

/** True if a line that starts with this text may close the fence, or open an inner fence. */
function mayBeFence(line: string): boolean {
  return line.length <= MAX_FENCE_LENGTH && CLOSING.test(line);
}

/** True if a complete line closes the fence. */
function closes(line: string, fence: Fence): boolean {
  const groups = line.length > MAX_FENCE_LENGTH ? undefined : CLOSING.exec(line)?.groups;
  const { indentation = '', marks } = groups ?? {};
  return (
    marks?.startsWith(fence.marks) === true &&
    (/^ {0,3}$/.test(indentation) || indentation === fence.indentation)
  );
}

/**
 * True if a line opens an inner fence whose closing line could be mistaken for the closing line of
 * the outer fence.
 */
function opensInner(line: string, fence: Fence): boolean {
  const marks = WITH_INFO.exec(line.slice(0, MAX_FENCE_LENGTH))?.groups?.['marks'];
  return marks?.startsWith(fence.marks) ?? false;
}

/** A fence at the start of a continuation. */
interface Reopening {
  readonly fence: Fence;
  /** True if the opening line has no info string. */
  readonly isBare: boolean;
  readonly hasIntroduction: boolean;
  /** The text after the opening line. */
  readonly rest: string;
}

/**
 * Finds a fence at the start of a continuation. Chat models often reopen the fence in which the
 * truncated response ended, sometimes after blank lines or an introduction. A fence line without an
 * info string counts as an opening line if the next line has text; otherwise, it counts as a closing
 * line.
 *
 * @returns `no` if no fence is reopened; `maybe` if more text is needed to decide
 */
function findReopening(text: string): Reopening | 'maybe' | 'no' {
  const before = linesBeforeFence(text);
  if (before.length > MAX_HEAD_LENGTH) return 'no';
  const lineEnd = text.indexOf('\n', before.length);
  if (lineEnd === -1) {
    const line = text.slice(before.length);
    return mayOpen(line) || mayIntroduce(before, line) ? 'maybe' : 'no';
  }
  const line = text.slice(before.length, lineEnd);
  const fence = parseOpening(line);
  const hasIntroduction = NOT_BLANK.test(before);
  if (!fence || (hasIntroduction && !introducesCode(before))) return 'no';
  const rest = text.slice(lineEnd + 1);
  const isBare = line.trim() === fence.marks;
  if (!isBare || /^[ \t]{0,200}[^ \t\n]/.test(rest))
    return { fence, isBare, hasIntroduction, rest };
  return /^[ \t]{0,200}$/.test(rest) ? 'maybe' : 'no';
}

/** Returns the complete lines at the start of the text that are blank or an introduction. */
function linesBeforeFence(text: string): string {
  let before = '';
  for (const part of text.split(LINE_STARTS)) {
    const line = part.replace('\n', '');
    const isIntroduction = mayIntroduce(before, line) && isProse(line);
    if (line === part || (NOT_BLANK.test(line) && !isIntroduction)) break;
    before += part;
  }
  return before;
}
