import { window } from 'vscode';
import { cleanValue } from '../service/credentials.ts';
import { findKeyInSettings, writeSettings } from '../settings.ts';
import { inform } from '../ui/notify.ts';
import type { CredentialAccess } from './access.ts';

/**
 * Offers to move a key out of the user's settings file. It is never used from there, and one in a
 * workspace's settings is not looked at: a repository could plant its own.
 */
export async function offerToMoveKey(access: () => Promise<CredentialAccess>): Promise<void> {
  const found = findKeyInSettings();
  if (!found) return;
  const move = 'Move to Secret Storage';
  const remove = 'Delete It';
  const answer = await window.showWarningMessage(
    `Hosted Model: hostedModel.${found.name} in your settings.json holds a key. It is not used from there: other extensions can read it, and Settings Sync copies it.`,
    move,
    remove,
  );
  if (answer === undefined) return;
  if (answer === move) {
    const apiKey = cleanValue(found.text).value;
    if ((await (await access()).importKey({ apiKey })) !== 'same') return;
  }
  // Somebody may have written another one meanwhile; that one is theirs.
  if (findKeyInSettings()?.text !== found.text) return;
  try {
    await writeSettings({ [found.name]: '' });
    inform(`hostedModel.${found.name} is deleted from your settings.json.`);
  } catch {
    void window.showWarningMessage(
      `Hosted Model: hostedModel.${found.name} could not be deleted, since VS Code could not write your settings.json. Delete it there yourself.`,
    );
  }
}
