import { globSync } from 'node:fs';

/**
 * Returns the sorted paths of the files that match at least one of the patterns. The paths have
 * forward slashes on every system.
 */
export function filesIn(...patterns: readonly string[]): string[] {
  return globSync(patterns)
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}
