import type { Uri } from 'vscode';
import {
  type SettingsTarget,
  targetForFolder,
  targetOfSetting,
  writeSettings,
} from '../config/configuration.ts';
import { type CredentialSource, readSettings } from '../config/settings.ts';
import type { SourceId } from '../service/credentials.ts';
import { askInstead, reportSetting } from './connectionDialogs.ts';
import { hiddenSourceText } from './connectionMessages.ts';
import { readyConnection } from './createConnection.ts';
import type { ExternalSource, Lookup, SourceSnapshot } from './sourceSelection.ts';

/** Writes `hostedModel.credentialSource`, and determines its effect on a setup. */

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
 * Returns the source that stays in use after a setup, because the settings name it. Undefined if the
 * new credentials are used.
 * @param imported the source whose values were imported, which won't stay in use
 */
export function sourceKept(
  { found, choice }: Lookup,
  imported: SourceId | undefined,
): SourceId | undefined {
  const inUse = readyConnection(choice)?.source ?? 'editor';
  const isNamed = inUse === found.settings.credentialSource && inUse !== 'editor';
  return isNamed && inUse !== imported ? inUse : undefined;
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
