import { type WorkspaceFolder, window } from 'vscode';
import { isExposed } from '../envFile/gitIgnore.ts';
import { envFileOf, openEnvFile } from './outside.ts';

/** Warns after an import if the `.env` file, which still holds the key, can end up in a repository. */
export async function warnOfLeftKey(folder: WorkspaceFolder): Promise<void> {
  if (!(await isExposed(envFileOf(folder)))) return;
  const open = 'Open .env';
  const text =
    'Hosted Model: the .env file still holds the key, and git does not ignore it. Delete the key there, or ignore the file, before it is committed.';
  if ((await window.showWarningMessage(text, open)) === open) await openEnvFile(folder);
}
