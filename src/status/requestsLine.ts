import type { ConcurrencyState } from '../service/http/concurrencyLimit.ts';

/**
 * Describes the requests to a service. Empty if there are no requests, the limit isn't lowered, and
 * nothing delays the next request.
 */
export function requestsWords(state: ConcurrencyState): readonly string[] {
  const { inFlight, waiting, limit, loweredFrom, resumesInMs, nextStart } = state;
  return [
    inFlight > 0 && `${inFlight} in progress`,
    waiting > 0 && `${waiting} waiting`,
    loweredFrom !== undefined && `limit lowered from ${loweredFrom} to ${limit} after a 429`,
    // The actual pause, which can be shorter than the one that the service requested.
    resumesInMs !== undefined && `paused for another ${seconds(resumesInMs)}s`,
    nextStart &&
      `next request starts in ${seconds(nextStart.inMs)}s, ${SPACED[nextStart.spacedBy]}`,
  ].filter((words) => typeof words === 'string');
}

const SPACED = {
  setting: 'delayed by your minimum interval',
  service: 'delayed by the service’s rate limit',
} as const;

/** Returns the requests line of the tooltip; undefined if there is nothing to report. */
export function requestsLine(state: ConcurrencyState): string | undefined {
  const words = requestsWords(state);
  return words.length > 0 ? `Requests: ${words.join(', ')}` : undefined;
}

/**
 * Returns the milliseconds until waiting requests can start, if the service has requested a pause
 * and none of the requests is in progress. 0 otherwise.
 */
export function pauseLeftMs({ inFlight, waiting, resumesInMs = 0 }: ConcurrencyState): number {
  return inFlight === 0 && waiting > 0 ? resumesInMs : 0;
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
