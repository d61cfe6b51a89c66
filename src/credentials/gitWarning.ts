import { type WorkspaceFolder, window } from 'vscode';
import { gitRisk } from '../dotenv/gitIgnore.ts';
import { envFileOf, openEnvFile } from './folders.ts';

/** Warns after an import if the `.env` file, which still holds the key, can end up in a repository. */
export async function warnOfLeftKey(folder: WorkspaceFolder): Promise<void> {
  const risk = await gitRisk(envFileOf(folder));
  if (!risk) return;
  const open = 'Open .env';
  const text =
    risk === 'tracked'
      ? 'Hosted Model: the .env file still holds the key, and git tracks it. Delete the key there before the next commit; create a new one if it was pushed.'
      : 'Hosted Model: the .env file still holds the key, and no .gitignore of its repository ignores it. Delete the key there, or ignore the file, before it is committed.';
  if ((await window.showWarningMessage(text, open)) === open) await openEnvFile(folder);
}
