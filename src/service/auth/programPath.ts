import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import which from 'which';

/**
 * Returns the absolute path to the program that a command starts; undefined if there is no such
 * program. A relative path is resolved against the home directory, where commands run. A name
 * without a path is looked up in `PATH`.
 */
export async function programPath(program: string): Promise<string | undefined> {
  const isName = program === basename(program);
  const sought = isName ? program : resolve(homedir(), program);
  // In `which` 2.0.2, the asynchronous function ignores the `nothrow` option, so catch the error.
  const found = await which(sought).catch(() => undefined);
  // The path that was found can still be relative, because `PATH` can contain relative paths.
  return found === undefined ? undefined : resolve(found);
}
