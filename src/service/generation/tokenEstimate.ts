/**
 * How many tokens a text may have. Only the service knows, and each model counts in its own way;
 * what is said here is good for a question to a person and for a refusal beyond doubt. Pure.
 */

/** Scripts that need no blanks: a token is about one character of them. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** Blanks, or one sign again and again as below a heading: some models make one token of them. */
const RUN = /\s{2,}|(.)\1{3,}/gsu;

const LETTERS_PER_TOKEN = 4;
const MOST_LETTERS_PER_TOKEN = 8;
const MOST_DENSE_PER_TOKEN = 4;

/**
 * The likely number of tokens: one for 4 characters of Latin text, the rule of thumb of most makers
 * of models for English, and one for each Chinese, Japanese or Korean character. Other languages
 * and code have up to twice as many.
 */
export function estimateTokens(text: string): number {
  const dense = denseLength(text);
  return Math.ceil(dense + (text.length - dense) / LETTERS_PER_TOKEN);
}

/**
 * A number of tokens that no text of a person falls below: one for 8 characters, twice what English
 * prose has, or for 4 Chinese, Japanese or Korean ones; a run of blanks or of one sign counts as a
 * single character.
 */
export function leastTokens(text: string): number {
  const short = text.replace(RUN, ' ');
  const dense = denseLength(short);
  const letters = (short.length - dense) / MOST_LETTERS_PER_TOKEN;
  return Math.ceil(dense / MOST_DENSE_PER_TOKEN + letters);
}

/** In UTF-16 units, as the length of a text is. */
function denseLength(text: string): number {
  return text.length - text.replace(DENSE, '').length;
}
