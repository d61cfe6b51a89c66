import { ENDS_WITH_LINE, PROSE } from './languages.ts';

/** Splits text into lines that keep their line ends. */
export const LINE_STARTS = /(?<=\n)/;
const LEADING_SPACES = /^[ \t]*/;

/** The place that a response is fitted to. */
export interface FitOptions {
  /** Indentation of the place. Added to every line after the first, except blank lines. */
  readonly indentation: string;
  /** Language ID. Only in code does the end of a line show how deep the next one is indented. */
  readonly languageId: string;
}

/**
 * Indents streamed lines to match the place. Blank lines become empty, so that they have no
 * trailing whitespace.
 *
 * A response may already have the indentation of the place, because the prompt had it. Then each
 * line first loses as much of that indentation as it has. This applies in two cases:
 *
 * - The first non-blank line starts with exactly that indentation.
 * - In code, the first non-blank line has no indentation, and the next one shows it (see `isEcho`).
 *
 * The decision is made once and never looks further ahead, so that lines are written as they
 * arrive. If the place is indented with tabs and the response with spaces, or the reverse, nothing
 * is removed, because the text doesn't show how wide a tab is.
 *
 * Expects LF line ends.
 */
export class Indentation {
  readonly #options: FitOptions;
  #isFirst = true;
  /** Whitespace at the start of a line. Undefined in the middle of a line. */
  #spaces: string | undefined = '';
  /** True if the lines already have the indentation of the place. Undefined until decided. */
  #isBrought: boolean | undefined;
  /** The first non-blank line, collected until `#isBrought` is decided. */
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

  /**
   * Returns nothing. Leading whitespace stays held back, because it counts if the response
   * continues.
   */
  end(): string {
    return '';
  }

  /** @param part of a line, with its line end if it has arrived */
  #addToLine(part: string): string {
    let rest = part;
    let begin = '';
    if (this.#spaces !== undefined) {
      rest = part.replace(LEADING_SPACES, '');
      this.#spaces += part.slice(0, part.length - rest.length);
      if (rest === '') return '';
      if (rest !== '\n') begin = this.#beginLine(this.#spaces, rest[0]);
    }
    if (this.#isBrought === undefined) this.#firstLine += rest.replace('\n', '');
    if (rest.endsWith('\n')) {
      this.#spaces = '';
      this.#isFirst = false;
    }
    return begin + rest;
  }

  /** @param first the first character after the whitespace */
  #beginLine(spaces: string, first = ''): string {
    const { indentation } = this.#options;
    this.#isBrought ??= this.#decide(spaces, first);
    this.#spaces = undefined;
    const own = this.#isBrought ? withoutIndentation(spaces, indentation) : spaces;
    return this.#isFirst ? own : indentation + own;
  }

  /** @returns undefined if the next line is needed to decide */
  #decide(spaces: string, first: string): boolean | undefined {
    const { indentation, languageId } = this.#options;
    if (this.#firstLine !== '') {
      return isEcho(this.#firstLine, { spaces, first }, this.#options);
    }
    if (spaces.startsWith(indentation)) return true;
    return spaces === '' && !PROSE.has(languageId) ? undefined : false;
  }
}

/** Removes as much of the indentation as the line starts with. */
export function withoutIndentation(line: string, indentation: string): string {
  let length = 0;
  while (length < indentation.length && line[length] === indentation[length]) length += 1;
  return line.slice(length);
}

/** Maximum number of spaces in one indentation step. */
const LONGEST_STEP = 4;
const OPENS_BLOCK = /[{:]$/;
const ENDS_STATEMENT = /[;}]$/;
/** Comments, including the start of a doc comment. Its lines add at most one space of their own. */
const COMMENT = /^(?:\/\/|# |\/\*\*|"""|''')/;
const TRAILING_COMMENT = /\s(?:\/\/|#).*/s;
/** An open bracket, a comma, a backslash, or an operator. `i++` and `i--` are complete. */
const GOES_ON =
  /(?:[([,\\=*/%&|^<>?~.@]|(?<!\+)\+|(?<!-)-|\b(?:and|as|else|extends|implements|in|is|not|of|or))$/;
/** Keywords that indent the next line even without a brace. */
const CONTROLS = /^(?:do|else|for|if|while)\b/;
/** Delimiters of strings that can span lines. Leading whitespace is part of such a string. */
const TEXT_MARKS = /"""|'''|`/g;
/** First characters of a line that continues the previous one: `.then()`, `&& x`, `? y`. */
const CONTINUES = /^[.?:&|+=]/;

/** The second non-blank line: its leading whitespace and the character after it. */
interface NextLine {
  readonly spaces: string;
  readonly first: string;
}

/**
 * True if code starts without indentation but has the indentation of the place on later lines.
 * Models respond like this if the selection starts after its indentation. Judged by the first two
 * non-blank lines. False in doubt, so that intended indentation is kept.
 *
 * - After a line that ends a statement, or a comment, the next line isn't deeper by itself.
 *   Indentation that starts with that of the place therefore comes from the place.
 * - After a line that opens a block (`{`, `:`), the next line is one step deeper by itself.
 *   Therefore it must be deeper than the place and deeper than one step.
 * - After any other line, the next one can have any indentation, so the result is false.
 */
function isEcho(
  firstLine: string,
  { spaces, first }: NextLine,
  { indentation, languageId }: FitOptions,
): boolean {
  if (!spaces.startsWith(indentation)) return false;
  const line = firstLine.trimEnd();
  if (COMMENT.test(line)) return true;
  const isWholeLine = ENDS_WITH_LINE.has(languageId);
  const code = isWholeLine ? line.replace(TRAILING_COMMENT, '').trimEnd() : line;
  if (OPENS_BLOCK.test(code)) {
    const step = indentation.includes('\t') ? 1 : LONGEST_STEP;
    return spaces.length > Math.max(indentation.length, step);
  }
  return ENDS_STATEMENT.test(code) || (isWholeLine && isWhole(code) && !CONTINUES.test(first));
}

/** True if the line end ends the statement, in a language where it can. */
function isWhole(line: string): boolean {
  if (GOES_ON.test(line) || CONTROLS.test(line)) return false;
  return (line.match(TEXT_MARKS)?.length ?? 0) % 2 === 0;
}
