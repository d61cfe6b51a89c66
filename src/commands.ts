import { commands, Disposable, window } from 'vscode';
import type { App } from './app.ts';

const COMMANDS = [
  'generateFromSelection',
  'generateWith',
  'generateWithTemplate',
  'continueGeneration',
  'tryAgain',
  'undoGeneration',
  'cancelGeneration',
  'acceptPreview',
  'discardPreview',
  'setUp',
  'setApiKey',
  'signOut',
  'refreshToken',
  'showMenu',
  'diagnose',
  'copyDiagnostics',
  'selectModel',
  'openSettings',
  'showLog',
  'showLastResult',
  'moveKeyToSecretStorage',
  'addToGitignore',
  'removeByteOrderMark',
] as const;

export type CommandName = (typeof COMMANDS)[number];

/** @param templateName only for the command that takes one, and then from anybody */
type Handler = (app: App, templateName: string | undefined) => Promise<void>;

/** What loads with the first command that runs. */
export interface Handlers {
  readonly handlers: Readonly<Record<CommandName, Handler>>;
  /** Shows a failure. @returns true once the user wants another try */
  readonly report: (app: App, error: unknown) => Promise<boolean>;
}

const NOT_LOADED =
  'Hosted Model could not load a part of itself. Most likely it was updated or removed meanwhile. Reload the window.';

/**
 * Registers every command behind one guard, which reports what a command failed with. Handlers get
 * no arguments, whoever calls, but the name of a template for a keybinding of its own: nobody can
 * pass an address or a key. Commands resolve to undefined, since `${command:…}` in a launch.json
 * could read anything else.
 */
export function registerCommands(
  app: App,
  load: () => Promise<Handlers> = () => import('./handlers.ts'),
): Disposable {
  return registerAll((name, templateName) => guarded(app, name, load, templateName), true);
}

/** Registers every command that nobody else has, where there is nothing that could run them. */
export function registerRefusals(): Disposable {
  return registerAll(async () => void window.showErrorMessage(NOT_STARTED), false);
}

/** @param areAllNeeded whether one that cannot be registered takes back the others */
function registerAll(
  run: (name: CommandName, templateName: string | undefined) => Promise<undefined>,
  areAllNeeded: boolean,
): Disposable {
  const registered: Disposable[] = [];
  for (const name of COMMANDS) {
    try {
      const one = commands.registerCommand(`hostedModel.${name}`, (given: unknown) =>
        run(name, name === 'generateWithTemplate' && typeof given === 'string' ? given : undefined),
      );
      registered.push(one);
    } catch (error) {
      // Names that stay taken would keep the refusals from saying what happened.
      if (!areAllNeeded) continue;
      Disposable.from(...registered).dispose();
      throw error;
    }
  }
  return Disposable.from(...registered);
}

const NOT_STARTED =
  'Hosted Model could not start. Most likely a part of VS Code that it needs does not work. Reload the window; its log names what failed.';

async function guarded(
  app: App,
  name: CommandName,
  load: () => Promise<Handlers>,
  templateName: string | undefined,
): Promise<undefined> {
  // What cannot be loaded cannot report it either.
  const loaded = await load().catch(() => undefined);
  if (!loaded) {
    app.log.error('the handlers of the commands could not be loaded');
    void window.showErrorMessage(NOT_LOADED);
    return;
  }
  let isWanted = true;
  while (isWanted) {
    try {
      await loaded.handlers[name](app, templateName);
      return;
    } catch (error) {
      isWanted = await loaded.report(app, error);
    }
  }
}
