import type { Clock } from '../clock.ts';
import { type ErrorDetails, isKind, ServiceError } from '../errors.ts';
import { withoutSecrets } from '../secrets/redact.ts';
import { Body } from './body.ts';
import {
  checkDestination,
  connectionFailure,
  type Failure,
  isRedirect,
  isUnsent,
  redirectHost,
} from './connectionErrors.ts';
import {
  type HttpRequest,
  type ReadHeader,
  readRateLimit,
  type StreamedResponse,
} from './httpRequest.ts';
import type { Outcome, Slot } from './limiter.ts';
import {
  isRetriedStatus,
  LONGEST_RETRY_AFTER_MS,
  MAX_RETRIES,
  retryAfterMs,
  type retryWaitMs,
} from './retry.ts';

export interface AttemptOptions {
  /** Milliseconds to the headers of one attempt. */
  readonly headersMs: number;
  /** Milliseconds without the head of an answer after which whoever waits is told. */
  readonly silentMs: number;
  /** Milliseconds between two pieces of a body. */
  readonly idleMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  /** What a retry waits, in milliseconds; the rule of `retry.ts` unless a test has no time. */
  readonly waitMs: typeof retryWaitMs;
  /**
   * What no failure may repeat besides the secrets of its own request: a service can put what it
   * has got by one request into the answer to another.
   */
  readonly secrets: () => readonly string[];
}

const MAX_ERROR_BYTES = 65_536;

/**
 * One request under way: what its attempts share. Gives each attempt its slot and its bearer, is
 * the last gate before the socket, keeps all of them within the budget of their call, and says what
 * a failed attempt means and whether it is worth another one. Knows nothing of the library that sends.
 */
export class RequestAttempts {
  readonly #request: HttpRequest<unknown>;
  readonly #options: AttemptOptions;
  readonly #cancelled: AbortSignal;
  readonly #late = new AbortController();
  /** Aborts when the request is cancelled or its time is over. */
  readonly signal: AbortSignal;
  #deadline: NodeJS.Timeout | undefined;
  #slot: Slot | undefined;
  #bearer: string | undefined;
  /** An attempt has succeeded as far as the head of its answer goes. */
  #isAnswered = false;
  #outcome: [outcome: Outcome, pauseMs?: number | undefined] = ['ok'];
  /** Ends the connection of the last attempt. */
  #ending = new AbortController();
  #known: { readonly cause: unknown; readonly failure: Failure } | undefined;
  #nextWaitMs = 0;
  /** The last attempt was refused, and the next one has not begun. */
  #isRefused = false;

