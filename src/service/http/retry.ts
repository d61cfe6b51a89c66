/**
 * What is sent again, and after how long. Pure.
 *
 * - 429 and 500–504 (the service's documentation, errors, rule 1; 501 included): at most 3 retries.
 * - A connection that failed before anything was sent counts as one of the 3.
 * - Waits are drawn from 0.5–1, 1–2 and 2–4 s: each range is random, so that clients spread, and
 *   they do not overlap, so that waits always grow.
 * - `Retry-After` lengthens a wait up to 60 s; beyond that there is no retry and the user is told
 *   when. (axios-retry hands any value to a timer, and a huge one fires at once.)
 */

export const MAX_RETRIES = 3;
export const LONGEST_RETRY_AFTER_MS = 60_000;

const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 500, 501, 502, 503, 504]);
const FIRST_WAIT_MS = 1_000;

/** Each of the three forms of an HTTP date begins with a day of the week. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/;

export function isRetriedStatus(status: number | undefined): boolean {
  return status !== undefined && RETRIED_STATUSES.has(status);
}

/**
 * Milliseconds to wait before the given retry.
 * @param retry 1 for the first retry
 * @param retryAfterMs what the service asked for; 0 if nothing
 */
export function retryWaitMs(retry: number, retryAfterMs: number, random: () => number): number {
  const top = FIRST_WAIT_MS * 2 ** (retry - 1);
  return Math.max(top / 2 + random() * (top / 2), retryAfterMs);
}

/**
 * Reads a `Retry-After` header (seconds or an HTTP date) into milliseconds from now; undefined if
 * there is none or it makes no sense. A date is measured against the server's own `Date`, since
 * clocks differ.
 */
export function retryAfterMs(
  retryAfter: string | undefined,
  serverDate: string | undefined,
  now: number,
): number | undefined {
  const text = retryAfter?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * 1_000, Number.MAX_SAFE_INTEGER);
  // `Date.parse` makes a date of nearly anything that holds a number.
  if (!HTTP_DATE.test(text)) return undefined;
  const until = Date.parse(text);
  if (Number.isNaN(until)) return undefined;
  const serverNow = serverDate ? Date.parse(serverDate) : Number.NaN;
  return Math.max(0, until - (Number.isNaN(serverNow) ? now : serverNow));
}
