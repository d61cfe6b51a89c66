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
