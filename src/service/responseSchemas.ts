import * as v from 'valibot';
import type { TokenResponse } from './auth/token.ts';
import { ServiceError } from './errors.ts';

/**
 * The shapes of answers, checked where they enter. Only the fields that are used are named; what
 * else an answer holds is ignored. Shapes: the recordings of the service.
 */

/**
 * An object schema with these fields. valibot lists fields in a `for…in` loop. Otherwise, an enumerable
 * property that another extension adds to Object.prototype would break every response.
 */
export function shape<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.object<Entries>(Object.assign(Object.create(null), entries));
}

/** A number of tokens. Sums of unsafe integers are wrong, and can become Infinity. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** A number, or a string of digits, as some gateways make of it. Anything else counts as absent. */
export const seconds = v.fallback(
  v.optional(v.union([v.number(), v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number))])),
  undefined,
);

/**
 * A token goes into a header: 16 to 8192 characters of the bearer alphabet, nothing that could end a
 * line (measured: Node strips a line break and sends a broken token).
 */
export const token = v.pipe(v.string(), v.regex(/^[A-Za-z0-9._~+/=-]{16,8192}$/));

const tokenAnswer = shape({
  access_token: token,
  token_type: v.optional(v.pipe(v.string(), v.regex(/^bearer$/i))),
  expires_in: seconds,
  expiration: seconds,
});

const tokenizationAnswer = shape({ result: shape({ token_count: count }) });

/**
 * Reads a response to a token request.
 * @param serverDate the `Date` header of the response
 * @param read the shape of its JSON; that of OAuth 2.0 by default
 * @throws {ServiceError} `token-unusable`
 */
export function readTokenResponse(
  text: string,
  serverDate: string | undefined,
  read: (json: unknown) => TokenResponse = readTokenAnswer,
): TokenResponse {
  const serverNow = Date.parse(serverDate ?? '');
  const known = Number.isNaN(serverNow) ? undefined : serverNow;
  return { ...read(parseJson(text)), serverNow: known };
}

function readTokenAnswer(json: unknown): TokenResponse {
  const answer = v.safeParse(tokenAnswer, json);
  if (!answer.success) throw new ServiceError('token-unusable');
  const { access_token: value, expires_in: expiresIn, expiration } = answer.output;
  return { value, expiresIn, expiration };
}

/** How many tokens a text has. @throws {ServiceError} `unexpected-answer` */
export function readTokenCount(json: unknown): number {
  return check(tokenizationAnswer, json).result.token_count;
}

/** Parses JSON that may be anything; undefined for what is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What has this shape. @throws {ServiceError} `unexpected-answer` */
export function check<Schema extends v.GenericSchema>(schema: Schema, json: unknown) {
  const result = v.safeParse(schema, json);
  if (!result.success) throw new ServiceError('unexpected-answer');
  return result.output;
}
