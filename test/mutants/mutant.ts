import { readFileSync } from 'node:fs';

/** A change that removes a defense from the source code, and the test that must then fail. */
export interface Mutant {
  /** The fault that the change causes, such as `redirects are followed`. */
  readonly name: string;
  /** Path to the file to change. Like `test`, it's relative to the repository's root. */
  readonly file: string;
  /** The text to replace, which occurs exactly once in the file. */
  readonly from: string;
  /** The replacement. The changed file must still pass the type check, except for unused names. */
  readonly to: string;
  readonly test: string;
  /**
   * Part of the full title of a test in the file that `test` specifies. If it matches several
   * tests, at least one of them must fail.
   */
  readonly title: string;
}

/**
 * Returns the text of the mutant's file with the change applied.
 * @throws {Error} if `from` doesn't occur exactly once. The mutant would then prove nothing.
 */
export function mutated({ name, file, from, to }: Mutant): string {
  const parts = readFileSync(file, 'utf8').split(from);
  if (parts.length !== 2) {
    throw new Error(`${name}: ${JSON.stringify(from)} occurs ${parts.length - 1} times in ${file}`);
  }
  return parts.join(to);
}

/** The result of the tests that a mutant's `title` selects. */
export interface Result {
  readonly end: 'reported' | 'timed out' | 'crashed';
  readonly passed: number;
  /** Full titles, including the suite titles. */
  readonly failed: readonly string[];
  readonly ms: number;
}

/**
 * Returns the test that killed the mutant, or a note that no test did. Only a test that `title`
 * selects can kill the mutant, by failing or hanging. A test that didn't run, for example because
 * the file doesn't parse, proves nothing.
 */
export function verdictOf({ test, title }: Mutant, { end, failed }: Result): string {
  if (end === 'timed out') return `${title} (hangs)`;
  if (end === 'crashed') return `NOT KILLED: did not run: ${test}, ${title}`;
  return failed.find((one) => one.includes(title)) ?? `NOT KILLED by ${test}, ${title}`;
}
