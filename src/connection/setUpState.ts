import type { Uri } from 'vscode';
import { readStartupSettings } from '../config/configuration.ts';
import { readSettings, type Settings, settingsFor, withStoredService } from '../config/settings.ts';
import { AUTH_METHODS, neededSettings, type Service, services } from '../service/services.ts';

/** State that can be read without a secret, for the status bar and the command palette. */
export interface ConnectionsState {
  /**
   * Reads the settings of the service in use, for the tooltip. For the first service, returns them
   * as written.
   */
  readonly settings: (
    scope?: Uri,
  ) => Pick<Settings, 'authUrl' | 'url' | 'projectId' | 'resource' | 'modelId'>;
  /**
   * True if the editor has a stored key and the other settings, or if another source was used last.
   */
  readonly isSetUp: boolean;
  /** True if there are tokens to refresh. */
  readonly refreshesTokens: boolean;
  /** True if signing out would delete or forget something. */
  readonly canSignOut: boolean;
}

export interface KnownState {
  /** The `word` of each service that has a stored key. */
  readonly stored: readonly string[];
  /** The service of the connection in use, if any. */
  readonly inUse: Service | undefined;
  /** True if the last connection came from a source outside the editor. */
  readonly usesOutsideSource: boolean;
  readonly hasApprovals: boolean;
}

/** Returns the state for the service in the settings, or for the first one with a stored key. */
export function readConnectionsState(known: KnownState): ConnectionsState {
  const { stored, inUse, usesOutsideSource, hasApprovals } = known;
  const { service, serviceProblem, projectId, url } = withStoredService(readSettings(), stored);
  const isNamed = projectId !== '' || !neededSettings(service).includes('projectId');
  const isInEditor = stored.includes(service.word) && !serviceProblem && isNamed && url !== '';
  const isSetUp = isInEditor || usesOutsideSource;
  const used = inUse ?? service;
  const isFirst = used.word === services[0].word;
  return {
    settings: isFirst ? readStartupSettings : (scope) => settingsFor(used, readSettings(scope)),
    isSetUp,
    refreshesTokens: isSetUp && !AUTH_METHODS[used.authentication.kind].sendsKey,
    canSignOut: usesOutsideSource || stored.length > 0 || hasApprovals,
  };
}
