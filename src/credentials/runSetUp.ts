import { window } from 'vscode';
import { SETTING_NAMES, type SettingName } from '../service/credentials.ts';
import { readSettings } from '../settings.ts';
import { reportAddress } from './address.ts';
import type { KeyStore } from './keyStore.ts';
import { destination, resolveCredentials } from './resolve.ts';
import { type SetUpOptions, setUp } from './setUp.ts';

export interface RunSetUpOptions {
  readonly keys: KeyStore;
  readonly test: SetUpOptions['test'];
}

/**
 * The guided set-up for all settings, or for these and whatever else is missing or unusable.
 * @param found values that another source holds already
 * @returns true if credentials were saved
 */
export async function runSetUp(
  { keys, test }: RunSetUpOptions,
  names: readonly SettingName[] = SETTING_NAMES,
  found?: SetUpOptions['found'],
): Promise<boolean> {
  const settings = readSettings();
  const resolution = resolveCredentials(settings, await keys.read());
  const needed = new Set(names);
  if (resolution.kind === 'missing') for (const name of resolution.names) needed.add(name);
  const target = destination(settings.authUrl, settings.url);
  if ('setting' in target) {
    // The set-up asks for the service URL; the identity address is in the settings alone.
    const { setting, problem } = target;
    if (setting === 'authUrl') {
      reportAddress({ kind: 'bad-address', setting, problem });
      return false;
    }
    needed.add('url');
  }
  const ask = SETTING_NAMES.filter((name) => needed.has(name));
  if (!(await setUp({ keys, settings, test, ask, found }))) return false;
  void window.showInformationMessage('Hosted Model is set up. The key is in secret storage.');
  return true;
}
