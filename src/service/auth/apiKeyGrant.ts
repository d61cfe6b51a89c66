import type { Authentication } from '../authentication.ts';
import type { AuthMethod } from './authMethod.ts';
import { identityFailure } from './identityFailure.ts';
import { readTokenResponse } from './tokenResponse.ts';

/**
 * Creates the authentication method that uses the service's own grant type to exchange an API key
 * for an access token. Ignores the `refresh_token` in the response, because its value is
 * `not_supported` in recorded responses for this grant type.
 */
export function apiKeyGrant({
  path,
  grantType,
}: Authentication & { kind: 'apiKeyGrant' }): AuthMethod {
  return {
    scheme: 'Bearer',
    secrets: ({ apiKey }) => [apiKey],
    exchange: {
      path,
      fetchToken: ({ apiKey }, identity) =>
        identity.post({
          path,
          contentType: 'application/x-www-form-urlencoded',
          body: new URLSearchParams({ grant_type: grantType, apikey: apiKey }).toString(),
          failure: identityFailure,
          read: async ({ body, header }) => readTokenResponse(await body.text(), header('date')),
        }),
    },
  };
}
