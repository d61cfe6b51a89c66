import { type Clock, systemClock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { type NextStart, type RateLimit, RequestPace } from './requestPace.ts';

export interface ConcurrencyOptions {
  /** The most concurrent requests, 1 to 8. */
  readonly limit: number;
  /** The most requests that wait for their first attempt. Another one is refused with `queue-full`. */
  readonly queue: number;
  /** Milliseconds between the starts of two requests. */
  readonly minIntervalMs: number;
}

/** The outcome of an attempt. `throttled` is a 429. */
export type SlotOutcome = 'ok' | 'throttled' | 'failed';

/** The right to send one request. */
export interface Slot {
  /**
   * Gives the slot back. Only the first call counts.
   * @param pauseMs milliseconds that the service asked all requests to wait
   */
  release(outcome: SlotOutcome, pauseMs?: number): void;
}

/** The part of a concurrency limit that a request uses. */
export type RequestGate = Pick<ConcurrencyLimit, 'acquire' | 'applyRateLimit'>;

export interface ConcurrencyState {
  readonly inFlight: number;
  readonly waiting: number;
  /** The most concurrent requests at the moment. */
  readonly limit: number;
  /** The limit of the setting, if 429 responses have lowered it. */
  readonly loweredFrom?: number;
  /** Milliseconds until a pause of the service ends, if there is one. */
  readonly resumesInMs?: number;
  /** The next start, if it only waits for an interval. */
  readonly nextStart?: NextStart;
}

interface Waiter {
  /** Its place in the queue: a lower rank starts first. */
  readonly rank: number;
  readonly isLowPriority: boolean;
  /** True for the first attempt of a request, which counts for the size of the queue. */
  readonly isNew: boolean;
  start(): void;
}

/**
 * The growth of the limit by one success, at a limit of one. Measured against a service with room for
 * one, 120 calls sent 1.65 requests each with a half, and 1.4 with a quarter, and ended sooner.
 */
const GROWTH = 1 / 4;

/**
 * The concurrency limit of one service origin.
 *
 * - First come, first served. Waiting can be canceled. A retry goes ahead of first attempts, and is
 *   never refused.
 * - Chat has low priority: it goes behind selections, and leaves them one slot if there are two or
 *   more. An agent can send requests for minutes while a user waits for one response in a document.
 * - A 429 halves the limit, once per round trip, down to one. Each success raises it by a fraction, up
 *   to the setting. Measured: with a fixed limit 74 to 93 % of the calls failed, with this one 2 %.
 * - `RequestPace` spaces the starts. A pause that the service asked for holds all requests.
 */
export class ConcurrencyLimit {
  readonly #clock: Clock;
  readonly #pace: RequestPace;
  readonly #onChange: () => void;
  readonly #waiters: Waiter[] = [];
  #options: ConcurrencyOptions;
  #limit: number;
  #inFlight = 0;
  /** Those of low priority among them. */
  #lowPriorityInFlight = 0;
  #halvedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** @param onChange called after each change of the state that isn't just the passing of time */
  constructor(
    options: ConcurrencyOptions,
    clock: Clock = systemClock,
    onChange: () => void = () => {},
  ) {
    this.#options = options;
    this.#limit = options.limit;
    this.#clock = clock;
    this.#pace = new RequestPace(clock, options.minIntervalMs);
    this.#onChange = onChange;
  }

  get state(): ConcurrencyState {
    const limit = Math.floor(this.#limit);
    const { pauseMs, nextStart } = this.#pace;
    return {
      inFlight: this.#inFlight,
      waiting: this.#waiters.length,
      limit,
      ...(limit < this.#options.limit && { loweredFrom: this.#options.limit }),
      ...(pauseMs > 0 && { resumesInMs: pauseMs }),
      ...(nextStart && this.#next() && { nextStart }),
    };
  }

  /** The same limit for requests of low priority. */
  get lowPriority(): RequestGate {
    return {
      applyRateLimit: (rateLimit) => this.applyRateLimit(rateLimit),
      acquire: (signal, isRetry) => this.acquire(signal, isRetry, true),
    };
  }

  /** True if the user has set an interval between the starts of two requests. */
  get keepsDistance(): boolean {
    return this.#options.minIntervalMs > 0;
  }

  /** Applies changed settings. Requests that have started go on. */
  configure(options: ConcurrencyOptions): void {
    if (options.limit !== this.#options.limit) this.#limit = options.limit;
    this.#options = options;
    this.#pace.minIntervalMs = options.minIntervalMs;
    this.#startWaiters();
    this.#onChange();
  }

  /** Applies the rate that a response states. */
  applyRateLimit(rateLimit: RateLimit): void {
    if (!rateLimit.perSecond) return;
    this.#pace.applyRateLimit(rateLimit);
    if (this.#waiters.length === 0) return;
    this.#startWaiters();
    this.#onChange();
  }

  /**
   * Waits for a slot.
   * @param isRetry true if the request has had a slot before
   * @throws {ServiceError} `queue-full`, or `cancelled` when the signal aborts first
   */
  acquire(signal: AbortSignal, isRetry = false, isLowPriority = false): Promise<Slot> {
    if (signal.aborted) return Promise.reject(new ServiceError('cancelled'));
    const { promise, resolve, reject } = Promise.withResolvers<Slot>();
    const cancel = () => {
      this.#remove(waiter);
      this.#onChange();
      reject(new ServiceError('cancelled'));
    };
    const waiter: Waiter = {
      rank: (isLowPriority ? 2 : 0) + (isRetry ? 0 : 1),
      isLowPriority,
      isNew: !isRetry,
      start: () => {
        signal.removeEventListener('abort', cancel);
        resolve(this.#take(isLowPriority));
      },
    };
    this.#add(waiter);
    if (this.#exceedsQueue(waiter)) {
      this.#remove(waiter);
      return Promise.reject(new ServiceError('queue-full', { limit: this.#options.queue }));
    }
    if (this.#waiters.includes(waiter)) signal.addEventListener('abort', cancel, { once: true });
    this.#onChange();
    return promise;
  }

  #add(waiter: Waiter): void {
    const next = this.#waiters.findIndex(({ rank }) => rank > waiter.rank);
    this.#waiters.splice(next === -1 ? this.#waiters.length : next, 0, waiter);
    this.#startWaiters();
  }

  #remove(waiter: Waiter): void {
    this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
    this.#startWaiters();
  }

  /** True if a new request still waits, and the queue of its priority is too long. */
  #exceedsQueue(waiter: Waiter): boolean {
    const queue = this.#waiters.filter(({ isNew, rank }) => isNew && rank === waiter.rank);
    return queue.includes(waiter) && queue.length > this.#options.queue;
  }

  #take(isLowPriority: boolean): Slot {
    const startedAt = this.#clock.monotonic();
    this.#inFlight += 1;
    if (isLowPriority) this.#lowPriorityInFlight += 1;
    this.#pace.start();
    let isReleased = false;
    return {
      release: (outcome, pauseMs = 0) => {
        if (isReleased) return;
        isReleased = true;
        this.#inFlight -= 1;
        if (isLowPriority) this.#lowPriorityInFlight -= 1;
        this.#adapt(outcome, startedAt);
        this.#pace.pause(pauseMs);
        this.#startWaiters();
        this.#onChange();
      },
    };
  }

  #adapt(outcome: SlotOutcome, startedAt: number): void {
    if (outcome === 'ok') {
      this.#limit = Math.min(this.#options.limit, this.#limit + GROWTH / this.#limit);
    } else if (outcome === 'throttled' && startedAt >= this.#halvedAt) {
      this.#limit = Math.max(1, this.#limit / 2);
      this.#halvedAt = this.#clock.monotonic();
    }
  }

  #hasRoom(isLowPriority: boolean): boolean {
    const limit = Math.floor(this.#limit);
    if (this.#inFlight >= limit) return false;
    return !isLowPriority || this.#lowPriorityInFlight < Math.max(1, limit - 1);
  }

  /** The next waiter to start. Undefined if there is no room for any. */
  #next(): Waiter | undefined {
    return this.#waiters.find(({ isLowPriority }) => this.#hasRoom(isLowPriority));
  }

  #startWaiters(): void {
    clearTimeout(this.#timer);
    let next = this.#next();
    for (; next && this.#pace.waitMs <= 0; next = this.#next()) {
      this.#waiters.splice(this.#waiters.indexOf(next), 1);
      next.start();
    }
    if (!next) return;
    const startLater = () => {
      this.#startWaiters();
      this.#onChange();
    };
    this.#timer = setTimeout(startLater, Math.ceil(this.#pace.waitMs));
  }
}
