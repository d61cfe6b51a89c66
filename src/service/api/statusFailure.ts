import { type ErrorKind, type FoundDetails, ServiceError } from '../errors.ts';
import type { ErrorResponse } from '../http/httpTypes.ts';
import { mentionedParameters } from './parameters.ts';

/** Failures that the status of a response determines, for every API. Pure. */

/** Returns a failure. A `bad-request` failure names the parameters that the message mentions. */
export function failureOfKind(
  kind: ErrorKind,
  message: string,
  details: FoundDetails,
): ServiceError {
  const names = kind === 'bad-request' ? mentionedParameters(message) : [];
  return new ServiceError(kind, { ...details, ...(names.length > 0 && { names }) });
}

/**
 * The title of the page that nginx sends if the request headers are too large. The page's status is
 * 400 instead of 431. Source:
 * https://github.com/nginx/nginx/blob/master/src/http/ngx_http_special_response.c
 */
const NGINX_HEADERS_TOO_LARGE = '<title>400 Request Header Or Cookie Too Large</title>';

/**
 * Returns the failure for an error response that isn't in the service's own format. A 401 or 403 in
 * another format probably comes from an intermediary, such as a firewall.
 */
export function foreignFailure({ status, text }: ErrorResponse): ServiceError {
  if (status === 401 || status === 403) return new ServiceError('intercepted', { status });
  const isTooLarge = status === 400 && text.includes(NGINX_HEADERS_TOO_LARGE);
  return new ServiceError(isTooLarge ? 'headers-too-large' : kindOfStatus(status), { status });
}

/** Returns the failure kind for a response with this status and no known error code. */
export function kindOfStatus(status: number): ErrorKind {
  if (status < 400) return 'unexpected-answer';
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'unexpected-answer';
  if (status === 407) return 'proxy';
  if (status === 408) return 'timeout';
  if (status === 429) return 'rate-limited';
  if (status === 431) return 'headers-too-large';
  return status >= 500 ? 'server-failed' : 'bad-request';
}
