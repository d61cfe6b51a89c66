import type { ChatDeps } from '../chat/chatProvider.ts';
import type { Chat } from '../chat/offerModels.ts';
import type { generate } from '../generate/generate.ts';
import type { Jobs } from '../generate/jobs.ts';
import type { ServiceRuntime } from '../service/serviceRuntime.ts';

/** What `extension.ts` builds and commands use: what chat and diagnoses use, too, and the rest. */
export interface App extends ChatDeps {
  /** Loads the service, for a list of models that needs no credentials. */
  readonly runtime: () => Promise<ServiceRuntime>;
  /** What follows generated text. */
  readonly jobs: () => Promise<Jobs>;
  /** What VS Code's chat is answered by. */
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

/** What loads with the first command that runs. */
export interface Handlers {
  readonly handlers: Readonly<Record<CommandName, Handler>>;
  /** Shows a failure. @returns true once the user wants another try */
  readonly report: (app: App, error: unknown) => Promise<boolean>;
}
