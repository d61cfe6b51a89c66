import { type TextDocument, window, workspace } from 'vscode';
import { editDocument } from '../editor/documentEdit.ts';
import { type FoundKey, findKey, linesOfKey } from '../service/envKey.ts';
import type { Vendor } from '../service/vendors.ts';
import { readSettings } from '../settings.ts';
import { activeEnvFile, lineRange } from './envDocument.ts';
import { NOTICES } from './findingMessages.ts';

/**
 * Moves the API key of the `.env` file in use to secret storage: by way of the set-up, which shows
 * the hosts and asks before it replaces a key. Only a key that is stored leaves the file.
 * @param store true once the very key that was found is stored
 */
export async function moveKeyToSecretStorage(
  store: (found: FoundKey) => Promise<boolean>,
): Promise<void> {
  const document = activeEnvFile();
  if (!document) return void window.showWarningMessage(NOTICES.noFile);
  const { vendor } = readSettings(document.uri);
  const found = findKey(document.getText(), vendor);
  if (!found) return void window.showWarningMessage(NOTICES.noKey);
  if (!(await store(found))) return;
  const outcome = await takeOut(document, found.apiKey, vendor);
  const show = outcome === 'keyMoved' ? window.showInformationMessage : window.showWarningMessage;
  void show(NOTICES[outcome]);
}

/** Takes the lines of a key out, wherever they stand by now. */
async function takeOut(
  { uri }: TextDocument,
  apiKey: string,
  vendor: Vendor,
): Promise<'keyMoved' | 'keyMovedUnsaved' | 'keyLineGone' | 'keyLineStays'> {
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
  // Other changes are the user's to save.
  return !wasDirty && (await document.save()) ? 'keyMoved' : 'keyMovedUnsaved';
}
