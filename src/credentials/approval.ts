import { window } from 'vscode';
import type { Settings } from '../settings.ts';
import { writeSettings } from '../settings.ts';
import type { KeyRecord, KeyStore } from './keyStore.ts';
import type { Destination } from './sourceSelection.ts';

/**
 * Asks before a stored key may go to another host than the ones shown when it was saved (rule R3
 * of the threat model). Keeping the saved hosts is the button that Enter presses.
 */
export async function askDestination(
  saved: Destination,
  wanted: Destination,
): Promise<'saved' | 'wanted' | undefined> {
  const keep = 'Keep Saved Hosts';
  const use = 'Use New Hosts';
  const lines = (what: string, old: string, now: string) =>
    old === now
      ? `${what} goes to ${old}, as before.`
      : `${what} went to ${old}\nand would now go to ${now}`;
  const answer = await window.showWarningMessage(
    'Hosted Model would use other hosts than the ones your API key was saved for.',
    {
      modal: true,
      detail: [
        lines('The API key', saved.authHost, wanted.authHost),
        lines('Selected text', saved.serviceHost, wanted.serviceHost),
        'Nothing was sent. Use the new hosts only if you changed them yourself.',
      ].join('\n\n'),
    },
    keep,
    use,
  );
  if (answer === use) return 'wanted';
  return answer === keep ? 'saved' : undefined;
}

/**
 * Settles which hosts hold, in the record or in the settings.
 * @param asked the record that the question is about; another one that came meanwhile is not bound
 * @returns true if the question is settled
 */
export async function settleDestination(
  keys: KeyStore,
  { vendor }: Pick<Settings, 'vendor'>,
  asked: KeyRecord,
  saved: Destination,
  wanted: Destination,
): Promise<boolean> {
  const answer = await askDestination(saved, wanted);
  if (answer === 'saved') {
    const authUrl = saved.authUrl === vendor.authUrl ? '' : saved.authUrl;
    await writeSettings({ url: saved.serviceUrl, authUrl });
  } else if (answer === 'wanted') {
    const now = await keys.read();
    if (JSON.stringify(now) !== JSON.stringify(asked)) return true;
    return keys.write({ ...asked, authUrl: wanted.authUrl, serviceUrl: wanted.serviceUrl });
  }
  return answer !== undefined;
}
