import { window } from 'vscode';
import { writeSettings } from '../config/configuration.ts';
import { readSettings, settingsFor } from '../config/settings.ts';
import { requireAddress } from '../connection/connectionDialogs.ts';
import { readyConnection } from '../connection/createConnection.ts';
import { activeFolder } from '../connection/folders.ts';
import { serviceInUse } from '../connection/sourceSelection.ts';
import { apiOf } from '../service/api/apis.ts';
import type { ModelList } from '../service/api/modelTypes.ts';
import type { ModelQuery } from '../service/models/models.ts';
import { hasOwnModel, type Service } from '../service/service.ts';
import { inform } from '../ui/notify.ts';
import { COMMAND_MESSAGES } from './commandMessages.ts';
import type { App } from './commandTypes.ts';
import { pickModel } from './modelPicker.ts';
import { switchSelections } from './serviceSwitch.ts';

/**
 * Lets the user pick a model, and saves it in the settings. If the model belongs to another
 * service, that service is used for selections from then on.
 */
export async function selectModel(app: App): Promise<void> {
  // Get the folder first, because another folder may be active by the time the user picks a model.
  const owner = activeFolder();
  const looked = await app.connections.peekWithProgress(owner);
  const { found } = looked;
  const ofEditor = settingsFor(serviceInUse(looked), readSettings(owner?.uri));
  const ready = readyConnection(looked.choice);
  // The addresses of a service with regions are known in advance, so its model list can be
  // requested even before setup, unless the list requires a token.
  const isPublic =
    ofEditor.service.regions.length > 0 &&
    !apiOf(ofEditor.service).models.needsToken &&
    !ofEditor.serviceProblem;
  const connection = ready ?? (isPublic ? undefined : await app.connections.for(owner));
  if (!connection && !isPublic) return;
  const serviceUrl = connection?.serviceUrl ?? (await requireAddress(ofEditor));
  if (!serviceUrl) return;
  const used = connection ?? ofEditor;
  const { service, operation } = used;
  const isOther = service.word !== found.settings.service.word;
  if (isOther && !owner) return inform(COMMAND_MESSAGES.modelOfOther(service.name));
  const from = { service, serviceUrl, operation, otherKeys: found.keys };
  const { signOutSignal } = app.connections;
  const own = hasOwnModel(used)
    ? undefined
    : {
        service,
        list:
          connection?.models(signOutSignal) ??
          app.runtime.listModels(from, used.modelId, signOutSignal),
        current: used.modelId,
      };
  if (own) keepForChat(app, from, own.list);
  const others = await otherModels(app, service, signOutSignal);
  if (!own && others.length === 0) return inform(COMMAND_MESSAGES.ownModel);
  const choice = await pickModel(own, others);
  if (!choice) return;
  const { modelId: picked } = choice;
  if (choice.service.word !== service.word)
    return switchSelections(app, owner, choice.service, picked);
  // The model in the user settings belongs to the service in the settings, so another service's
  // model is written to the folder settings.
  await writeSettings({ modelId: picked }, isOther ? owner?.uri : undefined);
  if (settingsFor(service, readSettings(owner?.uri)).modelId === picked) return;
  void window.showWarningMessage(COMMAND_MESSAGES.hiddenModel);
}

/**
 * Stores a service's model list for the chat. Ignores failures, because the chat works even without
 * the list. If the list can't be loaded, `pickModel` handles the error.
 */
function keepForChat(app: App, from: ModelQuery, list: Promise<ModelList>): void {
  const keep = async ({ models }: ModelList) =>
    (await app.loadChat()).provider.models.keep(from, models);
  void list.then(keep).catch(() => {});
}

/**
 * Returns the other services that are set up, with their model lists, and stores the lists for the
 * chat. Leaves out services that use a deployment with its own model, because that model can't be
 * changed.
 */
async function otherModels(app: App, { word }: Service, signal: AbortSignal) {
  const all = await app.connections.all();
  return all
    .filter((one) => one.service.word !== word && !hasOwnModel(one))
    .map((connection) => {
      const list = connection.models(signal);
      keepForChat(app, connection, list);
      return { service: connection.service, list, current: '' };
    });
}
