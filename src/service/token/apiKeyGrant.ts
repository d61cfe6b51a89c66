import { identityFailure } from '../failures.ts';
import { readTokenAnswer } from '../responseSchemas.ts';
import type { Way } from '../vendors.ts';
import type { TokenWay } from './tokenWay.ts';

/**
 * An API key in a form, under a grant type of the maker's own. `refresh_token` is neither kept nor
 * sent, since the service cannot use it for this grant.
 */
export function apiKeyGrant({ path, grantType }: Way & { kind: 'apiKeyGrant' }): TokenWay {
  return {
    scheme: 'Bearer',
    tokenEndpoint: {
      path,
      request: ({ apiKey }) => ({
        contentType: 'application/x-www-form-urlencoded',
        body: new URLSearchParams({ grant_type: grantType, apikey: apiKey }).toString(),
        secrets: [apiKey],
      }),
      failure: identityFailure,
      read: readTokenAnswer,
    },
  };
}
