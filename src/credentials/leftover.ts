import { Uri, type WorkspaceFolder, window, workspace } from 'vscode';
import { openEnvFile } from './outside.ts';

/** What an import leaves behind: the file still holds the key, and may end up in a repository. */

/** Warns after an import if nothing in the folder keeps its `.env` out of git. */
export async function warnOfLeftKey(folder: WorkspaceFolder): Promise<void> {
  if (ignoresEnvFile(await gitIgnoreOf(folder))) return;
  const open = 'Open .env';
  const text =
    'Hosted Model: the .env file still holds the key, and is not ignored by git: the .gitignore of this folder does not name it. Delete the key there, or ignore the file, before it is committed.';
  if ((await window.showWarningMessage(text, open)) === open) await openEnvFile(folder);
}

/** Whether these lines keep a `.env` beside them out of git; the last one about it decides. Pure. */
export function ignoresEnvFile(text: string): boolean {
  const about = text.split(/\r?\n/).filter((line) => NAMES_ENV_FILE.test(line.trimEnd()));
  return about.at(-1)?.startsWith('!') === false;
}

const NAMES_ENV_FILE = /^!?(\*\*\/|\/)?(\.env\*?|\.env\.?\*|\*\.env|\.\*|\*)$/;

async function gitIgnoreOf({ uri }: WorkspaceFolder): Promise<string> {
  try {
    return Buffer.from(await workspace.fs.readFile(Uri.joinPath(uri, '.gitignore'))).toString();
  } catch {
    return '';
  }
}
