import type { IssueKind } from '../dotenv/settingValue.ts';
import type { Blemish } from '../service/credentials.ts';

/** What is wrong with a setting, in the words that every other text about it is built on. Pure. */

/** What is taken off a value before it is used, wherever it came from. */
export const TAKEN_OFF: Readonly<Partial<Record<Blemish, string>>> = {
  blanks: 'blanks',
  quotes: 'quotes',
  bearer: 'the word Bearer',
  control: 'invisible characters',
};

const PHRASES: Readonly<Record<IssueKind, string>> = {
  blanks: `has ${TAKEN_OFF.blanks} around its value`,
  quotes: `has ${TAKEN_OFF.quotes} around its value`,
  bearer: `begins with ${TAKEN_OFF.bearer}`,
  control: `holds ${TAKEN_OFF.control}`,
  placeholder: 'holds a placeholder',
  'non-ascii': 'holds letters outside ASCII',
  malformed: 'cannot be right',
  comment: 'has a comment behind its value',
  empty: 'has no value',
  duplicate: 'is there twice, with different values',
  'similar-name': 'is not read',
  'bad-url': 'cannot be used as an address',
  'endpoint-url': 'is the address of an endpoint',
  'url-path': 'has a path',
  'unknown-region': 'leads to no known region',
};

/** What a message lists before it only counts. */
const MOST_LISTED = 3;
/** Longer than any name that is read. */
const LONGEST_NAME = 64;

/** What follows the name of the setting: `has no value`. */
export function flawPhrase(kind: IssueKind): string {
  return PHRASES[kind];
}

/**
 * A name as a message can show it: one that is nearly right may hold anything beside its letters,
 * also what turns the text around, makes a link of it or goes on for pages.
 */
export function shownName(name: string): string {
  const start = name.slice(0, LONGEST_NAME).replace(/[^\w."'-]/g, '?');
  return name.length > LONGEST_NAME ? `${start}...` : start;
}

/** The first few of many, and how many more there are. */
export function firstOf(all: readonly string[]): string[] {
  const more = all.length - MOST_LISTED;
  return more > 0 ? [...all.slice(0, MOST_LISTED), `and ${more} more`] : [...all];
}
