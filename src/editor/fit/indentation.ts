import { LINE_BREAK_ENDS_STATEMENT, PROSE } from './languageRules.ts';
import { MultilineStrings } from './multilineStrings.ts';

/** Matches the positions after line breaks. Splitting text there keeps the line breaks. */
export const LINE_STARTS = /(?<=\n)/;
/** Matches text that isn't only spaces, tabs, and line breaks. */
export const NOT_BLANK = /[^ \t\n]/;
const LEADING_SPACES = /^[ \t]*/;
/** Matches the start of a list item, including its indentation. */
export const ITEM_START = /^\s*-(?:\s|$)/;

/**
 * The indentation to add to the lines of a response. Nothing is added to blank lines. If a response
 * already starts with `indentation`, that indentation is removed first.
 */
export interface PlaceIndentation {
  /** Added to the first line. Empty by default. */
  readonly firstIndentation?: string | undefined;
  /** Added to every line except the first. By default, the selection's indentation. */
  readonly indentation?: string;
  /**
   * Replaces `firstIndentation` and `indentation` from the first list item on. In code, only the
   * first line can be a list item.
   */
  readonly itemIndentation?: string | undefined;
}

export interface FitOptions extends PlaceIndentation {
  readonly indentation: string;
  /**
   * One level of the document's indentation: a tab or spaces. If it's set, leading whitespace in
   * the response is converted to this unit, except in multiline strings.
   */
  readonly step?: string | undefined;
  /**
   * True if any line of the prompt is indented. In that case, models often repeat the indentation
   * on every line except the first.
   */
  readonly hasIndentedPrompt?: boolean;
  /** Determines how an already indented response is recognized (see `Indentation`). */
  readonly languageId: string;
}

/**
 * Adds the selection's indentation to streamed text. Removes whitespace from blank lines.
 *
 * Models often repeat the prompt's indentation. That indentation is removed first so that it isn't
 * doubled. A response counts as already indented in two cases:
 *
 * - The first non-blank line starts with the selection's indentation.
 * - In code, the first non-blank line isn't indented, but the second non-blank line repeats the
 *   prompt's indentation (see `repeatsIndentation`).
 *
 * The decision is made only once, no later than the start of the second non-blank line, so that
 * text can be written as it arrives. Nothing is removed if the response is indented with tabs, the
 * selection is indented with spaces, and tabs aren't converted, because the width of a tab is
 * unknown.
 *
 * Expects LF line endings.
 */
export class Indentation {
  readonly #options: FitOptions;
  #isFirst = true;
  /** Leading whitespace of the current line. Undefined once other text has arrived. */
  #spaces: string | undefined = '';
  /** A hyphen after the leading whitespace, held back because it may start a list item. */
  #hyphen = '';
  #firstIndentation: string;
  #indentation: string;
  /**
   * The indentation to remove from each line. Undefined until `#decide` has enough text to decide.
   */
  #repeated: string | undefined;
  /** The number of spaces per indentation level in the response. Undefined until it's known. */
  #responseStep: number | undefined;
  /** True once the first line of a block has established how many spaces become one tab. */
  #isStepKnown = false;
  readonly #strings: MultilineStrings;
  /** The current line so far, without its leading whitespace. */
  #line = '';
  /** The last non-blank line before the current one, without its leading whitespace. */
  #previousLine = '';

  constructor(options: FitOptions) {
    this.#options = options;
    this.#firstIndentation = options.firstIndentation ?? '';
    this.#indentation = options.indentation;
    this.#strings = new MultilineStrings(options.languageId);
  }

  add(text: string): string {
    let written = '';
    for (const line of text.split(LINE_STARTS)) written += this.#addToLine(line);
    return written;
  }

  /**
   * Returns a held-back hyphen. The leading whitespace is still held back in case a continuation
   * adds text to the line.
   */
  end(): string {
    const hyphen = this.#hyphen;
    this.#hyphen = '';
    return hyphen === '' ? '' : this.#beginLine(this.#spaces ?? '', hyphen) + hyphen;
  }

