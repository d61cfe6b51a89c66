import { LINE_BREAK_ENDS_STATEMENT, PROSE } from './languageRules.ts';

/** Matches the positions after line breaks. Splitting text there keeps the line breaks. */
export const LINE_STARTS = /(?<=\n)/;
const LEADING_SPACES = /^[ \t]*/;

export interface FitOptions {
  /** Added to every line except the first line and blank lines. */
  readonly indentation: string;
  /** Replaces `indentation` if the text starts with a list item, as in YAML. */
  readonly itemIndentation?: string | undefined;
  /** Determines how an already indented response is recognized (see `Indentation`). */
  readonly languageId: string;
}

/**
 * Adds the selection's indentation to streamed text. Removes whitespace from blank lines.
 *
 * Models often repeat the prompt's indentation. That indentation is removed first, so that it isn't
 * doubled. A response counts as already indented in two cases:
 *
 * - The first non-blank line starts with the selection's indentation.
 * - In code, the first non-blank line isn't indented, but the second non-blank line repeats the
 *   prompt's indentation (see `repeatsIndentation`).
 *
 * The decision is made only once, no later than the start of the second non-blank line, so that
 * text can be written as it arrives. If the selection is indented with tabs and the response with
 * spaces, or vice versa, nothing is removed, because the width of a tab is unknown.
 *
 * Expects LF line endings.
 */
export class Indentation {
  readonly #options: FitOptions;
  #isFirst = true;
  /** Leading whitespace of the current line. Undefined once other text has arrived. */
  #spaces: string | undefined = '';
  #indentation: string;
  /**
   * The indentation to remove from each line. Undefined until `#decide` has enough text to decide.
   */
  #repeated: string | undefined;
  /** The first non-blank line, collected until `#repeated` is set. */
  #firstLine = '';

  constructor(options: FitOptions) {
    this.#options = options;
    this.#indentation = options.indentation;
  }

  add(text: string): string {
    let written = '';
    for (const line of text.split(LINE_STARTS)) written += this.#addToLine(line);
    return written;
  }

  /**
   * Returns an empty string, because the leading whitespace is still held back in case a
   * continuation adds text to the line.
   */
  end(): string {
    return '';
  }

  /** @param part part of a line, including its line break if it has arrived */
  #addToLine(part: string): string {
    let rest = part;
    let begin = '';
    if (this.#spaces !== undefined) {
      rest = part.replace(LEADING_SPACES, '');
      this.#spaces += part.slice(0, part.length - rest.length);
      if (rest === '') return '';
      if (rest !== '\n') begin = this.#beginLine(this.#spaces, rest[0]);
    }
    if (this.#repeated === undefined) this.#firstLine += rest.replace('\n', '');
    if (rest.endsWith('\n')) {
      this.#spaces = '';
      this.#isFirst = false;
    }
    return begin + rest;
  }

  /** @param first the first character after the leading whitespace */
  #beginLine(spaces: string, first = ''): string {
    const { itemIndentation } = this.#options;
    if (this.#isFirst && first === '-' && itemIndentation !== undefined) {
      this.#indentation = itemIndentation;
      this.#repeated = spaces;
    }
    this.#repeated ??= this.#decide(spaces, first);
    this.#spaces = undefined;
    const own = withoutIndentation(spaces, this.#repeated ?? '');
    return this.#isFirst ? own : this.#indentation + own;
  }

  /**
   * Decides whether the response is already indented.
   * @returns undefined if the next line is needed to decide
   */
  #decide(spaces: string, first: string): string | undefined {
    const { indentation, languageId } = this.#options;
    if (this.#firstLine !== '') {
      return repeatsIndentation(this.#firstLine, { spaces, first }, this.#options)
        ? indentation
        : '';
    }
    if (spaces.startsWith(indentation)) return indentation;
    return spaces === '' && !PROSE.has(languageId) ? undefined : '';
  }
}

/**
 * Removes the indentation from the start of a line. If the line starts with only the first part of
 * the indentation, removes only that part.
 */
export function withoutIndentation(line: string, indentation: string): string {
  let length = 0;
  while (length < indentation.length && line[length] === indentation[length]) length += 1;
  return line.slice(length);
}

/** Maximum width of one indentation step, in spaces. */
const MAX_STEP = 4;
/** Matches the end of a line of code that starts a block. */
export const OPENS_BLOCK = /[{:]$/;
const ENDS_STATEMENT = /[;}]$/;
/**
 * Matches the start of a line comment or doc comment. The later lines of a doc comment are indented
 * by at most one extra space.
 */
const COMMENT = /^(?:\/\/|# |\/\*\*|"""|''')/;
/** Matches a comment at the end of a line of code. */
export const TRAILING_COMMENT = /\s(?:\/\/|#).*/s;
/**
 * Matches the end of a line whose statement continues on the next line: an opening parenthesis or
 * bracket, a comma, a backslash, an operator, or a keyword such as `else`. The operators `++` and
 * `--` don't count.
 */
const CONTINUED_LINE =
  /(?:[([,\\=*/%&|^<>?~.@]|(?<!\+)\+|(?<!-)-|\b(?:and|as|else|extends|implements|in|is|not|of|or))$/;
/** Matches a keyword after which the next line may be indented even without a brace. */
const CONTROLS = /^(?:do|else|for|if|while)\b/;
/** Matches the delimiters of multiline strings, in which leading whitespace is content. */
const TEXT_MARKS = /"""|'''|`/g;
/**
 * Matches the first character of a line that continues the previous line, for example `.then()`,
 * `&& x`, or `? y`.
 */
const CONTINUES = /^[.?:&|+=]/;

/** The start of the second non-blank line: its leading whitespace and the character after it. */
interface NextLine {
  readonly spaces: string;
  readonly first: string;
}

/**
 * True if all lines but the first seem to repeat the prompt's indentation. Models often respond
 * like this if the selection starts after a line's indentation. Only the first two non-blank lines
 * are checked. False when in doubt, so that intended indentation is kept.
 *
 * - After a complete statement or a comment, the next line isn't indented further. If it starts
 *   with the selection's indentation, that indentation comes from the prompt.
 * - After a line that opens a block (`{`, `:`), the next line is indented by one step. Its
 *   indentation comes from the prompt only if it's deeper than both the selection's indentation and
 *   one step.
 * - After any other line, the next line can have any indentation, so the result is false.
 */
function repeatsIndentation(
  firstLine: string,
  { spaces, first }: NextLine,
  { indentation, languageId }: FitOptions,
): boolean {
  if (!spaces.startsWith(indentation)) return false;
  const line = firstLine.trimEnd();
  if (COMMENT.test(line)) return true;
  const isWholeLine = LINE_BREAK_ENDS_STATEMENT.has(languageId);
  const code = isWholeLine ? line.replace(TRAILING_COMMENT, '').trimEnd() : line;
  if (OPENS_BLOCK.test(code)) {
    const step = indentation.includes('\t') ? 1 : MAX_STEP;
    return spaces.length > Math.max(indentation.length, step);
  }
  return ENDS_STATEMENT.test(code) || (isWholeLine && isWhole(code) && !CONTINUES.test(first));
}

/**
 * True if the statement ends with this line. Used only for languages in which a line break can end
 * a statement.
 */
function isWhole(line: string): boolean {
  if (CONTINUED_LINE.test(line) || CONTROLS.test(line)) return false;
  return (line.match(TEXT_MARKS)?.length ?? 0) % 2 === 0;
}
