import { findReopening, splitLeadingLines } from './continuationFence.ts';
import {
  closes,
  type Fence,
  hasFence,
  mayBeFence,
  mayOpen,
  opensInner,
  parseOpening,
} from './fenceLines.ts';
import { LINE_STARTS, NOT_BLANK, withoutIndentation } from './indentation.ts';
import { explainsCode, introducesCode, isProse, mayExplain, mayIntroduce } from './proseLines.ts';

const BEGINS_WITH_BLANK_LINE = /^[ \t]*\n/;

/** The kind of content removed from around code: `code` if it includes another code block. */
export type LeftOut = 'text' | 'code';

/**
 * Removes the code fence around a response as the response streams in, so the fence never appears.
 * Also removes an introduction before the fence, and an explanation after it. Fences follow
 * CommonMark, except for the indentation. Because models repeat the prompt's indentation, the
 * opening line can have any indentation, and the closing line up to three spaces more. The opening
 * line's indentation is also removed from the lines inside the fence.
 *
 * - Only text that may be removed is held back. At the start, this includes leading blank lines, an
 *   introduction, and a line that may open the fence. Later, it includes a line that may close the
 *   fence or open an inner one, and the line break before that line. After a closing line, it
 *   includes blank lines and a line that may start an explanation.
 * - If only blank lines follow the closing line, they're removed, too. If the fence is never
 *   closed, as in a truncated response, the opening line is still removed.
 * - If the line directly after a closing line has text, the closing line is kept as part of an
 *   inner fence, such as one around an example in a doc comment. While an inner fence is open, the
 *   closing line is kept even if blank lines separate it from the text that follows.
 * - Otherwise, if the first line after the blank lines is prose, all text from there on is removed,
 *   including other code blocks. If that line isn't prose, the text is written unchanged, including
 *   fences. The closing line is still removed, because the opening line is already gone.
 * - A response that starts with neither a fence nor an introduction is written unchanged.
 *
 * Expects LF line endings.
 */
export class CodeFence {
  #state:
    | 'before'
    | 'inside'
    /** After a closing line and any blank lines that follow it. */
    | 'closed'
    /** In the first line of text after a closing line and any blank lines. */
    | 'checking'
    /** In an explanation. */
    | 'after'
    | 'outside' = 'before';
  readonly #isCode: boolean;
  #fence: Fence = { indentation: '', marks: '' };
  /** True inside an inner fence. */
  #isInner = false;
  /**
   * Held-back lines at the start of the response, or the line break before a line that may close
   * the fence.
   */
  #held = '';
  /**
   * The closing line if it was just received; otherwise, the current line so far, or undefined once
   * it's clear that the current line doesn't have to be held back.
   */
  #line: string | undefined = '';
  /** Text received after the closing line, except the current line if it's being checked. */
  #after = '';
  /**
   * The start of a continuation, held back until it's clear whether the continuation reopens the
   * fence: the blank or introductory lines, and the text after them. Undefined at all other times.
   */
  #head: { readonly before: string; readonly rest: string } | undefined;
  /** True if the held-back lines at the start of the response contain prose. */
  #holdsProse = false;
  #hasIntroduction = false;