  constructor(request: HttpRequest<unknown>, cancelled: AbortSignal, options: AttemptOptions) {
    this.#request = request;
    this.#cancelled = cancelled;
    this.#options = options;
    this.signal = AbortSignal.any([cancelled, this.#late.signal]);
    if (request.budget.endsAt !== undefined) this.#keepDeadline();
  }

  /** Milliseconds until the retry that `isWorthRetrying` has allowed. */
  get nextWaitMs(): number {
    return this.#nextWaitMs;
  }

  /**
   * Runs one attempt, up to the headers of its answer.
   * @throws {ServiceError} before anything is sent; otherwise what sending throws
   */
  async attempt<Response>(
    send: (bearer: string | undefined, signal: AbortSignal) => Promise<Response>,
  ): Promise<Response> {
    const { url, origin, budget } = this.#request;
    await this.#takeTurn();
    checkDestination(url, origin, process.env);
    budget.attempts += 1;
    this.#isRefused = false;
    this.#keepDeadline();
    const ending = new AbortController();
    this.#ending = ending;
    const timers = [
      setTimeout(() => this.#request.onSilence?.(), this.#options.silentMs),
      setTimeout(() => ending.abort(), this.#options.headersMs),
    ];
    try {
      return await send(this.#bearer, AbortSignal.any([this.signal, ending.signal]));
    } catch (cause) {
      // Not sent again: the service may have run the request and only been slow to say so.
      if (ending.signal.aborted) {
        throw isUnsent(cause)
          ? new ServiceError('unreachable', { phase: 'connect' })
          : new ServiceError('timeout', { phase: 'headers' });
      }
      throw cause;
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
  }

  /** The body of a success. The request is in flight until that is read to its end. */
  answered({ stream, header }: StreamedResponse): Body {
    this.#isAnswered = true;
    this.#outcome = ['ok'];
    const body = this.#bodyOf(stream, this.#request.maxBytes);
    this.#applyRateLimit(header);
    return body;
  }

  /** The body of an answer to the last attempt. */
  #bodyOf(stream: StreamedResponse['stream'], maxBytes: number): Body {
    const ending = this.#ending;
    return new Body(stream, maxBytes, this.#options.idleMs, () => ending.abort());
  }

  /** Decides about a retry and what it waits: never past the deadline, so that waits are not in vain. */
  async isWorthRetrying(cause: unknown, response: StreamedResponse | undefined): Promise<boolean> {
    const { error, isTransient } = await this.#failureOf(cause, response);
    const { waitMs, random, clock } = this.#options;
    const { budget } = this.#request;
    const retry = MAX_RETRIES - budget.retriesLeft + 1;
    this.#nextWaitMs = waitMs(retry, error.details.retryAfterMs ?? 0, random);
    const { endsAt = Number.POSITIVE_INFINITY } = budget;
    return isTransient && clock.monotonic() + this.#nextWaitMs < endsAt;
  }

  /** Counts and announces the retry that `isWorthRetrying` has allowed. */
  countRetry(): void {
    const { budget, onRetry } = this.#request;
    budget.retriesLeft -= 1;
    this.#isRefused = true;
    const error = this.#known?.failure.error ?? new ServiceError('server-failed');
    onRetry?.({ retry: MAX_RETRIES - budget.retriesLeft, waitMs: this.#nextWaitMs, error });
  }

  /** What the request failed with, and the facts about it that only its sender knows. */
  async errorOf(cause: unknown, response: StreamedResponse | undefined): Promise<ServiceError> {
    const { url, budget } = this.#request;
    const { error } = await this.#failureOf(cause, response);
    const facts = { host: new URL(url).host, attempts: budget.attempts };
    return new ServiceError(error.kind, { ...facts, ...error.details });
  }

  /** What to say of a failure now: that of a request which was cancelled, or out of time, is just that. */
  reported(error: ServiceError): ServiceError {
    const { host = '', attempts = 0, phase } = error.details;
    if (this.#cancelled.aborted) {
      // What was refused, and waited for its retry, has cost nothing.
      return new ServiceError('cancelled', { attempts: this.#isRefused ? 0 : attempts });
    }
    if (!this.#late.signal.aborted || phase === 'connect') return error;
    return new ServiceError('timeout', { phase: 'total', host, attempts });
  }

  /** Gives the slot back, as a success unless it has failed; only the first call counts. */
  release(): void {
    this.#slot?.release(...this.#outcome);
  }

  /** The time of the call counts no more. */
  end(): void {
    clearTimeout(this.#deadline);
  }

  /**
   * The time of a call begins with its first attempt: how long it waits for its turn depends on
   * others, and its user can cancel it.
   */
  #keepDeadline(): void {
    const { budget } = this.#request;
    const now = this.#options.clock.monotonic();
    budget.endsAt ??= now + budget.totalMs;
    this.#deadline ??= setTimeout(() => this.#late.abort(), budget.endsAt - now);
  }

  /** What the head of any answer says of the limit holds for whoever comes next. */
  #applyRateLimit(header: ReadHeader): void {
    this.#request.limiter?.applyRateLimit(readRateLimit(header));
  }

  /**
   * Waits for bearer and slot. The slot comes last: it stands for a request that is sent now, and
   * pauses and intervals are kept between requests.
   */
  async #takeTurn(): Promise<void> {
    const { limiter, budget } = this.#request;
    const tokens = this.#request.tokenProvider?.();
    await tokens?.get(this.signal);
    this.#slot = await limiter?.acquire(this.signal, budget.attempts > 0);
    if (tokens && !tokens.hasToken()) {
      // It died in the queue. Once only: one that dies as fast again would never be used.
      this.#slot?.release('failed');
      await tokens.get(this.signal);
      this.#slot = await limiter?.acquire(this.signal, true);
    }
    this.#bearer = await tokens?.get(this.signal);
  }

  /** Looks at each failure once, since its body can be read only once, and frees its slot. */
  async #failureOf(cause: unknown, response: StreamedResponse | undefined): Promise<Failure> {
    if (this.#known && this.#known.cause === cause) return this.#known.failure;
    const { error, isTransient } = await this.#meaningOf(cause, response);
    const own = [...(this.#request.secrets ?? []), this.#bearer ?? ''];
    const secrets = [...own, ...this.#options.secrets()];
    const failure = { error: withoutSecrets(error, secrets), isTransient };
    this.#known = { cause, failure };
    const { status, retryAfterMs: pauseMs } = error.details;
    this.#outcome = [status === 429 ? 'throttled' : 'failed', pauseMs];
    // One whose answer came is in flight until that has been read to its end.
    if (!this.#isAnswered) this.release();
    return failure;
  }

  async #meaningOf(cause: unknown, response: StreamedResponse | undefined): Promise<Failure> {
    if (cause instanceof ServiceError) return { error: cause, isTransient: false };
    return response ? this.#meaningOfAnswer(response) : connectionFailure(cause, this.#request.url);
  }

  async #meaningOfAnswer({ status, header, stream }: StreamedResponse): Promise<Failure> {
    const { url, failure } = this.#request;
    this.#applyRateLimit(header);
    // To its end, before anything is sent again: what is not read to its end costs the connection.
    const text = await this.#bodyOf(stream, MAX_ERROR_BYTES)
      .text()
      .catch(() => '');
    if (isRedirect(status)) {
      const host = redirectHost(header('location'), url);
      const details = host === undefined ? { status } : { status, redirectHost: host };
      return { error: new ServiceError('redirected', details), isTransient: false };
    }
    const wait = retryAfterMs(header('retry-after'), header('date'), this.#options.clock.now());
    const details: ErrorDetails = wait === undefined ? { status } : { status, retryAfterMs: wait };
    const error = failure({ status, text }).with(details);
    // A used-up quota may come as 429, and stays used up.
    const passing = isKind(error, 'rate-limited', 'capacity-full', 'server-failed');
    const isTransient = isRetriedStatus(status) && passing && (wait ?? 0) <= LONGEST_RETRY_AFTER_MS;
    return { error, isTransient };
  }
}
