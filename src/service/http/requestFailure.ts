import axios, { type AxiosResponse } from 'axios';
import { ServiceError } from '../errors.ts';
import { type Failure, lasting, networkFailure, readableHost } from './connectionErrors.ts';
import type { HttpRequest } from './httpTypes.ts';
import { isRetriedStatus, MAX_RETRY_AFTER_MS, retryAfterMs } from './retryRules.ts';

type FailedRequest = Pick<HttpRequest<unknown>, 'url' | 'failure'>;

/**
 * Converts an error to a failure, and determines whether another attempt may succeed. The error can
 * come from axios, from a check of the request or response, or from reading the response.
 * @param now the current time, in milliseconds since 1970
 */
export function toFailure(error: unknown, request: FailedRequest, now: number): Failure {
  if (error instanceof ServiceError) return { error, isTransient: false };
  if (axios.isAxiosError(error)) {
    if (error.cause instanceof ServiceError) return { error: error.cause, isTransient: false };
    if (error.response) return responseFailure(error.response, request, now);
  }
  return networkFailure(error, request.url);
}

function responseFailure(
  { status, headers, data }: AxiosResponse<string>,
  { url, failure }: FailedRequest,
  now: number,
): Failure {
  const header = (name: string) => headers[name]?.toString();
  if (isRedirect(status)) {
    return lasting('redirected', { status, redirectHost: redirectHost(header('location'), url) });
  }
  const wait = retryAfterMs(header('retry-after'), header('date'), now);
  const error = failure({ status, text: data }).with({ status, retryAfterMs: wait });
  // A 429 can also mean that a quota is used up, in which case a retry won't help.
  const canPass = error.handling.isTemporary === true;
  const isTransient = isRetriedStatus(status) && canPass && (wait ?? 0) <= MAX_RETRY_AFTER_MS;
  return { error, isTransient };
}

/** True for a 3xx status except 304 (Not Modified), which doesn't redirect. */
function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

/**
 * Returns the host that a redirect points to, in ASCII. Undefined if the location isn't an http or
 * https URL, or if its host name is invalid.
 */
export function redirectHost(location: string | undefined, from: string): string | undefined {
  const to = location ? URL.parse(location, from) : null;
  const isWeb = to?.protocol === 'https:' || to?.protocol === 'http:';
  return isWeb ? readableHost(to.host) || undefined : undefined;
}
