import { cpSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';

const LEFT_OUT: ReadonlySet<string> = new Set(['.git', '.vscode-test', 'node_modules', 'dist']);

/**
 * Copies the repository, for suites that change its files or run beside another one that does.
 * @returns the path of the copy, which the caller removes
 */
export function makeWorkingCopy(): string {
  const copy = mkdtempSync(join(tmpdir(), 'working-copy-'));
  cpSync('.', copy, {
    recursive: true,
    filter: (path) => !path.split(sep).some((name) => LEFT_OUT.has(name)),
  });
  // A junction where this is Windows, which lets nobody else make a link.
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'), 'junction');
  return copy;
}
