import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretPost,
  type CustomFetchOptions,
  clientCredentialsGrantRequest,
  customFetch,
} from 'oauth4webapi';
import * as v from 'valibot';
import type { Authentication } from '../authentication.ts';
import { ServiceError } from '../errors.ts';
import { type ErrorResponse, fixedToken } from '../http/httpTypes.ts';
import { parseJson, shape } from '../schemaHelpers.ts';
import { parseServiceUrl } from '../serviceUrl.ts';
import type { AuthMethod } from './authMethod.ts';
import { identityStatusFailure } from './identityFailure.ts';
import { readTokenResponse } from './tokenResponse.ts';

/**
 * Creates the authentication method for OAuth 2.0 client credentials:
 * https://www.rfc-editor.org/rfc/rfc6749#section-4.4
 *
 * oauth4webapi builds the request. `identity` sends the request and handles errors. oauth4webapi
 * isn't used to parse the response, because it would reject a response that lacks `token_type` or
 * contains an ID token from another issuer.
 */
export function clientCredentials(
  authentication: Authentication & { kind: 'clientCredentials' },
): AuthMethod {
  const { path, inBody, scope, audience } = authentication;
  return {
    scheme: 'Bearer',
    secrets: ({ account = '', apiKey }) => {
      if (inBody) return [apiKey];
      const basic = basicOf(account, apiKey);
      return [apiKey, basic, `Basic ${basic}`];
    },
    exchange: {
      path,
      fetchToken: async ({ account = '', apiKey, authUrl }, identity) => {
        const response = await clientCredentialsGrantRequest(
          { issuer: authUrl, token_endpoint: authUrl + path },
          { client_id: account },
          inBody ? ClientSecretPost(apiKey) : clientSecretBasic(apiKey),
          { ...(scope && { scope }), ...(audience && { audience }) },
          {
            // With one argument, `parseServiceUrl` accepts http only for a loopback address.
            [allowInsecureRequests]: parseServiceUrl(authUrl).ok,
            [customFetch]: (_url, request) =>
              identity.post({
                path,
                contentType: 'application/x-www-form-urlencoded',
                body: request.body.toString(),
                ...authorizationOf(request),
                failure,
                read: async ({ body, header }) =>
                  new Response(await body.text(), { headers: { date: header('date') ?? '' } }),
              }),
          },
        ).catch((error: unknown) => {
          // Errors from oauth4webapi can contain the request, and therefore the secret.
          throw error instanceof ServiceError ? error : new ServiceError('token-request-rejected');
        });
        return readTokenResponse(await response.text(), response.headers.get('date') ?? undefined);
      },
    },
  };
}

/**
 * Implements `client_secret_basic` in a way that usually works even with servers that don't decode
 * the credentials. oauth4webapi's own implementation encodes hyphens and underscores, which many
 * client IDs contain: https://github.com/panva/oauth4webapi/issues/148
 */
function clientSecretBasic(secret: string): ClientAuth {
  return (_server, { client_id: clientId }, _body, headers) => {
    headers.set('authorization', `Basic ${basicOf(clientId, secret)}`);
  };
}

/**
 * Returns the encoded credentials for HTTP Basic authentication. The client ID and the secret are
 * form-encoded first: https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1
 */
function basicOf(clientId: string, secret: string): string {
  return Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString('base64');
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/** Converts the Authorization header of a request to fields of `HttpRequest`. */
function authorizationOf({ headers }: CustomFetchOptions<'POST', URLSearchParams>) {
  const [scheme, value] = headers['authorization']?.split(' ') ?? [];
  return scheme && value ? { scheme, tokenProvider: () => fixedToken(value) } : {};
}

/**
 * Error codes that indicate a rejected token request, not a rejected key. Each one is tested in
 * `test/contract/service/services.test.ts`:
 *
 * - all OAuth 2.0 codes (https://www.rfc-editor.org/rfc/rfc6749#section-5.2) except
 *   `invalid_client`, which means that the key was rejected
 * - the codes for an unknown audience in OAuth 2.0
 *   (https://www.rfc-editor.org/rfc/rfc8707#section-2) and Microsoft Entra ID
 *   (https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow)
 * - Auth0's code for an audience or scope that the client isn't allowed to use
 *   (https://github.com/auth0/docs/issues/5466)
 */
const CODES: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
  'invalid_resource',
  'access_denied',
]);

const errorSchema = shape({ error: v.string() });

function failure({ status, text }: ErrorResponse): ServiceError {
  const body = v.safeParse(errorSchema, parseJson(text));
  if (!body.success || ![400, 401, 403].includes(status)) return identityStatusFailure(status);
  const { error: code } = body.output;
  // A 401 means that the client was rejected, even if the error code isn't `invalid_client`.
  if (status === 401 || code === 'invalid_client') {
    return new ServiceError('key-rejected', { status, code: 'invalid_client' });
  }
  if (!CODES.has(code)) return identityStatusFailure(status);
  return new ServiceError('token-request-rejected', { status, code });
}
