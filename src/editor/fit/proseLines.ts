/** Recognizes prose that models write before and after a code block. */

/**
 * Maximum length, in characters, of an introduction and of the part of a line that is checked for
 * prose.
 */
const MAX_LENGTH = 300;
/**
 * Matches the start of a line of prose, which can be a heading or bold. Prose starts with a capital
 * letter or a letter from a script without capitals, but not with five capitals in a row, as in
 * `SELECT`. Characters that are typical of code are allowed only between backticks.
 */
const PROSE_LINE =
  /^(?:#{1,6}$|(?:#{2,6} )?(?:\*{0,2}$|(?:\*\*)?(?!\p{Lu}{5})[\p{Lu}\p{Lo}](?:[^`=;{}\\$]|`[^`]*(?:`|$))*$))/u;
const HEADING = /^(?:#{2}|\*\*[^*]+\*\*[ \t]*$)/;
const ENDS_SENTENCE = /(?:[.:!?…)。：！？]|\p{Extended_Pictographic}\uFE0F?)[*_]*[ \t]*$/u;
const ENDS_WITH_COLON = /[:：][*_]*[ \t]*$/;
const BEGINS_WITH_HERE = /^(?:\*\*)?Here\b/;

/** True if a complete line is probably prose: a sentence or a heading. */
export function isProse(line: string): boolean {
  return PROSE_LINE.test(line) && (HEADING.test(line) || ENDS_SENTENCE.test(line));
}

/** True if a line that starts with this text and follows a code block may start an explanation. */
export function mayExplain(line: string): boolean {
  return line.length <= MAX_LENGTH && PROSE_LINE.test(line);
}

/**
 * True if a complete line after a code block is prose. Only the start of a long line is checked.
 */
export function explainsCode(line: string): boolean {
  return line.length > MAX_LENGTH ? PROSE_LINE.test(line.slice(0, MAX_LENGTH)) : isProse(line);
}

/**
 * True if a line that starts with this text may belong to an introduction.
 * @param lengthBefore length of the text before the line
 */
export function mayIntroduce(lengthBefore: number, line: string): boolean {
  return lengthBefore + line.length <= MAX_LENGTH && PROSE_LINE.test(line);
}

/**
 * True if this text announces code, as in "Certainly! Here is the function:". Other prose before a
 * code block may be part of what the user asked for, such as a doc comment with an example.
 */
export function introducesCode(text: string): boolean {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  return HEADING.test(last) || ENDS_WITH_COLON.test(last) || BEGINS_WITH_HERE.test(last);
}
