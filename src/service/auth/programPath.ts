import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import which from 'which';

/**
 * Returns the absolute path of the program that a command starts; undefined if there is none. A
 * path is relative to the home directory, where commands run. A mere name is looked up in `PATH`.
 */
export async function programPath(program: string): Promise<string | undefined> {
  const isName = program === basename(program);
  const found = await which(isName ? program : resolve(homedir(), program), { nothrow: true });
  return found ?? undefined;
}
