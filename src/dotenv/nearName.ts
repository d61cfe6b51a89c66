import { SETTING_NAMES, type SettingName } from '../service/credentials.ts';
import type { NameSet, Vendor } from '../service/vendors.ts';

/**
 * Names that are not read although somebody meant them to be: another case, hyphens, missing
 * underscores, a typing error, or what another client calls the setting.
 */

/** The name that should stand there. */
export interface NearName {
  readonly setting: SettingName;
  readonly set: NameSet;
  readonly expected: string;
}

/** Longer than any name with its typing errors. */
const LONGEST_NAME = 64;
/** With two, a word becomes another one: PRODUCT and PROJECT. */
const MOST_ERRORS = 1;
/** Below this length another word is as near as a typing error: DB_URL and IBM_URL. */
const SHORT_PART = 3;

/**
 * What a name that is not read most likely stands for; undefined for an unrelated one.
 * @param sets the names that are read
 * @param preferred the set that a name of another client is taken to
 */
export function nearName(
  name: string,
  sets: readonly NameSet[],
  preferred: NameSet,
  { otherNames, otherServices }: Vendor,
): NearName | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const words = wordsOf(name);
  for (const setting of SETTING_NAMES) {
    const [expected] = preferred[setting];
    const isOther = otherNames[setting].some((other) => squeezed(other) === squeezed(words));
    if (isOther && expected !== undefined) return { setting, set: preferred, expected };
  }
  if (otherServices.some((other) => words.startsWith(`${other}_`))) return undefined;
  let fewest = MOST_ERRORS + 1;
  let nearest: NearName | undefined;
  for (const set of sets) {
    for (const setting of SETTING_NAMES) {
      for (const expected of set[setting]) {
        const errors = errorsIn(words, expected);
        if (errors >= fewest) continue;
        fewest = errors;
        nearest = { setting, set, expected };
      }
    }
  }
  return nearest;
}

/** The typing errors that make this name of that one; Infinity for a name of its own. */
function errorsIn(words: string, expected: string): number {
  // MY_IBM_URL and IBM_API_KEY_2 add a word of their own.
  if (words.endsWith(`_${expected}`) || words.startsWith(`${expected}_`)) return Infinity;
  const name = squeezed(words);
  const [first = ''] = expected.split('_', 1);
  const rest = squeezed(expected.slice(first.length));
  if (Math.abs(name.length - first.length - rest.length) > MOST_ERRORS) return Infinity;
  const isShort = first.length <= SHORT_PART && rest.length <= SHORT_PART;
  let fewest = Infinity;
  for (const end of [first.length, first.length - 1, first.length + 1]) {
    const start = name.slice(0, end);
    const inFirst = distance(start, first);
    if (isShort && sorted(start) !== sorted(first)) continue;
    const inRest = distance(name.slice(end), rest);
    if (inFirst + inRest <= MOST_ERRORS) fewest = Math.min(fewest, inFirst + inRest);
  }
  return fewest;
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

function sorted(text: string): string {
  return [...text].sort().join('');
}

/** Letters to add, drop, change or swap with their neighbour (Damerau). */
export function distance(one: string, other: string): number {
  if (one === other) return 0;
  const width = other.length + 1;
  const cells = new Uint8Array((one.length + 1) * width);
  const at = (index: number) => cells[index] ?? 0;
  for (let column = 0; column < width; column += 1) cells[column] = column;
  for (let row = 1; row <= one.length; row += 1) {
    cells[row * width] = row;
    for (let column = 1; column < width; column += 1) {
      const cell = row * width + column;
      const isSame = one[row - 1] === other[column - 1];
      const changed = at(cell - width - 1) + (isSame ? 0 : 1);
      let least = Math.min(at(cell - width) + 1, at(cell - 1) + 1, changed);
      const isSwapped =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1];
      if (isSwapped) least = Math.min(least, at(cell - 2 * width - 2) + 1);
      cells[cell] = least;
    }
  }
  return at(cells.length - 1);
}
