import type { Connections } from '../connection/connections.ts';
import type { CheckResult } from '../service/checks/connectionChecks.ts';
import type { Connection } from '../service/connection.ts';
import type { ServiceError } from '../service/errors.ts';
import type { SessionHistory } from '../status/sessionHistory.ts';
import type { StatusItem } from '../status/statusItem.ts';
import type { Log } from '../ui/log.ts';
import { isStillUsed, type LookUp } from './connectionLookup.ts';

/** Runs the connection checks, for a diagnosis or to find the cause of a rejection. */

export interface DiagnosisDeps {
  readonly log: Log;
  readonly status: StatusItem;
  readonly history: SessionHistory;
  readonly connections: Connections;
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

function outcome(result: CheckResult): string {
  return result.state === 'failed' ? result.error.message : result.state;
}
