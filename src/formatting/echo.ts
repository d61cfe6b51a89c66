/** Spaces of one step of indentation, at the most. */
const LONGEST_STEP = 4;
const OPENS_BLOCK = /[{:]$/;
const ENDS_STATEMENT = /[;}]$/;
/** Also the beginning of a doc comment, whose lines have a blank of their own at the most. */
const COMMENT = /^(?:\/\/|# |\/\*\*|"""|''')/;

/** Languages where a statement needs no semicolon, and a sign at the end of a line opens a block. */
const ENDS_WITH_LINE: ReadonlySet<string> = new Set([
  'gdscript',
  'go',
  'groovy',
  'javascript',
  'javascriptreact',
  'kotlin',
  'powershell',
  'python',
  'starlark',
  'svelte',
  'swift',
  'terraform',
  'typescript',
  'typescriptreact',
  'vue',
]);
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

interface EchoPlace {
  readonly indentation: string;
  readonly languageId: string;
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
export function isEcho(
  firstLine: string,
  { blanks, first }: NextLine,
  { indentation, languageId }: EchoPlace,
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
