import { CharacterFilter } from './characterFilter.ts';
import { CodeFence } from './codeFence.ts';
import { type FitOptions, Indentation } from './indentation.ts';
import { keepsFences, WITHOUT_INDENTATION } from './languages.ts';

/** A formatting step for text in chunks. Chunks can be split anywhere. */
interface FormatStep {
  /** Returns the text that can be passed on now. */
  add(text: string): string;
  /** Returns the held-back text that belongs to the response, once no chunk follows. */
  end(): string;
}

/** Options for fitting a response to its place. */
export interface ResponseFitOptions extends FitOptions {
  /** True if the response is inserted into a document, before other text or its end. */
  readonly isInserted?: boolean;
}

/** Drops trailing line breaks, which would add empty lines to a document. */
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
 * Fits a response to its place while it streams. Removes unwanted characters and the code fence
 * around code, adds the indentation of the place, and converts line ends to LF. Pure. The result
 * doesn't depend on how the text is split into chunks.
 *
 * A truncated response hasn't ended. Its held-back text stays held back, because it can still
 * become a fence or a character. Its continuation is added after `continue`.
 */
export class TextFit {
  readonly #characterFilter: CharacterFilter;
  readonly #codeFence: CodeFence | undefined;
  readonly #steps: readonly FormatStep[];

  constructor({ indentation, languageId, isInserted = false }: ResponseFitOptions) {
    this.#characterFilter = new CharacterFilter(languageId);
    this.#codeFence = keepsFences(languageId) ? undefined : new CodeFence();
    this.#steps = [
      this.#characterFilter,
      this.#codeFence,
      WITHOUT_INDENTATION.has(languageId)
        ? undefined
        : new Indentation({ indentation, languageId }),
      isInserted ? new FinalLineBreaks() : undefined,
    ].filter((step) => step !== undefined);
  }

  /**
   * Number of characters removed so far: invisible ones, control characters, and lone surrogates.
   */
  get removed(): number {
    return this.#characterFilter.removed;
  }

  /** Number of invisible characters kept in prose so far. */
  get kept(): number {
    return this.#characterFilter.kept;
  }

  /** Returns the text that can be written now. */
  add(piece: string): string {
    let text = piece;
    for (const step of this.#steps) text = step.add(text);
    return text;
  }

  /** Prepares for the continuation of a truncated response. A fence at its start is removed. */
  continue(): void {
    this.#codeFence?.expectReopenedFence();
  }

  /** Returns the remaining text after the last chunk. A second call returns an empty string. */
  end(): string {
    let text = '';
    for (const step of this.#steps) text = step.add(text) + step.end();
    return text;
  }
}
