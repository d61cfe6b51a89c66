import * as v from 'valibot';
import { ServiceError } from '../errors.ts';
import { type ErrorResponse, identityStatusFailure } from '../failures.ts';
import { check, parseJson, seconds, shape, token } from '../responseSchemas.ts';
import type { TokenWay } from './tokenWay.ts';

/**
 * Cloud Pak for Data: user name and API key in JSON, for a token under the service's own address.
 * The answer seldom says when the token ends: it is asked for, and without an answer it counts as
 * one for 300 s. Source: the `cp4d` token manager of the maker's `ibm-cloud-sdk-core`.
 */
export const cloudPak: TokenWay = {
  scheme: 'Bearer',
  tokenEndpoint: {
    path: '/icp4d-api/v1/authorize',
    request: ({ account = '', apiKey }) => ({
      contentType: 'application/json',
      body: JSON.stringify({ username: account, api_key: apiKey }),
      secrets: [apiKey],
    }),
    failure,
    read: (json) => {
      const answer = v.safeParse(tokenAnswer, json);
      if (!answer.success) throw new ServiceError('token-unusable');
      const { token: value, expires_in: expiresIn, expiration } = answer.output;
      return { value, expiresIn, expiration };
    },
    expiry: {
      path: '/usermgmt/v1/user/tokenExpiry',
      read: (json) => check(expiryAnswer, json).exp,
    },
  },
};

const tokenAnswer = shape({ token, expires_in: seconds, expiration: seconds });
const expiryAnswer = shape({ exp: seconds });

/** The platform says so in JSON; a page, or nothing, is of something in between. */
const errorAnswer = v.union([
  shape({ message: v.string() }),
  shape({ _messageCode_: v.string() }),
  shape({ errors: v.array(v.unknown()) }),
]);

function failure({ status, text }: ErrorResponse): ServiceError {
  if (!v.is(errorAnswer, parseJson(text))) return identityStatusFailure(status);
  if (status === 401 || status === 403) return new ServiceError('key-refused', { status });
  return status === 400
    ? new ServiceError('token-request-refused', { status })
    : identityStatusFailure(status);
}
