import type { Uri } from 'vscode';
import { chosenService, readStartupSettings } from '../configuration.ts';
import type { Vendor } from '../service/vendors.ts';
import type { Settings } from '../settings.ts';
import type { KeyStore } from './keyStore.ts';

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

/** The word of the first built-in service, which goes before all others. */
const FIRST_SERVICE = 'ibm';

/**
 * Reads the state of the service in the settings, or of the first one with a stored key.
 * @param inUse the service of the credentials in use, if it is known
 */
export async function readServiceState(keys: KeyStore, inUse?: Vendor): Promise<ServiceState> {
  const stored = await keys.services();
  const assumed = stored.length === 0 || stored.includes(FIRST_SERVICE) ? FIRST_SERVICE : '';
  // Most windows use the first service. The list of all services loads only for the others.
  if (!inUse && (chosenService() || assumed) === FIRST_SERVICE) {
    const { projectId, url } = readStartupSettings();
    const isSetUp = stored.includes(FIRST_SERVICE) && projectId !== '' && url !== '';
    return { isSetUp, sendsKey: false, settings: readStartupSettings };
  }
  const [{ readSettings, settingsFor, withStoredService }, { neededSettings, WAYS }] =
    await Promise.all([import('../settings.ts'), import('../service/vendors.ts')]);
  const words = await keys.services();
  const { vendor, vendorProblem, projectId, url } = withStoredService(readSettings(), words);
  const isNamed = projectId !== '' || !neededSettings(vendor).includes('projectId');
  const used = inUse ?? vendor;
  return {
    isSetUp: words.includes(vendor.word) && !vendorProblem && isNamed && url !== '',
    sendsKey: WAYS[used.way.kind].sendsKey === true,
    settings: (scope) => settingsFor(used, readSettings(scope)),
  };
}
