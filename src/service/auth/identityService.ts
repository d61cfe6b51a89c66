import type { Credentials } from '../credentials.ts';
import type { Http } from '../http/http.ts';
import { fixedToken } from '../http/httpTypes.ts';
import type { IdentityClient } from './authMethod.ts';
import { authMethodOf } from './authMethods.ts';
import { secretsOf } from './keySecrets.ts';
import { TOKEN_DEADLINE_MS, type TokenResponse } from './token.ts';

const TOKEN_INFO_DEADLINE_MS = 5_000;
const MAX_TOKEN_BYTES = 65_536;

/**
 * Gets an access token for these credentials. If the authentication method has no exchange, returns
 * the key without sending a request. The key is empty if the service doesn't need one.
 * @param deadlineMs maximum total duration of all attempts, in milliseconds
 * @throws {ServiceError}
 */
export async function fetchToken(
  http: Http,
  credentials: Credentials,
  signal: AbortSignal,
  deadlineMs = TOKEN_DEADLINE_MS,
): Promise<TokenResponse> {
  const { exchange } = authMethodOf(credentials.service);
  if (!exchange) return { value: credentials.apiKey, isApiKey: true };
  const identity = identityClient(http, credentials, signal, deadlineMs);
  return exchange.fetchToken(credentials, identity, { signal, deadlineMs, clock: http.clock });
}

function identityClient(
  http: Http,
  credentials: Credentials,
  signal: AbortSignal,
  deadlineMs: number,
): IdentityClient {
  const { authUrl, approved } = credentials;
  const shared = {
    origin: approved.auth,
    accept: 'application/json',
    secrets: secretsOf(credentials),
    maxBytes: MAX_TOKEN_BYTES,
    signal,
  } as const;
  return {
    post: ({ path, ...request }) =>
      http.send({
        ...shared,
        ...request,
        method: 'POST',
        url: authUrl + path,
        sendsSecret: true,
        budget: http.budget(deadlineMs),
      }),
    get: ({ path, token, ...request }) =>
      http.send({
        ...shared,
        ...request,
        method: 'GET',
        url: authUrl + path,
        tokenProvider: () => fixedToken(token),
        budget: { ...http.budget(TOKEN_INFO_DEADLINE_MS), retriesLeft: 0 },
      }),
  };
}

/**
 * Checks that the token endpoint responds. Sends no credentials.
 * @throws {ServiceError} under the same conditions as `Http.probe`
 */
export async function probeIdentity(
  http: Http,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<void> {
  const { service, authUrl, approved } = credentials;
  const url = authUrl + (authMethodOf(service).exchange?.path ?? '');
  const secrets = secretsOf(credentials);
  await http.probe({ url, origin: approved.auth, secrets, signal, read: async () => undefined });
}
