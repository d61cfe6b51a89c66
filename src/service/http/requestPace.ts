import type { Clock } from '../clock.ts';

/**
 * The rate limit in a response's headers. A field is undefined if its header is missing or invalid.
 */
export interface RateLimit {
  readonly perSecond: number | undefined;
  /** Number of requests left in the current second. */
  readonly left: number | undefined;
}

export interface NextStart {
  /** Milliseconds until the next request can start. */
  readonly inMs: number;
  /**
   * The cause of the delay: the user's minimum interval (`setting`) or the service's rate limit
   * (`service`).
   */
  readonly spacedBy: 'setting' | 'service';
}

const SECOND_MS = 1_000;
/**
 * Milliseconds after which a rate limit expires, unless another response repeats it. An old limit
 * might no longer apply, for example if the service limits requests only during peak load.
 */
const RATE_LIFE_MS = 60_000;
/**
 * Maximum length of a pause, in milliseconds. Services usually request shorter pauses. The maximum
 * is less than a generation's time limit, so a retry can still be sent after the pause.
 */
export const MAX_PAUSE_MS = 180_000;

/**
 * Computes when the next request may start, based on the user's minimum interval, the service's
 * rate limit, and requested pauses.
 */
export class RequestPace {
  readonly #clock: Clock;
  /** The user's minimum interval between the starts of two requests, in milliseconds. */
  minIntervalMs: number;
  /** The interval that the rate limit requires, and the monotonic time when the limit expires. */
  #stated = { intervalMs: 0, until: Number.NEGATIVE_INFINITY };
  #lastStartAt = Number.NEGATIVE_INFINITY;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, minIntervalMs: number) {
    this.#clock = clock;
    this.minIntervalMs = minIntervalMs;
  }

  /** Records that a request is starting now. */
  start(): void {
    this.#lastStartAt = this.#clock.monotonic();
  }

  /**
   * Applies the rate limit from a response. The limit expires after a minute. If no requests are
   * left in the current second, other clients are probably using the service, too. In that case,
   * the next request waits for at least one interval.
   */
  applyRateLimit({ perSecond = 0, left }: RateLimit): void {
    if (perSecond === 0) return;
    const now = this.#clock.monotonic();
    const intervalMs = SECOND_MS / perSecond;
    this.#stated = { intervalMs, until: now + RATE_LIFE_MS };
    if (left === 0) this.#heldUntil = now + intervalMs;
  }

  /** Blocks new requests for this many milliseconds, up to `MAX_PAUSE_MS`. */
  pause(ms: number): void {
    const until = this.#clock.monotonic() + Math.min(ms, MAX_PAUSE_MS);
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
  }

  /** Milliseconds until the requested pause ends. Zero or less if there is no pause. */
  get pauseMs(): number {
    return this.#pausedUntil - this.#clock.monotonic();
  }

  /** Milliseconds until a request may start. Zero or less if a request may start now. */
  get waitMs(): number {
    const { bySetting, byService } = this.#spacedUntil();
    return Math.max(bySetting, byService, this.#pausedUntil) - this.#clock.monotonic();
  }

  /**
   * The time until the next request may start, and the cause of the delay. Ignores any pause.
   * Undefined if neither the minimum interval nor a rate limit delays the request.
   */
  get nextStart(): NextStart | undefined {
    const { bySetting, byService } = this.#spacedUntil();
    const inMs = Math.max(bySetting, byService) - this.#clock.monotonic();
    if (inMs <= 0) return undefined;
    return { inMs, spacedBy: byService > bySetting ? 'service' : 'setting' };
  }

  #spacedUntil() {
    const { intervalMs, until } = this.#stated;
    const statedMs = this.#clock.monotonic() < until ? intervalMs : 0;
    const byService = Math.max(this.#lastStartAt + statedMs, this.#heldUntil);
    return { bySetting: this.#lastStartAt + this.minIntervalMs, byService };
  }
}
