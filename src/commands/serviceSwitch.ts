import type { WorkspaceFolder } from 'vscode';
import { readSettings, settingsFor } from '../config/settings.ts';
import { usedForSelectionsText } from '../connection/connectionMessages.ts';
import { ACTION_LABELS } from '../messages/actions.ts';
import { hasOwnModel, type Service } from '../service/service.ts';
import { inform, offer } from '../ui/notify.ts';
import { openSettingsOfWorkspace } from '../ui/openSettings.ts';
import { COMMAND_MESSAGES } from './commandMessages.ts';
import type { App } from './commandTypes.ts';

/**
 * Changes the service that is used for selections. Reports the result, unless the change was
 * undone. Warns if a workspace, folder, or remote setting overrides the model.
 * @param owner the folder that was active when the command started
 * @param modelId the model to use; omitted for the service's default
 */
export async function switchSelections(
  { connections }: App,
  owner: WorkspaceFolder | null,
  service: Service,
  modelId?: string,
): Promise<void> {
  const isUsed = await connections.useForSelections(service, modelId, owner);
  if (isUsed === false) return;
  if (isUsed === undefined) {
    return offer(
      'warning',
      COMMAND_MESSAGES.notSetUp(service.name),
      ACTION_LABELS.setUp,
      'hostedModel.setUp',
    );
  }
  const used = settingsFor(service, readSettings(owner?.uri));
  if (hasOwnModel(used) || used.modelId === (modelId || service.defaultModelId)) {
    return inform(usedForSelectionsText(service.name));
  }
  offer(
    'warning',
    COMMAND_MESSAGES.usedWithHiddenModel(service.name),
    ACTION_LABELS.openSettings,
    () => openSettingsOfWorkspace('hostedModel.modelId'),
  );
}
