import { LINE_STARTS, withoutIndentation } from './indentation.ts';

const NOT_BLANK = /[^ \t\n]/;
const BEGINS_WITH_BLANK_LINE = /^[ \t]*\n/;

interface Fence {
  readonly indentation: string;
  /** The backticks or tildes that open the fence. */
  readonly marks: string;
}

/**
 * Removes the code fence around a response while it streams, so that the fence never appears. Also
 * removes the introduction before the fence and the explanation after it. Fences follow CommonMark, except that the opening and closing lines can be indented by any
 * amount, as long as it's the same for both, because models repeat the prompt's indentation. That
 * indentation is also removed from the lines inside the fence.
 *
 * - At the start, leading blank lines, an introduction, and a line that may open the fence are held
 *   back. Later, it's a line that may close the fence or open an inner one, and the line break
 *   before that line.
 * - An introduction consists of sentences, such as "Here is the function:". If no fence follows it,
 *   the response is written unchanged.
 * - If the fence is never closed, as in a truncated response, the opening line is still removed.
 * - If the line directly after a closing line has text, the closing line is kept as part of an
 *   inner fence, such as an example in a doc comment. While an inner fence is open, the closing
 *   line is kept even if blank lines precede the text.
 * - Otherwise, the text after the closing line is an explanation, and is held back. If it contains
 *   another fence, the fences may have been misread, so the explanation and everything after it
 *   are written unchanged.
 *
 * Expects LF line endings.
 */
export class CodeFence {
  #state: 'before' | 'inside' | 'closed' | 'after' | 'outside' = 'before';
  #fence: Fence = { indentation: '', marks: '' };
  /** True inside an inner fence. */
  #isInner = false;
  /**
   * Held-back lines before the current line: those before the fence, the line break before a line
   * that may close the fence, or the explanation after the fence.
   */
  #held = '';
  /**
   * The current line as received so far, if it may be a fence line, or the closing line that was
   * just received. Undefined once it can no longer be a fence line.
   */
  #line: string | undefined = '';
  /** Whitespace received after the closing line. */
  #after = '';
  /**
   * The start of a continuation, held back until it's clear whether the continuation reopens the
   * fence. Undefined at all other times.
   */
  #head: string | undefined;
  #hasLeftOutText = false;

  /** True if an introduction or explanation was removed. */
  get hasLeftOutText(): boolean {
    return this.#hasLeftOutText;
  }

