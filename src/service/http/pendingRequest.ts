import type { Clock } from '../clock.ts';
import { isKind, ServiceError } from '../errors.ts';
import { addressHolds, withoutSecrets } from '../masking.ts';
import type { ApprovedTarget } from './approvedFetch.ts';
import type { Body } from './body.ts';
import type { Slot, SlotOutcome } from './concurrencyLimit.ts';
import type { Failure } from './connectionErrors.ts';
import { type HttpRequest, type Retry, readRateLimit } from './httpTypes.ts';
import { toFailure } from './requestFailure.ts';
import { MAX_RETRIES, type retryWaitMs } from './retryRules.ts';

export interface PendingRequestOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /**
   * Milliseconds from sending a request to calling `HttpRequest.onSilence`. `onSilence` isn't
   * called if an error status arrives or the response starts before then.
   */
  readonly silentMs: number;
  /** Returns how long to wait before a retry, in milliseconds. Tests replace this function. */
  readonly waitMs: typeof retryWaitMs;
  /**
   * Returns the secrets and the latest tokens of all credentials that were used or tested. Failure
   * details that contain any of these are removed, because a response can repeat text from an
   * earlier request.
   */
  readonly secrets: () => readonly string[];
}

/**
 * Maximum time to spend reading the rest of a response that is no longer needed, in milliseconds. A
 * network connection can be reused only after its response has been read to the end.
 */
const REST_MS = 1_000;
/**
 * Maximum time that the caller waits for the rest of a response, in milliseconds. Most responses
 * end right after their last event, so this is usually long enough.
 */
const CALLER_WAIT_MS = 50;

/**
 * Tracks one request from its first attempt to the end of its response. Holds the token, slot, and
 * outcome of the current attempt, and updates the call's budget. `Http` sends the request.
 */
export class PendingRequest implements ApprovedTarget {
  readonly #request: HttpRequest<unknown>;
  readonly #options: PendingRequestOptions;
  readonly #cancelled: AbortSignal;
  readonly #late = new AbortController();
  /** Aborts when the request is canceled or its deadline passes. */
  readonly signal: AbortSignal;
  #deadline: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  /** The time when the current attempt was sent, on the monotonic clock. */
  #sentAt = 0;
  #slot: Slot | undefined;
  #token: string | undefined;
  #outcome: [outcome: SlotOutcome, pauseMs?: number | undefined] = ['ok'];
  #retry: Retry | undefined;
  /**
   * True if the last attempt couldn't have been billed: either nothing was sent, or the service
   * rejected the request. Initially true, even for a resend with a new token, because the service
   * rejected the previous attempt.
   */
  #isRejected = true;
  /** The status of the current attempt's response; undefined until its headers arrive. */
  #status: number | undefined;

