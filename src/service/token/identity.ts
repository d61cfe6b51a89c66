import type { Credentials } from '../credentials.ts';
import { identityFailure } from '../failures.ts';
import type { Http } from '../http/http.ts';
import { readTokenResponse } from '../responseSchemas.ts';
import type { TokenResponse } from './tokenLife.ts';

const TOKEN_DEADLINE_MS = 30_000;
const MAX_TOKEN_BYTES = 65_536;

/**
 * The token operation: trades the API key for a bearer token.
 * The key travels in the form body only; `refresh_token` is neither kept nor sent, since the
 * service cannot use it for this grant.
 * @param deadlineMs milliseconds for the request with all its attempts
 * @throws {ServiceError}
 */
export function fetchToken(
  http: Http,
  { vendor, apiKey, authUrl, approved }: Credentials,
  signal: AbortSignal,
  deadlineMs = TOKEN_DEADLINE_MS,
): Promise<TokenResponse> {
  return http.send({
    method: 'POST',
    url: authUrl + vendor.tokenPath,
    origin: approved.auth,
    accept: 'application/json',
    contentType: 'application/x-www-form-urlencoded',
    body: new URLSearchParams({ grant_type: vendor.grantType, apikey: apiKey }).toString(),
    secrets: [apiKey],
    budget: http.budget(deadlineMs),
    maxBytes: MAX_TOKEN_BYTES,
    signal,
    failure: identityFailure,
    read: async ({ body, header }) => readTokenResponse(await body.text(), header('date')),
  });
}

/** Asks the identity service for anything at all. @throws {ServiceError} as `Http.probe` */
export async function probeIdentity(
  http: Http,
  { vendor, authUrl, approved }: Credentials,
  signal: AbortSignal,
): Promise<void> {
  const url = authUrl + vendor.tokenPath;
  await http.probe({ url, origin: approved.auth, signal, read: async () => undefined });
}
