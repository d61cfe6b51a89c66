import { CharacterFilter } from './characterFilter.ts';
import { CodeFence, type LeftOut } from './codeFence.ts';
import { type FitOptions, Indentation } from './indentation.ts';
import { keepsFences, PROSE, WITHOUT_INDENTATION } from './languageRules.ts';

/**
 * A formatting step for streamed text. A chunk can start and end anywhere in the text.
 *
 * A step that adds text to each line belongs after `FinalLineBreaks`. Past that point, each line
 * starts with its final indentation, which arrives together with the line's first visible
 * character. Blank lines have no indentation, and neither does any line in a `WITHOUT_INDENTATION`
 * language. `placing` (`inPlaceModes.ts`) sets the step's option in `ResponsePlace`, and
 * `fitOptionsFor` passes it on.
 */
interface FormatStep {
  /** Adds a chunk, and returns the text that is ready for the next step. */
  add(text: string): string;
  /**
   * Called after the last chunk, but not for a truncated response that can be continued. Returns
   * the held-back text that belongs to the response.
   */
  end(options: { readonly isComplete: boolean }): string;
}

/**
 * How to fit a response to its place. `fitOptionsFor` sets these options. Add each new option to
 * `textFit.test.ts`, including its random options, and to `FITS` (`test/unit/work/codePaths.ts`).
 */
export interface ResponseFitOptions extends FitOptions {
  /** True if the response goes into an existing document. */
  readonly isInserted?: boolean;
  /** Maximum number of line breaks at the start of the response. Unlimited by default. */
  readonly leadingLineBreaks?: number;
}

const LEADING_WHITESPACE = /^[ \t\n]*/;
/**
 * Used instead of `LEADING_WHITESPACE` for languages in which leading spaces and tabs are content.
 */
const EMPTY_LINES = /^\n*/;

/**
 * Limits the number of line breaks at the start of the response, and removes whitespace from blank
 * lines there.
 */
class LeadingLineBreaks implements FormatStep {
  /** The number of leading line breaks that may still be written. */
  #left: number;
  readonly #leading: RegExp;
  /** Whitespace at the start of the current line. Undefined once other text has arrived. */
  #held: string | undefined = '';

  constructor(limit: number, leading: RegExp) {
    this.#left = limit;
    this.#leading = leading;
  }

  add(piece: string): string {
    if (this.#held === undefined) return piece;
    const { length } = this.#leading.exec(piece)?.[0] ?? '';
    const lineStart = piece.lastIndexOf('\n', length - 1) + 1;
    const breaks = piece.slice(0, lineStart).replace(/[ \t]/g, '').slice(0, this.#left);
    this.#left -= breaks.length;
    const line = (lineStart === 0 ? this.#held : '') + piece.slice(lineStart);
    const hasBegun = length < piece.length;
    this.#held = hasBegun ? undefined : line;
    return hasBegun ? breaks + line : breaks;
  }

  /**
   * Returns an empty string, because the whitespace stays held back in case a continuation adds
   * text to the line.
   */
  end(): string {
    return '';
  }
}

/** Drops trailing line breaks, which would add empty lines to the document. */
class FinalLineBreaks implements FormatStep {
  #held = '';

  add(text: string): string {
    let end = text.length;
    while (text[end - 1] === '\n') end -= 1;
    const passed = end === 0 ? '' : this.#held + text.slice(0, end);
    this.#held = end === 0 ? this.#held + text : text.slice(end);
    return passed;
  }

  end(): string {
    this.#held = '';
    return '';
  }
}

/**
 * Fits a streamed response to the text around it. Removes unwanted characters, excess line breaks,
 * and the fence and text around code. Indents the lines and converts line endings to LF. The result
 * doesn't depend on how the text is split into chunks.
 *
 * Don't call `end` for a truncated response, because the continuation may complete held-back text,
 * such as the start of a fence line. Call `continue` before adding the continuation.
 */
export class TextFit {
  readonly #characterFilter: CharacterFilter;
  readonly #codeFence: CodeFence | undefined;
  readonly #steps: readonly FormatStep[];
  #isEmpty = true;

  constructor({ isInserted = false, leadingLineBreaks, ...options }: ResponseFitOptions) {
    const { languageId } = options;
    const isSpaceContent = WITHOUT_INDENTATION.has(languageId);
    this.#characterFilter = new CharacterFilter(languageId);
    const isCode = !PROSE.has(languageId);
    this.#codeFence = keepsFences(languageId) ? undefined : new CodeFence({ isCode });
    this.#steps = [
      this.#characterFilter,
      this.#codeFence,
      new LeadingLineBreaks(
        leadingLineBreaks ?? Number.POSITIVE_INFINITY,
        isSpaceContent ? EMPTY_LINES : LEADING_WHITESPACE,
      ),
      isSpaceContent ? undefined : new Indentation(options),
      isInserted ? new FinalLineBreaks() : undefined,
    ].filter((step) => step !== undefined);
  }

  /** True if no text has been returned so far. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /**
   * Number of invisible characters, control characters, and lone surrogates removed since the last
   * call to `continue`.
   */
  get removed(): number {
    return this.#characterFilter.removed;
  }

  /**
   * Number of invisible characters kept in prose since the last call to `continue`, not counting
   * those in emoji.
   */
  get kept(): number {
    return this.#characterFilter.kept;
  }

  /** Undefined if nothing was removed from around the code. */
  get leftOut(): LeftOut | undefined {
    return this.#codeFence?.leftOut;
  }

  /** Adds a chunk, and returns the text that can be written now. */
  add(piece: string): string {
    let text = piece;
    for (const step of this.#steps) text = step.add(text);
    return this.#returned(text);
  }

  /**
   * Prepares for the continuation of a truncated response. If the continuation starts by reopening
   * the code fence, as models often do, the repeated opening line is removed. Resets `removed` and
   * `kept`.
   */
  continue(): void {
    this.#characterFilter.restartCount();
    this.#codeFence?.expectReopenedFence();
  }

  /**
   * Called after the last chunk. Returns the remaining text. A second call returns an empty string.
   * @param options `isComplete`: false if the response was canceled or failed; unfinished
   * introductions and explanations are then dropped
   */
  end(options = { isComplete: true }): string {
    let text = '';
    for (const step of this.#steps) text = step.add(text) + step.end(options);
    return this.#returned(text);
  }

  #returned(text: string): string {
    this.#isEmpty &&= text === '';
    return text;
  }
}
