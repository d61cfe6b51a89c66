import type { LogOutputChannel } from 'vscode';
import type { KeyStore } from './credentials/keyStore.ts';
import type { SetUpOptions } from './credentials/setUp.ts';
import type { GenerationWatch } from './editor/generate.ts';
import type { LastResult } from './editor/lastResult.ts';
import type { Session } from './service/session.ts';
import type { StatusItem } from './ui/statusItem.ts';

/** What `extension.ts` builds and commands use. */
export interface App {
  readonly log: LogOutputChannel;
  readonly status: StatusItem;
  readonly keys: KeyStore;
  readonly lastResult: LastResult;
  /** Aborts when the key is deleted, in this window or another; a new one follows it. */
  readonly signOutSignal: AbortSignal;
  /** Loads the service when it is first needed. */
  readonly session: () => Promise<Session>;
  /** Proves credentials that are not saved yet, apart from the token in use. */
  readonly test: SetUpOptions['test'];
  readonly watchGeneration: () => GenerationWatch;
}
