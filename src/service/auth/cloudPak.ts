import * as v from 'valibot';
import { ServiceError } from '../errors.ts';
import type { ErrorResponse } from '../http/httpTypes.ts';
import { check, parseJson, shape } from '../schemaHelpers.ts';
import type { AuthMethod, IdentityClient } from './authMethod.ts';
import { identityStatusFailure } from './identityFailure.ts';
import { statesLifetime, type TokenResponse } from './token.ts';
import { readTokenResponse, seconds, token } from './tokenResponse.ts';

const PATH = '/icp4d-api/v1/authorize';
const EXPIRY_PATH = '/usermgmt/v1/user/tokenExpiry';

/**
 * The authentication method for Cloud Pak for Data. It exchanges a user name and an API key for a
 * token. If the response doesn't specify when the token expires, a second request gets the expiry.
 * Source of the token request:
 * https://github.com/IBM/node-sdk-core/blob/main/auth/token-managers/cp4d-token-manager.ts
 */
export const cloudPak: AuthMethod = {
  scheme: 'Bearer',
  secrets: ({ apiKey }) => [apiKey],
  exchange: {
    path: PATH,
    fetchToken: async ({ account = '', apiKey }, identity) => {
      const response = await identity.post({
        path: PATH,
        contentType: 'application/json',
        body: JSON.stringify({ username: account, api_key: apiKey }),
        failure,
        read: async ({ body, header }) =>
          readTokenResponse(await body.text(), header('date'), readToken),
      });
      if (statesLifetime(response)) return response;
      return { ...response, expiration: await fetchExpiration(response.value, identity) };
    },
  },
};

const tokenSchema = shape({ token, expires_in: seconds, expiration: seconds });
const expirySchema = shape({ exp: seconds });

function readToken(json: unknown): TokenResponse {
  const answer = v.safeParse(tokenSchema, json);
  if (!answer.success) throw new ServiceError('token-unusable');
  const { token: value, expires_in: expiresIn, expiration } = answer.output;
  return { value, expiresIn, expiration };
}

/**
 * Requests a token's expiry, in seconds since 1970. Returns undefined if the request fails or the
 * response doesn't specify an expiry, because a token can be used even if its expiry is unknown.
 */
function fetchExpiration(value: string, identity: IdentityClient): Promise<number | undefined> {
  const expiration = identity.get({
    path: EXPIRY_PATH,
    token: value,
    failure,
    read: async ({ body }) => check(expirySchema, parseJson(await body.text())).exp,
  });
  return expiration.catch(() => undefined);
}

/**
 * The error formats of Cloud Pak for Data. A body in any other format probably comes from a proxy
 * or gateway.
 */
const errorSchema = v.union([
  shape({ message: v.string() }),
  shape({ _messageCode_: v.string() }),
  shape({ errors: v.array(v.unknown()) }),
]);

function failure({ status, text }: ErrorResponse): ServiceError {
  if (!v.is(errorSchema, parseJson(text))) return identityStatusFailure(status);
  if (status === 401 || status === 403) return new ServiceError('key-rejected', { status });
  return status === 400
    ? new ServiceError('token-request-rejected', { status })
    : identityStatusFailure(status);
}
