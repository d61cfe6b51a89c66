import type { Extension, Memento } from 'vscode';
import type { Chat } from '../chat/offerModels.ts';
import type { CredentialAccess } from '../credentials/access.ts';
import type { Jobs } from '../generate/jobs.ts';
import type { ServiceRuntime } from '../service/serviceRuntime.ts';
import type { GenerationWatch } from '../status/generationWatch.ts';
import type { SessionHistory } from '../status/sessionHistory.ts';
import type { StatusItem } from '../status/statusItem.ts';
import type { Log } from '../ui/log.ts';
import type { Usage } from '../usage/usage.ts';

/** What `extension.ts` builds and commands use. */
export interface App {
  readonly log: Log;
  readonly status: StatusItem;
  /** This one, as VS Code knows it. */
  readonly extension: Extension<unknown>;
  readonly history: SessionHistory;
  /** What is remembered in every window; nothing secret. */
  readonly globalState: Memento;
  /** Aborts when the key is deleted, in this window or another; a new one follows it. */
  readonly signOutSignal: AbortSignal;
  /** Loads the service when it is first needed. */
  readonly runtime: () => Promise<ServiceRuntime>;
  /** The service, only if it was needed already. */
  readonly runtimeIfMade: () => Promise<ServiceRuntime | undefined>;
  /** The way to credentials; it loads together with most of those below when one of them is first needed. */
  readonly access: () => Promise<CredentialAccess>;
  /** What follows generated text. */
  readonly jobs: () => Promise<Jobs>;
  /** What VS Code's chat is answered by. */
  readonly chat: () => Promise<Chat>;
  /** What makes a watch for each generation. */
  readonly watches: () => Promise<() => GenerationWatch>;
  /** What was used, and the budget. */
  readonly usage: () => Promise<Usage>;
}

/** Every command, as the manifest has it. */
export const COMMANDS = [
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
  'setUpService',
  'setApiKey',
  'signOut',
  'refreshToken',
  'showMenu',
  'diagnose',
  'copyDiagnostics',
  'selectModel',
  'useInChat',
  'exportSkill',
  'explainError',
  'openSettings',
  'showLog',
  'showLastResult',
  'showUsage',
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
