import type { Uri } from 'vscode';
import {
  type SettingsTarget,
  targetForFolder,
  targetOfSetting,
  writeSettings,
} from '../config/configuration.ts';
import { type CredentialSource, readSettings } from '../config/settings.ts';
import { askInstead, reportSetting } from './connectionDialogs.ts';
import { hiddenSourceText } from './connectionMessages.ts';
import type { ExternalSource, SourceSnapshot } from './sourceSelection.ts';

/** Writes `hostedModel.credentialSource`. */

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
