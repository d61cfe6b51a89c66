import type { Clock, Moment } from '../clock.ts';
import type { ServiceError } from '../errors.ts';

/** Access tokens, their states, and their expiry. Pure functions. */

/**
 * An access token from an identity service or a program, or the key if there is no exchange. The
 * times that the service or program specifies can be invalid (see `statedLifetimes`).
 */
export interface TokenResponse {
  readonly value: string;
  /** Lifetime in seconds, if the service or program specifies one. */
  readonly expiresIn?: number | undefined;
  /** Expiry in seconds since 1970, according to the server's clock. */
  readonly expiration?: number | undefined;
  /**
   * The time of the response, in milliseconds since 1970. It's taken from the server's clock, or
   * from this machine's clock if a program printed the token.
   */
  readonly serverNow?: number | undefined;
  /**
   * True if there was no exchange. In that case, `value` is the key, or empty if there is no key.
   */
  readonly isApiKey?: true;
}

/**
 * A token's lifetime and thresholds, in milliseconds. All are measured from just before the token
 * request.
 */
export interface TokenLifetime {
  readonly lifeMs: number;
  /** Age after which the token is refreshed in the background. */
  readonly softMs: number;
  /** Age after which callers wait for the next token. */
  readonly hardMs: number;
}

const UNKNOWN_LIFE_SECONDS = 300;
const MAX_LIFE_SECONDS = 86_400;
const HARD_MARGIN_MS = 30_000;
const MIN_REFRESHED_MS = 30_000;

/**
 * Computes a token's lifetime and thresholds. A token with a lifetime of 30 s or less isn't
 * refreshed in the background, because the refreshes would be too frequent.
 * @param random a number from 0 to 1
 */
export function tokenLifetime(response: TokenResponse, random: number): TokenLifetime {
  const lifeMs = lifetimeSeconds(response) * 1_000;
  const hardMs = lifeMs - Math.min(HARD_MARGIN_MS, lifeMs / 10);
  const softMs = lifeMs > MIN_REFRESHED_MS ? Math.round(lifeMs * (0.7 + random * 0.2)) : hardMs;
  return { lifeMs, softMs: Math.min(hardMs, softMs), hardMs };
}

/**
 * Returns the shortest lifetime that a response specifies, in seconds, capped at 24 hours. Assumes
 * 5 minutes if the response doesn't specify a lifetime. If the token actually expires earlier, it's
 * replaced after a 401. Returns Infinity if there was no exchange.
 */
function lifetimeSeconds(response: TokenResponse): number {
  if (response.isApiKey) return Number.POSITIVE_INFINITY;
  const lives = statedLifetimes(response);
  return lives.length > 0 ? Math.min(MAX_LIFE_SECONDS, ...lives) : UNKNOWN_LIFE_SECONDS;
}

export function statesLifetime(response: TokenResponse): boolean {
  return statedLifetimes(response).length > 0;
}

/**
 * Returns the positive lifetimes that a response specifies, in seconds. Compares `expiration` with
 * `serverNow`, because this machine's clock can be off by minutes.
 */
function statedLifetimes(response: TokenResponse): number[] {
  const { expiresIn = Number.NaN, expiration = Number.NaN, serverNow = Number.NaN } = response;
  const lives = [expiresIn, expiration - serverNow / 1_000];
  return lives.filter((life) => Number.isFinite(life) && life > 0);
}

/** The resolution of a `Date` header, in milliseconds. The time in the header is rounded down. */
const DATE_STEP_MS = 1_000;

/**
 * Returns how far this machine's clock is ahead of the server's, in milliseconds. The result is
 * negative if this machine's clock is behind, and 0 if the server's time may lie between `start`
 * and `end`. Undefined if the server's time is unknown.
 * @param start the wall-clock time before the request, in milliseconds since 1970
 * @param end the wall-clock time after the response, in milliseconds since 1970
 */
