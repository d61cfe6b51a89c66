import { globSync } from 'node:fs';

/** Returns the sorted paths of the files that match a pattern, with forward slashes everywhere. */
export function filesIn(...patterns: readonly string[]): string[] {
  return globSync(patterns)
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}