  /** Undefined if nothing was removed from around the code. */
  get leftOut(): LeftOut | undefined {
    const isExplained = this.#state === 'after';
    if (isExplained && hasFence(this.#after)) return 'code';
    return isExplained || this.#hasIntroduction ? 'text' : undefined;
  }

  /** @param options `isCode`: false to keep the text before and after the fence */
  constructor({ isCode } = { isCode: true }) {
    this.#isCode = isCode;
  }

  add(text: string): string {
    if (this.#head === undefined) return this.#read(text);
    const { before, rest } = splitLeadingLines(this.#head.before, this.#head.rest + text);
    const found = findReopening(before, rest);
    this.#head = found === 'maybe' ? { before, rest } : undefined;
    if (found === 'maybe') return '';
    if (found === 'no') return this.#read(before + rest);
    if (this.#state === 'checking') this.#state = 'after';
    const isInText =
      this.#state === 'after' ||
      (found.isBare && this.#isInner) ||
      (found.hasIntroduction && !this.#isCode);
    if (isInText) return this.#read(before + rest);
    this.#hasIntroduction ||= found.hasIntroduction;
    const released = this.#releaseUnlessRemoved();
    this.#reopen(found.fence);
    return released + this.#read(found.rest);
  }

  /**
   * Prepares for the continuation of a truncated response. If the continuation starts by reopening
   * the fence, the repeated opening line is removed.
   */
  expectReopenedFence(): void {
    this.#head ??= { before: '', rest: '' };
  }

  /**
   * Called after the last chunk. Returns the held-back text that isn't removed.
   * @param options `isComplete`: false if the response was canceled or failed; unfinished
   * introductions and explanations are then dropped
   */
  end({ isComplete } = { isComplete: true }): string {
    const { before, rest } = this.#head ?? { before: '', rest: '' };
    this.#head = undefined;
    const text = this.#read(before + rest);
    if (!isComplete && this.#state === 'before') this.#begin(this.#fence);
    if (!isComplete && this.#state === 'checking') this.#state = 'after';
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
    const isWhole = text.endsWith('\n');
    const part = isWhole ? text.slice(0, -1) : text;
    switch (this.#state) {
      case 'before':
        return this.#open(part, isWhole);
      case 'inside':
        return this.#copy(part, isWhole);
      case 'closed':
        if (NOT_BLANK.test(text)) return this.#resolveClosing(text);
        break;
      case 'checking':
        return this.#checkExplanation(part, isWhole);
    }
    this.#after += text;
    return '';
  }

  #finish(): string {
    const line = this.#line ?? '';
    switch (this.#state) {
      case 'before':
        if (this.#openedBy(line) || !(this.#holdsProse || NOT_BLANK.test(line))) return '';
        this.#state = 'outside';
        return this.#release(line);
      case 'inside':
        if (closes(line, this.#fence)) return '';
        if (line !== '') this.#line = undefined;
        return this.#release(withoutIndentation(line, this.#fence.indentation));
      case 'checking':
        return this.#resolveExplanation(line, '');
      default:
        return '';
    }
  }

  #open(part: string, isWhole: boolean): string {
    const line = (this.#line ?? '') + part;
    const fence = isWhole ? this.#openedBy(line) : undefined;
    const isBlank = !NOT_BLANK.test(line);
    const mayBeRemoved = mayOpen(line) || (this.#isCode && mayIntroduce(this.#held.length, line));
    if (fence) {
      this.#begin(fence);
    } else if (isWhole && mayBeRemoved && (isBlank || isProse(line))) {
      this.#holdsProse ||= !isBlank;
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
    const fence = parseOpening(line);
    return fence && (!this.#holdsProse || introducesCode(this.#held)) ? fence : undefined;
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
   * @param text the first text after the closing line and any blank lines; at most one line
   */
  #resolveClosing(text: string): string {
    if (!this.#isInner && BEGINS_WITH_BLANK_LINE.test(this.#after)) {
      if (!this.#isCode) {
        this.#state = 'outside';
        return this.#release(this.#after + text);
      }
      this.#state = 'checking';
      // An indented line isn't prose.
      const spaces = this.#after.slice(this.#after.lastIndexOf('\n') + 1);
      this.#after = this.#after.slice(0, this.#after.length - spaces.length);
      this.#line = '';
      return this.#read(spaces + text);
    }
    const after = this.#after + text;
    const closing = this.#release(withoutIndentation(this.#line ?? '', this.#fence.indentation));
    this.#state = 'inside';
    this.#isInner = !this.#isInner;
    this.#held = '\n';
    this.#line = '';
    return closing + this.#read(after);
  }

  /**
   * Checks whether the first line after a closing line and any blank lines starts an explanation.
   */
  #checkExplanation(part: string, isWhole: boolean): string {
    const line = (this.#line ?? '') + part;
    if (isWhole || !mayExplain(line)) return this.#resolveExplanation(line, isWhole ? '\n' : '');
    this.#line = line;
    return '';
  }

  /**
   * Removes the text after the fence if that text starts with a line of prose. Otherwise, returns
   * it.
   * @param lineEnd the line break that ends the line, if it has arrived
   */
  #resolveExplanation(line: string, lineEnd: string): string {
    this.#after += line + lineEnd;
    this.#line = '';
    this.#state = explainsCode(line) ? 'after' : 'outside';
    return this.#state === 'after' ? '' : this.#release(this.#after);
  }

  #begin(fence: Fence): void {
    this.#hasIntroduction ||= this.#state === 'before' && this.#holdsProse;
    this.#fence = fence;
    this.#isInner = false;
    this.#state = 'inside';
    this.#held = '';
    this.#line = '';
  }

  /**
   * Returns the text that was held back at the start of a truncated response, unless it introduces
   * code or may open a fence.
   */
  #releaseUnlessRemoved(): string {
    const line = this.#line ?? '';
    const text = this.#held + (mayOpen(line) ? '' : line);
    if (this.#state !== 'before' || !NOT_BLANK.test(text)) return '';
    this.#holdsProse = introducesCode(text);
    if (this.#holdsProse) return '';
    this.#state = 'outside';
    this.#held = '';
    return text;
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
