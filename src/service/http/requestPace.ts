import type { Clock } from '../clock.ts';
import { LONGEST_RETRY_AFTER_MS } from './retry.ts';

/** The request rate that a service accepts, as stated in a response. Undefined if not stated. */
export interface RateLimit {
  readonly perSecond: number | undefined;
  /** Number of requests left in the current second. */
  readonly left: number | undefined;
}

export interface NextStart {
  /** Milliseconds until the next request starts. */
  readonly inMs: number;
  /** The source of the interval: the user's setting, or the rate stated by the service. */
  readonly spacedBy: 'setting' | 'service';
}

const SECOND_MS = 1_000;
/**
 * A rate is dropped after a minute without repetition. It may have applied only to a busy moment.
 */
const RATE_LIFE_MS = 60_000;

/** Computes the earliest start of the next request, from intervals, stated rates, and pauses. */
export class RequestPace {
  readonly #clock: Clock;
  /** Minimum milliseconds between two starts, from the user's setting. */
  minIntervalMs: number;
  /** The interval for the rate stated by the service, and the end of its validity. */
  #stated = { intervalMs: 0, until: Number.NEGATIVE_INFINITY };
  #lastStartAt = Number.NEGATIVE_INFINITY;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, minIntervalMs: number) {
    this.#clock = clock;
    this.minIntervalMs = minIntervalMs;
  }

  /** Records that a request starts now. */
  start(): void {
    this.#lastStartAt = this.#clock.monotonic();
  }

  /**
   * Applies the rate that a response states, for one minute. If no request is left in this second,
   * other clients are using the service too. The next start then also keeps the interval from this
   * response.
   */
  applyRateLimit({ perSecond = 0, left }: RateLimit): void {
    if (perSecond === 0) return;
    const now = this.#clock.monotonic();
    const intervalMs = SECOND_MS / perSecond;
    this.#stated = { intervalMs, until: now + RATE_LIFE_MS };
    if (left === 0) this.#heldUntil = now + intervalMs;
  }

  /** Delays all starts by this many milliseconds, up to `LONGEST_RETRY_AFTER_MS`. */
  pause(ms: number): void {
    const until = this.#clock.monotonic() + Math.min(ms, LONGEST_RETRY_AFTER_MS);
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
  }

  /** Milliseconds until a pause requested by the service ends. Zero or less if there is none. */
  get pauseMs(): number {
    return this.#pausedUntil - this.#clock.monotonic();
  }

  /** Milliseconds until the next start. Zero or less if a request can start now. */
  get waitMs(): number {
    const { bySetting, byService } = this.#spacedUntil();
    return Math.max(bySetting, byService, this.#pausedUntil) - this.#clock.monotonic();
  }

  /** The next start, based only on intervals and ignoring pauses. Undefined if no interval delays it. */
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
