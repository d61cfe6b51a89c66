import { type TextDocument, window, workspace } from 'vscode';
import type { StoredKey } from '../credentials/access.ts';
import { editDocument } from '../document/documentEdit.ts';
import { type FoundKey, findKey, linesOfKey, linesWithText } from '../dotenv/envKey.ts';
import { assignmentsOf } from '../dotenv/envText.ts';
import type { Vendor } from '../service/vendors.ts';
import { readSettings } from '../settings.ts';
import { activeEnvFile, isLink, lineRange, savedOf } from './envDocument.ts';
import { NOTICES, type TakenOut, takenOutText } from './findingMessages.ts';

/**
 * Moves the API key of the `.env` file in use to secret storage: by way of the set-up, which shows
 * the hosts and asks before it replaces a key. Only a key that is stored leaves the file.
 */
export async function moveKeyToSecretStorage(
  store: (found: FoundKey) => Promise<StoredKey>,
): Promise<void> {
  const document = activeEnvFile();
  if (!document) return void window.showWarningMessage(NOTICES.noFile);
  if (await isLink(document.uri)) return void window.showWarningMessage(NOTICES.isLink);
  const { vendor } = readSettings(document.uri);
  const found = findKey(assignmentsOf(document.getText()), vendor);
  if (!found) return void window.showWarningMessage(NOTICES.noKey);
  const stored = await store(found);
  if (stored === 'none') return;
  if (stored === 'other') return void window.showInformationMessage(NOTICES.otherKey);
  const outcome = await takeOut(document, found.apiKey, vendor);
  if (typeof outcome === 'string') return void window.showWarningMessage(NOTICES[outcome]);
  const isGone = outcome.saved === 'yes' && outcome.left.length === 0;
  const show = isGone ? window.showInformationMessage : window.showWarningMessage;
  void show(takenOutText(outcome));
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
    lines.map((line) => [lineRange(document, line), '']),
  );
  if (!isDone) return 'keyLineStays';
  const saved = await savedOf(document, wasDirty);
  return { saved, left: linesWithText(document.getText(), apiKey) };
}
