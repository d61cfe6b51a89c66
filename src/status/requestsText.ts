import type { ConcurrencyState } from '../service/http/concurrencyLimit.ts';
import { secondsLeft } from './requestWait.ts';

/** Describes the requests to a service. Pure. */

/**
 * Returns phrases that describe the requests to a service. Empty if there are no requests, the
 * limit hasn't been lowered, and nothing delays the next request.
 */
export function requestsWords(state: ConcurrencyState): readonly string[] {
  const { inFlight, waiting, limit, loweredFrom, resumesInMs, nextStart } = state;
  return [
    inFlight > 0 && `${inFlight} in progress`,
    waiting > 0 && `${waiting} waiting`,
    loweredFrom !== undefined &&
      `limit lowered from ${loweredFrom} to ${limit} after a 429 response`,
    // The time left in the actual pause, which can be shorter than the one the service requested.
    resumesInMs !== undefined && `paused for another ${secondsLeft(resumesInMs)}s`,
    nextStart &&
      `next request starts in ${secondsLeft(nextStart.inMs)}s, ${SPACED[nextStart.spacedBy]}`,
  ].filter((words) => typeof words === 'string');
}

const SPACED = {
  setting: 'delayed by hostedModel.minRequestInterval',
  service: 'delayed by the service’s rate limit',
} as const;

/** Returns the requests line of the tooltip; undefined if there is nothing to report. */
export function requestsLine(state: ConcurrencyState): string | undefined {
  const words = requestsWords(state);
  return words.length > 0 ? `Requests: ${words.join(', ')}` : undefined;
}
