import { chosenService, readStartupSettings } from '../configuration.ts';
import type { Vendor } from '../service/vendors.ts';
import type { KeyStore } from './keyStore.ts';
import type { ServiceState } from './listedService.ts';

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
  const { listedServiceState } = await import('./listedService.ts');
  return listedServiceState(await keys.services(), inUse);
}
