import { type Clock, type Moment, momentOf, passedSince } from '../clock.ts';
import { ServiceError } from '../errors.ts';

const FIRST_MS = 5_000;
const MAX_MS = 300_000;
/**
 * Maximum length of a requested pause, in milliseconds. A faulty proxy could request a pause of
 * several years.
 */
const MAX_REQUESTED_MS = 3_600_000;

/**
 * The backoff after failed token requests. It starts at 5 s and doubles with each consecutive
 * failure, up to 5 min, with a random variation of ±25%. If the service requests a longer pause,
 * that pause applies, up to one hour. Time that the machine spends asleep counts toward the
 * backoff.
 */
export class Backoff {
  readonly #clock: Clock;
  readonly #random: () => number;
  #failures = 0;
  #last: (Moment & { readonly ms: number; readonly error: unknown }) | undefined;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  get isPausing(): boolean {
    return this.#last !== undefined && this.#leftMs(this.#last.ms) > 0;
  }

  /**
   * The failure of the last token request. `retryAfterMs` is the time remaining in the requested
   * pause. Undefined if no pause was requested, or if the requested pause is over.
   */
  get requestedPause(): ServiceError | undefined {
    const { error } = this.#last ?? {};
    if (!(error instanceof ServiceError)) return undefined;
    const retryAfterMs = this.#leftMs(requestedMs(error));
    return retryAfterMs > 0 ? error.with({ retryAfterMs }) : undefined;
  }

  failed(error: unknown): void {
    const ownMs = Math.min(MAX_MS, FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    const ms = Math.max(ownMs * (0.75 + this.#random() * 0.5), requestedMs(error));
    this.#last = { ...momentOf(this.#clock), ms, error };
  }

  succeeded(): void {
    this.#failures = 0;
    this.#last = undefined;
  }

  #leftMs(ms: number): number {
    return this.#last ? ms - passedSince(this.#last, this.#clock) : 0;
  }
}

function requestedMs(error: unknown): number {
  const { retryAfterMs = 0 } = error instanceof ServiceError ? error.details : {};
  return Math.min(retryAfterMs, MAX_REQUESTED_MS);
}
