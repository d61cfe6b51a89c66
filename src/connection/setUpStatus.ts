import { type Uri, workspace } from 'vscode';
import {
  isProjectSetIn,
  readSettings,
  type Settings,
  settingsFor,
  withStoredService,
} from '../config/settings.ts';
import { getsTokens, neededSettings, type Service } from '../service/service.ts';
import type { ConnectionStores } from './connectionStores.ts';
import { USES_EXTERNAL_SOURCE } from './signOutDetection.ts';

/** The setup state, for the status bar and the command palette. */
export interface SetUpStatus {
  /** Reads the settings of the service in use, for the tooltip. */
  readonly readSettings: (folder?: Uri) => Settings;
  /**
   * True if the editor source has a stored key and all other required settings, or if an external
   * source was used last. A project that is set for only some of the open folders counts as set.
   */
  readonly isSetUp: boolean;
  /**
   * True if a key is stored for the service that's selected in the settings. If the settings don't
   * name a service, true if a key is stored for any service.
   */
  readonly hasKey: boolean;
  /** True if the extension is set up for a service whose access tokens need to be refreshed. */
  readonly refreshesTokens: boolean;
  /** True if a key or an approval is stored, or if an external source was used last. */
  readonly canSignOut: boolean;
}

/**
 * Determines the setup state, without reading secrets.
 * @param inUse the service in use. The default is the service in the settings or, if they don't
 * name one, the first service with a stored key.
 */
export async function readSetUpStatus(
  { keys, approvals, workspaceState }: ConnectionStores,
  inUse?: Service,
): Promise<SetUpStatus> {
  const stored = await keys.services();
  const usesExternalSource = workspaceState.get(USES_EXTERNAL_SOURCE, false);
  const settings = withStoredService(readSettings(), stored);
  const { service, serviceProblem, url } = settings;
  const isNamed = !neededSettings(service).includes('projectId') || isProjectSet();
  const hasKey = stored.includes(service.word);
  const hasInvalidSetting = serviceProblem !== undefined || settings.credentialSource === 'invalid';
  const isInEditor = hasKey && !hasInvalidSetting && isNamed && url !== '';
  const isSetUp = isInEditor || usesExternalSource;
  const used = inUse ?? service;
  return {
    readSettings: (folder) => settingsFor(used, readSettings(folder)),
    isSetUp,
    hasKey,
    refreshesTokens: isSetUp && getsTokens(used),
    canSignOut: usesExternalSource || stored.length > 0 || approvals.hasApprovals,
  };
}

/** True if a project, space, or deployment is set for the window or for an open folder. */
function isProjectSet(): boolean {
  const folders = workspace.workspaceFolders ?? [];
  return [undefined, ...folders].some((folder) => isProjectSetIn(folder?.uri));
}
