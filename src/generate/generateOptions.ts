import type { Uri } from 'vscode';
import type { Used } from '../diagnostics/reportFailure.ts';
import type { Client } from '../service/client.ts';
import type { Credentials } from '../service/credentials.ts';
import type { Settings } from '../settings.ts';
import type { GenerationWatch } from '../status/generationWatch.ts';
import type { Jobs } from './jobs.ts';

/** What the main job needs from the rest of the extension. */
export interface GenerateOptions {
  readonly jobs: Jobs;
  /**
   * Usable credentials for text of this document, after asking the user for what is missing;
   * undefined if they gave up.
   */
  readonly credentials: (document: Uri) => Promise<Credentials | undefined>;
  readonly client: (credentials: Credentials, settings: Settings) => Promise<Client>;
  readonly onStart: () => GenerationWatch;
  /** A signal that aborts when the key is gone, in this window or another. */
  readonly signOut: () => AbortSignal;
  /** Shows a failure. @returns true once the user wants another try; false if they do not */
  readonly report: (error: unknown, used: Used, lines: readonly number[]) => Promise<boolean>;
}
