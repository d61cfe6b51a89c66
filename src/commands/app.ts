import type { Extension, Memento } from 'vscode';
import type { Chat } from '../chat/offerModels.ts';
import type { Connections } from '../connection/connections.ts';
import type { generate } from '../generate/generate.ts';
import type { Jobs } from '../generate/jobs.ts';
import type { ServiceRuntime } from '../service/serviceRuntime.ts';
import type { GenerationWatch } from '../status/generationWatch.ts';
import type { SessionHistory } from '../status/sessionHistory.ts';
import type { StatusItem } from '../status/statusItem.ts';
import type { Usage } from '../status/usage.ts';
import type { Log } from '../ui/log.ts';

/** What commands work with. */
export interface App {
  readonly log: Log;
  readonly status: StatusItem;
  readonly history: SessionHistory;
  readonly connections: Connections;
  readonly usage: Usage;
  readonly jobs: Jobs;
  readonly globalState: Memento;
  /** This extension, as VS Code knows it. */
  readonly extension: Extension<unknown>;
  readonly startWatch: () => GenerationWatch;
  /** Loads the service client. */
  readonly runtime: () => Promise<ServiceRuntime>;
  /** Loads what answers VS Code's chat. */
  readonly chat: () => Promise<Chat>;
}

/** Every command, as the manifest has it. */
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
 * Arguments of *Generate from selection*, which a keybinding or any extension can pass. The names
 * aren't checked yet.
 */
export type GenerateArguments =
  | {
      /** Name of a template. */
      readonly template?: string | undefined;
      /** ID of an insert mode. */
      readonly insertMode?: string | undefined;
    }
  /** The one of an unexpected type; `args` for all of them together. */
  | { readonly malformed: 'args' | 'template' | 'insertMode' };

/** How a command was run. */
export interface Invocation {
  /** Empty for all other commands. */
  readonly args: GenerateArguments;
  /** The document and selections at that moment, before anything was loaded. */
  readonly snapshot: Parameters<typeof generate>[2];
}

/** The result isn't returned to the caller of the command: see `registerCommands`. */
type Handler = (app: App, invocation: Invocation) => Promise<unknown>;

/** What each command does. */
export type Handlers = Readonly<Record<CommandName, Handler>>;
