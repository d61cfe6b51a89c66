import { type NameSet, SETTING_NAMES, type Vendor } from '../service/vendors.ts';
import type { SettingOfName } from './settingValue.ts';

/** Which known name somebody meant by one that is not known: “did you mean”. Pure. */

/** Longer than any name of a setting with its typing errors. */
const LONGEST_SETTING = 64;
/** With two, a word becomes another one: PRODUCT and PROJECT. */
const MOST_ERRORS_IN_SETTING = 1;
/** Below this length another word is as near as a typing error: DB_URL and IBM_URL. */
const SHORT_PART = 3;

/** Longer than any word with its typing errors. */
const LONGEST_WORD = 40;
const MOST_ERRORS_IN_WORD = 2;
/** A start of this many letters is taken for an abbreviation: `lang`, `selectedText`. */
const SHARED_START = 3;

/**
 * What a name in a `.env` file that is not read most likely stands for: one in another case, with
 * hyphens, without underscores, with a typing error, or what another client calls the setting.
 * Undefined for an unrelated one.
 * @param names that are read
 * @param preferred the set that a name of another client is taken to
 */
export function nearestSetting(
  name: string,
  names: readonly SettingOfName[],
  preferred: NameSet,
  { otherNames, otherServices }: Vendor,
): SettingOfName | undefined {
  if (name.length > LONGEST_SETTING) return undefined;
  const words = wordsOf(name);
  const letters = squeezed(words);
  for (const setting of SETTING_NAMES) {
    const [expected] = preferred[setting];
    const isOther = otherNames[setting].some((other) => squeezed(other) === letters);
    if (isOther && expected !== undefined) return { setting, set: preferred, name: expected };
  }
  if (otherServices.some((other) => words.startsWith(`${other}_`))) return undefined;
  return leastWrong(names, (expected) => errorsInSetting(words, letters, expected.name));
}

/** The word that was most likely meant by one that is not known; undefined for one of its own. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const letters = lettersOf(word.slice(0, LONGEST_WORD));
  if (letters === '') return undefined;
  return leastWrong(known, (expected) => errorsInWord(letters, lettersOf(expected)));
}

/** The first of those with the fewest errors; undefined where each has an infinity of them. */
function leastWrong<Known>(
  known: readonly Known[],
  errorsOf: (expected: Known) => number,
): Known | undefined {
  const [best] = known
    .map((expected) => ({ expected, errors: errorsOf(expected) }))
    .filter(({ errors }) => errors < Infinity)
    .sort((one, other) => one.errors - other.errors);
  return best?.expected;
}

/** The typing errors that make this name of that one; Infinity for a name of its own. */
function errorsInSetting(words: string, name: string, expected: string): number {
  // First, since nearly all of an environment ends here, and it is read before each generation.
  const tooMany = name.length - squeezed(expected).length;
  if (Math.abs(tooMany) > MOST_ERRORS_IN_SETTING) return Infinity;
  // MY_IBM_URL and IBM_API_KEY_2 add a word of their own.
  if (words.endsWith(`_${expected}`) || words.startsWith(`${expected}_`)) return Infinity;
  const [first = ''] = expected.split('_', 1);
  const rest = squeezed(expected.slice(first.length));
  const isShort = first.length <= SHORT_PART && rest.length <= SHORT_PART;
  let fewest = Infinity;
  for (const end of [first.length, first.length - 1, first.length + 1]) {
    const start = name.slice(0, end);
    if (isShort && sorted(start) !== sorted(first)) continue;
    const errors =
      distance(start, first, MOST_ERRORS_IN_SETTING) +
      distance(name.slice(end), rest, MOST_ERRORS_IN_SETTING);
    if (errors <= MOST_ERRORS_IN_SETTING) fewest = Math.min(fewest, errors);
  }
  return fewest;
}

/** The typing errors that make this word of that one, an abbreviation being as far as any. */
function errorsInWord(letters: string, expected: string): number {
  // Of a short word as many errors make any other word.
  const most = Math.min(MOST_ERRORS_IN_WORD, Math.floor(expected.length / 3));
  const errors = distance(letters, expected, most);
  if (errors <= most) return errors;
  const start = expected.slice(0, Math.max(SHARED_START, Math.ceil(expected.length / 2)));
  const isShort = letters.length >= SHARED_START && expected.startsWith(letters);
  return isShort || letters.startsWith(start) ? MOST_ERRORS_IN_WORD : Infinity;
}

/** In capitals, with one underscore for whatever separates words. */
function wordsOf(name: string): string {
  return name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
}

function squeezed(words: string): string {
  return words.replaceAll('_', '');
}

function lettersOf(word: string): string {
  return word.toLowerCase().replace(/[^a-z]/g, '');
}

function sorted(text: string): string {
  return [...text].sort().join('');
}

/** Letters to add, drop, change or swap with their neighbour (Damerau); Infinity for too many. */
function distance(one: string, other: string, most: number): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const [left, right] = [one.slice(same), other.slice(same)];
  if (left === right) return 0;
  if (most === 0) return Infinity;
  const rests: (readonly [one: string, other: string])[] = [
    [left, right.slice(1)],
    [left.slice(1), right],
    [left.slice(1), right.slice(1)],
  ];
  const isSwapped = left.length > 1 && left[0] === right[1] && left[1] === right[0];
  if (isSwapped) rests.push([left.slice(2), right.slice(2)]);
  return 1 + Math.min(...rests.map((rest) => distance(...rest, most - 1)));
}
