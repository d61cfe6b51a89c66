import { chosenService, readStartupSettings } from '../configuration.ts';
import type { KeyStore } from './keyStore.ts';

/** The state of the service in use, as far as it is known without reading a secret. */
export interface ServiceState {
  /** True if the editor has a stored key, and the settings have the rest. */
  readonly isSetUp: boolean;
}

/** The word of the first built-in service, which goes before all others. */
const FIRST_SERVICE = 'ibm';

/** Reads the state of the service in the settings, or of the first one with a stored key. */
export async function readServiceState(keys: KeyStore): Promise<ServiceState> {
  const stored = await keys.services();
  const assumed = stored.length === 0 || stored.includes(FIRST_SERVICE) ? FIRST_SERVICE : '';
  // Most windows use the first service. The list of all services loads only for the others.
  if ((chosenService() || assumed) === FIRST_SERVICE) {
    const { projectId, url } = readStartupSettings();
    return { isSetUp: stored.includes(FIRST_SERVICE) && projectId !== '' && url !== '' };
  }
  const [{ readSettings, withStoredService }, { neededSettings }] = await Promise.all([
    import('../settings.ts'),
    import('../service/vendors.ts'),
  ]);
  const words = await keys.services();
  const { vendor, vendorProblem, projectId, url } = withStoredService(readSettings(), words);
  const isNamed = projectId !== '' || !neededSettings(vendor).includes('projectId');
  return { isSetUp: words.includes(vendor.word) && !vendorProblem && isNamed && url !== '' };
}
