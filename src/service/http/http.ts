import axios, { type AxiosInstance, type AxiosRequestConfig, type AxiosResponse } from 'axios';
import axiosRetry from 'axios-retry';
import { type Clock, systemClock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import {
  type ApprovedFetch,
  type ApprovedFetchOptions,
  createApprovedFetch,
} from './approvedFetch.ts';
import { Body } from './body.ts';
import type { RequestGate } from './concurrencyLimit.ts';
import {
  type Access,
  type CallBudget,
  checkResponseHeaders,
  type ErrorResponse,
  type HttpRequest,
} from './httpTypes.ts';
import { PendingRequest, type PendingRequestOptions } from './pendingRequest.ts';
import { preventProxyReconnects, reconnectingFetch } from './reconnectingFetch.ts';
import { MAX_RETRIES, retryWaitMs } from './retryRules.ts';

export type HttpOptions = Partial<ApprovedFetchOptions & PendingRequestOptions>;

/**
 * The `fetchOptions` of each request. axios passes these options to `fetch` and to the
 * interceptors.
 */
interface FetchOptions {
  readonly send: ApprovedFetch;
  readonly target: PendingRequest;
}

const MAX_BODY_BYTES = 4_194_304;
const PROBE_MS = 15_000;
const MAX_PROBE_BYTES = 1_048_576;

/**
 * An HTTP client based on axios, axios-retry, and the approved `fetch`. Requests fail only with a
 * `ServiceError`, because an AxiosError exposes the key and the token, even through JSON or
 * `util.inspect`.
 */
export class Http {
  /** The `fetch` function that axios calls. It makes a single attempt, and doesn't add a token. */
  readonly #fetch: ApprovedFetch;
  readonly #options: ApprovedFetchOptions & PendingRequestOptions;
  readonly #axios: AxiosInstance;
  readonly #closing = new AbortController();
  /** Hosts and ports that requests have been sent to, for `preventProxyReconnects`. */
  readonly #hosts = new Set<string>();
  readonly #unwatchProxyErrors: () => void;

  constructor(options: HttpOptions = {}) {
    this.#options = {
      fetch: reconnectingFetch,
      startMs: 180_000,
      silentMs: 5_000,
      idleMs: 30_000,
      clock: systemClock,
      random: Math.random,
      waitMs: retryWaitMs,
      secrets: () => [],
      provenSecrets: () => [],
      ...options,
    };
    this.#unwatchProxyErrors = preventProxyReconnects((host) => this.#hosts.has(host));
    const approvedFetch = createApprovedFetch(this.#options);
    this.#fetch = (url, init) => {
      this.#hosts.add(new URL(url).host);
      return approvedFetch(url, init);
    };
    this.#axios = createAxios();
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  /**
   * Creates the budget for one call.
   * @param totalMs milliseconds from the first attempt to the deadline
   */
  budget(totalMs: number): CallBudget {
    return { retriesLeft: MAX_RETRIES, attempts: 0, totalMs, endsAt: undefined };
  }

  /** Cancels all requests. */
  dispose(): void {
    this.#closing.abort();
    this.#unwatchProxyErrors();
  }

  /**
   * Sends a request as `send` does. If the service rejects the access token, sends the request once
   * more with the next token, because a token can become invalid before it expires. Doesn't resend
   * the request if `mayResend` returns false, or if another token wouldn't help.
   * @throws {ServiceError}
   */
  async sendWithAccess<Result>(
    request: HttpRequest<Result> & Access,
    mayResend = () => true,
  ): Promise<Result> {
    try {
      return await this.send(request);
    } catch (error) {
      if (!request.dropRejectedToken || !mayResend()) throw error;
      request.dropRejectedToken(error);
      return await this.send(request);
    }
  }

  /**
   * Sends a request, retries it within its budget, and reads the response.
   * @throws {ServiceError} for every failure
   */
  async send<Result>(request: HttpRequest<Result>): Promise<Result> {
    const bodyBytes = Buffer.byteLength(request.body ?? '');
    if (bodyBytes > MAX_BODY_BYTES) {
      throw new ServiceError('too-large', { limit: MAX_BODY_BYTES, actual: bodyBytes });
    }
    const cancelled = AbortSignal.any([request.signal, this.#closing.signal]);
    const pending = new PendingRequest(request, cancelled, this.#options);
    const connectionAbort = new AbortController();
    let body: Body | undefined;
    try {
      const { url, method, body: data, accept, contentType, fixedHeaders = [] } = request;
      const response = await this.#axios.request<ReadableStream<Uint8Array> | null>({
        url,
        method,
        data,
        headers: {
          ...Object.fromEntries(fixedHeaders),
          Accept: accept,
          ...(contentType && { 'Content-Type': contentType }),
        },
        signal: AbortSignal.any([pending.signal, connectionAbort.signal]),
        fetchOptions: { send: this.#fetch, target: pending },
      });
      const { maxBytes } = request;
      const { startMs, idleMs } = this.#options;
      body = new Body(
        response.data,
        { maxBytes, startLeftMs: () => startMs - pending.elapsedMs, idleMs },
        () => connectionAbort.abort(),
        () => pending.onStart(),
      );
      const answer = { status: response.status, header: headersIn(response), body };
      checkResponseHeaders(answer, request);
      const result = await request.read(answer);
      await pending.finish(body);
      return result;
    } catch (error) {
      const failure = pending.fail(error);
      if (pending.signal.aborted) body?.close();
      await pending.finish(body);
      throw pending.report(failure);
    }
  }

  /**
   * Sends one request without a key or token, to find out whether a host responds. The request can
   * contain fixed headers. An error status counts as a response.
   * @returns the result of `read`; undefined if the host responds with an error or unusable content
   * @throws {ServiceError} if the host doesn't respond, or if the response may have come from a
   * proxy or a login page
   */
  async probe<Found>(
    request: Pick<
      HttpRequest<Found>,
      'url' | 'origin' | 'fixedHeaders' | 'secrets' | 'signal' | 'limiter' | 'read'
    >,
  ): Promise<Found | undefined> {
    const { limiter } = request;
    try {
      return await this.send({
        ...request,
        ...(limiter && { limiter: ignoringRateLimits(limiter) }),
        method: 'GET',
        accept: 'application/json',
        budget: { ...this.budget(PROBE_MS), retriesLeft: 0 },
        maxBytes: MAX_PROBE_BYTES,
        failure: probeFailure,
      });
    } catch (error) {
      if (!(error instanceof ServiceError) || !showsHostResponds(error)) throw error;
      return undefined;
    }
  }
}

/**
 * Wraps the callbacks of one call so that errors from callbacks aren't mistaken for failures of the
 * request.
 */
export class Callbacks {
  #thrown: { readonly error: unknown } | undefined;

  /** Wraps a callback to record its error. Only the first error from any callback is kept. */
  wrap<Value>(call: ((value: Value) => void) | undefined): typeof call {
    if (!call) return undefined;
    return (value) => {
      try {
        call(value);
      } catch (error) {
        this.#thrown ??= { error };
        throw error;
      }
    };
  }

  /**
   * Wraps an asynchronous callback to record any error that it throws. If the callback rejects, the
   * request ends as if it were canceled.
   */
  wrapAsync(call: (() => Promise<void>) | undefined): typeof call {
    if (!call) return undefined;
    return async () => {
      try {
        await call();
      } catch (error) {
        this.#thrown ??= { error };
        throw new ServiceError('cancelled');
      }
    };
  }

  /**
   * Throws the first error from a callback, unchanged. Does nothing if no callback threw an error.
   */
  rethrow(): void {
    if (this.#thrown) throw this.#thrown.error;
  }
}

/** Creates the axios instance. Its interceptors run for each attempt. */
function createAxios(): AxiosInstance {
  const instance = axios.create({
    adapter: 'fetch',
    // Without `Request`, axios passes the URL and `fetchOptions` to `fetchOfOptions`.
    env: { fetch: fetchOfOptions, Request: null as never },
    maxRedirects: 0,
    responseType: 'stream',
    // Send bodies unchanged, and let the caller read the responses.
    transformRequest: [],
    transformResponse: [],
    headers: {
      // Most responses are small, so they don't need compression. Without compression, there can be
      // no decompression bombs.
      'Accept-Encoding': 'identity',
      'User-Agent': 'hosted-model',
    },
  });
  instance.interceptors.request.use(async (config) => {
    const tokenHeader = await pendingIn(config).prepareAttempt();
    if (tokenHeader) config.headers.set(...tokenHeader);
    return config;
  });
  instance.interceptors.response.use(undefined, readErrorText);
  axiosRetry(instance, {
    retries: MAX_RETRIES,
    retryCondition: (error) => pendingIn(error.config).plansRetry(error),
    retryDelay: (_retryCount, error) => pendingIn(error.config).retryWaitMs,
    onRetry: (_retryCount, _error, config) => pendingIn(config).startRetry(),
  });
  return instance;
}

/**
 * Calls the `send` function in `fetchOptions`. axios caches each `env.fetch` forever, so all
 * instances share this function.
 */
function fetchOfOptions(url: unknown, init: object = {}): Promise<Response> {
  const { send, ...others } = init as FetchOptions;
  return send(String(url), others);
}

function pendingIn(config: AxiosRequestConfig | undefined): PendingRequest {
  const options = config?.fetchOptions as FetchOptions;
  return options.target;
}

/** Replaces the stream of an error response with its text, and rethrows the error. */
async function readErrorText(error: unknown): Promise<never> {
  // If a request is canceled while its error response is arriving, the response and its
  // `Retry-After` header are available only in the error's cause.
  const failed = axios.isCancel(error) && axios.isAxiosError(error.cause) ? error.cause : error;
  if (axios.isAxiosError(failed) && failed.response) {
    failed.response.data = await new Response(failed.response.data).text();
  }
  throw failed;
}

function headersIn({ headers }: AxiosResponse): (name: string) => string | undefined {
  return (name) => headers[name]?.toString();
}

/**
 * Wraps a limiter so that a probe waits for a slot, but the probe's response doesn't affect other
 * requests. Otherwise, a rate limit or pause in the response would delay the generation that often
 * follows the probe.
 */
function ignoringRateLimits(limiter: RequestGate): RequestGate {
  const acquire = async (signal: AbortSignal) => {
    const slot = await limiter.acquire(signal);
    return { release: () => slot.release('failed') };
  };
  return { acquire, applyRateLimit: () => {} };
}

function probeFailure({ status }: ErrorResponse): ServiceError {
  return new ServiceError(status === 407 ? 'proxy' : 'unexpected-answer', { status });
}

/**
 * True if a failure shows that the host responded. A response with a success status but an
 * unexpected content type doesn't count, because it may be a network's login page. If such a page
 * counted as a response, the key could be sent to the network's login server.
 */
function showsHostResponds({ kind, details: { status = 0 } }: ServiceError): boolean {
  const isPage = status >= 200 && status < 300;
  return (kind === 'unexpected-answer' && !isPage) || kind === 'too-large';
}
