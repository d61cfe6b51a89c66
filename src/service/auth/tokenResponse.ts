import * as v from 'valibot';
import { ServiceError } from '../errors.ts';
import { parseJson, shape } from '../schemaHelpers.ts';
import type { TokenResponse } from './token.ts';

/** Schemas for responses to token requests. They ignore unknown fields. */

/**
 * Seconds as a number or a string of digits. Some gateways turn numbers into strings. Any other
 * value is treated as missing.
 */
export const seconds = v.fallback(
  v.optional(v.union([v.number(), v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number))])),
  undefined,
);

/**
 * An access token of 16 to 8,192 characters that are allowed in a bearer token:
 * https://www.rfc-editor.org/rfc/rfc6750#section-2.1. A token with a line break must be rejected.
 * Otherwise, Node would remove the line break from the header and send an invalid token (confirmed
 * by testing).
 */
export const token = v.pipe(v.string(), v.regex(/^[A-Za-z0-9._~+/=-]{16,8192}$/));

const tokenSchema = shape({
  access_token: token,
  token_type: v.optional(v.pipe(v.string(), v.regex(/^bearer$/i))),
  expires_in: seconds,
  expiration: seconds,
});

/**
 * Parses a response to a token request.
 * @param serverDate the `Date` header of the response
 * @param read validates the JSON and returns the token; by default, expects an OAuth 2.0 response
 * @throws {ServiceError} `token-unusable`
 */
export function readTokenResponse(
  text: string,
  serverDate: string | undefined,
  read: (json: unknown) => TokenResponse = readOAuthResponse,
): TokenResponse {
  const serverNow = Date.parse(serverDate ?? '');
  const known = Number.isNaN(serverNow) ? undefined : serverNow;
  return { ...read(parseJson(text)), serverNow: known };
}

function readOAuthResponse(json: unknown): TokenResponse {
  const answer = v.safeParse(tokenSchema, json);
  if (!answer.success) throw new ServiceError('token-unusable');
  const { access_token: value, expires_in: expiresIn, expiration } = answer.output;
  return { value, expiresIn, expiration };
}
