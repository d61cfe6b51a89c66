import { window, workspace } from 'vscode';
import { decodeEnvFile } from '../dotenv/envText.ts';
import { activeEnvFile, isLink } from './envDocument.ts';
import { NOTICES } from './findingMessages.ts';

/** The bytes of a mark in UTF-8. */
const MARK_BYTES = 3;

/**
 * Takes the byte order mark off the `.env` file in use. It is no part of the text that an edit could
 * reach, so the file itself is written; never over changes that are not saved.
 */
export async function removeByteOrderMark(): Promise<void> {
  const document = activeEnvFile();
  if (!document) return void window.showWarningMessage(NOTICES.noFile);
  if (await isLink(document.uri)) return void window.showWarningMessage(NOTICES.isLink);
  if (document.isDirty) return void window.showWarningMessage(NOTICES.saveFirst);
  const bytes = await workspace.fs.readFile(document.uri);
  if (!decodeEnvFile(bytes)?.hasByteOrderMark) return;
  await workspace.fs.writeFile(document.uri, bytes.subarray(MARK_BYTES));
}
