import { Range, Uri, window, workspace } from 'vscode';
import { editDocument } from '../document/documentEdit.ts';
import { appendedLines } from '../dotenv/appendedLines.ts';
import { activeEnvFile, isLink, savedOf } from './envDocument.ts';
import { NOTICES } from './findingMessages.ts';

/**
 * Adds the `.env` file in use to the rules beside it, which are the strongest, and saves them: git
 * reads what is on the disk.
 */
export async function addToGitignore(): Promise<void> {
  const envFile = activeEnvFile();
  if (!envFile) return void window.showWarningMessage(NOTICES.noFile);
  const rules = Uri.joinPath(envFile.uri, '..', '.gitignore');
  const outcome = await add(rules).catch(() => 'failed' as const);
  if (outcome === 'others') void window.showWarningMessage(NOTICES.rulesUnsaved);
  if (outcome === 'failed') void window.showWarningMessage(NOTICES.rulesStay);
}

async function add(rules: Uri): Promise<'yes' | 'others' | 'failed'> {
  if (!(await isThere(rules))) {
    await workspace.fs.writeFile(rules, new TextEncoder().encode('.env\n'));
    return 'yes';
  }
  // Git follows no link there, and what it leads to may be no rules at all.
  if (await isLink(rules)) return 'failed';
  const document = await workspace.openTextDocument(rules);
  const wasDirty = document.isDirty;
  const { at, text } = appendedLines(document, ['.env']);
  if (!(await editDocument(document, [[new Range(at, at), text]]))) return 'failed';
  return savedOf(document, wasDirty);
}

async function isThere(file: Uri): Promise<boolean> {
  const names = await workspace.fs.readDirectory(Uri.joinPath(file, '..'));
  return names.some(([name]) => name === '.gitignore');
}
