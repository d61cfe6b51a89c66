import { CharacterFilter } from './characterFilter.ts';
import { CodeFence } from './codeFence.ts';
import { type FitOptions, Indentation } from './indentation.ts';
import { keepsFences, WITHOUT_INDENTATION } from './languages.ts';

/** One rule for text that comes in pieces, cut anywhere. */
interface FormatStep {
  /** @returns what can be passed on now */
  add(text: string): string;
  /** @returns what was held back for what might follow, once nothing follows */
  end(): string;
}

/** Options for fitting a response to its place. */
export interface ResponseFitOptions extends FitOptions {
  /** True if the response is inserted into a document, before other text or its end. */
  readonly isInserted?: boolean;
}

/** Drops the line breaks at the end of a text, which would add empty lines to a document. */
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
 * Fits generated text to its place while it streams: plain characters, no code fence around code,
 * indentation of the place, LF line ends. Pure. What it gives does not depend on how the pieces
 * are cut.
 *
 * An answer that was cut off has not ended: what is held back stays so, since it may still become a
 * fence or a character, and its continuation is added after `continue`.
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

  /** Characters taken out so far: invisible ones, control characters, halves of a pair. */
  get removed(): number {
    return this.#characterFilter.removed;
  }

  /** Number of invisible characters kept in prose so far. */
  get kept(): number {
    return this.#characterFilter.kept;
  }

  /** @returns what can be written now */
  add(piece: string): string {
    let text = piece;
    for (const step of this.#steps) text = step.add(text);
    return text;
  }

  /** What comes next continues an answer that was cut off: a fence that it begins with goes, too. */
  continue(): void {
    this.#codeFence?.expectReopenedFence();
  }

  /** @returns what is left when no more pieces come; a second end leaves nothing */
  end(): string {
    let text = '';
    for (const step of this.#steps) text = step.add(text) + step.end();
    return text;
  }
}
