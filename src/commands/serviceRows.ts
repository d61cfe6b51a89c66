import type { WorkspaceFolder } from 'vscode';
import { readSettings, settingsFor } from '../config/settings.ts';
import { usedForSelectionsText } from '../connection/connectionMessages.ts';
import { type Lookup, serviceInUse } from '../connection/sourceSelection.ts';
import { ACTION_LABELS } from '../messages/actions.ts';
import { hasOwnModel, type Service } from '../service/service.ts';
import type { MenuItem } from '../status/menu.ts';
import { modelText } from '../status/statusView.ts';
import { inform, offer } from '../ui/notify.ts';
import { oneLine } from '../ui/oneLine.ts';
import { openSettingsOfWorkspace } from '../ui/openSettings.ts';
import { COMMAND_MESSAGES } from './commandMessages.ts';
import type { App } from './commandTypes.ts';

/**
 * Returns a menu row for each service that is set up, except the service in use. Picking a row
 * changes the service that is used for selections.
 */
export async function serviceRows(app: App, looked: Lookup): Promise<MenuItem[]> {
  const { word: used } = serviceInUse(looked);
  const owner = looked.found.folder.workspaceFolder;
  const all = await app.connections.all();
  const others = all.filter(({ service }) => service.word !== used);
  return others.map((connection) => ({
    run: () => switchSelections(app, owner, connection.service),
    label: COMMAND_MESSAGES.useService(oneLine(connection.service.name)),
    description: new URL(connection.serviceUrl).host,
    detail: oneLine(modelText(connection)),
  }));
}

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
