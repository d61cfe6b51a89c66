/**
 * Pure functions that implement the retry rules.
 *
 * - Requests that get a 429 or a status from 500 to 504 are retried at most 3 times. 501 is
 *   included, because the default service documents it as a temporary failure. A failure with a
 *   lasting cause, such as an exhausted quota, isn't retried.
 * - Temporary network failures that occurred before anything was sent are retried, too. The maximum
 *   of 3 applies to both kinds of retries combined.
 * - The waits before the retries are 0.5–1, 1–2, and 2–4 s. They're randomized to spread the load
 *   from several clients. The ranges don't overlap, so each random wait is longer than the one
 *   before it.
 * - `Retry-After` can extend a wait to at most 60 s. If the service requests a longer wait, the
 *   failure is reported instead. A very long wait would also overflow `setTimeout`, so the timer
 *   would fire immediately.
 */

export const MAX_RETRIES = 3;
export const MAX_RETRY_AFTER_MS = 60_000;

const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 500, 501, 502, 503, 504]);
const FIRST_WAIT_MS = 1_000;

/**
 * Matches all three HTTP date formats, which start with the day of the week:
 * https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
 */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/;

export function isRetriedStatus(status: number | undefined): boolean {
  return status !== undefined && RETRIED_STATUSES.has(status);
}

/**
 * Returns how long to wait before a retry, in milliseconds.
 * @param retry the retry number, starting at 1
 * @param retryAfterMs the wait that the service requested; 0 if it requested none
 */
export function retryWaitMs(retry: number, retryAfterMs: number, random: () => number): number {
  const top = FIRST_WAIT_MS * 2 ** (retry - 1);
  return Math.max(top / 2 + random() * (top / 2), retryAfterMs);
}

/**
 * Converts a `Retry-After` header, which contains seconds or an HTTP date, to milliseconds from
 * now. Undefined if the header is missing or invalid. A date is compared with the `Date` header, if
 * there is one, because this machine's clock can be wrong.
 */
export function retryAfterMs(
  retryAfter: string | undefined,
  serverDate: string | undefined,
  now: number,
): number | undefined {
  const text = retryAfter?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * 1_000, Number.MAX_SAFE_INTEGER);
  const until = timeIn(text);
  return until === undefined ? undefined : Math.max(0, until - (timeIn(serverDate ?? '') ?? now));
}

/** Converts an HTTP date to milliseconds since 1970. Undefined if the date is invalid. */
function timeIn(date: string): number | undefined {
  // Check the format first, because `Date.parse` accepts almost any text that contains a number.
  if (!HTTP_DATE.test(date)) return undefined;
  // All HTTP dates are in GMT. The format that ends with the year doesn't include the time zone.
  const time = Date.parse(/ \d{4}$/.test(date) ? `${date} GMT` : date);
  return Number.isNaN(time) ? undefined : time;
}
