import { commands, ProgressLocation, window } from 'vscode';
import { writeSettings } from '../config/configuration.ts';
import { readSettings, settingsFor } from '../config/settings.ts';
import { requireAddress } from '../connection/credentialDialogs.ts';
import { activeFolder, onlyFolder } from '../connection/folders.ts';
import { serviceInUse } from '../connection/sourceSelection.ts';
import { STORAGE_MESSAGES } from '../connection/storageMessages.ts';
import { diagnoseConnection } from '../diagnose/diagnoseConnection.ts';
import { showFailure } from '../diagnose/showFailure.ts';
import { insertModeIds } from '../editor/insertMode.ts';
import { type GenerateOverrides, generate } from '../generate/generate.ts';
import { NO_DOCUMENT } from '../generate/generateMessages.ts';
import { continueResponses, reportUndone, showResult } from '../generate/reportOutcome.ts';
import { type GenerateDeps, runJob } from '../generate/runJob.ts';
import { ACTION_LABELS } from '../messages/actions.ts';
import { apiOf } from '../service/api/apis.ts';
import type { ModelList } from '../service/api/modelList.ts';
import type { ModelQuery } from '../service/models/models.ts';
import { hasOwnModel, type Service } from '../service/service.ts';
import { loadTemplateFeature } from '../templates/loadTemplateFeature.ts';
import { inform, offer } from '../ui/notify.ts';
import { undocumentedCommands } from '../undocumentedApi.ts';
import { COMMAND_MESSAGES } from './commandMessages.ts';
import type { App, Handlers, Invocation } from './commandTypes.ts';
import { pickModel } from './modelPicker.ts';
import { openMenu } from './openMenu.ts';
import { switchSelections } from './otherServices.ts';

export const handlers: Handlers = {
  generateFromSelection: async (app, { args, snapshot }) => {
    if ('malformed' in args) return offerKeybindings(COMMAND_MESSAGES.malformed[args.malformed]);
    const { template, insertMode } = args;
    if (insertMode !== undefined && !insertModeIds.includes(insertMode)) {
      return offerKeybindings(COMMAND_MESSAGES.noInsertMode(insertMode, insertModeIds));
    }
    if (template === undefined) return generateFromSelection(app, { insertMode }, snapshot);
    return generateFromTemplate(app, template, { insertMode }, snapshot);
  },

  generateWithTemplate: (app, { snapshot }) => generateFromTemplate(app, undefined, {}, snapshot),

  continueGeneration: async (app) => {
    const job = app.jobs.latest;
    await continueResponses(job, async (indices, runMode) => {
      if (job) await runJob(optionsFor(app), job, indices, runMode);
    });
  },

  tryAgain: async (app) => {
    const job = app.jobs.latest;
    if (!job) return inform(COMMAND_MESSAGES.noGeneration);
    await runJob(optionsFor(app), job, job.indices);
  },

  undoGeneration: async (app) => reportUndone(await app.jobs.undo()),
  cancelGeneration: async (app) => app.jobs.cancel(),

  acceptPreview: async (app) => {
    if (!(await app.jobs.previews.accept())) inform(COMMAND_MESSAGES.noPreview);
  },

  discardPreview: async (app) => {
    if (!(await app.jobs.previews.discard())) inform(COMMAND_MESSAGES.noPreview);
  },

  showLastResponse: async (app) => showResult(app.jobs.result),

  showUsage: async (app) => {
    // Prefer the chat's connection, because the budget limits only chat requests.
    const [ofChat] = await app.connections.all();
    const { choice } = await app.connections.peekWithProgress();
    const active = choice.kind === 'ready' ? choice.connection : undefined;
    await app.usage.show(ofChat ?? active);
  },

  setUp: (app) => app.connections.setUp(),

  signOut: async (app) => {
    const { question, detail, button } = COMMAND_MESSAGES.signOut;
    const answer = await window.showWarningMessage(question, { modal: true, detail }, button);
    if (answer !== button) return;
    try {
      await app.connections.signOut();
      inform(COMMAND_MESSAGES.signedOut);
    } catch {
      const again = () => commands.executeCommand('hostedModel.signOut');
      offer('error', STORAGE_MESSAGES['keeps-key'], ACTION_LABELS.retry, again);
    }
  },

  refreshToken: async (app) => {
    const connection = await app.connections.for();
    if (!connection) return;
    // The user can sign out before the token request is sent. The key must not be sent after that.
    const { signOutSignal } = app.connections;
    const progress = { location: ProgressLocation.Window, title: COMMAND_MESSAGES.gettingToken };
    const { hasToken } = await window.withProgress(progress, () =>
      connection.refreshToken(signOutSignal),
    );
    app.status.update({ lastFailure: undefined });
    inform(hasToken ? COMMAND_MESSAGES.newToken : COMMAND_MESSAGES.noToken);
  },

  showMenu: openMenu,
  diagnose: (app) => diagnoseConnection(app, insertModeIds),

  selectModel: async (app) => {
    const scope = window.activeTextEditor?.document.uri;
    const looked = await app.connections.peekWithProgress();
    const { found } = looked;
    const ofEditor = settingsFor(serviceInUse(looked), readSettings(scope));
    const ready = looked.choice.kind === 'ready' ? looked.choice.connection : undefined;
    // A service with regions has known addresses, so its models can be listed even before the setup
    // if the list needs no token.
    const isPublic =
      ofEditor.service.regions.length > 0 &&
      !apiOf(ofEditor.service).models.needsToken &&
      !ofEditor.serviceProblem;
    const connection = ready ?? (isPublic ? undefined : await app.connections.for());
    if (!connection && !isPublic) return;
    const serviceUrl = connection?.serviceUrl ?? (await requireAddress(ofEditor));
    if (!serviceUrl) return;
    const used = connection ?? ofEditor;
    const { service, operation } = used;
    const folder = activeFolder()?.uri;
    const isOther = service.word !== found.settings.service.word;
    if (isOther && !folder) return inform(COMMAND_MESSAGES.modelOfOther(service.name));
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
    const choice = await pickModel(own, others).catch((error: unknown) => {
      // A deployment lists no models, so the failure of another service isn't a problem.
      if (own) throw error;
      inform(COMMAND_MESSAGES.ownModel);
    });
    if (!choice) return;
    const { modelId: picked } = choice;
    if (choice.service.word !== service.word) return switchSelections(app, choice.service, picked);
    // The model in the user settings belongs to the service in the settings. Another service's
    // model goes into the folder settings.
    await writeSettings({ modelId: picked }, isOther ? folder : undefined);
    if (settingsFor(service, readSettings(scope)).modelId === picked) return;
    void window.showWarningMessage(COMMAND_MESSAGES.hiddenModel);
  },

  useInChat: async (app) => {
    const { connections } = app;
    const { start } = await app.loadChat();
    await start(() => connections.for(onlyFolder()?.uri), connections.signOutSignal);
  },

  showLog: async ({ log }) => log.show(),
};

