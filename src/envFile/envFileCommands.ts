import { FileType, type TextDocument, Uri, window, workspace } from 'vscode';
import { editDocument } from '../document/documentEdit.ts';
import { decodeEnvFile } from '../dotenv/envText.ts';
import { activeEnvFile, appendedLines, isLink, saveUnlessDirty } from './envDocument.ts';
import { NOTICES } from './envFileMessages.ts';

/** What the commands do with the `.env` file in use. */

/** The file in use if it may be changed; else it is said why not. */
async function changeableEnvFile(): Promise<TextDocument | undefined> {
  const document = activeEnvFile();
  if (!document) void window.showWarningMessage(NOTICES.noFile);
  else if (await isLink(document.uri)) void window.showWarningMessage(NOTICES.isLink);
  else return document;
  return undefined;
}

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
  const beside = await workspace.fs.readDirectory(Uri.joinPath(rules, '..'));
  const [, type] = beside.find(([name]) => name === '.gitignore') ?? [];
  if (type === undefined) {
    await workspace.fs.writeFile(rules, new TextEncoder().encode('.env\n'));
    return 'yes';
  }
  // Git follows no link there, and what it leads to may be no rules at all.
  if ((type & FileType.SymbolicLink) !== 0) return 'failed';
  const document = await workspace.openTextDocument(rules);
  const wasDirty = document.isDirty;
  if (!(await editDocument(document, [appendedLines(document, ['.env'])]))) return 'failed';
  return saveUnlessDirty(document, wasDirty);
}

/**
 * Takes the byte order mark off the `.env` file in use. It is no part of the text that an edit could
 * reach, so the file itself is written; never over changes that are not saved.
 */
export async function removeByteOrderMark(): Promise<void> {
  const document = await changeableEnvFile();
  if (!document) return;
  if (document.isDirty) return void window.showWarningMessage(NOTICES.saveFirst);
  const decoded = decodeEnvFile(await workspace.fs.readFile(document.uri));
  if (!decoded?.hasByteOrderMark) return;
  await workspace.fs.writeFile(document.uri, new TextEncoder().encode(decoded.text));
}
