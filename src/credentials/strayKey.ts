import { window } from 'vscode';
import { findKeyInSettings, writeSettings } from '../configuration.ts';
import { cleanValue } from '../service/credentials.ts';
import { inform } from '../ui/notify.ts';
import type { CredentialAccess } from './access.ts';
import { STRAY_KEY } from './credentialMessages.ts';

/**
 * Offers to move a key out of the user's settings file. It is never used from there, and one in a
 * workspace's settings is not looked at: a repository could plant its own.
 */
export async function offerToMoveKey(access: () => Promise<CredentialAccess>): Promise<void> {
  const found = findKeyInSettings();
  if (!found) return;
  const { warning, move, remove } = STRAY_KEY;
  const answer = await window.showWarningMessage(warning(found.name), move, remove);
  if (answer === undefined) return;
  if (answer === move) {
    const apiKey = cleanValue(found.text).value;
    if ((await (await access()).importKey({ apiKey })) !== 'same') return;
  }
  // Somebody may have written another one meanwhile; that one is theirs.
  if (findKeyInSettings()?.text !== found.text) return;
  try {
    await writeSettings({ [found.name]: '' });
    inform(STRAY_KEY.deleted(found.name));
  } catch {
    void window.showWarningMessage(STRAY_KEY.notDeleted(found.name));
  }
}
