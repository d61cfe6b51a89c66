import type { LimiterState } from '../service/limiter.ts';

/**
 * What the requests to the service are doing, in words, for the tooltip. Undefined while they do
 * nothing that anybody would ask about.
 * @param now wall-clock milliseconds
 */
export function requestsLine(state: LimiterState | undefined, now: number): string | undefined {
  if (!state) return undefined;
  const { inFlight, waiting, limit, loweredFrom, resumesAt = 0 } = state;
  const parts = [
    inFlight > 0 && `${inFlight} in flight`,
    waiting > 0 && `${waiting} waiting`,
    loweredFrom !== undefined && `limit lowered to ${limit} of ${loweredFrom} after 429`,
    resumesAt > now &&
      `paused by the service, resumes in ${Math.ceil((resumesAt - now) / 1_000)} s`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? `Requests: ${parts.join(', ')}` : undefined;
}
