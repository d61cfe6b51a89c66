import type { Clock, Moment } from '../clock.ts';
import type { ServiceError } from '../errors.ts';

/** How long a token lives, and what is known about it at a moment. Pure. */

/** What an answer says of a new token, checked but not yet believed. */
export interface TokenResponse {
  readonly value: string;
  /** Seconds the token lives, if the answer said so. */
  readonly expiresIn?: number | undefined;
  /** End of life in seconds since 1970, by the server's clock. */
  readonly expiration?: number | undefined;
  /** The server's clock when it answered, milliseconds since 1970. */
  readonly serverNow?: number | undefined;
  /** The secret itself, which never has to be renewed. */
  readonly isApiKey?: true;
}

/** A token's life in milliseconds from the moment it was asked for. */
export interface TokenLife {
  readonly lifeMs: number;
  /** From here on a renewal runs in the background. */
  readonly softMs: number;
  /** From here on callers wait for a new token. */
  readonly hardMs: number;
}

const UNKNOWN_LIFE_SECONDS = 300;
const LONGEST_LIFE_SECONDS = 86_400;
const HARD_MARGIN_MS = 30_000;
const SHORTEST_RENEWED_MS = 30_000;

/**
 * The soft threshold is 80 % of the life, give or take 10 so that windows started together do not
 * renew together; the hard one is the life less 30 s or 10 %, whichever is less. A life of 30 s or
 * less is not renewed in the background: that would be a request every few seconds.
 * @param random 0 to 1
 */
export function tokenLife(answer: TokenResponse, random: number): TokenLife {
  const lifeMs = lifeSeconds(answer) * 1_000;
  const hardMs = lifeMs - Math.min(HARD_MARGIN_MS, lifeMs / 10);
  const softMs = lifeMs > SHORTEST_RENEWED_MS ? Math.round(lifeMs * (0.7 + random * 0.2)) : hardMs;
  return { lifeMs, softMs: Math.min(hardMs, softMs), hardMs };
}

/**
 * Seconds a new token lives: the shorter of `expires_in` and `expiration`, the latter measured
 * against the server's own clock, since clocks differ by minutes and more (comparing it with
 * the local clock breaks four official clients). Nonsense is left out; with nothing left it
 * is 300 s, and an early death is mended by the replay after a 401.
 */
function lifeSeconds(answer: TokenResponse): number {
  if (answer.isApiKey) return Number.POSITIVE_INFINITY;
  const lives = statedLives(answer);
  return lives.length > 0 ? Math.min(LONGEST_LIFE_SECONDS, ...lives) : UNKNOWN_LIFE_SECONDS;
}

/** True if a response states how long its token is valid. */
export function statesLife(answer: TokenResponse): boolean {
  return statedLives(answer).length > 0;
}

/** Returns the lifetime in seconds. Impossible values are ignored. */
function statedLives(answer: TokenResponse): number[] {
  const { expiresIn = Number.NaN, expiration = Number.NaN, serverNow = Number.NaN } = answer;
  const lives = [expiresIn, expiration - serverNow / 1_000];
  return lives.filter((life) => Number.isFinite(life) && life > 0);
}

/** A `Date` header counts whole seconds. */
const DATE_STEP_MS = 1_000;

/**
 * How far this machine's clock is ahead of the server's, negative if it is behind. 0 if the
 * server's time may lie between the start and the end of the request: what cannot be told apart
 * from a slow answer is no difference. Undefined where the server did not say its time.
 * @param start wall clock before the request, milliseconds since 1970
 * @param end wall clock after the answer
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

/** A bearer token. Compared by identity: the same text fetched twice is two tokens. */
export interface Token {
  readonly value: string;
}

export type TokenState =
  | { readonly kind: 'none' }
  /** Callers are waiting for a token. */
  | { readonly kind: 'fetching' }
  | {
      readonly kind: 'valid';
      /** Infinity for a secret that is its own token. */
      readonly expiresAt: number;
      readonly renewsAt: number;
      /**
       * How far this machine's clock is ahead of the identity service's, negative if it is behind;
       * 0 for less than the time of the request. Left out where the service did not say its time.
       */
      readonly clockAheadMs?: number;
      /** Why the renewal in the background failed; it is tried again. */
      readonly renewalError?: ServiceError;
    }
  | { readonly kind: 'expired' }
  /** Final until the key, the vendor or the identity URL change, or the user asks for a new try. */
  | { readonly kind: 'refused'; readonly error: ServiceError }
  | { readonly kind: 'failed'; readonly error: ServiceError };

/** The token that is in use, and when it was asked for. */
export interface CurrentToken extends Token, Moment {
  readonly life: TokenLife;
  readonly clockAheadMs: number | undefined;
}

const CLOCK_SET_BACK_MS = 5_000;

/** Milliseconds since a token was asked for: the larger of wall-clock and monotonic time. */
export function ageOf(token: CurrentToken, clock: Clock): number {
  const wall = clock.now() - token.wallStart;
  // A clock set back says nothing about the age: renew soon, but go on using the token.
  const wallAge = wall < -CLOCK_SET_BACK_MS ? token.life.softMs : wall;
  return Math.max(wallAge, clock.monotonic() - token.monotonicStart);
}

export function validState(token: CurrentToken): TokenState & { readonly kind: 'valid' } {
  const { wallStart, life, clockAheadMs } = token;
  const known = clockAheadMs === undefined ? {} : { clockAheadMs };
  const [expiresAt, renewsAt] = [wallStart + life.lifeMs, wallStart + life.softMs];
  return { kind: 'valid', expiresAt, renewsAt, ...known };
}
