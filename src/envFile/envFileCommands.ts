import { FileType, type TextDocument, Uri, window, workspace } from 'vscode';
import type { ImportResult } from '../credentials/access.ts';
import { editDocument } from '../document/documentEdit.ts';
import { type FoundKey, likelyReading, readForAll } from '../dotenv/envFile.ts';
import { linesOfKey, linesWithText } from '../dotenv/envKey.ts';
import { assignmentsOf, decodeEnvFile } from '../dotenv/envText.ts';
import type { Vendor } from '../service/vendors.ts';
import { readSettings } from '../settings.ts';
import { activeEnvFile, appendedLines, isLink, saveUnlessDirty } from './envDocument.ts';
import { NOTICES, type TakenOut, takenOutText } from './envFileMessages.ts';

/** What the commands do with the `.env` file in use. */

/**
 * Moves the API key of the `.env` file in use to secret storage: by way of the set-up, which shows
 * the hosts and asks before it replaces a key. Only a key that is stored leaves the file.
 */
export async function moveKeyToSecretStorage(
  store: (found: FoundKey & { readonly vendor: Vendor }) => Promise<ImportResult>,
): Promise<void> {
  const document = await changeableEnvFile();
  if (!document) return;
  const settings = readSettings(document.uri);
  const all = readForAll(assignmentsOf(document.getText()), settings.vendor, settings.vendors);
  const { vendor, reading } = likelyReading(all);
  if (!reading.key) return void window.showWarningMessage(NOTICES.noKey);
  const stored = await store({ ...reading.key, vendor });
  if (stored === 'none') return;
  if (stored === 'other') return void window.showInformationMessage(NOTICES.otherKey);
  const outcome = await takeOut(document, reading.key.apiKey, vendor);
  if (typeof outcome === 'string') return void window.showWarningMessage(NOTICES[outcome]);
  const isGone = outcome.saved === 'yes' && outcome.left.length === 0;
  const show = isGone ? window.showInformationMessage : window.showWarningMessage;
  void show(takenOutText(outcome));
}

/** The file in use if it may be changed; else it is said why not. */
async function changeableEnvFile(): Promise<TextDocument | undefined> {
  const document = activeEnvFile();
  if (!document) void window.showWarningMessage(NOTICES.noFile);
  else if (await isLink(document.uri)) void window.showWarningMessage(NOTICES.isLink);
  else return document;
  return undefined;
}

/** Takes the lines of a key out, wherever they stand by now. */
async function takeOut(
  { uri }: TextDocument,
  apiKey: string,
  vendor: Vendor,
): Promise<TakenOut | 'keyLineGone' | 'keyLineStays'> {
  // While the set-up ran the document may have been closed; what is in the file then counts.
  const document = await workspace.openTextDocument(uri);
  const lines = linesOfKey(document.getText(), apiKey, vendor);
  if (lines.length === 0) return 'keyLineGone';
  const wasDirty = document.isDirty;
  const isDone = await editDocument(
    document,
    lines.map((line) => [document.lineAt(line).rangeIncludingLineBreak, '']),
  );
  if (!isDone) return 'keyLineStays';
  const saved = await saveUnlessDirty(document, wasDirty);
  return { saved, left: linesWithText(document.getText(), apiKey) };
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
