import { globSync } from 'node:fs';

/**
 * Returns the sorted paths of the files that match any pattern, with forward slashes on any system.
 */
export function filesIn(...patterns: readonly string[]): string[] {
  return globSync(patterns)
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}
