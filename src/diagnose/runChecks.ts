import { setTimeout } from 'node:timers/promises';
import type { WorkspaceFolder } from 'vscode';
import type { Connections } from '../connection/connections.ts';
import type { CheckResult } from '../service/checks/networkChecks.ts';
import type { Connection } from '../service/connection.ts';
import type { ServiceError } from '../service/errors.ts';
import type { SessionHistory } from '../status/sessionHistory.ts';
import type { StatusItem } from '../status/statusItem.ts';
import type { Log } from '../ui/log.ts';

/** Runs the connection checks, for a diagnosis or to find the cause of a rejection. */

export interface DiagnosisDeps {
  readonly log: Log;
  readonly status: StatusItem;
  readonly history: SessionHistory;
  readonly connections: Connections;
}

/**
 * Milliseconds to wait for secret storage and the folder, which may never respond. On a busy
 * machine, they can take several seconds. A keyring that takes even longer is probably waiting for
 * the user to enter a password.
 */
export const LOOKUP_MS = 10_000;

/** Looks up the connections that could be used now, either for a folder's text or for chat. */
export type LookUp = () => Promise<readonly Connection[]>;

/** Returns a function that looks up a folder's connection. */
export function lookUpFor({ connections }: DiagnosisDeps, folder: WorkspaceFolder | null): LookUp {
  return async () => {
    const { choice } = await connections.peek(folder);
    return choice.kind === 'ready' ? [choice.connection] : [];
  };
}

/**
 * Runs the network checks and logs their results.
 * @returns the first failure; undefined if no check failed
 */
export function runChecks(
  deps: DiagnosisDeps,
  connection: Connection,
  lookUp: LookUp,
  onResult: (result: CheckResult) => void,
  signal: AbortSignal,
): Promise<ServiceError | undefined> {
  const note = (result: CheckResult) => {
    if (result.state !== 'running') deps.log.info(`check ${result.check}: ${outcome(result)}`);
    onResult(result);
  };
  // The checks send no credentials if the connection is no longer in use, or if looking it up takes
  // too long.
  const mayUse = () => isStillUsed(connection, lookUp);
  const ends = AbortSignal.any([signal, deps.connections.signOutSignal]);
  return connection.check(note, ends, mayUse);
}

/** True if a new lookup finds the same connection. False if the lookup times out. */
export async function isStillUsed(connection: Connection, lookUp: LookUp): Promise<boolean> {
  const found = await within(LOOKUP_MS, lookUp());
  return found?.some((one) => one.isSameAs(connection)) ?? false;
}

/** Awaits a lookup of credentials. Returns undefined if it takes longer than `patienceMs`. */
export function within<Found>(
  patienceMs: number,
  lookup: Promise<Found>,
): Promise<Found | undefined> {
  const late = setTimeout(patienceMs, undefined, { ref: false });
  return Promise.race([lookup, late]);
}

function outcome(result: CheckResult): string {
  return result.state === 'failed' ? result.error.message : result.state;
}
