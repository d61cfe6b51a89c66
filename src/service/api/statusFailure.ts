import { type ErrorKind, type FoundDetails, KIND_BY_STATUS, ServiceError } from '../errors.ts';
import type { ErrorResponse } from '../http/httpTypes.ts';
import { mentionedParameters } from './parameters.ts';

/** Failures that are determined by a response's status, for every API. Pure. */

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

/**
 * Error kinds, keyed by status. Contains the statuses that concern models or text, or that have a
 * different meaning if an identity service sends them. All other statuses are in `KIND_BY_STATUS`.
 */
export const KIND_BY_INFERENCE_STATUS: Readonly<Record<number, ErrorKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'unexpected-answer',
  408: 'timeout',
  431: 'headers-too-large',
};

/** Returns the error kind for a response with this status and no known error code. */
export function kindOfStatus(status: number): ErrorKind {
  if (status < 400) return 'unexpected-answer';
  const other = status >= 500 ? 'server-failed' : 'bad-request';
  return KIND_BY_INFERENCE_STATUS[status] ?? KIND_BY_STATUS[status] ?? other;
}
