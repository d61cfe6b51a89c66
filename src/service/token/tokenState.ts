import type { Clock, Moment } from '../clock.ts';
import type { ServiceError } from '../errors.ts';
import type { TokenLife } from './tokenLife.ts';

/** What is known about a token at a moment. */

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
