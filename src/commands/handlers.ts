import { commands, env, UIKind, type WorkspaceFolder, window } from 'vscode';
import { readyConnection } from '../connection/createConnection.ts';
import { onlyFolder } from '../connection/folders.ts';
import { STORAGE_MESSAGES } from '../connection/storageMessages.ts';
import { NEW_TOKEN, NO_TOKEN } from '../diagnose/checkMessages.ts';
import { diagnoseConnection } from '../diagnose/diagnoseConnection.ts';
import { refreshToken } from '../diagnose/refreshToken.ts';
import { offerRetry, reportFailure } from '../diagnose/reportFailure.ts';
import { insertModeIds, isInsertModeId } from '../editor/insertMode.ts';
import { type GenerateOverrides, generate } from '../generate/generate.ts';
import { NO_DOCUMENT } from '../generate/generateMessages.ts';
import { continueResponses, reportUndone, showResult } from '../generate/responseNotifications.ts';
import { type GenerateDeps, isUnanswered, runJob } from '../generate/runJob.ts';
import { ACTION_LABELS } from '../messages/actions.ts';
import { loadTemplateFeature } from '../templates/loadTemplateFeature.ts';
import { inform, offer } from '../ui/notify.ts';
import { undocumentedCommands } from '../undocumentedApi.ts';
import { COMMAND_MESSAGES } from './commandMessages.ts';
import type { App, Handlers, Invocation } from './commandTypes.ts';
import { openMenu } from './openMenu.ts';
import { selectModel } from './selectModel.ts';

export const handlers: Handlers = {
  generateFromSelection: async (app, { args, snapshot }) => {
    if ('malformed' in args) return offerKeybindings(COMMAND_MESSAGES.malformed[args.malformed]);
    const { template, insertMode } = args;
    if (insertMode !== undefined && !isInsertModeId(insertMode)) {
      return offerKeybindings(COMMAND_MESSAGES.noInsertMode(insertMode));
    }
    if (template === undefined) return generateFromSelection(app, { insertMode }, snapshot);
    return generateFromTemplate(app, template, { insertMode }, snapshot);
  },

  generateWithTemplate: (app, { snapshot }) => generateFromTemplate(app, undefined, {}, snapshot),

  continueGeneration: async (app) => {
    const job = app.jobs.latestTruncated ?? app.jobs.latest;
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
    // Prefer the chat's connection, because the daily budget applies to chat, not to generations.
    const ofChat = await app.connections.inChat();
    const { choice } = await app.connections.peekWithProgress();
    await app.usage.show(ofChat ?? readyConnection(choice));
  },

  setUp: (app) => repair(app, (isRepair) => app.connections.setUp({ isRepair })),

  signOut: async (app) => {
    const { question, effects, effectsInBrowser, button } = COMMAND_MESSAGES.signOut;
    // In a browser, each window has its own copy of secret storage and isn't notified of changes in
    // other windows (confirmed by testing).
    const detail = env.uiKind === UIKind.Web ? `${effects} ${effectsInBrowser}` : effects;
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
    const hasToken = await refreshToken(app);
    if (hasToken !== undefined) inform(hasToken ? NEW_TOKEN : NO_TOKEN);
  },

  showMenu: (app) => openMenu(app, (change) => repair(app, change)),
  diagnose: async (app) => {
    await diagnoseConnection(app, insertModeIds);
  },

  selectModel,

  useInChat: async (app) => {
    const { connections } = app;
    const { start } = await app.loadChat();
    await start(() => connections.for(onlyFolder()), connections.signOutSignal);
  },

  showLog: async ({ log }) => log.show(),
};

/**
 * Lets the user change the credentials. If the error message of a failed generation is still open,
 * offers to retry afterward, because the user probably wanted to fix the cause.
 * @param change returns true if credentials were saved
 */
async function repair(app: App, change: (isRepair: boolean) => Promise<boolean>): Promise<void> {
  const job = app.jobs.latest;
  const isRepair = job !== undefined && isUnanswered(job);
  const isSaved = await change(isRepair);
  // While setup or the retry offer was open, the user may have closed the error message or picked
  // *Retry* in it.
  if (!isRepair || !isSaved || !isUnanswered(job) || !(await offerRetry())) return;
  if (isUnanswered(job)) await runJob(optionsFor(app), job, job.indices);
}

/** Shows the problem with a keybinding's arguments, and offers to open the keyboard shortcuts. */
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
  if (!snapshot) return inform(NO_DOCUMENT);
  const { chooseTemplate } = await loadTemplateFeature();
  const template = await chooseTemplate(snapshot, name, app.globalState);
  if (template) await generateFromSelection(app, { ...overrides, template }, snapshot);
}

function optionsFor(app: App): GenerateDeps {
  const { jobs, connections, startWatch, usage } = app;
  const diagnose = (folder: WorkspaceFolder | null) =>
    diagnoseConnection(app, insertModeIds, folder);
  return {
    jobs,
    connections,
    startWatch,
    onUsage: (connection, request) => void usage.record(connection, request),
    report: (error, connection, at) => reportFailure(app, error, connection, { ...at, diagnose }),
  };
}
