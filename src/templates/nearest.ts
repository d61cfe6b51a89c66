import { distance } from '../dotenv/nearName.ts';

/** Longer than any name with its typing errors. */
const LONGEST = 40;
/** A start of this many letters is taken for an abbreviation: `lang`, `selectedText`. */
const SHARED_START = 3;
const MOST_ERRORS = 2;

/** The name that was most likely meant by one that is not known; undefined for a name of its own. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const letters = lettersOf(name.slice(0, LONGEST));
  if (letters === '') return undefined;
  const ranked = known.map((candidate) => ({ candidate, errors: errorsIn(letters, candidate) }));
  const [best] = ranked.sort((one, other) => one.errors - other.errors);
  return best && best.errors <= MOST_ERRORS ? best.candidate : undefined;
}

function errorsIn(letters: string, candidate: string): number {
  const expected = lettersOf(candidate);
  const errors = distance(letters, expected);
  // Of a short word as many errors make any other word.
  if (errors <= Math.min(MOST_ERRORS, expected.length / 3)) return errors;
  const start = expected.slice(0, Math.max(SHARED_START, Math.ceil(expected.length / 2)));
  const isShort = letters.length >= SHARED_START && expected.startsWith(letters);
  return isShort || letters.startsWith(start) ? MOST_ERRORS : Infinity;
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}
