import { globSync } from 'node:fs';

/** The files of these patterns in their order, by paths with slashes on every system. */
export function filesIn(...patterns: readonly string[]): string[] {
  return globSync(patterns)
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}
