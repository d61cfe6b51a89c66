import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { addAbortSignal, type Readable } from 'node:stream';
import axios, {
  type AxiosAdapter,
  type AxiosInstance,
  type AxiosResponse,
  isAxiosError,
} from 'axios';
import axiosRetry from 'axios-retry';
import { boundedBytes, readText } from './body.ts';
import { type Clock, systemClock } from './clock.ts';
import { checkDestination, connectionFailure, redirectHost } from './connection.ts';
import { type ErrorDetails, isKind, ServiceError } from './errors.ts';
import type { Budget, Exchange, Retry } from './exchange.ts';
import { answerOf, headerReader, requestHeaders } from './headers.ts';
import type { Slot } from './limiter.ts';
import {
  isRetriedStatus,
  LONGEST_RETRY_AFTER_MS,
  MAX_RETRIES,
  retryAfterMs,
  retryWaitMs,
} from './retry.ts';

/**
 * The only file that knows axios. Sends one exchange, again where the retry rules allow it, within
 * its deadlines and size caps, and only to its origin. Whatever goes wrong leaves as a
 * ServiceError: an AxiosError holds the key and the bearer, in JSON and under inspection.
 */

export interface HttpOptions {
  /** Milliseconds to the headers of one attempt. */
  readonly headersMs?: number;
  /** Milliseconds between two pieces of a body. */
  readonly idleMs?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** What a retry waits, in milliseconds; the rule of `retry.ts` unless a test has no time. */
  readonly waitMs?: typeof retryWaitMs;
  /** Sends one attempt; axios's own http adapter unless a test replaces the network. */
  readonly adapter?: AxiosAdapter;
}

/** A failure with what decides whether it is worth another attempt. */
interface Failure {
  readonly error: ServiceError;
  readonly retryable: boolean;
}

const MAX_ERROR_BYTES = 65_536;
const MAX_BODY_BYTES = 4_194_304;

export class Http {
  readonly #options: Required<Omit<HttpOptions, 'adapter'>>;
  readonly #adapter: AxiosAdapter;
  readonly #httpAgent = new HttpAgent({ keepAlive: true });
  readonly #httpsAgent = new HttpsAgent({ keepAlive: true });
  readonly #axios: AxiosInstance;

