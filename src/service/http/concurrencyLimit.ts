import { type Clock, systemClock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { type NextStart, type RateLimit, RequestPace } from './requestPace.ts';

export interface ConcurrencyOptions {
  /** Maximum number of concurrent requests, 1 to 8. */
  readonly limit: number;
  /**
   * Maximum number of requests that can wait for their first attempt, per priority. Any further
   * request fails with `queue-full`.
   */
  readonly queue: number;
  /** Minimum time between the starts of two requests, in milliseconds. */
  readonly minIntervalMs: number;
}

/** The outcome of an attempt. `throttled` means that the service responded with a 429. */
export type SlotOutcome = 'ok' | 'throttled' | 'failed';

/** Permission to make one attempt. */
export interface Slot {
  /**
   * Releases the slot. Only the first call has an effect.
   * @param pauseMs how long all requests must wait, in milliseconds, as requested by the service
   */
  release(outcome: SlotOutcome, pauseMs?: number): void;
}

/** The methods of `ConcurrencyLimit` that a request uses. */
export type RequestGate = Pick<ConcurrencyLimit, 'acquire' | 'applyRateLimit'>;

export interface ConcurrencyState {
  readonly inFlight: number;
  readonly waiting: number;
  /** The current maximum number of concurrent requests. */
  readonly limit: number;
  /**
   * The limit from the user's setting. Set only if 429 responses have lowered the current limit.
   */
  readonly loweredFrom?: number;
  /** Milliseconds until requests resume, if the service has requested a pause. */
  readonly resumesInMs?: number;
  /**
   * The time until the next request starts and the cause of the delay. Set only if a slot is free
   * but the minimum interval or a rate limit delays the request. Ignores any pause.
   */
  readonly nextStart?: NextStart;
}

interface Waiter {
  /** Determines the order in the queue. Requests with lower ranks start first. */
  readonly rank: number;
  readonly isLowPriority: boolean;
  /** True for a first attempt. Retries don't count toward the length of the queue. */
  readonly isNew: boolean;
  start(): void;
}

/**
 * How much a success raises the limit when the limit is 1. The higher the limit, the smaller the
 * increase. We measured 120 calls to a service that handles only one request at a time. With a
 * value of 1/2, a call needed 1.65 requests on average. With 1/4, calls needed 1.4 requests on
 * average, and the last call finished sooner.
 */
const GROWTH = 1 / 4;

/**
 * The concurrency limit for one service origin.
 *
 * - First attempts of the same priority start in the order in which they arrived. Retries start
 *   before first attempts of the same priority, and never fail with `queue-full`.
 * - Chat requests have low priority, so document requests start first. If the limit is at least 2,
 *   chat requests leave one slot free for document requests. Without this rule, an agent that sends
 *   requests for minutes at a time would delay a user who is waiting for a single response.
 * - A 429 halves the limit, unless the rejected request started before the last halving. The limit
 *   never falls below 1. Each success raises the limit by a fraction, up to the configured limit.
 *   When we measured calls to overloaded services, 74 to 93% of the calls failed with a fixed
 *   limit, but only 2% with this adaptive limit.
 * - `RequestPace` enforces the minimum interval between starts. If the service requests a pause,
 *   all requests wait until the pause ends.
 */
export class ConcurrencyLimit {
  readonly #clock: Clock;
  readonly #pace: RequestPace;
  readonly #listeners = new Set<(state: ConcurrencyState) => void>();
  readonly #waiters: Waiter[] = [];
  #options: ConcurrencyOptions;
  #limit: number;
  #inFlight = 0;
  /** Number of low-priority requests that have a slot. `#inFlight` includes them. */
  #lowPriorityInFlight = 0;
  #halvedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ConcurrencyOptions, clock: Clock = systemClock) {
    this.#options = options;
    this.#limit = options.limit;
    this.#clock = clock;
    this.#pace = new RequestPace(clock, options.minIntervalMs);
  }

  /**
   * Registers a listener for state changes. The listener isn't called when only `resumesInMs` or
   * the time in `nextStart` changes.
   * @returns a function that removes the listener
   */
  onDidChange(listener: (state: ConcurrencyState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
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

  /** A gate that applies this limit to low-priority requests. */
  get lowPriority(): RequestGate {
    return {
      applyRateLimit: (rateLimit) => this.applyRateLimit(rateLimit),
      acquire: (signal, isRetry) => this.acquire(signal, isRetry, true),
    };
  }

  /** True if the user has set a minimum interval between requests. */
  get hasMinInterval(): boolean {
    return this.#options.minIntervalMs > 0;
  }

  /** Applies changed settings. Running requests continue. */
  configure(options: ConcurrencyOptions): void {
    if (options.limit !== this.#options.limit) this.#limit = options.limit;
    this.#options = options;
    this.#pace.minIntervalMs = options.minIntervalMs;
    this.#startWaiters();
    this.#changed();
  }

  /** Applies the rate limit from response headers. */
  applyRateLimit(rateLimit: RateLimit): void {
    if (!rateLimit.perSecond) return;
    this.#pace.applyRateLimit(rateLimit);
    if (this.#waiters.length === 0) return;
    this.#startWaiters();
    this.#changed();
  }

  /**
   * Waits for a slot.
   * @param isRetry true if the request has already had a slot
   * @throws {ServiceError} `queue-full`; `cancelled` if the signal aborts first
   */
  acquire(signal: AbortSignal, isRetry = false, isLowPriority = false): Promise<Slot> {
    if (signal.aborted) return Promise.reject(new ServiceError('cancelled'));
    const { promise, resolve, reject } = Promise.withResolvers<Slot>();
    const cancel = () => {
      this.#remove(waiter);
      this.#changed();
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
    this.#changed();
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

  /** True if a first attempt has to wait, but the queue for its priority is already full. */
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
        this.#changed();
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

  /** The next request to start. Undefined if no waiting request can get a slot. */
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
      this.#changed();
    };
    this.#timer = setTimeout(startLater, Math.ceil(this.#pace.waitMs));
  }

  #changed(): void {
    for (const listener of this.#listeners) listener(this.state);
  }
}
