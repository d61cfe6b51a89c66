import type { Clock } from '../clock.ts';
import { LONGEST_RETRY_AFTER_MS } from './retry.ts';

/** The requests that a service accepts, as its responses state it. Undefined if they don't. */
export interface RateLimit {
  readonly perSecond: number | undefined;
  /** Requests left in this second. */
  readonly left: number | undefined;
}

export interface NextStart {
  /** Monotonic milliseconds until the next request starts. */
  readonly inMs: number;
  /** The interval that it keeps: that of the setting, or that of the rate of the service. */
  readonly spacedBy: 'setting' | 'service';
}

const SECOND_MS = 1_000;
/** A rate that no response has repeated for a minute may have been that of a busy moment. */
const RATE_LIFE_MS = 60_000;

/** The earliest start of the next request: after the last one, after a response, and after a pause. */
export class RequestPace {
  readonly #clock: Clock;
  /** Milliseconds between two starts that the user has set. */
  minIntervalMs: number;
  /** The interval of the rate that the service has stated, and the end of its validity. */
  #stated = { intervalMs: 0, until: Number.NEGATIVE_INFINITY };
  #lastStartAt = Number.NEGATIVE_INFINITY;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, minIntervalMs: number) {
    this.#clock = clock;
    this.minIntervalMs = minIntervalMs;
  }

  /** Notes that a request starts now. */
  start(): void {
    this.#lastStartAt = this.#clock.monotonic();
  }

  /**
   * Keeps the rate that a response states for a minute. If it leaves no request in this second, others
   * use the service too, and the next start also keeps its distance from the response.
   */
  applyRateLimit({ perSecond = 0, left }: RateLimit): void {
    if (perSecond === 0) return;
    const now = this.#clock.monotonic();
    const intervalMs = SECOND_MS / perSecond;
    this.#stated = { intervalMs, until: now + RATE_LIFE_MS };
    if (left === 0) this.#heldUntil = now + intervalMs;
  }

  /** Starts nothing for this time, which a retry wouldn't exceed either. */
  pause(ms: number): void {
    const until = this.#clock.monotonic() + Math.min(ms, LONGEST_RETRY_AFTER_MS);
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
  }

  /** Milliseconds until a pause of the service ends. Zero or less without one. */
  get pauseMs(): number {
    return this.#pausedUntil - this.#clock.monotonic();
  }

  /** Milliseconds until the next start. Zero or less if it can be now. */
  get waitMs(): number {
    const { bySetting, byService } = this.#spacedUntil();
    return Math.max(bySetting, byService, this.#pausedUntil) - this.#clock.monotonic();
  }

  /** The next start as far as it waits for an interval. */
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
