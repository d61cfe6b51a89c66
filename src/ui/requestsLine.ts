import type { LimiterState } from '../service/limiter.ts';
import { type Traffic, toNextSecond } from './statusView.ts';

/**
 * What the requests to a service are doing, in words. Empty while they do nothing that anybody would
 * ask about.
 * @param now wall-clock milliseconds
 */
export function requestsWords(state: LimiterState, now: number): readonly string[] {
  const { inFlight, waiting, limit, loweredFrom, resumesAt = 0, nextStart } = state;
  return [
    inFlight > 0 && `${inFlight} in flight`,
    waiting > 0 && `${waiting} waiting`,
    loweredFrom !== undefined && `limit lowered to ${limit} of ${loweredFrom} after 429`,
    resumesAt > now && `paused by the service, resumes in ${secondsTo(resumesAt, now)} s`,
    nextStart &&
      nextStart.at > now &&
      `next start in ${secondsTo(nextStart.at, now)} s, ${SPACED[nextStart.spacedBy]}`,
  ].filter((words) => typeof words === 'string');
}

const SPACED = {
  setting: 'spaced by your setting',
  service: 'spaced by the rate of the service',
} as const;

/** The same for the tooltip of the status item, with the time at which the words change. */
export function trafficOf(state: LimiterState): Traffic {
  return {
    line: (now) => {
      const words = requestsWords(state, now);
      return words.length > 0 ? `Requests: ${words.join(', ')}` : undefined;
    },
    changesInMs: (now) => {
      const times = [state.resumesAt, state.nextStart?.at].flatMap(
        (at = now) => toNextSecond(at, now) ?? [],
      );
      return times.length > 0 ? Math.min(...times) : undefined;
    },
  };
}

function secondsTo(at: number, now: number): number {
  return Math.ceil((at - now) / 1_000);
}