export function clockAhead(
  start: number,
  end: number,
  serverNow: number | undefined,
): number | undefined {
  if (serverNow === undefined) return undefined;
  const latest = serverNow + DATE_STEP_MS;
  if (start > latest) return start - latest;
  return end < serverNow ? end - serverNow : 0;
}

/**
 * An access token. Tokens are compared by reference, because a service can return the same value
 * twice.
 */
export interface Token {
  readonly value: string;
}

export type TokenState =
  | { readonly kind: 'none' }
  /** Callers are waiting for a token. */
  | { readonly kind: 'fetching' }
  | {
      readonly kind: 'valid';
      /** Expiry in milliseconds since 1970. Infinity if there was no exchange. */
      readonly expiresAt: number;
      /**
       * Earliest time of a background refresh, in milliseconds since 1970. Infinity if there was no
       * exchange, or if the token is requested on demand.
       */
      readonly refreshesAt: number;
      /**
       * How far this machine's clock is ahead of the server's, in milliseconds. Negative if this
       * machine's clock is behind. Missing if the server's time is unknown.
       */
      readonly clockAheadMs?: number;
      /**
       * The failure of the last refresh. The token stays in use, and the refresh is retried later.
       */
      readonly refreshError?: ServiceError;
    }
  | { readonly kind: 'expired' }
  /**
   * The identity service rejected the credentials or the token request. Lasts until `refresh`
   * succeeds. If there is no exchange, this state means that the service rejected the key, and it
   * lasts until the next request.
   */
  | { readonly kind: 'rejected'; readonly error: ServiceError }
  | { readonly kind: 'failed'; readonly error: ServiceError };

/** A token, its thresholds, and the moment just before the token request. */
export interface CurrentToken extends Token, Moment {
  /** See `isLateOnArrival`. */
  readonly isLate: boolean;
  readonly life: TokenLifetime;
  readonly clockAheadMs: number | undefined;
}

const CLOCK_SET_BACK_MS = 5_000;
/** Maximum total duration of a token request, including all attempts, in milliseconds. */
export const TOKEN_DEADLINE_MS = 30_000;

/**
 * Returns a token's age in milliseconds: the wall-clock or monotonic time since just before the
 * token request, whichever is longer.
 */
export function ageOf(token: Moment & Pick<CurrentToken, 'life'>, clock: Clock): number {
  const wall = clock.now() - token.wallStart;
  // If the wall clock was set back, the wall-clock age is unknown. In that case, a token that can
  // expire is treated as due for a refresh, but stays in use.
  const isUnknown = wall < -CLOCK_SET_BACK_MS && Number.isFinite(token.life.softMs);
  const wallAge = isUnknown ? token.life.softMs : wall;
  return Math.max(wallAge, clock.monotonic() - token.monotonicStart);
}

export function isBeforeHardThreshold(
  token: Moment & Pick<CurrentToken, 'life'>,
  clock: Clock,
): boolean {
  return ageOf(token, clock) < token.life.hardMs;
}

/**
 * True if a token is past its hard threshold when it arrives, and the next token would probably be
 * late, too. If a token that lives longer than `TOKEN_DEADLINE_MS` is late, that's usually only
 * because the machine was asleep, so the next token probably won't be late.
 */
export function isLateOnArrival(token: Moment & Pick<CurrentToken, 'life'>, clock: Clock): boolean {
  return token.life.lifeMs <= TOKEN_DEADLINE_MS && !isBeforeHardThreshold(token, clock);
}

export function validState(token: CurrentToken): TokenState & { readonly kind: 'valid' } {
  const { wallStart, life, clockAheadMs } = token;
  const known = clockAheadMs === undefined ? {} : { clockAheadMs };
  const [expiresAt, refreshesAt] = [wallStart + life.lifeMs, wallStart + life.softMs];
  return { kind: 'valid', expiresAt, refreshesAt, ...known };
}
