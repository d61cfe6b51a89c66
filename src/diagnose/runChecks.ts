import { setTimeout } from 'node:timers/promises';
import type { WorkspaceFolder } from 'vscode';
import type { Connections } from '../connection/connections.ts';
import type { CheckResult } from '../service/checks/diagnose.ts';
import type { Connection } from '../service/connection.ts';
import type { ServiceError } from '../service/errors.ts';
import type { SessionHistory } from '../status/sessionHistory.ts';
import type { StatusItem } from '../status/statusItem.ts';
import type { Log } from '../ui/log.ts';

/** Runs the connection checks, for a diagnosis or to find the cause of a refusal. */

export interface DiagnosisDeps {
  readonly log: Log;
  readonly status: StatusItem;
  readonly history: SessionHistory;
  readonly connections: Connections;
}

/**
 * Milliseconds to wait for secret storage and the folder, which may never respond. Short, because
 * the user may be waiting for an error message.
 */
const CREDENTIALS_LOOK_MS = 2_000;

/**
 * Runs all checks and logs their results.
 * @returns the first failure; undefined if no check failed
 */
export function runChecks(
  deps: DiagnosisDeps,
  connection: Connection,
  folder: WorkspaceFolder | null,
  onResult: (result: CheckResult) => void,
  signal: AbortSignal,
): Promise<ServiceError | undefined> {
  const note = (result: CheckResult) => {
    if (result.state !== 'running') deps.log.info(`check ${result.check}: ${outcome(result)}`);
    onResult(result);
  };
  // The checks send no credentials if the connection is no longer used, or if looking that up takes
  // too long.
  const mayUse = () => isStillUsed(deps, connection, folder);
  const ends = AbortSignal.any([signal, deps.connections.signOutSignal]);
  return connection.check(note, ends, mayUse);
}

/**
 * True if a new lookup returns the same connection, for the folder or for chat. False after a
 * timeout.
 */
export async function isStillUsed(
  { connections }: DiagnosisDeps,
  connection: Connection,
  folder: WorkspaceFolder | null,
): Promise<boolean> {
  const looks = Promise.all([connections.peek(folder), connections.all()]);
  const looked = await within(CREDENTIALS_LOOK_MS, looks);
  if (!looked) return false;
  const [{ choice }, all] = looked;
  const ofFolder = choice.kind === 'ready' ? [choice.connection] : [];
  return [...ofFolder, ...all].some((one) => one.isSameAs(connection));
}

/** Awaits a lookup of credentials. Undefined if it takes longer than `patienceMs`. */
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
