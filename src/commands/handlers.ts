import { commands, ProgressLocation, window } from 'vscode';
import { activeFolder, openEnvFile } from '../credentials/folders.ts';
import { requireAddress } from '../credentials/questions.ts';
import { STORAGE_MESSAGES } from '../credentials/sentences.ts';
import { chosenText, sourceMenu, sourceRows } from '../credentials/sourceView.ts';
import { copyDiagnostics } from '../diagnostics/copyReport.ts';
import { diagnoseConnection } from '../diagnostics/diagnoseConnection.ts';
import { addToGitignore } from '../envFile/addToGitignore.ts';
import { removeByteOrderMark } from '../envFile/byteOrderMark.ts';
import { moveKeyToSecretStorage } from '../envFile/moveKey.ts';
import { insertModeIds } from '../insert/insertModes.ts';
import type { Credentials } from '../service/credentials.ts';
import { readSettings, writeSettings } from '../settings.ts';
import { showMenu } from '../status/menu.ts';
import { inform } from '../ui/inform.ts';
import type { App } from './app.ts';
import type { Handlers } from './commandNames.ts';
import {
  acceptPreview,
  cancelGeneration,
  continueGeneration,
  discardPreview,
  generateFromSelection,
  generateWith,
  generateWithTemplate,
  showLastResult,
  tryAgain,
  undoGeneration,
} from './generation.ts';
import { pickModel } from './modelPicker.ts';

/** What each command does. Loaded with the first command that runs. */
export const handlers: Handlers['handlers'] = {
  generateFromSelection: (app) => generateFromSelection(app),
  generateWith,
  generateWithTemplate,
  continueGeneration,
  tryAgain,
  undoGeneration,
  cancelGeneration,
  acceptPreview,
  discardPreview,
  showLastResult,

  setUp: async (app) => {
    await (await app.access()).setUp();
  },

  setApiKey: async (app) => {
    await (await app.access()).setUp(['apiKey']);
  },

  signOut: async (app) => {
    try {
      await (await app.access()).signOut();
      inform(
        'signed out. The stored key and the token are deleted, approvals are forgotten. Keys in .env files stay there.',
      );
    } catch {
      (await app.session()).forgetToken();
      void window.showErrorMessage(STORAGE_MESSAGES['keeps-key']);
    }
  },

  refreshToken: async (app) => {
    const credentials = await requireCredentials(app);
    if (!credentials) return;
    // Of this moment: a key that is deleted while the service loads must not be sent any more.
    const signedOut = app.signOutSignal;
    const session = await app.session();
    await window.withProgress({ location: ProgressLocation.Window, title: 'Getting a token' }, () =>
      session.tokens(credentials).refresh(signedOut),
    );
    app.status.update({ lastFailure: undefined });
    inform('a new token is in use.');
  },

  showMenu: openMenu,
  diagnose: diagnoseConnection,
  copyDiagnostics: (app) => copyDiagnostics(app, insertModeIds),

  selectModel: async (app) => {
    const { choice } = await (await app.access()).lookUp();
    const serviceUrl =
      choice.kind === 'ready'
        ? choice.credentials.serviceUrl
        : await requireAddress(readSettings());
    if (!serviceUrl) return;
    const scope = window.activeTextEditor?.document.uri;
    const { vendor, operation, modelId } = readSettings(scope);
    const session = await app.session();
    const from = { vendor, serviceUrl, operation };
    const models = session.listModels(from, modelId, app.signOutSignal);
    const picked = await pickModel(models, modelId);
    if (!picked) return;
    await writeSettings({ modelId: picked });
    if (readSettings(scope).modelId === picked) return;
    const text =
      'Hosted Model: the model is in your user settings, but a setting of this folder wins.';
    void window.showWarningMessage(text);
  },

  openSettings: async () => {
    const ours = '@ext:hosted-model.hosted-model';
    await commands.executeCommand('workbench.action.openSettings', ours);
  },

  showLog: async ({ log }) => log.show(),

  moveKeyToSecretStorage: (app) =>
    moveKeyToSecretStorage(async (found) => (await app.access()).importKey(found)),

  addToGitignore,
  removeByteOrderMark,
};

async function requireCredentials(app: App): Promise<Credentials | undefined> {
  return (await app.access()).require();
}

/** The menu, and what is done with a source that was picked in it. */
async function openMenu(app: App): Promise<void> {
  const access = await app.access();
  // The folder whose sources are shown, whatever is active once something is picked.
  const folder = activeFolder();
  const { found, choice } = await access.lookUp(folder);
  const source = await showMenu(app.status.facts, sourceRows(found, choice));
  if (!source) return;
  const { items, ...options } = sourceMenu(source, found, choice);
  switch ((await window.showQuickPick(items, options))?.action) {
    case undefined:
      return;
    case 'setUp':
      await access.setUp();
      return;
    case 'open':
      return openEnvFile(folder);
    case 'openSettings':
      await commands.executeCommand('hostedModel.openSettings');
      return;
    case 'manageTrust':
      await commands.executeCommand('workbench.trust.manage');
      return;
    case 'import':
      await access.importFrom(source);
      return;
    case 'forget':
      await access.forget(source);
      return inform('the answer is forgotten; you are asked again before these values are used.');
    case 'prefer':
      if (await access.prefer(source)) inform(chosenText(source, found));
  }
}
