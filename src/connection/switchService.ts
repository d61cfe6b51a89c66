import { writeSettings } from '../config/configuration.ts';
import { readUserSettings } from '../config/settings.ts';
import { canOverrideAuthUrl, neededSettings, type Service } from '../service/services.ts';
import type { KeyStore } from './keyStore.ts';
import { readSettingsInUse } from './setUpAnswers.ts';

/**
 * Switches selections to another service. Replaces the address and project in the settings with
 * those from the last setup of that service.
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
  const before = await readSettingsInUse(keys);
  const { authUrl, serviceUrl, projectId = '', resource = 'project' } = record;
  // A project in the settings can only belong to a service that needs a project.
  const isReplaced = projectId !== '' || needsProject(before.service);
  const hasProject = needsProject(service) && isReplaced;
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

/**
 * Copies the project from the user settings to the stored record of its service. Call this before
 * writing another service to the settings.
 */
export async function keepProject(keys: KeyStore): Promise<void> {
  const { service, serviceProblem } = await readSettingsInUse(keys);
  const { projectId, resource } = readUserSettings();
  const record = await keys.read(service.word);
  const isKept = record?.projectId === projectId && record.resource === resource;
  if (serviceProblem || !needsProject(service)) return;
  if (!record || !projectId || isKept) return;
  await keys.write({ ...record, projectId, resource }, service.word);
}

function needsProject(service: Service): boolean {
  return neededSettings(service).includes('projectId');
}
