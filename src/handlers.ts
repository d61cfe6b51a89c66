import { commands, ProgressLocation, window } from 'vscode';
import type { App } from './app.ts';
import type { CommandName } from './commands.ts';
import { type AccessOptions, requireCredentials, runSetUp } from './credentials/access.ts';
import { requireAddress } from './credentials/address.ts';
import { generateFromSelection } from './editor/generate.ts';
import { readSettings, writeSettings } from './settings.ts';
import { showMenu } from './ui/menu.ts';
import { pickModel } from './ui/modelPicker.ts';
import { report } from './ui/report.ts';

export { report };

/** What each command does. Loaded with the first command that runs. */
export const handlers: Readonly<Record<CommandName, (app: App) => Promise<void>>> = {
  generateFromSelection: (app) =>
    generateFromSelection({
      lastResult: app.lastResult,
      credentials: () => requireCredentials(accessOf(app)),
      client: async (credentials, settings) => (await app.session()).client(credentials, settings),
      onStart: app.watchGeneration,
      signOut: () => app.signOutSignal,
      report: (error) => report(app, error),
    }),

  setUp: async (app) => {
    await runSetUp(accessOf(app));
  },

  setApiKey: async (app) => {
    await runSetUp(accessOf(app), ['apiKey']);
  },

  signOut: async ({ keys }) => {
    await keys.delete();
    void window.showInformationMessage(
      'Hosted Model: signed out. The API key and the token are deleted.',
    );
  },

  refreshToken: async (app) => {
    const credentials = await requireCredentials(accessOf(app));
    if (!credentials) return;
    const session = await app.session();
    await window.withProgress({ location: ProgressLocation.Window, title: 'Getting a token' }, () =>
      session.tokens(credentials).refresh(app.signOutSignal),
    );
    app.status.update({ lastFailure: undefined });
    void window.showInformationMessage('Hosted Model: a new token is in use.');
  },

  showMenu: ({ status }) => showMenu(status.facts),

  selectModel: async (app) => {
    const serviceUrl = await requireAddress(readSettings());
    if (!serviceUrl) return;
    const scope = window.activeTextEditor?.document.uri;
    const { vendor, operation, modelId } = readSettings(scope);
    const session = await app.session();
    const models = session.listModels({ vendor, serviceUrl, operation }, app.signOutSignal);
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

  showLastResult: ({ lastResult }) => lastResult.show(),
};

function accessOf({ keys, test, status }: App): AccessOptions {
  return { keys, test, onObstacle: (obstacles) => status.update(obstacles) };
}