  /** @param part part of a line, including its line break if it has arrived */
  #addToLine(part: string): string {
    let rest = part;
    let begin = '';
    if (this.#spaces !== undefined) {
      rest = this.#hyphen + (this.#hyphen === '' ? part.replace(LEADING_SPACES, '') : part);
      this.#spaces += part.slice(0, part.length + this.#hyphen.length - rest.length);
      const mayBeItem = this.#options.itemIndentation !== undefined && rest === '-';
      this.#hyphen = mayBeItem ? rest : '';
      if (rest === '' || mayBeItem) return '';
      if (rest !== '\n') begin = this.#beginLine(this.#spaces, rest);
    }
    this.#line += rest;
    if (rest.endsWith('\n')) this.#endLine();
    return begin + rest;
  }

  #endLine(): void {
    const line = this.#line.trimEnd();
    if (line !== '') this.#previousLine = line;
    if (this.#options.step !== undefined) this.#strings.addLine(line);
    this.#line = '';
    this.#spaces = '';
    this.#isFirst = false;
  }

  /** @param rest the text after the leading whitespace */
  #beginLine(given: string, rest: string): string {
    const usesTabs = this.#options.step === '\t';
    // Convert the whitespace first, because repeated indentation is recognized only if it uses the
    // document's tabs or spaces.
    const spaces = usesTabs ? this.#converted(given) : this.#withoutTabs(given);
    const { itemIndentation } = this.#options;
    this.#spaces = undefined;
    // In prose, a response that completes the user's list item can contain more items.
    const canBeItem = this.#isFirst || (spaces === '' && PROSE.has(this.#options.languageId));
    if (canBeItem && itemIndentation !== undefined && ITEM_START.test(rest)) {
      this.#firstIndentation = itemIndentation;
      this.#indentation = itemIndentation;
      if (spaces !== '') this.#repeated = spaces;
    }
    this.#repeated ??= this.#decide(spaces, rest[0]);
    const own = withoutIndentation(spaces, this.#repeated ?? '');
    const indentation = this.#isFirst ? this.#firstIndentation : this.#indentation;
    return indentation + (usesTabs ? own : this.#converted(own));
  }

  /**
   * Replaces tabs with spaces, according to the document's indentation. If the response's spaces
   * per level aren't known yet, uses the document's number, which leaves leading spaces in later
   * lines unchanged.
   */
  #withoutTabs(spaces: string): string {
    const { step } = this.#options;
    if (step === undefined || this.#strings.isInString || !spaces.includes('\t')) return spaces;
    this.#responseStep ??= step.length;
    return spaces.replaceAll('\t', step);
  }

  /**
   * Converts spaces to the document's indentation. Spaces that don't make up a whole level are
   * kept, because they align the line with the one above.
   */
  #converted(spaces: string): string {
    const { step } = this.#options;
    if (step === undefined || this.#strings.isInString || !/^ +$/.test(spaces)) return spaces;
    if (step === '\t') this.#responseStep = this.#spacesPerTab(spaces);
    else this.#responseStep ??= this.#stepFrom(spaces, step);
    if (this.#responseStep === undefined) return spaces;
    const levels = Math.floor(spaces.length / this.#responseStep);
    return step.repeat(levels) + spaces.slice(levels * this.#responseStep);
  }

  /**
   * Returns the number of spaces per level, based on the first indented line. In these cases,
   * returns the document's own number of spaces per level, which leaves all spaces unchanged:
   *
   * - The line doesn't follow an opening brace or bracket. A continued line can have any
   *   indentation.
   * - The line is indented by more than four spaces, so it's probably aligned.
   * - The selection isn't indented by whole levels.
   * - The line may be one level deeper than repeated indentation that wasn't recognized.
   *
   * Undefined for a line of a doc comment, which is indented by one space.
   */
  #stepFrom({ length }: string, step: string): number | undefined {
    if (length === 1) return undefined;
    const outer = this.#indentation.length;
    const mayRepeat = this.#options.hasIndentedPrompt && length === outer + step.length;
    const isStep = outer % step.length === 0 && !mayRepeat;
    return (isStep && this.#stepInBlock(length)) || step.length;
  }

  /**
   * Returns the number of spaces that become one tab. It's derived from the first indented line,
   * and corrected if the first line of the first block is indented by fewer spaces.
   */
  #spacesPerTab({ length }: string): number | undefined {
    const known = this.#responseStep;
    const inBlock = this.#isStepKnown ? undefined : this.#stepInBlock(length);
    if (inBlock !== undefined) {
      this.#isStepKnown = true;
      return Math.min(inBlock, known ?? inBlock);
    }
    if (known !== undefined) return known;
    if (length === 2) return 2;
    return length % 4 === 0 ? 4 : undefined;
  }

  /**
   * Returns `length` if the line is the first in a block and isn't aligned, because `length` is
   * then the width of one indentation level. Otherwise, returns undefined.
   */
  #stepInBlock(length: number): number | undefined {
    const opensBlock = this.#previousLine.endsWith('{') || this.#previousLine.endsWith('[');
    return opensBlock && length > 1 && length <= MAX_STEP ? length : undefined;
  }

  /**
   * Decides whether the response is already indented.
   * @returns undefined if the next line is needed to decide
   */
  #decide(spaces: string, first = ''): string | undefined {
    const { languageId } = this.#options;
    const indentation = this.#indentation;
    if (this.#previousLine !== '') {
      const next = { spaces, first };
      const isRepeated = repeatsIndentation(this.#previousLine, next, { indentation, languageId });
      return isRepeated ? indentation : '';
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
 * Matches the start of a line comment or doc comment. After the first line, the lines of a doc
 * comment are indented by at most one extra space.
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
/** Matches the delimiters of multiline strings. */
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
 * are checked. False when in doubt, to keep intended indentation.
 *
 * - After a complete statement or a comment, the next line isn't indented further. If it starts
 *   with the selection's indentation, that indentation comes from the prompt.
 * - After a line that opens a block (`{`, `:`), the next line is indented by one step. Its
 *   indentation comes from the prompt only if it's deeper than both the selection's indentation and
 *   one step.
 * - After any other line, the next line can have any indentation, so the result is false.
 */
function repeatsIndentation(
  line: string,
  { spaces, first }: NextLine,
  { indentation, languageId }: FitOptions,
): boolean {
  if (!spaces.startsWith(indentation)) return false;
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
 * True if this line completes a statement. Used only for languages in which a line break can end a
 * statement.
 */
function isWhole(line: string): boolean {
  const marks = line.match(TEXT_MARKS)?.length ?? 0;
  return !(CONTINUED_LINE.test(line) || CONTROLS.test(line)) && marks % 2 === 0;
}
