import { type Clock, systemClock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { LONGEST_RETRY_AFTER_MS } from './retry.ts';

export interface LimiterOptions {
  /** The most requests in flight, 1 to 8; 1 = strictly one at a time. */
  readonly limit: number;
  /** How many may wait for their first start; one more is refused with `queue-full`. */
  readonly queue: number;
  /** Milliseconds between the starts of two requests. */
  readonly minIntervalMs: number;
}

/** How many requests the service takes; undefined where it did not say. */
export interface RateLimit {
  readonly perSecond: number | undefined;
  /** Of this second. */
  readonly left: number | undefined;
}

/** How an attempt ended, as far as the limiter cares. */
export type SlotOutcome = 'ok' | 'throttled' | 'failed';

/** The right to have one request in flight. `release` counts once, however often it is called. */
export interface Slot {
  release(outcome: SlotOutcome, pauseMs?: number): void;
}

/** What a request needs of a limiter. */
export type RequestGate = Pick<Limiter, 'acquire' | 'applyRateLimit'>;

/** What a limiter is doing at a moment. */
export interface LimiterState {
  readonly inFlight: number;
  readonly waiting: number;
  /** How many may be in flight now. */
  readonly limit: number;
  /** The user's own limit; left out unless 429 answers have lowered it. */
  readonly loweredFrom?: number;
  /** Milliseconds until a pause of the service ends; left out without one. */
  readonly resumesInMs?: number;
  /** The next start, where its distance from the last one is all that it waits for. */
  readonly nextStart?: NextStart;
}

export interface NextStart {
  /** Milliseconds until then, by the clock that only grows: the other one may be set meanwhile. */
  readonly inMs: number;
  /** Whose distance it keeps: that of the user's setting, or of the rate that the service named. */
  readonly spacedBy: 'setting' | 'service';
}

interface Waiter {
  readonly hadSlot: boolean;
  readonly isLowPriority: boolean;
  start(): void;
}

const SECOND_MS = 1_000;
/** A rate that no answer has named for so long may have been that of a busy moment. */
const RATE_LIFE_MS = 60_000;

/**
 * What a success adds at a limit of one. Measured against a service with room for one, 120 calls
 * made 1.65 requests each with a half, and 1.4 with a quarter, and were done sooner.
 */
const GROWTH = 1 / 4;

/**
 * Requests in flight to one service origin.
 *
 * - First come, first served; waiting can be cancelled and never costs a slot. A call that comes
 *   back was accepted before: it goes ahead of those that never started, and is never refused.
 * - Calls that yield go behind all others, and leave one slot free where there are two or more: a
 *   loop of minutes keeps nobody waiting who looks at a document.
 * - A 429 halves the limit, at most once per round trip, down to one; each success grows it by a
 *   fraction until the user's own limit is reached again (measured: with a fixed limit 74 to 93 %
 *   of the calls failed where with this one 2 % did).
 * - Starts keep the user's interval and the rate that the service has named last, whichever is
 *   slower: a service that says how much it takes need not say 429.
 * - A pause the service asked for holds everybody back, not only the request that was told, though
 *   never longer than a retry would wait for it.
 */
export class Limiter {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #waiters: Waiter[] = [];
  #options: LimiterOptions;
  #limit: number;
  #inFlight = 0;
  /** Those of them that have low priority. */
  #lowPriorityInFlight = 0;
  /** The rate the service named, as milliseconds between two starts, and when it is forgotten. */
  #named = { intervalMs: 0, until: Number.NEGATIVE_INFINITY };
  #lastStartAt = Number.NEGATIVE_INFINITY;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #halvedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** @param onChange called after each change of the state; time alone changes only what it counts down */
  constructor(
    options: LimiterOptions,
    clock: Clock = systemClock,
    onChange: () => void = () => {},
  ) {
    this.#options = options;
    this.#limit = options.limit;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get state(): LimiterState {
    const limit = Math.floor(this.#limit);
    const pauseMs = this.#pausedUntil - this.#clock.monotonic();
    const nextStart = this.#nextStart();
    return {
      inFlight: this.#inFlight,
      waiting: this.#waiters.length,
      limit,
      ...(limit < this.#options.limit && { loweredFrom: this.#options.limit }),
      ...(pauseMs > 0 && { resumesInMs: pauseMs }),
      ...(nextStart && { nextStart }),
    };
  }

  /**
   * The same for a request that nobody asked for: it counts as in flight, and nothing is learnt of
   * its answer, since the request that was asked for would have to wait for it.
   */
  passive(isLowPriority = false): RequestGate {
    return {
      applyRateLimit: () => {},
      acquire: async (signal) => {
        const slot = await this.acquire(signal, false, isLowPriority);
        return { release: () => slot.release('failed') };
      },
    };
  }

  /** The same for a request that goes behind others. */
  get lowPriority(): RequestGate {
    return {
      applyRateLimit: (rateLimit) => this.applyRateLimit(rateLimit),
      acquire: (signal, hadSlot) => this.acquire(signal, hadSlot, true),
    };
  }

  /** True where the user wants a distance between the starts of two requests. */
  get keepsDistance(): boolean {
    return this.#options.minIntervalMs > 0;
  }

  /** Takes over changed settings without touching what is in flight. */
  configure(options: LimiterOptions): void {
    if (options.limit !== this.#options.limit) this.#limit = options.limit;
    this.#options = options;
    this.#startWaiters();
  }

  /**
   * Takes over the rate that an answer named, for a minute. Where it leaves nothing for this moment,
   * others use the service, too: then the next start keeps its distance from the answer as well.
   */
  applyRateLimit({ perSecond = 0, left }: RateLimit): void {
    if (perSecond === 0) return;
    const now = this.#clock.monotonic();
    const intervalMs = SECOND_MS / perSecond;
    this.#named = { intervalMs, until: now + RATE_LIFE_MS };
    if (left === 0) this.#heldUntil = now + intervalMs;
    if (this.#waiters.length > 0) this.#startWaiters();
  }

  /**
   * Waits for a slot.
   * @param hadSlot the call has had a slot before
   * @param isLowPriority the call goes behind those that are not
   * @throws {ServiceError} `queue-full`, or `cancelled` when the signal aborts first
   */
  acquire(signal: AbortSignal, hadSlot = false, isLowPriority = false): Promise<Slot> {
    if (signal.aborted) return Promise.reject(new ServiceError('cancelled'));
    const isFirst = !this.#waiters.some(
      (waiter) => waiter.isLowPriority === isLowPriority || !waiter.isLowPriority,
    );
    const canStart = isFirst && this.#hasRoom(isLowPriority) && this.#waitMs() <= 0;
    const newcomers = this.#waiters.filter(
      (one) => one.isLowPriority === isLowPriority && !one.hadSlot,
    );
    if (!hadSlot && !canStart && newcomers.length >= this.#options.queue) {
      return Promise.reject(new ServiceError('queue-full', { limit: this.#options.queue }));
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        hadSlot,
        isLowPriority,
        start: () => {
          signal.removeEventListener('abort', cancel);
          resolve(this.#slot(isLowPriority));
        },
      };
      const cancel = () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        this.#startWaiters();
        reject(new ServiceError('cancelled'));
      };
      signal.addEventListener('abort', cancel, { once: true });
      const next = this.#waiters.findIndex((other) => rankOf(other) > rankOf(waiter));
      this.#waiters.splice(next === -1 ? this.#waiters.length : next, 0, waiter);
      this.#startWaiters();
    });
  }

  /** Whether one more may be in flight. */
  #hasRoom(isLowPriority: boolean): boolean {
    const limit = Math.floor(this.#limit);
    if (this.#inFlight >= limit) return false;
    return !isLowPriority || this.#lowPriorityInFlight < Math.max(1, limit - 1);
  }

  #slot(isLowPriority: boolean): Slot {
    const startedAt = this.#clock.monotonic();
    this.#inFlight += 1;
    if (isLowPriority) this.#lowPriorityInFlight += 1;
    this.#lastStartAt = startedAt;
    let released = false;
    return {
      release: (outcome, pauseMs = 0) => {
        if (released) return;
        released = true;
        this.#inFlight -= 1;
        if (isLowPriority) this.#lowPriorityInFlight -= 1;
        this.#learn(outcome, startedAt, pauseMs);
        this.#startWaiters();
      },
    };
  }

  #learn(outcome: SlotOutcome, startedAt: number, pauseMs: number): void {
    const now = this.#clock.monotonic();
    const pausedUntil = now + Math.min(pauseMs, LONGEST_RETRY_AFTER_MS);
    this.#pausedUntil = Math.max(this.#pausedUntil, pausedUntil);
    if (outcome === 'ok') {
      this.#limit = Math.min(this.#options.limit, this.#limit + GROWTH / this.#limit);
    } else if (outcome === 'throttled') {
      if (startedAt < this.#halvedAt) return;
      this.#limit = Math.max(1, this.#limit / 2);
      this.#halvedAt = now;
    }
  }

  /** Milliseconds until the next start; none where it is negative. */
  #waitMs(): number {
    return Math.max(...this.#spacedUntil(), this.#pausedUntil) - this.#clock.monotonic();
  }

  /** Until when the next start keeps the distance of the setting, and that of the service. */
  #spacedUntil(): readonly [ofSetting: number, ofService: number] {
    const { intervalMs, until } = this.#named;
    const namedMs = this.#clock.monotonic() < until ? intervalMs : 0;
    const ofService = Math.max(this.#lastStartAt + namedMs, this.#heldUntil);
    return [this.#lastStartAt + this.#options.minIntervalMs, ofService];
  }

  #nextStart(): NextStart | undefined {
    if (!this.#next()) return undefined;
    const [ofSetting, ofService] = this.#spacedUntil();
    const waitMs = Math.max(ofSetting, ofService) - this.#clock.monotonic();
    if (waitMs <= 0) return undefined;
    const spacedBy = ofService > ofSetting ? 'service' : 'setting';
    return { inMs: waitMs, spacedBy };
  }

  /** Who starts next; nobody as long as there is no room for any of them. */
  #next(): Waiter | undefined {
    return this.#waiters.find(({ isLowPriority }) => this.#hasRoom(isLowPriority));
  }

  #startWaiters(): void {
    clearTimeout(this.#timer);
    let next = this.#next();
    for (; next && this.#waitMs() <= 0; next = this.#next()) {
      this.#waiters.splice(this.#waiters.indexOf(next), 1);
      next.start();
    }
    if (next) this.#timer = setTimeout(() => this.#startWaiters(), Math.ceil(this.#waitMs()));
    this.#onChange();
  }
}

/** Lower goes first. */
function rankOf({ hadSlot, isLowPriority }: Waiter): number {
  return (isLowPriority ? 2 : 0) + (hadSlot ? 0 : 1);
}
