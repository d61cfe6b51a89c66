import type { Clock } from '../clock.ts';
import { isKind, ServiceError } from '../errors.ts';
import { addressHolds, holdsSecret, SHORTEST_SOUGHT, withoutSecrets } from '../secrets.ts';
import { Body } from './body.ts';
import {
  checkDestination,
  connectionFailure,
  type Failure,
  isRedirect,
  isUnsent,
  lasting,
  redirectHost,
} from './connectionErrors.ts';
import {
  checkResponseHeaders,
  type HttpRequest,
  type HttpResponse,
  readRateLimit,
  type StreamedResponse,
} from './httpRequest.ts';
import type { Slot, SlotOutcome } from './limiter.ts';
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
   * Secrets of all connections. No failure contains one, since a response can repeat text from an
   * earlier request.
   */
  readonly secrets: () => readonly string[];
  /** The secrets of accepted keys. No request may contain one, except the token request. */
  readonly provenSecrets: () => readonly string[];
}

const MAX_ERROR_BYTES = 65_536;
/** What follows the last event of an answer is read for so long; longer than that costs a connection. */
const REST_MS = 1_000;
/** Most answers end with their last event; who has the result waits so long for that, unseen. */
const UNSEEN_MS = 50;

/** Sends one attempt; settles with the head of its answer, whatever that says. */
type Send = (bearer: string | undefined, signal: AbortSignal) => Promise<StreamedResponse>;

/**
 * One request under way: what its attempts share. Gives each attempt its slot and its bearer, is
 * the last gate before the socket, keeps all of them within the budget of their call, and says what
 * a failed attempt means and whether it is worth another one. Knows nothing of the library that sends.
 */
export class RequestAttempts<Result> {
  readonly #request: HttpRequest<Result>;
  readonly #options: AttemptOptions;
  readonly #cancelled: AbortSignal;
  readonly #late = new AbortController();
  /** Aborts when the request is cancelled or its time is over. */
  readonly signal: AbortSignal;
  #deadline: NodeJS.Timeout | undefined;
  #slot: Slot | undefined;
  #bearer: string | undefined;
  #outcome: [outcome: SlotOutcome, pauseMs?: number | undefined] = ['ok'];
  /** What the last attempt failed with; undefined once one has succeeded. */
  #failure: Failure | undefined;
  #nextWaitMs = 0;
  /** The last attempt that was sent was refused, and has cost nothing. */
  #isBetweenAttempts = false;

