import type { ConcurrencyState } from '../service/http/concurrencyLimit.ts';

/** Determines what the requests to a service are waiting for, and for how long. Pure. */

/**
 * How long to wait, and why: until the end of a pause that the service requested, or until a
 * generation's next attempt.
 */
export interface Wait {
  readonly kind: 'paused' | 'retrying';
  readonly leftMs: number;
}

/**
 * Returns how long to wait until a pause ends or the next retry starts; undefined if there is
 * nothing to wait for. A pause counts only while no request is in progress. It counts even if no
 * request is waiting, because it would delay a new request. If no request is waiting and the pause
 * ends before the next retry, returns the wait until the retry.
 * @param retriesInMs for each generation, the milliseconds until its next attempt; 0 or less if the
 * generation isn't waiting for an attempt
 */
export function waitFor(
  requests: Pick<ConcurrencyState, 'inFlight' | 'waiting' | 'resumesInMs'>,
  retriesInMs: readonly number[],
): Wait | undefined {
  const { inFlight, waiting, resumesInMs = 0 } = requests;
  const retryInMs = Math.min(...retriesInMs.filter((ms) => ms > 0));
  const isRetrying = Number.isFinite(retryInMs);
  const isPaused = inFlight === 0 && resumesInMs > 0;
  if (isPaused && !(isRetrying && waiting === 0 && retryInMs >= resumesInMs)) {
    return { kind: 'paused', leftMs: resumesInMs };
  }
  return isRetrying ? { kind: 'retrying', leftMs: retryInMs } : undefined;
}

/** Describes a wait, such as "paused for 57s". */
export function waitText(
  { kind, leftMs }: Wait,
  time = (wholeSeconds: number) => `${wholeSeconds}s`,
): string {
  return `${kind === 'paused' ? 'paused for' : 'retrying in'} ${time(secondsLeft(leftMs))}`;
}

/**
 * Returns the milliseconds until the displayed number of seconds decreases; undefined if no time is
 * left.
 */
export function toNextSecond(leftMs: number): number | undefined {
  return leftMs > 0 ? leftMs % 1_000 || 1_000 : undefined;
}

export function secondsLeft(ms: number): number {
  return Math.ceil(ms / 1_000);
}
