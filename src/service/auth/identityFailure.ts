import * as v from 'valibot';
import { KIND_BY_IDENTITY_CODE, KIND_BY_STATUS, plainWord, ServiceError } from '../errors.ts';
import type { ErrorResponse } from '../http/httpTypes.ts';
import { parseJson, shape } from '../schemaHelpers.ts';

/**
 * The error format of IBM's identity service. If a service's identity service uses a different
 * format, add support for it here. Otherwise, a rejected key is reported as `unexpected-answer`.
 * Test each code in `test/unit/service/failures.test.ts`.
 */
const identityError = shape({
  errorCode: v.string(),
  errorMessage: v.string(),
  context: v.optional(shape({ requestId: v.optional(v.string()) })),
});

/**
 * Returns the failure for an error response to a token request. Only an error in the identity
 * service's own format can prove that the key was rejected. A 4xx in any other format probably
 * comes from a proxy or gateway.
 */
export function identityFailure({ status, text }: ErrorResponse): ServiceError {
  const body = v.safeParse(identityError, parseJson(text));
  if (!body.success || ![400, 401, 403].includes(status)) return identityStatusFailure(status);
  const { errorCode, context } = body.output;
  // Any other code is assumed to mean that the key was rejected. Disabled, locked, and expired keys
  // may have codes of their own, but only BXNIM0415E has been recorded.
  const kind = KIND_BY_IDENTITY_CODE.get(errorCode) ?? 'key-rejected';
  const requestId = plainWord(context?.requestId);
  const details = { status, code: plainWord(errorCode), requestId };
  return new ServiceError(kind, details);
}

/**
 * Returns the failure for an error response, based only on its status. Never returns
 * `key-rejected`, because the status alone doesn't prove that the key was rejected.
 */
export function identityStatusFailure(status: number): ServiceError {
  const other = status >= 500 ? 'server-failed' : 'unexpected-answer';
  return new ServiceError(KIND_BY_STATUS[status] ?? other, { status });
}
