import type { Uri } from 'vscode';
import {
  type SettingsTarget,
  targetForFolder,
  targetOfSetting,
  writeSettings,
} from '../config/configuration.ts';
import { type CredentialSource, readSettings } from '../config/settings.ts';
import { askInstead, offerNewCredentials, reportSetting } from './connectionDialogs.ts';
import { hiddenSourceText } from './connectionMessages.ts';
import { readyConnection } from './createConnection.ts';
import type { Lookup } from './sourceSelection.ts';
import type { ExternalSource, SourceSnapshot } from './sourceTypes.ts';

/** Writes `hostedModel.credentialSource`, and offers to change it. */

/**
 * @returns false, after showing an error message, if other settings override the value
 * @throws {ServiceError} `settings-not-written` if VS Code can't write the setting
 */
export async function writeCredentialSource(
  credentialSource: CredentialSource,
  folder: Uri | undefined,
  target: SettingsTarget = targetForFolder(folder),
): Promise<boolean> {
  await writeSettings({ credentialSource }, target);
  if (readSettings(folder).credentialSource === credentialSource) return true;
  reportSetting(hiddenSourceText(target), 'credentialSource');
  return false;
}

/**
 * If the settings keep an external source in use after setup, offers to use the new credentials
 * instead.
 * @param useNew changes the settings
 * @returns true if the new credentials are in use; undefined if no other source is in use
 */
export function offerToSwitch(
  { found, choice }: Lookup,
  useNew: () => Promise<boolean>,
): Promise<boolean> | undefined {
  const inUse = readyConnection(choice)?.source ?? 'editor';
  if (inUse === 'editor' || inUse !== found.settings.credentialSource) return undefined;
  return offerNewCredentials(inUse, found).then((isAgreed) => isAgreed && useNew());
}

/**
 * Offers to use the other sources if the source in the settings can't be used. If the user agrees,
 * sets `credentialSource` to `auto` at the level (folder, workspace, or user) where it was set.
 * @returns true if `auto` now applies
 */
export async function settleUnusable(
  source: ExternalSource,
  found: SourceSnapshot,
): Promise<boolean> {
  const folder = found.folder.workspaceFolder?.uri;
  const target = targetOfSetting('credentialSource', folder);
  if (!(await askInstead(source, found, target))) return false;
  return writeCredentialSource('auto', folder, target);
}
