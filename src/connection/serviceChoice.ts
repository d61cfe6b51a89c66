import { writeSettings } from '../config/configuration.ts';
import { readUserSettings } from '../config/settings.ts';
import { canOverrideAuthUrl, neededSettings, type Service } from '../service/services.ts';
import type { KeyStore } from './keyStore.ts';
import { readSettingsInUse } from './setUpAnswers.ts';

/**
 * Selects which of the services that are set up is used for selections. The address and project in
 * the settings belong to that service, so they're exchanged for those of its last setup.
 * @param modelId the model to use; empty for the service's default
 * @returns false if the service isn't set up
 */
export async function useForSelections(
  keys: KeyStore,
  service: Service,
  modelId = '',
): Promise<boolean> {
  const record = await keys.read(service.word);
  if (!record) return false;
  await keepProject(keys);
  const { authUrl, serviceUrl, projectId = '', resource = 'project' } = record;
  const hasProject = neededSettings(service).includes('projectId');
  const hasOwnAuthUrl = canOverrideAuthUrl(service) && authUrl !== service.authUrl;
  await writeSettings({
    service: service.word,
    modelId,
    ...(service.url === '' && { url: serviceUrl }),
    authUrl: hasOwnAuthUrl ? authUrl : '',
    ...(hasProject && { projectId: '', spaceId: '', deploymentId: '' }),
    ...(hasProject && { [`${resource}Id` as const]: projectId }),
  });
  return true;
}

/** Stores the project in the user settings with the key of its service. */
async function keepProject(keys: KeyStore): Promise<void> {
  const { service } = await readSettingsInUse(keys);
  const { projectId, resource } = readUserSettings();
  const record = await keys.read(service.word);
  const isKept = record?.projectId === projectId && record.resource === resource;
  if (!record || !projectId || isKept) return;
  await keys.write({ ...record, projectId, resource }, service.word);
}
