import { commands, window } from 'vscode';
import type { Credentials, SettingName } from '../service/credentials.ts';
import { readSettings } from '../settings.ts';
import { missingText, urlProblem } from '../ui/messages.ts';
import { approveDestination } from './approval.ts';
import type { KeyStore } from './keyStore.ts';
import { type Resolution, resolveCredentials } from './resolve.ts';
import { type SetUpOptions, setUp } from './setUp.ts';

/** What stands in the way of using credentials; for the status item. */
export interface Obstacles {
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
  let resolution = await resolve(options.keys);
  while (resolution.kind !== 'ready') {
    if (!(await overcome(resolution, options))) return undefined;
    resolution = await resolve(options.keys);
  }
  options.onObstacle({ triedWithout: false, needsApproval: false });
  return resolution.credentials;
}

/** The guided set-up for all settings, or for these and whatever else is missing. */
export async function runSetUp(
  { keys, test, onObstacle }: AccessOptions,
  names: readonly SettingName[] = ALL_SETTINGS,
): Promise<boolean> {
  const resolution = await resolve(keys);
  const missing = resolution.kind === 'missing' ? resolution.names : [];
  const ask = ALL_SETTINGS.filter((name) => names.includes(name) || missing.includes(name));
  const saved = await setUp({ keys, settings: readSettings(), test, ask });
  if (!saved) return false;
  onObstacle({ triedWithout: false, needsApproval: false });
  void window.showInformationMessage('Hosted Model is set up. The key is in secret storage.');
  return true;
}

async function resolve(keys: KeyStore): Promise<Resolution> {
  return resolveCredentials(readSettings(), await keys.read());
}

/** @returns false if the user gave up */
async function overcome(
  resolution: Exclude<Resolution, { kind: 'ready' }>,
  options: AccessOptions,
): Promise<boolean> {
  switch (resolution.kind) {
    case 'missing':
      options.onObstacle({ triedWithout: true });
      void window.showWarningMessage(missingText(resolution.names));
      return runSetUp(options, resolution.names);
    case 'unapproved':
      options.onObstacle({ needsApproval: true });
      return approveDestination(options.keys, resolution.approved, resolution.wanted);
    case 'bad-address': {
      const which = resolution.setting === 'url' ? 'service URL' : 'identity address';
      const text = `Hosted Model: the ${which} in the settings cannot be used: ${urlProblem(resolution.problem)}. Nothing was sent.`;
      const openSettings = 'Open Settings';
      const picked = await window.showErrorMessage(text, openSettings);
      if (picked === openSettings) await commands.executeCommand('hostedModel.openSettings');
      return false;
    }
  }
}
