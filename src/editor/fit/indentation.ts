import { ENDS_WITH_LINE, PROSE } from './languages.ts';

/** Splits a text into its lines, each with its line end. */
export const LINE_STARTS = /(?<=\n)/;
const LEADING_BLANKS = /^[ \t]*/;

/** What text is fitted to. */
export interface FitOptions {
  /** Of the place: given to every line after the first that is not blank. */
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
  readonly #options: FitOptions;
  #isFirst = true;
  /** Blanks at the beginning of a line; undefined in the middle of one. */
  #blanks: string | undefined = '';
  /** Whether the lines bring the indentation of the place; undefined until it is known. */
  #isBrought: boolean | undefined;
  /** The first line that is not blank, as long as its end may be needed. */
  #firstLine = '';

  constructor(options: FitOptions) {
    this.#options = options;
    if (options.indentation === '') this.#isBrought = false;
  }

  add(text: string): string {
    let written = '';
    for (const line of text.split(LINE_STARTS)) written += this.#addToLine(line);
    return written;
  }

  /** Blanks at the beginning of a line stay held back: if the answer is continued, they count. */
  end(): string {
    return '';
  }

  /** @param part of a line, with its line end if it has come */
  #addToLine(part: string): string {
    let rest = part;
    let begin = '';
    if (this.#blanks !== undefined) {
      rest = part.replace(LEADING_BLANKS, '');
      this.#blanks += part.slice(0, part.length - rest.length);
      if (rest === '') return '';
      if (rest !== '\n') begin = this.#beginLine(this.#blanks, rest[0]);
    }
    if (this.#isBrought === undefined) this.#firstLine += rest.replace('\n', '');
    if (rest.endsWith('\n')) {
      this.#blanks = '';
      this.#isFirst = false;
    }
    return begin + rest;
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
    return blanks === '' && !PROSE.has(languageId) ? undefined : false;
  }
}

/** The line without as much of the indentation as it begins with. */
export function withoutIndentation(line: string, indentation: string): string {
  let length = 0;
  while (length < indentation.length && line[length] === indentation[length]) length += 1;
  return line.slice(length);
}

/** Spaces of one step of indentation, at the most. */
const LONGEST_STEP = 4;
const OPENS_BLOCK = /[{:]$/;
const ENDS_STATEMENT = /[;}]$/;
/** Also the beginning of a doc comment, whose lines have a blank of their own at the most. */
const COMMENT = /^(?:\/\/|# |\/\*\*|"""|''')/;
const TRAILING_COMMENT = /\s(?:\/\/|#).*/s;
/** An open bracket, a comma, a backslash or an operator; `i++` and `i--` are whole. */
const GOES_ON =
  /(?:[([,\\=*/%&|^<>?~.@]|(?<!\+)\+|(?<!-)-|\b(?:and|as|else|extends|implements|in|is|not|of|or))$/;
/** The next line stands deeper where no brace follows. */
const CONTROLS = /^(?:do|else|for|if|while)\b/;
/** Text that goes on over the line end, and whose own blanks count. */
const TEXT_MARKS = /"""|'''|`/g;
/** A next line that goes on with the one before: `.then()`, `&& x`, `? y`. */
const CONTINUES = /^[.?:&|+=]/;

/** The line after the first one: its blanks, and the character after them. */
interface NextLine {
  readonly blanks: string;
  readonly first: string;
}

/**
 * Whether code whose first line has no indentation brings that of the place on the lines after it:
 * a model that was given a selection which began behind its indentation answers so. Judged by the
 * first two lines that are not blank, and in doubt no: what was indented on purpose stays so.
 *
 * - After a line that ends a statement, or a comment, the next one stands no deeper by itself, so
 *   that any indentation that begins with that of the place has it from there.
 * - After a line that opens a block (`{`, `:`) the next one stands one step deeper by itself, so
 *   that it must be deeper than the place, and than one step.
 * - After any other line the next one may stand anywhere.
 */
function isEcho(
  firstLine: string,
  { blanks, first }: NextLine,
  { indentation, languageId }: FitOptions,
): boolean {
  if (!blanks.startsWith(indentation)) return false;
  const line = firstLine.trimEnd();
  if (COMMENT.test(line)) return true;
  const isWholeLine = ENDS_WITH_LINE.has(languageId);
  const code = isWholeLine ? line.replace(TRAILING_COMMENT, '').trimEnd() : line;
  if (OPENS_BLOCK.test(code)) {
    const step = indentation.includes('\t') ? 1 : LONGEST_STEP;
    return blanks.length > Math.max(indentation.length, step);
  }
  return ENDS_STATEMENT.test(code) || (isWholeLine && isWhole(code) && !CONTINUES.test(first));
}

/** Whether the end of a line ends its statement, in a language where it can. */
function isWhole(line: string): boolean {
  if (GOES_ON.test(line) || CONTROLS.test(line)) return false;
  return (line.match(TEXT_MARKS)?.length ?? 0) % 2 === 0;
}
