import type { Uri } from 'vscode';
import { neededSettings, type Vendor, WAYS } from '../service/vendors.ts';
import { readSettings, type Settings, settingsFor, withStoredService } from '../settings.ts';

type ShownSettings = Pick<Settings, 'authUrl' | 'url' | 'projectId' | 'resource' | 'modelId'>;

/** The state of the service in use, as far as it is known without reading a secret. */
export interface ServiceState {
  /** Reads its settings; without a default of the service as long as the list hasn't loaded. */
  readonly settings: (scope?: Uri) => ShownSettings;
  /** True if the editor has a stored key, and the settings have the rest. */
  readonly isSetUp: boolean;
  /** True if the key itself is sent, so that there is no token to refresh. */
  readonly sendsKey: boolean;
}

/**
 * The state of any service in the list. Loads only if a window uses another service than the first.
 * @param stored the words of all services that have a stored key
 * @param inUse the service of the credentials in use, if it is known
 */
export function listedServiceState(stored: readonly string[], inUse?: Vendor): ServiceState {
  const { vendor, vendorProblem, projectId, url } = withStoredService(readSettings(), stored);
  const isNamed = projectId !== '' || !neededSettings(vendor).includes('projectId');
  const used = inUse ?? vendor;
  return {
    isSetUp: stored.includes(vendor.word) && !vendorProblem && isNamed && url !== '',
    sendsKey: WAYS[used.way.kind].sendsKey === true,
    settings: (scope) => settingsFor(used, readSettings(scope)),
  };
}