/**
 * Stores a list of models for the chat. Ignores failures to load the list. *Select Model* reports
 * such a failure for the service in use, and leaves out other services that fail.
 */
function keepForChat(app: App, from: ModelQuery, list: Promise<ModelList>): void {
  const keep = async ({ models }: ModelList) =>
    (await app.loadChat()).provider.models.keep(from, models);
  void list.then(keep).catch(() => {});
}

/**
 * Requests the model lists of the other services that are set up. Leaves out deployments, because
 * each one has its own model.
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

/** Shows the problem with a keybinding's arguments, and offers to open the keybindings. */
function offerKeybindings(text: string): void {
  const { openKeybindings } = undocumentedCommands;
  offer('warning', text, COMMAND_MESSAGES.openKeybindings, openKeybindings);
}

async function generateFromSelection(
  app: App,
  overrides: GenerateOverrides,
  snapshot: Invocation['snapshot'],
): Promise<void> {
  if (!snapshot) return inform(NO_DOCUMENT);
  return generate(optionsFor(app), overrides, snapshot);
}

/** @param name name of a template; if undefined, the user picks one */
async function generateFromTemplate(
  app: App,
  name: string | undefined,
  overrides: GenerateOverrides,
  snapshot: Invocation['snapshot'],
): Promise<void> {
  if (!snapshot) return inform(COMMAND_MESSAGES.noDocument);
  const { chooseTemplate } = await loadTemplateFeature();
  const template = await chooseTemplate(snapshot, name, app.globalState);
  if (template) await generateFromSelection(app, { ...overrides, template }, snapshot);
}

function optionsFor(app: App): GenerateDeps {
  const { jobs, connections, startWatch, usage } = app;
  return {
    jobs,
    connections,
    startWatch,
    onUsage: (connection, request) => void usage.record(connection, request),
    report: (error, connection, at) => showFailure(app, error, connection, at),
  };
}
