import { readFileSync } from 'node:fs';

/** The source without one of its defences, and the test that must notice. */
export interface Mutant {
  /** The fault, in words. */
  readonly name: string;
  /** Of the repository, as is `test`. */
  readonly file: string;
  /** What stands there exactly once. */
  readonly from: string;
  readonly to: string;
  readonly test: string;
  /** A part of the title of that test; of one of them, where a table makes several. */
  readonly title: string;
}

/**
 * The text of a file with the mutant in it.
 * @throws if the place is not there exactly once: the mutant would prove nothing
 */
export function mutated({ name, file, from, to }: Mutant): string {
  const parts = readFileSync(file, 'utf8').split(from);
  if (parts.length !== 2) {
    throw new Error(`${name}: ${JSON.stringify(from)} is ${parts.length - 1} times in ${file}`);
  }
  return parts.join(to);
}

/** How the tests of one title went. */
export interface Result {
  readonly end: 'reported' | 'timed out' | 'crashed';
  readonly passed: number;
  /** Titles with those of their suites. */
  readonly failed: readonly string[];
  readonly ms: number;
}

/**
 * What a run with the mutant in it proves. Only the named test kills, by failing or by hanging: one
 * that could not run, since the file does not even parse, has noticed nothing.
 */
export function verdictOf({ test, title }: Mutant, { end, failed }: Result): string {
  if (end === 'timed out') return `${title} (hangs)`;
  if (end === 'crashed') return `NOT KILLED: did not run: ${test}, ${title}`;
  return failed.find((one) => one.includes(title)) ?? `NOT KILLED by ${test}, ${title}`;
}
