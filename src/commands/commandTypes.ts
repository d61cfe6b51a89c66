import type { Extension, Memento } from 'vscode';
import type { Chat } from '../chat/offerModels.ts';
import type { Connections } from '../connection/connections.ts';
import type { generate } from '../generate/generate.ts';
import type { RecentJobs } from '../generate/recentJobs.ts';
import type { ServiceRuntime } from '../service/serviceRuntime.ts';
import type { Usage } from '../status/dailyUsage.ts';
import type { StartWatch } from '../status/generationWatch.ts';
import type { SessionHistory } from '../status/sessionHistory.ts';
import type { StatusItem } from '../status/statusItem.ts';
import type { Log } from '../ui/log.ts';

/** The parts of the extension that commands use. */
export interface App {
  readonly log: Log;
  readonly status: StatusItem;
  readonly history: SessionHistory;
  readonly connections: Connections;
  readonly usage: Usage;
  readonly jobs: RecentJobs;
  readonly globalState: Memento;
  readonly extension: Extension<unknown>;
  readonly startWatch: StartWatch;
  readonly runtime: ServiceRuntime;
  /** Returns the parts that serve VS Code's chat. The first call loads their code. */
  readonly loadChat: () => Promise<Chat>;
}

/** IDs of all commands in package.json, without the prefix `hostedModel.`. */
export const COMMANDS = [
  'generateFromSelection',
  'generateWithTemplate',
  'continueGeneration',
  'tryAgain',
  'undoGeneration',
  'cancelGeneration',
  'acceptPreview',
  'discardPreview',
  'setUp',
  'signOut',
  'refreshToken',
  'showMenu',
  'diagnose',
  'selectModel',
  'useInChat',
  'showLog',
  'showLastResponse',
  'showUsage',
] as const;

export type CommandName = (typeof COMMANDS)[number];

/**
 * Arguments for *Generate from selection*. Any keybinding or extension can pass them. Their types
 * have been checked, but the template or insert mode may not exist.
 */
export type GenerateArguments =
  | {
      /** Name of a template. */
      readonly template?: string | undefined;
      /** ID of an insert mode. */
      readonly insertMode?: string | undefined;
    }
  /** The name of the argument with an unexpected type; `args` if the arguments aren't an object. */
  | { readonly malformed: 'args' | 'template' | 'insertMode' };

/** The arguments and the editor state that a command runs with. */
export interface Invocation {
  /** Empty for all commands except *Generate from selection*. */
  readonly args: GenerateArguments;
  /**
   * The document and selections at the time the command was invoked or retried; undefined if no
   * editor was active.
   */
  readonly snapshot: Parameters<typeof generate>[2];
}

/** Runs a command. The result is discarded (see `registerCommands`). */
type Handler = (app: App, invocation: Invocation) => Promise<unknown>;

export type Handlers = Readonly<Record<CommandName, Handler>>;

/** The code behind the commands, which loads on demand. */
export interface CommandCode {
  readonly run: (name: CommandName, invocation: Invocation) => Promise<unknown>;
  /** Reports a failure. Returns true if the user picked *Retry*. */
  readonly report: (error: unknown) => Promise<boolean>;
}