  constructor(request: HttpRequest<Result>, cancelled: AbortSignal, options: AttemptOptions) {
    this.#request = request;
    this.#cancelled = cancelled;
    this.#options = options;
    this.signal = AbortSignal.any([cancelled, this.#late.signal]);
    if (request.budget.endsAt !== undefined) this.#keepDeadline();
  }

  /** Milliseconds until the retry that `plansRetry` has announced. */
  get nextWaitMs(): number {
    return this.#nextWaitMs;
  }

  /**
   * The result of the request. It is in flight until its answer has been read to its end.
   * @param sendAll calls `attempt` until one succeeds, or no other one is planned
   * @throws {ServiceError} and nothing else
   */
  async run(sendAll: () => Promise<HttpResponse>): Promise<Result> {
    let body: Body | undefined;
    try {
      const answer = await sendAll();
      body = answer.body;
      checkResponseHeaders(answer, this.#request);
      const result = await this.#request.read(answer);
      await this.#leave(body);
      return result;
    } catch (cause) {
      if (this.signal.aborted) body?.close();
      const { error } = this.#failure ?? this.#failed(this.#meaningOf(cause));
      await this.#leave(body);
      throw this.#reported(error);
    } finally {
      clearTimeout(this.#deadline);
    }
  }

  /**
   * Runs one attempt, up to the headers of its answer.
   * @throws {ServiceError}
   */
  async attempt(send: Send): Promise<HttpResponse> {
    const { limiter } = this.#request;
    let meaning: Failure;
    try {
      await this.#takeTurn();
      const answer = await this.#send(send);
      // What the head of any answer says of the limit holds for whoever comes next.
      limiter?.applyRateLimit(readRateLimit(answer.header));
      if (isSuccess(answer.status)) {
        this.#failure = undefined;
        this.#outcome = ['ok'];
        return answer;
      }
      meaning = await this.#meaningOfAnswer(answer);
    } catch (cause) {
      meaning = this.#meaningOf(cause);
    }
    this.#failure = this.#failed(meaning);
    this.#isBetweenAttempts ||= meaning.isTransient;
    this.#release();
    // Tells only that it failed: what that means is read from `#failure`.
    throw this.#failure.error;
  }

  /**
   * Whether the failed attempt is followed by another one, which is counted and announced then:
   * never past the deadline, so that waits are not in vain.
   */
  plansRetry(): boolean {
    if (!this.#failure?.isTransient || this.signal.aborted) return false;
    const { error } = this.#failure;
    const { waitMs, random, clock } = this.#options;
    const { budget, onRetry } = this.#request;
    const { retriesLeft, endsAt = Number.POSITIVE_INFINITY } = budget;
    const retry = MAX_RETRIES - retriesLeft + 1;
    this.#nextWaitMs = waitMs(retry, error.details.retryAfterMs ?? 0, random);
    if (clock.monotonic() + this.#nextWaitMs >= endsAt) return false;
    budget.retriesLeft -= 1;
    onRetry?.({ retry, waitMs: this.#nextWaitMs, error });
    return true;
  }

  async #send(send: Send): Promise<HttpResponse> {
    const { url, origin, budget, maxBytes } = this.#request;
    checkDestination(url, origin, process.env);
    this.#checkSecrets();
    budget.attempts += 1;
    this.#isBetweenAttempts = false;
    this.#keepDeadline();
    const { silentMs, headersMs, idleMs } = this.#options;
    const ending = new AbortController();
    const end = () => ending.abort();
    const timers = [
      setTimeout(() => this.#request.onSilence?.(), silentMs),
      setTimeout(end, headersMs),
    ];
    try {
      const answer = await send(this.#bearer, AbortSignal.any([this.signal, ending.signal]));
      const most = isSuccess(answer.status) ? maxBytes : MAX_ERROR_BYTES;
      return { ...answer, body: new Body(answer.stream, most, idleMs, end) };
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

  /**
   * Checks for secrets before anything is sent. A key that was pasted as an ID or into a URL must
   * not reach the model host.
   * @throws {ServiceError} `setting-holds-secret`
   */
  #checkSecrets(): void {
    const { url, body = '', sendsSecret } = this.#request;
    if (sendsSecret) return;
    const secrets = [...this.#ownSecrets, ...this.#options.provenSecrets()];
    if (addressHolds(url, secrets) || holdsSecret(body, secrets, SHORTEST_SOUGHT)) {
      throw new ServiceError('setting-holds-secret');
    }
  }

  get #ownSecrets(): readonly string[] {
    const { secrets = [] } = this.#request;
    return [...secrets, this.#bearer ?? ''];
  }

  /**
   * Leaves an answer that has been read as far as anybody wanted. The rest is read in the background,
   * and the request stays in flight until then.
   */
  async #leave(body: Body | undefined): Promise<void> {
    if (!body) return this.#release();
    const unseen = Promise.withResolvers<void>();
    const timer = setTimeout(unseen.resolve, UNSEEN_MS);
    await Promise.race([body.readRest(REST_MS).then(() => this.#release()), unseen.promise]);
    clearTimeout(timer);
  }

  /**
   * What to say of a failure now, with what only its sender knows: that of a request which was
   * cancelled, or out of time, is just that.
   */
  #reported(error: ServiceError): ServiceError {
    const { attempts } = this.#request.budget;
    const host = new URL(this.#request.url).host;
    if (this.#cancelled.aborted) {
      return new ServiceError('cancelled', { attempts: this.#isBetweenAttempts ? 0 : attempts });
    }
    if (this.#late.signal.aborted && error.details.phase !== 'connect') {
      return new ServiceError('timeout', { phase: 'total', host, attempts });
    }
    return new ServiceError(error.kind, { host, attempts, ...error.details });
  }

  /** Gives the slot back, as a success unless it has failed; only the first call counts. */
  #release(): void {
    this.#slot?.release(...this.#outcome);
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
    if (budget.attempts === 0) await this.#request.onTurn?.();
    if (this.signal.aborted) throw new ServiceError('cancelled');
    this.#bearer = await tokens?.get(this.signal);
  }

  /** Says to the limiter how the request ended, and repeats nothing of its secrets. */
  #failed({ error, isTransient }: Failure): Failure {
    const { status, retryAfterMs: pauseMs } = error.details;
    this.#outcome = [status === 429 ? 'throttled' : 'failed', pauseMs];
    const others = [...this.#options.secrets(), ...(this.#request.confidential ?? [])];
    const secrets = [...this.#ownSecrets, ...others];
    return { error: withoutSecrets(error, secrets), isTransient };
  }

  #meaningOf(cause: unknown): Failure {
    if (cause instanceof ServiceError) return { error: cause, isTransient: false };
    return connectionFailure(cause, this.#request.url);
  }

  async #meaningOfAnswer({ status, header, body }: HttpResponse): Promise<Failure> {
    const { url, failure } = this.#request;
    // To its end, before anything is sent again: what is not read to its end costs the connection.
    const text = await body.text().catch(() => '');
    if (isRedirect(status)) {
      return lasting('redirected', { status, redirectHost: redirectHost(header('location'), url) });
    }
    const wait = retryAfterMs(header('retry-after'), header('date'), this.#options.clock.now());
    const error = failure({ status, text }).with({ status, retryAfterMs: wait });
    // A used-up quota may come as 429, and stays used up.
    const passing = isKind(error, 'rate-limited', 'capacity-full', 'server-failed');
    const isTransient = isRetriedStatus(status) && passing && (wait ?? 0) <= LONGEST_RETRY_AFTER_MS;
    return { error, isTransient };
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
