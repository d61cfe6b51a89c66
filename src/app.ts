import type { LogOutputChannel } from 'vscode';
import type { AccessOptions } from './credentials/access.ts';
import type { GenerationWatch } from './editor/generate.ts';
import type { LastResult } from './editor/lastResult.ts';
import type { Credentials } from './service/credentials.ts';
import type { Session } from './service/session.ts';
import type { StatusItem } from './ui/statusItem.ts';

/** What `extension.ts` builds and commands use. */
export interface App {
  readonly log: LogOutputChannel;
  readonly status: StatusItem;
  readonly lastResult: LastResult;
  readonly access: AccessOptions;
  /** Aborts when the key is deleted, in this window or another; a new one follows it. */
  readonly signOutSignal: AbortSignal;
  /** Loads the service when it is first needed. */
  session(): Promise<Session>;
  /** Usable credentials, after asking for what is missing; undefined if the user gave up. */
  credentials(): Promise<Credentials | undefined>;
  watchGeneration(): GenerationWatch;
  /** Shows a failure and keeps it for the status item. */
  report(error: unknown, retry: () => void): Promise<void>;
}
