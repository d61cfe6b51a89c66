import type { Credentials, ServiceKey } from '../credentials.ts';
import type { Http } from '../http/http.ts';
import { type Access, fixedToken } from '../http/httpRequest.ts';
import { parseJson, readTokenResponse } from '../responseSchemas.ts';
import type { Vendor } from '../vendors.ts';
import { apiKeyGrant } from './apiKeyGrant.ts';
import { clientCredentials } from './clientCredentials.ts';
import { cloudPak } from './cloudPak.ts';
import { statesLife, type Token, type TokenResponse } from './tokenLife.ts';
import type { TokenService } from './tokenService.ts';
import type { TokenEndpoint, TokenWay } from './tokenWay.ts';

const TOKEN_DEADLINE_MS = 30_000;
const EXPIRY_DEADLINE_MS = 5_000;
const MAX_TOKEN_BYTES = 65_536;

/** The way to a token that a vendor entry names. */
export function wayOf({ way }: Pick<Vendor, 'way'>): TokenWay {
  switch (way.kind) {
    case 'apiKeyGrant':
      return apiKeyGrant(way);
    case 'clientCredentials':
      return clientCredentials(way);
    case 'cloudPak':
      return cloudPak;
    case 'zenApiKey':
      // A platform key that opens the service itself, and never has to be renewed. It is the base64
      // form of user name and API key, as the platform's page gives it.
      return { scheme: 'ZenApiKey' };
  }
}

/**
 * The secrets of a connection: its key, the values of its credential headers as sent, and the same
 * of unused sources. They must never be shown or sent anywhere else.
 */
export function secretsOf({ otherKeys = [], ...own }: Credentials): readonly string[] {
  return secretsOfKeys([own, ...otherKeys]);
}

/** These keys and the values of their credential headers as they are sent, each once. */
export function secretsOfKeys(keys: readonly ServiceKey[]): readonly string[] {
  const secrets = keys.flatMap((key) => {
    const { scheme, tokenEndpoint } = wayOf(key.vendor);
    return tokenEndpoint?.request(key).secrets ?? [key.apiKey, `${scheme} ${key.apiKey}`];
  });
  return [...new Set(secrets)];
}

/**
 * The token operation: trades the secret for a token. The secret travels where the way says, and
 * nowhere else. A secret that opens the service itself is its own token, without a request.
 * @param deadlineMs milliseconds for the request with all its attempts
 * @throws {ServiceError}
 */
export async function fetchToken(
  http: Http,
  credentials: Credentials,
  signal: AbortSignal,
  deadlineMs = TOKEN_DEADLINE_MS,
): Promise<TokenResponse> {
  const { vendor, apiKey, authUrl, approved } = credentials;
  const { tokenEndpoint } = wayOf(vendor);
  if (!tokenEndpoint) return { value: apiKey, isApiKey: true };
  const answer = await http.send({
    ...tokenEndpoint.request(credentials),
    method: 'POST',
    url: authUrl + tokenEndpoint.path,
    origin: approved.auth,
    accept: 'application/json',
    sendsSecret: true,
    budget: http.budget(deadlineMs),
    maxBytes: MAX_TOKEN_BYTES,
    signal,
    failure: tokenEndpoint.failure,
    read: async ({ body, header }) =>
      readTokenResponse(await body.text(), header('date'), tokenEndpoint.read),
  });
  if (statesLife(answer)) return answer;
  const expiration = await fetchExpiry(http, credentials, tokenEndpoint, answer.value, signal);
  return { ...answer, expiration };
}

/** Seconds since 1970; undefined where nobody says. The token is as good without it. */
async function fetchExpiry(
  http: Http,
  credentials: Credentials,
  { expiry, failure }: TokenEndpoint,
  token: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (!expiry) return undefined;
  const { authUrl, approved } = credentials;
  const asked = http.send({
    method: 'GET',
    url: authUrl + expiry.path,
    origin: approved.auth,
    accept: 'application/json',
    secrets: secretsOf(credentials),
    tokenProvider: () => fixedToken(token),
    budget: { ...http.budget(EXPIRY_DEADLINE_MS), retriesLeft: 0 },
    maxBytes: MAX_TOKEN_BYTES,
    signal,
    failure,
    read: async ({ body }) => expiry.read(parseJson(await body.text())),
  });
  return asked.catch(() => undefined);
}

/**
 * The access of these credentials to their inference service.
 * @param onToken called with each token that an attempt takes
 */
export function accessOf(
  credentials: Credentials,
  tokenService: TokenService,
  onToken: (token: Token) => void = () => {},
): Access {
  const { vendor, approved } = credentials;
  const tokenProvider = () => {
    const before = tokenService.state;
    const get = async (signal: AbortSignal) => {
      const token = await tokenService.get(signal, before);
      onToken(token);
      return token.value;
    };
    return { hasToken: () => tokenService.isLiving, get };
  };
  const { scheme } = wayOf(vendor);
  return { origin: approved.service, scheme, secrets: secretsOf(credentials), tokenProvider };
}

/** Asks the identity service for anything at all. @throws {ServiceError} as `Http.probe` */
export async function probeIdentity(
  http: Http,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<void> {
  const { vendor, authUrl, approved } = credentials;
  const url = authUrl + (wayOf(vendor).tokenEndpoint?.path ?? '');
  const secrets = secretsOf(credentials);
  await http.probe({ url, origin: approved.auth, secrets, signal, read: async () => undefined });
}
