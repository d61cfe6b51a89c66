import type { Credentials } from '../credentials.ts';
import type { Http } from '../http/http.ts';
import { type Access, fixedToken } from '../http/httpRequest.ts';
import type { IdentityClient } from './authMethod.ts';
import { authMethodOf, secretsOf } from './authMethods.ts';
import type { Token, TokenResponse } from './token.ts';
import type { TokenService } from './tokenService.ts';

const TOKEN_DEADLINE_MS = 30_000;
const TOKEN_INFO_DEADLINE_MS = 5_000;
const MAX_TOKEN_BYTES = 65_536;

/**
 * Exchanges credentials for an access token. If the key itself is the token, it's returned without
 * a request.
 * @param deadlineMs milliseconds for all attempts of the exchange
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
  return exchange.fetchToken(credentials, identityOf(http, credentials, signal, deadlineMs));
}

function identityOf(
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
 * Returns the request fields that provide the access token of these credentials and restrict the
 * request to the approved origin.
 * @param waitedFor the token that the call has already waited for
 * @param onToken called with each token that an attempt gets; the last one is sent
 */
export function accessOf(
  credentials: Credentials,
  tokenService: TokenService,
  waitedFor?: Token,
  onToken: (token: Token) => void = () => {},
): Access {
  const { service, approved } = credentials;
  let latest = waitedFor;
  const tokenProvider = () => {
    const before = tokenService.state;
    const get = async (signal: AbortSignal) => {
      latest = await tokenService.get(signal, before, latest);
      onToken(latest);
      return latest.value;
    };
    return { hasToken: () => tokenService.hasValidToken || tokenService.isLate(latest), get };
  };
  const { scheme } = authMethodOf(service);
  return { origin: approved.service, scheme, secrets: secretsOf(credentials), tokenProvider };
}

/**
 * Checks that the token endpoint responds, without sending a credential.
 * @throws {ServiceError} as `Http.probe` does
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
