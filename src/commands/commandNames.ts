import type { App } from './app.ts';

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