  constructor(options: HttpOptions = {}) {
    this.#options = {
      headersMs: 60_000,
      idleMs: 30_000,
      clock: systemClock,
      random: Math.random,
      waitMs: retryWaitMs,
      ...options,
    };
    this.#adapter = options.adapter ?? axios.getAdapter('http');
    this.#axios = axios.create({
      // Answers are read here, with caps and deadlines; axios neither parses nor unpacks them.
      responseType: 'stream',
      decompress: false,
      maxBodyLength: MAX_BODY_BYTES,
      // A redirected POST would carry the key to the other host (measured for 307 and 308).
      maxRedirects: 0,
      // VS Code's own proxy layer applies below; a second one would hand the key to a proxy.
      proxy: false,
      httpAgent: this.#httpAgent,
      httpsAgent: this.#httpsAgent,
    });
    axiosRetry(this.#axios, { shouldResetTimeout: true });
  }

  /** A budget for one call that must be over within the given milliseconds. */
  budget(totalMs: number): Budget {
    return {
      retriesLeft: MAX_RETRIES,
      attempts: 0,
      endsAt: this.#options.clock.monotonic() + totalMs,
    };
  }

  /** Closes all connections, those in use included. */
  dispose(): void {
    this.#httpAgent.destroy();
    this.#httpsAgent.destroy();
  }

  /** @throws {ServiceError} and nothing else */
  async send<Result>(exchange: Exchange<Result>): Promise<Result> {
    const { budget, limiter, secrets = [] } = exchange;
    const { clock, waitMs, random } = this.#options;
    const bodyBytes = Buffer.byteLength(exchange.body ?? '');
    if (bodyBytes > MAX_BODY_BYTES) {
      throw new ServiceError('too-large', { limit: MAX_BODY_BYTES, actual: bodyBytes });
    }
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), budget.endsAt - clock.monotonic());
    const signal = AbortSignal.any([exchange.signal, deadline.signal]);
    let slot: Slot | undefined;
    let bearer: string | undefined;
    let isSent = false;
    let response: AxiosResponse<Readable> | undefined;
    let known: { readonly cause: unknown; readonly failure: Failure } | undefined;
    let nextWaitMs = 0;

    const failureOf = async (cause: unknown): Promise<Failure> => {
      if (known && known.cause === cause) return known.failure;
      const { error, retryable } = await this.#failureOf(cause, exchange, signal);
      const failure = { error: error.without([...secrets, bearer ?? '']), retryable };
      known = { cause, failure };
      const { status, retryAfterMs: pauseMs } = error.details;
      // A failed token request says nothing about how much the inference service can take.
      if (isSent) slot?.release(status === 429 ? 'throttled' : 'failed', pauseMs);
      return failure;
    };

    const attempt: AxiosAdapter = async (config) => {
      isSent = false;
      slot = await limiter?.acquire(signal);
      bearer = await exchange.bearer?.(signal);
      if (bearer !== undefined) config.headers.set('Authorization', `Bearer ${bearer}`);
      checkDestination(exchange.url, exchange.origin, process.env);
      budget.attempts += 1;
      isSent = true;
      return this.#withHeadersDeadline(signal, (limited) =>
        this.#adapter({ ...config, url: exchange.url, signal: limited }),
      );
    };

    try {
      response = await this.#axios.request<Readable>({
        method: exchange.method,
        url: exchange.url,
        data: exchange.body,
        headers: requestHeaders(exchange),
        signal,
        adapter: attempt,
        'axios-retry': {
          retries: budget.retriesLeft,
          retryCondition: async (cause) => {
            const { error, retryable } = await failureOf(cause);
            nextWaitMs = waitMs(
              MAX_RETRIES - budget.retriesLeft + 1,
              error.details.retryAfterMs ?? 0,
              random,
            );
            return retryable && clock.monotonic() + nextWaitMs < budget.endsAt;
          },
          retryDelay: () => nextWaitMs,
          onRetry: async (_retry, cause) => {
            budget.retriesLeft -= 1;
            const { error } = await failureOf(cause);
            const retry = MAX_RETRIES - budget.retriesLeft;
            exchange.onRetry?.({ retry, waitMs: nextWaitMs, error } satisfies Retry);
          },
        },
      });
      const result = await exchange.read(answerOf(response, exchange, this.#options.idleMs));
      slot?.release('ok');
      return result;
    } catch (cause) {
      const { error } = await failureOf(cause);
      if (exchange.signal.aborted) throw new ServiceError('cancelled');
      if (deadline.signal.aborted) throw new ServiceError('timeout', { phase: 'total' });
      const facts = { host: new URL(exchange.url).host, attempts: budget.attempts };
      throw new ServiceError(error.kind, { ...facts, ...error.details });
    } finally {
      clearTimeout(timer);
      response?.data.destroy();
      slot?.release('failed');
    }
  }

  async #withHeadersDeadline<Value>(
    signal: AbortSignal,
    send: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#options.headersMs);
    try {
      return await send(AbortSignal.any([signal, late.signal]));
    } catch (cause) {
      // Not sent again: the service may have run the request and only been slow to say so.
      if (late.signal.aborted) throw new ServiceError('timeout', { phase: 'headers' });
      throw cause;
    } finally {
      clearTimeout(timer);
    }
  }

  async #failureOf(
    cause: unknown,
    exchange: Exchange<unknown>,
    signal: AbortSignal,
  ): Promise<Failure> {
    if (cause instanceof ServiceError) return { error: cause, retryable: false };
    const response = isAxiosError<Readable>(cause) ? cause.response : undefined;
    if (!response) {
      const { error, nothingSent } = connectionFailure(cause);
      return { error, retryable: nothingSent };
    }
    return this.#failureOfAnswer(response, exchange, signal);
  }

  async #failureOfAnswer(
    response: AxiosResponse<Readable>,
    { url, failure }: Exchange<unknown>,
    signal: AbortSignal,
  ): Promise<Failure> {
    const { status } = response;
    const header = headerReader(response);
    // Read to its end or destroyed: an error body that is left alone keeps its socket (measured).
    // axios stops listening to the signal once it has rejected.
    const body = addAbortSignal(signal, response.data);
    const bytes = boundedBytes(body, MAX_ERROR_BYTES, this.#options.idleMs);
    const text = await readText(bytes).catch(() => '');
    if (status >= 300 && status < 400) {
      const host = redirectHost(header('location'), url);
      return {
        error: new ServiceError('redirected', { status, ...(host && { host }) }),
        retryable: false,
      };
    }
    const wait = retryAfterMs(header('retry-after'), header('date'), this.#options.clock.now());
    const details: ErrorDetails = wait === undefined ? { status } : { status, retryAfterMs: wait };
    const error = failure({ status, text }).with(details);
    return {
      error,
      // A used-up quota may come as 429, and stays used up.
      retryable:
        isRetriedStatus(status) &&
        isKind(error, 'rate-limited', 'capacity-full', 'server-failed') &&
        (wait ?? 0) <= LONGEST_RETRY_AFTER_MS,
    };
  }
}
