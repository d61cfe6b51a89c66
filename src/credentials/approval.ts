import { window } from 'vscode';
import { writeSettings } from '../settings.ts';
import type { KeyStore } from './keyStore.ts';
import type { Destination } from './resolve.ts';

/**
 * Asks before a stored key may go to another host than the ones shown when it was saved (rule R3
 * of the threat model). Keeping the old hosts is the button that Enter presses.
 * @returns true if credentials are usable afterwards
 */
export async function approveDestination(
  keys: KeyStore,
  approved: Destination,
  wanted: Destination,
): Promise<boolean> {
  const keep = `Keep ${approved.serviceHost}`;
  const use = `Use ${wanted.serviceHost}`;
  const answer = await window.showWarningMessage(
    'The settings of Hosted Model now lead to another host than the one your API key was saved for.',
    {
      modal: true,
      detail: [
        `Saved for: key to ${approved.authHost}, text to ${approved.serviceHost}`,
        `Settings now: key to ${wanted.authHost}, text to ${wanted.serviceHost}`,
        'Nothing was sent. Use the new host only if you changed the settings yourself.',
      ].join('\n\n'),
    },
    keep,
    use,
  );
  if (answer === use) {
    const record = await keys.read();
    if (!record) return false;
    await keys.write({ ...record, authUrl: wanted.authUrl, serviceUrl: wanted.serviceUrl });
    return true;
  }
  if (answer === keep) {
    await writeSettings({ url: approved.serviceUrl, authUrl: approved.authUrl });
    return true;
  }
  return false;
}