  add(text: string): string {
    if (this.#head === undefined) return this.#read(text);
    const head = this.#head + text;
    const found = findReopening(head);
    this.#head = found === 'maybe' ? head : undefined;
    if (found === 'maybe') return '';
    const isPartOfText =
      found === 'no' || this.#state === 'after' || (found.isBare && this.#isInner);
    if (isPartOfText) return this.#read(head);
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

  /** Called after the last chunk. Returns the held-back text that isn't part of a fence. */
  end(): string {
    const head = this.#head ?? '';
    this.#head = undefined;
    return this.#read(head) + this.#finish();
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
    if (this.#state === 'closed') {
      this.#after += text;
      return NOT_BLANK.test(text)
        ? this.#resolveClosing(this.#after) + this.#read(this.#after)
        : '';
    }
    const isWhole = text.endsWith('\n');
    const part = isWhole ? text.slice(0, -1) : text;
    if (this.#state === 'before') return this.#open(part, isWhole);
    return this.#state === 'inside' ? this.#copy(part, isWhole) : this.#skip(part, isWhole);
  }

  #finish(): string {
    const line = this.#line ?? '';
    if (this.#state === 'inside') {
      if (closes(line, this.#fence)) return '';
      if (line !== '') this.#line = undefined;
      return this.#release(withoutIndentation(line, this.#fence.indentation));
    }
    if (this.#state === 'closed' || this.#state === 'outside') return '';
    const isFence = parseOpening(line) !== undefined;
    if (isFence === (this.#state === 'after') && NOT_BLANK.test(this.#held + line)) {
      this.#state = 'outside';
      return this.#release(line);
    }
    this.#leaveOut(isFence ? '' : line);
    return '';
  }

  #open(part: string, isWhole: boolean): string {
    const line = (this.#line ?? '') + part;
    const fence = isWhole ? parseOpening(line) : undefined;
    if (fence) {
      this.#leaveOut();
      this.#begin(fence);
    } else if (isWhole && (!NOT_BLANK.test(line) || isIntroduction(this.#held, line))) {
      this.#held += `${line}\n`;
      this.#line = '';
    } else if (!isWhole && (mayOpen(line) || mayIntroduce(this.#held, line))) {
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

  /**
   * Decides whether a closing line closes the outer fence or belongs to an inner fence.
   * @param text the text after the closing line, which includes at least one non-whitespace
   * character
   * @returns the text to write before `text`
   */
  #resolveClosing(text: string): string {
    if (!this.#isInner && BEGINS_WITH_BLANK_LINE.test(text)) {
      this.#state = 'after';
      this.#line = '';
      return '';
    }
    const written = this.#release(withoutIndentation(this.#line ?? '', this.#fence.indentation));
    this.#state = 'inside';
    this.#isInner = !this.#isInner;
    this.#held = '\n';
    this.#line = '';
    return written;
  }

  /** Holds back a line after the closing line. If the line opens another fence, releases all. */
  #skip(part: string, isWhole: boolean): string {
    const line = (this.#line ?? '') + part;
    if (isWhole && parseOpening(line)) {
      this.#state = 'outside';
      return this.#release(`${line}\n`);
    }
    if (isWhole) this.#held += `${line}\n`;
    this.#line = isWhole ? '' : line;
    return '';
  }

  /** Drops the held-back introduction or explanation, and the line that ends it. */
  #leaveOut(line = ''): void {
    this.#hasLeftOutText ||= NOT_BLANK.test(this.#held + line);
    this.#held = '';
    this.#line = '';
  }

  #begin(fence: Fence): void {
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
    if (this.#state === 'before') this.#leaveOut();
    const line = isClosed ? '' : this.#line;
    const held = this.#held;
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

/** Maximum length of an introduction, in characters. A longer one isn't held back. */
const MAX_INTRODUCTION_LENGTH = 300;
/**
 * Matches the start of a line of prose: a capitalized word, or a character of a script without
 * capital letters. Characters that are typical of code are allowed only between backticks.
 */
const INTRODUCTION =
  /^(?:\p{Lu}[\p{Ll}'’]*[,!.:]?(?: |$)|\p{Lo})(?:[^`=;{}<>[\]\\$@#]|`[^`]*(?:`|$))*$/u;
const ENDS_SENTENCE = /[.:!。：！][ \t]*$/;

/** Returns the fence that a complete line opens, if any. */
function parseOpening(line: string): Fence | undefined {
  const groups = line.length > MAX_FENCE_LENGTH ? undefined : OPENING.exec(line)?.groups;
  return groups && { indentation: groups['indentation'] ?? '', marks: groups['marks'] ?? '' };
}

/**
 * True if a line that starts with this text may belong to an introduction.
 * @param before the lines before it
 */
function mayIntroduce(before: string, line: string): boolean {
  return before.length + line.length <= MAX_INTRODUCTION_LENGTH && INTRODUCTION.test(line);
}

/**
 * True if a complete line may belong to an introduction.
 * @param before the lines before it
 */
function isIntroduction(before: string, line: string): boolean {
  return mayIntroduce(before, line) && ENDS_SENTENCE.test(line);
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

/**
 * Finds a fence at the start of a continuation. Chat models often reopen the fence in which the
 * truncated response ended, sometimes after blank lines. A fence line without an info string counts
 * as an opening line if the next line has text; otherwise, it counts as a closing line.
 *
 * @returns the fence, the text after the fence line, and whether the line has no info string
 * (`isBare`); `no` if no fence is reopened; `maybe` if more text is needed to decide
 */
function findReopening(
  text: string,
): { readonly fence: Fence; readonly isBare: boolean; readonly rest: string } | 'maybe' | 'no' {
  const blank = BLANK_LINES.exec(text)?.[0].length ?? 0;
  if (blank > MAX_FENCE_LENGTH) return 'no';
  const lineEnd = text.indexOf('\n', blank);
  if (lineEnd === -1) return mayOpen(text.slice(blank)) ? 'maybe' : 'no';
  const line = text.slice(blank, lineEnd);
  const fence = parseOpening(line);
  if (!fence) return 'no';
  const rest = text.slice(lineEnd + 1);
  const isBare = line.trim() === fence.marks;
  if (!isBare || /^[ \t]{0,200}[^ \t\n]/.test(rest)) return { fence, isBare, rest };
  return /^[ \t]{0,200}$/.test(rest) ? 'maybe' : 'no';
}
