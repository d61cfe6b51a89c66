import * as v from 'valibot';
import { ServiceError } from '../errors.ts';
import { type ErrorResponse, identityStatusFailure } from '../failures.ts';
import { fixedToken } from '../http/httpRequest.ts';
import { parseJson, readTokenAnswer, shape } from '../responseSchemas.ts';
import type { Way } from '../vendors.ts';
import type { TokenRequest, TokenWay } from './tokenWay.ts';

/**
 * OAuth 2.0 client credentials, as company gateways want them: https://www.rfc-editor.org/rfc/rfc6749#section-4.4
 * An answer without `expires_in` counts as one for 300 s.
 */
export function clientCredentials(way: Way & { kind: 'clientCredentials' }): TokenWay {
  const { path, inBody, scope, audience } = way;
  return {
    scheme: 'Bearer',
    tokenEndpoint: {
      path,
      request: ({ account = '', apiKey }): TokenRequest => {
        const form = new URLSearchParams({ grant_type: 'client_credentials' });
        if (scope) form.set('scope', scope);
        if (audience) form.set('audience', audience);
        const contentType = 'application/x-www-form-urlencoded';
        if (inBody) {
          form.set('client_id', account);
          form.set('client_secret', apiKey);
          return { contentType, body: form.toString(), secrets: [apiKey] };
        }
        // Both are encoded as in a form before they are joined: section 2.3.1.
        const joined = `${formEncoded(account)}:${formEncoded(apiKey)}`;
        const basic = Buffer.from(joined).toString('base64');
        return {
          contentType,
          body: form.toString(),
          secrets: [apiKey, basic, `Basic ${basic}`],
          scheme: 'Basic',
          tokenProvider: () => fixedToken(basic),
        };
      },
      failure,
      read: readTokenAnswer,
    },
  };
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/** Those of section 5.2 that are about the request. */
const CODES: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
]);

const errorAnswer = shape({ error: v.string() });

function failure({ status, text }: ErrorResponse): ServiceError {
  const body = v.safeParse(errorAnswer, parseJson(text));
  if (!body.success || ![400, 401, 403].includes(status)) return identityStatusFailure(status);
  const { error: code } = body.output;
  // A 401 is about the client, whatever word some servers have for it.
  if (status === 401 || code === 'invalid_client') {
    return new ServiceError('key-refused', { status, code: 'invalid_client' });
  }
  if (!CODES.has(code)) return identityStatusFailure(status);
  // The others speak of the request: the same secret may be good for another one.
  return new ServiceError('token-request-refused', { status, code });
}
