import { CharacterFilter } from './characterFilter.ts';
import { CodeFence } from './codeFence.ts';
import { type FitOptions, Indentation } from './indentation.ts';
import { keepsFences, WITHOUT_INDENTATION } from './languages.ts';

/** A formatting step for streamed text, which can be split into chunks anywhere. */
interface FormatStep {
  /** Adds a chunk, and returns the text that is ready for the next step. */
  add(text: string): string;
  /** Called after the last chunk. Returns the held-back text that belongs to the response. */
  end(): string;
}

/** Options for fitting a response to the text around it. */
export interface ResponseFitOptions extends FitOptions {
  /** True if the response goes into an existing document. */
  readonly isInserted?: boolean;
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
 * Fits a streamed response to the text around it. Removes unwanted characters and the code fence
 * around code, indents the lines, and converts line endings to LF. The result doesn't depend on how
 * the text is split into chunks.
 *
 * Don't call `end` for a truncated response, because its held-back text may turn out to be part of
 * a fence or a character. Call `continue` before adding the continuation.
 */
export class TextFit {
  readonly #characterFilter: CharacterFilter;
  readonly #codeFence: CodeFence | undefined;
  readonly #steps: readonly FormatStep[];
  #isEmpty = true;

  constructor({ isInserted = false, ...options }: ResponseFitOptions) {
    const { languageId } = options;
    this.#characterFilter = new CharacterFilter(languageId);
    this.#codeFence = keepsFences(languageId) ? undefined : new CodeFence();
    this.#steps = [
      this.#characterFilter,
      this.#codeFence,
      WITHOUT_INDENTATION.has(languageId) ? undefined : new Indentation(options),
      isInserted ? new FinalLineBreaks() : undefined,
    ].filter((step) => step !== undefined);
  }

  /** True if no text has been returned so far, apart from whitespace. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /**
   * Number of invisible characters, control characters, and lone surrogates removed since the last
   * continuation.
   */
  get removed(): number {
    return this.#characterFilter.removed;
  }

  /** Number of invisible characters kept in prose since then, except those in emoji. */
  get kept(): number {
    return this.#characterFilter.kept;
  }

  /** Adds a chunk, and returns the text that can be written now. */
  add(piece: string): string {
    let text = piece;
    for (const step of this.#steps) text = step.add(text);
    return this.#returned(text);
  }

  /**
   * Prepares for the continuation of a truncated response. Models often start a continuation by
   * reopening the code fence. The repeated opening line is removed. Counts start again.
   */
  continue(): void {
    this.#characterFilter.restartCount();
    this.#codeFence?.expectReopenedFence();
  }

  /** Returns the remaining text after the last chunk. A second call returns an empty string. */
  end(): string {
    let text = '';
    for (const step of this.#steps) text = step.add(text) + step.end();
    return this.#returned(text);
  }

  #returned(text: string): string {
    this.#isEmpty &&= text.trim() === '';
    return text;
  }
}
