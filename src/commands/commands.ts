import { commands, type Disposable, window } from 'vscode';
import { reportFailure } from '../diagnose/reportFailure.ts';
import {
  type App,
  COMMANDS,
  type CommandName,
  type GenerateArguments,
  type Handlers,
  type Invocation,
} from './app.ts';

const NOT_LOADED =
  'Hosted Model could not load a part of itself. Most likely it was updated or removed meanwhile. Reload the window.';

const NOT_STARTED =
  'Hosted Model could not start. Most likely it was updated or removed meanwhile, or a part of VS Code that it needs does not work. Reload the window. Its log, if there is one, names what failed.';

/** Loads what the commands do, with the first one that runs. */
type Load = () => Promise<{ readonly handlers: Handlers }>;

/**
 * Registers every command behind one guard, which reports what a command failed with. Handlers get
 * no arguments except a template name and an insert mode for *Generate from selection*, so no caller
 * can pass an address or a key. Commands resolve to undefined, since `${command:…}` in a
 * launch.json could read anything else.
 * @param appOf what they work with; undefined where the extension could not start
 * @param registered gets those that could be registered
 * @returns false where one could not: the others are there all the same, to say so
 */
export function registerCommands(
  appOf: () => App | undefined,
  registered: Disposable[],
  load: Load = () => import('./handlers.ts'),
): boolean {
  let areAllThere = true;
  for (const name of COMMANDS) {
    const run = (given: unknown): Promise<undefined> => {
      const args = name === 'generateFromSelection' ? generateArguments(given) : {};
      return guarded(name, appOf(), load, invoked(args));
    };
    try {
      registered.push(commands.registerCommand(`hostedModel.${name}`, run));
    } catch {
      areAllThere = false;
    }
  }
  return areAllThere;
}

/** Picks the known arguments. The context menu passes the address of the document instead. */
function generateArguments(given: unknown): GenerateArguments {
  const isObject = typeof given === 'object' && !Array.isArray(given);
  if (given !== undefined && !isObject) return { malformed: 'args' };
  const { template, insertMode } = Object(given) as Record<string, unknown>;
  if (!isNameOrAbsent(template)) return { malformed: 'template' };
  if (!isNameOrAbsent(insertMode)) return { malformed: 'insertMode' };
  return { template, insertMode };
}

function isNameOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

/**
 * Captures the invocation immediately, so that a key pressed while modules load doesn't change what
 * is sent. The returned function hands out this invocation once, so that an open message doesn't
 * keep its texts in memory. Later calls capture a new one.
 */
function invoked(args: GenerateArguments): () => Invocation {
  const capture = (): Invocation => ({ args, snapshot: takeSnapshot() });
  let first: Invocation | undefined = capture();
  return () => {
    const taken = first ?? capture();
    first = undefined;
    return taken;
  };
}

function takeSnapshot(): Invocation['snapshot'] {
  const { activeTextEditor } = window;
  if (!activeTextEditor) return undefined;
  const { document, selections } = activeTextEditor;
  const texts = selections.map((selection) => document.getText(selection));
  return { document, version: document.version, selections, texts };
}

/** @param next returns the invocation of the command, or a new one for a retry */
async function guarded(
  name: CommandName,
  app: App | undefined,
  load: Load,
  next: () => Invocation,
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
      await loaded.handlers[name](app, next());
      return;
    } catch (error) {
      wantsRetry = await reportFailure(app, error);
    }
  }
}
