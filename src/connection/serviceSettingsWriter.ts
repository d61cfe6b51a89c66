import { Configuration, writeSettings } from '../config/configuration.ts';
import { readUserSettings, type Settings, withStoredService } from '../config/settings.ts';
import { canOverrideAuthUrl, neededSettings, type Service } from '../service/service.ts';
import type { KeyRecord, KeyStore } from './keyStore.ts';

/**
 * Returns the user's settings. If they don't name a service, the first service with a stored key is
 * used.
 */
export async function readSettingsInUse(keys: KeyStore): Promise<Settings> {
  return withStoredService(readUserSettings(), await keys.services());
}

/**
 * Changes the service that is used for selections. Replaces the address and project in the settings
 * with those in the new service's stored record.
 * @param modelId the model to use; empty for the service's default
 * @returns false if the service isn't set up
 */
export async function useForSelections(
  keys: KeyStore,
  service: Service,
  modelId = '',
): Promise<boolean> {
  await keepProject(keys);
  const record = await keys.read(service.word);
  if (!record) return false;
  await writeServiceSettings(keys, service, record, modelId);
  return true;
}

/**
 * Stops using a service that the user added, and switches to the next service that is set up. If
 * there is none, deletes the service's values from the settings.
 * @returns the next service, if any
 */
export async function stopUsing(keys: KeyStore, service: Service): Promise<Service | undefined> {
  const stored = await keys.services();
  const next = readUserSettings().services.find(
    ({ word }) => word !== service.word && stored.includes(word),
  );
  if (next && (await useForSelections(keys, next))) return next;
  await writeSettings({
    ...{ service: '', modelId: '' },
    ...(needsProject(service) && { projectId: '', spaceId: '', deploymentId: '' }),
    ...(service.url === '' && { url: '' }),
  });
  return undefined;
}

/**
 * Writes a service's ID, model, addresses, and project to the user settings.
 * @param modelId the model to use; empty for the service's default; undefined if the settings
 * already contain the service's ID and model, which are then kept
 */
export async function writeServiceSettings(
  keys: KeyStore,
  service: Service,
  record: KeyRecord,
  modelId?: string,
): Promise<void> {
  const before = await readSettingsInUse(keys);
  const { projectId = '', resource = 'project' } = record;
  // If the record has no project, keep the project in the settings, unless it belongs to the
  // previous service.
  const isReplaced = projectId !== '' || needsProject(before.service);
  const hasProject = needsProject(service) && isReplaced;
  // A deployment ID takes precedence over a space ID, and a space ID over a project ID. Delete all
  // old IDs so that none of them overrides the new ID.
  const noProject = hasProject && { projectId: '', spaceId: '', deploymentId: '' };
  // Delete the old IDs before changing the service so that they're never used with the new one,
  // even if a later write fails.
  if (noProject && modelId !== undefined) await writeSettings(noProject);
  await writeSettings({
    ...(modelId !== undefined && { service: service.word, modelId }),
    ...noProject,
    ...(hasProject && { [`${resource}Id` as const]: projectId }),
    // Write the addresses last. Until then, the settings don't match the approved addresses, so the
    // user is prompted before one service's key is used with another's project.
    ...addressSettings(service, record),
  });
}

/** The settings that `writeServiceSettings` can change, in the order in which they're restored. */
const SERVICE_SETTINGS = [
  ...['service', 'modelId', 'url', 'authUrl'],
  ...['projectId', 'spaceId', 'deploymentId'],
];

/**
 * Reads the settings that `writeServiceSettings` can change.
 * @returns a function that restores them
 */
export function rememberServiceSettings(): () => Promise<void> {
  const configuration = new Configuration();
  const values = Object.fromEntries(
    SERVICE_SETTINGS.map((name) => [name, configuration.own(name)]),
  );
  return async () => {
    // Delete the new project first, and restore the old one last. In between, no project is set, so
    // no service can be used with another service's project.
    await writeSettings({ projectId: '', spaceId: '', deploymentId: '' });
    await writeSettings(values);
  };
}

export function addressSettings(
  service: Service,
  { authUrl, serviceUrl }: Pick<KeyRecord, 'authUrl' | 'serviceUrl'>,
): { readonly url?: string; readonly authUrl?: string } {
  return {
    ...(service.url === '' && { url: serviceUrl }),
    ...(canOverrideAuthUrl(service) && { authUrl: authUrl === service.authUrl ? '' : authUrl }),
  };
}

/**
 * Copies the project from the user settings to the stored record of the service in use. Call this
 * before writing another service to the settings.
 */
export async function keepProject(keys: KeyStore): Promise<void> {
  const { service, serviceProblem } = await readSettingsInUse(keys);
  const { projectId, resource } = readUserSettings();
  const record = await keys.read(service.word);
  const isKept = record?.projectId === projectId && record.resource === resource;
  if (serviceProblem || !needsProject(service)) return;
  if (!record || !projectId || isKept) return;
  await keys.write({ ...record, projectId, resource }, service.word, { stored: record });
}

function needsProject(service: Service): boolean {
  return neededSettings(service).includes('projectId');
}
