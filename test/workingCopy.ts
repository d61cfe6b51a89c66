import { cpSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';

const LEFT_OUT: ReadonlySet<string> = new Set(['.git', '.vscode-test', 'node_modules', 'dist']);

/**
 * Copies the repository's sources, and adds a link to its `node_modules`. Used by suites that
 * change files, and by suites that run in parallel with them.
 * @returns the path to the copy, which the caller must remove
 */
export function makeWorkingCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), 'working-copy-'));
  cpSync('.', copy, {
    recursive: true,
    filter: (path) => !path.split(sep).some((name) => LEFT_OUT.has(name)),
  });
  // Creates a junction, because creating a symbolic link on Windows requires elevated privileges.
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'), 'junction');
  return copy;
}
