import type { Memento, Uri } from 'vscode';
import { readSettings, type Settings, settingsFor, withStoredService } from '../config/settings.ts';
import { getsTokens, neededSettings, type Service } from '../service/service.ts';
import type { KeyStore } from './keyStore.ts';
import type { SourceApprovals } from './sourceApprovals.ts';

/**
 * The state of the setup, for the status bar and the command palette. Determined without reading a
 * secret.
 */
export interface SetUpStatus {
  /** Reads the settings of the service in use, for the tooltip. */
  readonly readSettings: (scope?: Uri) => Settings;
  /**
   * True if the editor has a stored key and all other required settings, or if another source was
   * used last.
   */
  readonly isSetUp: boolean;
  /** True if the extension is set up for a service whose access tokens must be refreshed. */
  readonly refreshesTokens: boolean;
  /** True if signing out would delete or forget something. */
  readonly canSignOut: boolean;
}

/** The stores that contain the user's setup. */
export interface StoredState {
  readonly keys: KeyStore;
  readonly approvals: SourceApprovals;
  /** Workspace state. VS Code stores it outside the folders, so a repository can't change it. */
  readonly workspaceState: Memento;
}

/**
 * Key of a flag in the workspace state: true if the last connection in this workspace came from a
 * `.env` file or the environment. The values themselves aren't stored.
 */
export const USES_EXTERNAL_SOURCE = 'hostedModel.usesOutsideSource';

/**
 * True if the user has signed out, in this window or another one. Without an announced sign-out,
 * true if no key is left and this workspace uses no approved external source.
 */
export async function hasSignedOut(
  { keys, approvals, workspaceState }: StoredState,
  isSignOut: boolean,
): Promise<boolean> {
  // Read this before waiting for the key store. During the wait, a lookup can switch from the
  // removed key to an external source.
  const usesExternalSource = workspaceState.get(USES_EXTERNAL_SOURCE, false);
  if (isSignOut) return true;
  if ((await keys.services()).length > 0) return false;
  // A sign-out deletes the approvals, too.
  return !usesExternalSource || !approvals.hasApprovals;
}

/**
 * Forgets that an external source was used. Doesn't delete the approval of the source:
 * `Connections.signOut` does that.
 */
export async function forgetExternalSource(workspaceState: Memento): Promise<void> {
  await workspaceState.update(USES_EXTERNAL_SOURCE, undefined);
}

/**
 * Reads the state of the setup.
 * @param inUse the service in use; by default, the one in the settings or, if they name none, the
 * first one with a stored key
 */
export async function readSetUpStatus(
  { keys, approvals, workspaceState }: StoredState,
  inUse?: Service,
): Promise<SetUpStatus> {
  const stored = await keys.services();
  const usesExternalSource = workspaceState.get(USES_EXTERNAL_SOURCE, false);
  const { service, serviceProblem, projectId, url } = withStoredService(readSettings(), stored);
  const isNamed = projectId !== '' || !neededSettings(service).includes('projectId');
  const isInEditor = stored.includes(service.word) && !serviceProblem && isNamed && url !== '';
  const isSetUp = isInEditor || usesExternalSource;
  const used = inUse ?? service;
  return {
    readSettings: (scope) => settingsFor(used, readSettings(scope)),
    isSetUp,
    refreshesTokens: isSetUp && getsTokens(used),
    canSignOut: usesExternalSource || stored.length > 0 || approvals.hasApprovals,
  };
}
