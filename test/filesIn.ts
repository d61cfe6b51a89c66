import { globSync } from 'node:fs';

/** Returns the sorted paths of files that match these patterns, with forward slashes on every system. */
export function filesIn(...patterns: readonly string[]): string[] {
  return globSync(patterns)
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}
