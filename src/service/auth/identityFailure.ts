import * as v from 'valibot';
import { ServiceError, safeWord, TOKEN_REQUEST_REFUSED } from '../errors.ts';
import type { ErrorResponse } from '../http/httpRequest.ts';
import { parseJson, shape } from '../responseSchemas.ts';

/** What an error response of an identity service means, by status and code together. */

const identityError = shape({
  errorCode: v.string(),
  errorMessage: v.string(),
  context: v.optional(shape({ requestId: v.optional(v.string()) })),
});

/**
 * The failure that an identity answer reports. Only an error in the identity service's own shape
 * says anything about the key; any other 4xx comes from something in between.
 */
export function identityFailure({ status, text }: ErrorResponse): ServiceError {
  const body = v.safeParse(identityError, parseJson(text));
  if (!body.success || ![400, 401, 403].includes(status)) return identityStatusFailure(status);
  const { errorCode, context } = body.output;
  // Another code than these two may be a disabled, locked or expired key: none was ever recorded.
  const kind = errorCode === TOKEN_REQUEST_REFUSED ? 'token-request-refused' : 'key-refused';
  const requestId = safeWord(context?.requestId);
  return new ServiceError(kind, { status, code: safeWord(errorCode), requestId });
}

/** What a status alone tells of an identity service: nothing of the secret. */
export function identityStatusFailure(status: number): ServiceError {
  if (status === 429) return new ServiceError('rate-limited', { status });
  if (status >= 500) return new ServiceError('server-failed', { status });
  return new ServiceError(status === 407 ? 'proxy' : 'unexpected-answer', { status });
}
