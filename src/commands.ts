import { commands, Disposable, ProgressLocation, window } from 'vscode';
import type { App } from './app.ts';
import { readSettings, writeSettings } from './settings.ts';

/**
 * Command id to handler. What a command needs beyond the status item is loaded when it first
 * runs. Handlers take no arguments, whoever calls them: nobody can pass an address or a key.
 */
type Handler = (app: App) => Promise<void>;

const HANDLERS: Readonly<Record<string, Handler>> = {
  generateFromSelection: async (app) => {
    const { generateFromSelection } = await import('./editor/generate.ts');
    await generateFromSelection({
      lastResult: app.lastResult,
      credentials: () => app.credentials(),
      client: async (credentials, settings) => (await app.session()).client(credentials, settings),
      onStart: () => app.watchGeneration(),
      signOut: app.signOutSignal,
    });
  },

  setUp: async (app) => {
    const { runSetUp } = await import('./credentials/access.ts');
    await runSetUp(app.access);
  },

  setApiKey: async (app) => {
    const { runSetUp } = await import('./credentials/access.ts');
    await runSetUp(app.access, ['apiKey']);
  },

  signOut: async (app) => {
    await app.access.keys.delete();
    void window.showInformationMessage(
      'Hosted Model: signed out. The API key and the token are deleted, in every window.',
    );
  },

  refreshToken: async (app) => {
    const credentials = await app.credentials();
    if (!credentials) return;
    const session = await app.session();
    await window.withProgress({ location: ProgressLocation.Window, title: 'Getting a token' }, () =>
      session.tokens(credentials).refresh(app.signOutSignal),
    );
    void window.showInformationMessage('Hosted Model: a new token is in use.');
  },

  showMenu: async (app) => {
    const { showMenu } = await import('./ui/menu.ts');
    await showMenu(app.status.facts);
  },

  selectModel: async (app) => {
    const [{ pickModel }, { requireAddress }] = await Promise.all([
      import('./ui/modelPicker.ts'),
      import('./credentials/address.ts'),
    ]);
    const serviceUrl = await requireAddress(readSettings());
    if (!serviceUrl) return;
    const { vendor, operation, modelId } = readSettings(window.activeTextEditor?.document.uri);
    const session = await app.session();
    const models = session.listModels({ vendor, serviceUrl, operation }, app.signOutSignal);
    const picked = await pickModel(models, modelId);
    if (picked) await writeSettings({ modelId: picked });
  },

  openSettings: async () => {
    await commands.executeCommand(
      'workbench.action.openSettings',
      '@ext:hosted-model.hosted-model',
    );
  },

  showLog: async (app) => app.log.show(),

  showLastResult: (app) => app.lastResult.show(),
};

export function registerCommands(app: App): Disposable {
  const registrations = Object.entries(HANDLERS).map(([name, handler]) => {
    const run = async (): Promise<undefined> => {
      try {
        await handler(app);
      } catch (error) {
        await app.report(error, () => void run());
      }
    };
    // A command that resolved to something could be read by `${command:…}` in a launch.json.
    return commands.registerCommand(`hostedModel.${name}`, () => run());
  });
  return Disposable.from(...registrations);
}