  constructor(
    request: HttpRequest<unknown>,
    cancelled: AbortSignal,
    options: PendingRequestOptions,
  ) {
    this.#request = request;
    this.#cancelled = cancelled;
    this.#options = options;
    this.signal = AbortSignal.any([cancelled, this.#late.signal]);
    if (request.budget.endsAt !== undefined) this.#startDeadline();
  }

  get origin(): string {
    return this.#request.origin;
  }

  get sendsSecret(): boolean | undefined {
    return this.#request.sendsSecret;
  }

  /** The connection's secrets and the current attempt's token. */
  get secrets(): readonly string[] {
    const { secrets = [] } = this.#request;
    return [...secrets, this.#token ?? ''];
  }

  /** Milliseconds since the current attempt was sent. */
  get elapsedMs(): number {
    return this.#options.clock.monotonic() - this.#sentAt;
  }

  onSend(): void {
    this.#request.budget.attempts += 1;
    this.#sentAt = this.#options.clock.monotonic();
    this.#silence = setTimeout(() => this.#request.onSilence?.(), this.#options.silentMs);
    this.#status = undefined;
    this.#isRejected = false;
    this.#startDeadline();
  }

  /** Called when a response starts (see `Body`). */
  onStart(): void {
    clearTimeout(this.#silence);
  }

  onResponse({ ok, status, headers }: Response): void {
    this.#status = status;
    this.#request.limiter?.applyRateLimit(readRateLimit((name) => headers.get(name) ?? undefined));
    this.#isRejected = !ok;
    if (!ok) clearTimeout(this.#silence);
  }

  /**
   * Gets a token and a slot for the attempt. Waits for the token first, because the minimum
   * interval starts when the slot is granted.
   * @returns the name and value of the token header; undefined if the request needs no token
   * @throws {ServiceError}
   */
  async prepareAttempt(): Promise<readonly [name: string, value: string] | undefined> {
    const { limiter, budget, scheme = 'Bearer', tokenHeader } = this.#request;
    const tokens = this.#request.tokenProvider?.();
    await tokens?.get(this.signal);
    this.#slot = await limiter?.acquire(this.signal, budget.attempts > 0);
    this.#outcome = ['ok'];
    if (tokens && !tokens.hasToken()) {
      // The token expired while the request waited for the slot. Release the slot while the next
      // token is fetched. Do this only once, because tokens that expire this quickly might expire
      // during every wait.
      this.#slot?.release('failed');
      await tokens.get(this.signal);
      this.#slot = await limiter?.acquire(this.signal, true);
    }
    if (budget.attempts === 0) await this.#request.beforeFirstAttempt?.();
    if (this.signal.aborted) throw new ServiceError('cancelled');
    this.#token = await tokens?.get(this.signal);
    if (this.#token === undefined) return undefined;
    return tokenHeader ? [tokenHeader, this.#token] : ['Authorization', `${scheme} ${this.#token}`];
  }

  /**
   * Converts an error to the failure of this request, and removes details that contain secrets.
   * Also stores the outcome that is reported when the attempt's slot is released.
   */
  fail(cause: unknown): Failure {
    clearTimeout(this.#silence);
    const { clock, secrets } = this.#options;
    const { error, isTransient } = toFailure(cause, this.#request, clock.now());
    const { status, retryAfterMs } = error.details;
    this.#outcome = [status === 429 ? 'throttled' : 'failed', retryAfterMs];
    const others = [...secrets(), ...(this.#request.confidential ?? [])];
    return { error: withoutSecrets(error, [...this.secrets, ...others]), isTransient };
  }

  /**
   * Returns true if a failed attempt will be retried, and stores the details of the retry. Always
   * releases the attempt's slot.
   */
  plansRetry(cause: unknown): boolean {
    const { error, isTransient } = this.fail(cause);
    this.#isRejected ||= isTransient;
    this.#release();
    const { budget } = this.#request;
    if (!isTransient || this.signal.aborted || budget.retriesLeft === 0) return false;
    const { waitMs, random, clock } = this.#options;
    const retry = MAX_RETRIES - budget.retriesLeft + 1;
    const wait = waitMs(retry, error.details.retryAfterMs ?? 0, random);
    this.#retry = { retry, waitMs: wait, error };
    // A retry after the deadline would be pointless.
    return clock.monotonic() + wait < (budget.endsAt ?? Number.POSITIVE_INFINITY);
  }

  /** Milliseconds to wait before the retry that `plansRetry` planned. */
  get retryWaitMs(): number {
    return this.#retry?.waitMs ?? 0;
  }

  /** Counts and reports the planned retry. */
  startRetry(): void {
    this.#request.budget.retriesLeft -= 1;
    if (this.#retry) this.#request.onRetry?.(this.#retry);
  }

  /**
   * Reads the rest of the response, and then releases the slot. Returns after at most
   * `CALLER_WAIT_MS`, even if reading continues in the background.
   */
  async finish(body: Body | undefined): Promise<void> {
    clearTimeout(this.#silence);
    try {
      if (!body) return this.#release();
      const unseen = Promise.withResolvers<void>();
      const timer = setTimeout(unseen.resolve, CALLER_WAIT_MS);
      await Promise.race([body.readRest(REST_MS).then(() => this.#release()), unseen.promise]);
      clearTimeout(timer);
    } finally {
      clearTimeout(this.#deadline);
    }
  }

  /**
   * Returns the error to report. Cancellation takes precedence over any failure. So does an expired
   * deadline, unless it's known that nothing was sent.
   */
  report({ error, isTransient }: Failure): ServiceError {
    const { attempts } = this.#request.budget;
    const host = this.#host;
    if (this.#cancelled.aborted) {
      const isRejected = this.#isRejected || isTransient;
      return new ServiceError('cancelled', { attempts: isRejected ? 0 : attempts });
    }
    if (this.#late.signal.aborted && error.details.phase !== 'connect') {
      return new ServiceError('timeout', { phase: 'total', host, attempts, status: this.#status });
    }
    // If a token request failed, the error already has the host and status of that request.
    const isBroken = isKind(error, 'connection-lost', 'timeout') && !error.details.host;
    const status = isBroken ? this.#status : undefined;
    return new ServiceError(error.kind, { host, attempts, status, ...error.details });
  }

  /**
   * The host to report; undefined if it contains a secret. This can happen if the user put a key in
   * an address in the settings or a `.env` file.
   */
  get #host(): string | undefined {
    const { host } = new URL(this.#request.url);
    return addressHolds(host, [...this.secrets, ...this.#options.secrets()]) ? undefined : host;
  }

  #release(): void {
    this.#slot?.release(...this.#outcome);
  }

  /**
   * Starts the timer for the call's deadline if it isn't running. The time in the queue before the
   * first attempt doesn't count, because it depends on other requests.
   */
  #startDeadline(): void {
    const { budget } = this.#request;
    const now = this.#options.clock.monotonic();
    budget.endsAt ??= now + budget.totalMs;
    this.#deadline ??= setTimeout(() => this.#late.abort(), budget.endsAt - now);
  }
}
