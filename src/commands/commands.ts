import { commands, type Disposable, window } from 'vscode';
import { type App, COMMANDS, type CommandName, type Handlers } from './app.ts';

const NOT_LOADED =
  'Hosted Model could not load a part of itself. Most likely it was updated or removed meanwhile. Reload the window.';

const NOT_STARTED =
  'Hosted Model could not start. Most likely it was updated or removed meanwhile, or a part of VS Code that it needs does not work. Reload the window. Its log, if there is one, names what failed.';

/**
 * Registers every command behind one guard, which reports what a command failed with. Handlers get
 * no arguments, whoever calls, but the name of a template for a keybinding of its own: nobody can
 * pass an address or a key. Commands resolve to undefined, since `${command:…}` in a launch.json
 * could read anything else.
 * @param appOf what they work with; undefined where the extension could not start
 * @param registered gets those that could be registered
 * @returns false where one could not: the others are there all the same, to say so
 */
export function registerCommands(
  appOf: () => App | undefined,
  registered: Disposable[],
  load: () => Promise<Handlers> = () => import('./lazyModules.ts'),
): boolean {
  let areAllThere = true;
  for (const name of COMMANDS) {
    const run = (given: unknown): Promise<undefined> => {
      const isTemplate = name === 'generateWithTemplate' && typeof given === 'string';
      return guarded(name, appOf(), load, isTemplate ? given : undefined);
    };
    try {
      registered.push(commands.registerCommand(`hostedModel.${name}`, run));
    } catch {
      areAllThere = false;
    }
  }
  return areAllThere;
}

async function guarded(
  name: CommandName,
  app: App | undefined,
  load: () => Promise<Handlers>,
  templateName: string | undefined,
): Promise<undefined> {
  if (!app) {
    void window.showErrorMessage(NOT_STARTED);
    return;
  }
  // What cannot be loaded cannot report it either.
  const loaded = await load().catch(() => undefined);
  if (!loaded) {
    app.log.error('the handlers of the commands could not be loaded');
    void window.showErrorMessage(NOT_LOADED);
    return;
  }
  let wantsRetry = true;
  while (wantsRetry) {
    try {
      await loaded.handlers[name](app, templateName);
      return;
    } catch (error) {
      wantsRetry = await loaded.report(app, error);
    }
  }
}
