import { isEcho } from './echo.ts';
import { isProse } from './prose.ts';

export interface IndentationOptions {
  /** Of the place: given to every line after the first. */
  readonly indentation: string;
  /** Only in code the end of a line tells how deep the next one stands. */
  readonly languageId: string;
}

/**
 * Gives streamed lines the indentation of the place. Blank lines are written empty, so that no
 * trailing blanks appear.
 *
 * An answer may bring the indentation of the place itself, since the prompt had it: then it is
 * taken off every line, as much of it as the line has, before it is given. That is so if the first
 * line that is not blank begins with exactly that indentation; or, in code, if that line has none
 * and the next one shows it (see `isEcho`). It is decided once and never looks further ahead, so
 * that lines are written as they come. Where place and answer indent in different ways, tabs here
 * and spaces there, nothing is taken off: how wide a tab is cannot be seen in the text.
 *
 * Expects LF line ends.
 */
export class Indentation {
  readonly #options: IndentationOptions;
  #isFirst = true;
  /** Blanks at the beginning of a line; undefined in the middle of one. */
  #blanks: string | undefined = '';
  /** Whether the lines bring the indentation of the place; undefined until it is known. */
  #isBrought: boolean | undefined;
  /** The first line that is not blank, as long as its end may be needed. */
  #firstLine = '';

  constructor(options: IndentationOptions) {
    this.#options = options;
    if (options.indentation === '') this.#isBrought = false;
  }

  add(text: string): string {
    let written = '';
    let at = 0;
    while (at < text.length) {
      if (this.#blanks !== undefined) {
        const begin = at;
        while (text[at] === ' ' || text[at] === '\t') at += 1;
        this.#blanks += text.slice(begin, at);
        if (at === text.length) break;
        if (text[at] !== '\n') written += this.#beginLine(this.#blanks, text[at]);
      }
      const found = text.indexOf('\n', at);
      const end = found === -1 ? text.length : found;
      const part = text.slice(at, end);
      written += part;
      if (this.#isBrought === undefined) this.#firstLine += part;
      at = end;
      if (found !== -1) {
        written += '\n';
        this.#blanks = '';
        this.#isFirst = false;
        at += 1;
      }
    }
    return written;
  }

  /** Blanks at the beginning of a line stay held back: if the answer is continued, they count. */
  end(): string {
    return '';
  }

  /** @param first character after the blanks */
  #beginLine(blanks: string, first = ''): string {
    const { indentation } = this.#options;
    this.#isBrought ??= this.#decide(blanks, first);
    this.#blanks = undefined;
    const own = this.#isBrought ? withoutIndentation(blanks, indentation) : blanks;
    return this.#isFirst ? own : indentation + own;
  }

  /** @returns undefined if it takes one more line to know */
  #decide(blanks: string, first: string): boolean | undefined {
    const { indentation, languageId } = this.#options;
    if (this.#firstLine !== '') {
      return isEcho(this.#firstLine, { blanks, first }, this.#options);
    }
    if (blanks.startsWith(indentation)) return true;
    return blanks === '' && !isProse(languageId) ? undefined : false;
  }
}

/** The line without as much of the indentation as it begins with. */
export function withoutIndentation(line: string, indentation: string): string {
  let length = 0;
  while (length < indentation.length && line[length] === indentation[length]) length += 1;
  return line.slice(length);
}
