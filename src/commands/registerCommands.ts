import { commands, type Disposable } from 'vscode';
import { currentSnapshot } from '../editor/editorSnapshot.ts';
import { isKind } from '../service/errors.ts';
import { errorName, type Log } from '../ui/log.ts';
import { offer } from '../ui/notify.ts';
import { undocumentedCommands } from '../undocumentedApi.ts';
import {
  COMMANDS,
  type CommandCode,
  type CommandName,
  type GenerateArguments,
  type Invocation,
} from './commandTypes.ts';

const NOT_LOADED = 'Couldn’t load Hosted Model. It may have been updated or uninstalled.';
const NOT_STARTED =
  'Couldn’t start Hosted Model. It may have been updated or uninstalled. If reloading doesn’t help, check the log.';
const RELOAD = 'Reload Window';

/** The parts of the extension that commands need before their code is loaded. */
export interface CommandHost {
  readonly log: Log;
  /**
   * Loads the code behind the commands.
   * @throws {ServiceError} `cancelled` if the window closes while the code loads
   */
  readonly loadCommands: () => Promise<CommandCode>;
}

/**
 * Registers all commands, each in a wrapper that reports failures. Only *Generate from selection*
 * takes arguments: a template name and an insert mode. No caller can pass an address or a key.
 * Commands resolve to undefined, because a launch.json file could read any other result through
 * `${command:…}`.
 * @param hostOf returns undefined if the extension couldn't start
 * @param registered the array to which the registered commands are added
 * @returns false if a command couldn't be registered. The other commands are registered anyway so
 * that they can report the failure.
 */
export function registerCommands(
  hostOf: () => CommandHost | undefined,
  registered: Disposable[],
): boolean {
  let areAllThere = true;
  for (const name of COMMANDS) {
    const run = (given: unknown): Promise<undefined> => {
      const args = name === 'generateFromSelection' ? generateArguments(given) : {};
      return guarded(name, hostOf(), invoked(args));
    };
    try {
      registered.push(commands.registerCommand(`hostedModel.${name}`, run));
    } catch {
      areAllThere = false;
    }
  }
  return areAllThere;
}

/**
 * Returns the known arguments, or the name of the first malformed argument. The context menu passes
 * the document's URI, which is ignored.
 */
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
 * Captures the invocation immediately so that keystrokes don't change it while modules load. The
 * returned function returns this invocation once and then releases it so that an open error message
 * doesn't keep the selected text in memory. Later calls capture the editor state again.
 */
function invoked(args: GenerateArguments): () => Invocation {
  const capture = (): Invocation => ({ args, snapshot: currentSnapshot() });
  let first: Invocation | undefined = capture();
  return () => {
    const taken = first ?? capture();
    first = undefined;
    return taken;
  };
}

function offerReload(text: string): void {
  offer('error', text, RELOAD, undocumentedCommands.reloadWindow);
}

/** @param next returns the invocation of the command, then a new invocation for each retry */
async function guarded(
  name: CommandName,
  host: CommandHost | undefined,
  next: () => Invocation,
): Promise<undefined> {
  if (!host) {
    offerReload(NOT_STARTED);
    return;
  }
  let code: CommandCode;
  try {
    code = await host.loadCommands();
  } catch (error) {
    if (isKind(error, 'cancelled')) return;
    // The code that reports failures couldn't be loaded either, so report this failure here.
    host.log.error(`couldn’t load the commands: ${errorName(error)}`);
    offerReload(NOT_LOADED);
    return;
  }
  let wantsRetry = true;
  while (wantsRetry) {
    try {
      await code.run(name, next());
      return;
    } catch (error) {
      wantsRetry = await code.report(error);
    }
  }
}
