import { commands, window } from 'vscode';
import type { Credentials, SettingName } from '../service/credentials.ts';
import { readSettings } from '../settings.ts';
import { missingText, urlProblem } from '../ui/settingMessages.ts';
import { settleDestination } from './approval.ts';
import type { KeyStore } from './keyStore.ts';
import { destination, type Resolution, resolveCredentials } from './resolve.ts';
import { type SetUpOptions, setUp } from './setUp.ts';

/** What stands in the way of using credentials; for the status item. */
interface Obstacles {
  readonly triedWithout?: boolean;
  readonly needsApproval?: boolean;
}

export interface AccessOptions {
  readonly keys: KeyStore;
  readonly test: SetUpOptions['test'];
  readonly onObstacle: (obstacles: Obstacles) => void;
}

const ALL_SETTINGS: readonly SettingName[] = ['apiKey', 'projectId', 'url'];

/**
 * Usable credentials. Asks for what is missing or needs approval, and says which; until that is
 * answered nothing with a credential is sent.
 * @returns undefined if the user gave up
 */
export async function requireCredentials(options: AccessOptions): Promise<Credentials | undefined> {
  for (;;) {
    const settings = readSettings();
    const record = await options.keys.read();
    const resolution = resolveCredentials(settings, record);
    if (resolution.kind === 'ready') {
      options.onObstacle({ triedWithout: false, needsApproval: false });
      return resolution.credentials;
    }
    if (resolution.kind === 'unapproved' && record) {
      options.onObstacle({ needsApproval: true });
      const { approved, wanted } = resolution;
      if (!(await settleDestination(options.keys, settings, record, approved, wanted)))
        return undefined;
    } else if (resolution.kind === 'bad-address') {
      await reportAddress(resolution);
      return undefined;
    } else if (resolution.kind === 'missing') {
      options.onObstacle({ triedWithout: true });
      void window.showWarningMessage(missingText(resolution.names));
      if (!(await runSetUp(options, resolution.names))) return undefined;
    }
  }
}

/** The guided set-up for all settings, or for these and whatever else is missing or unusable. */
export async function runSetUp(
  { keys, test, onObstacle }: AccessOptions,
  names: readonly SettingName[] = ALL_SETTINGS,
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
      await reportAddress({ kind: 'bad-address', setting, problem });
      return false;
    }
    needed.add('url');
  }
  const ask = ALL_SETTINGS.filter((name) => needed.has(name));
  if (!(await setUp({ keys, settings, test, ask }))) return false;
  onObstacle({ triedWithout: false, needsApproval: false });
  void window.showInformationMessage('Hosted Model is set up. The key is in secret storage.');
  return true;
}

async function reportAddress({
  setting,
  problem,
}: Resolution & { readonly kind: 'bad-address' }): Promise<void> {
  const which = setting === 'url' ? 'service URL' : 'identity address';
  const text = `Hosted Model: the ${which} in the settings cannot be used: ${urlProblem(problem)}. Nothing was sent.`;
  const openSettings = 'Open Settings';
  const picked = await window.showErrorMessage(text, openSettings);
  if (picked === openSettings) await commands.executeCommand('hostedModel.openSettings');
}
