import axios, { type AxiosInstance, type AxiosRequestConfig, type AxiosResponse } from 'axios';
import axiosRetry from 'axios-retry';
import { systemClock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import {
  type ApprovedFetch,
  type ApprovedFetchOptions,
  createApprovedFetch,
} from './approvedFetch.ts';
import { Body } from './body.ts';
import type { RequestGate } from './concurrencyLimit.ts';
import { endEndlessTunnels, hardenedFetch } from './hardenedFetch.ts';
import type { ErrorResponse } from './httpRequest.ts';
import { type CallBudget, checkResponseHeaders, type HttpRequest } from './httpRequest.ts';
import { PendingRequest, type PendingRequestOptions } from './pendingRequest.ts';
import { MAX_RETRIES, retryWaitMs } from './retry.ts';

export type HttpOptions = Partial<ApprovedFetchOptions & PendingRequestOptions>;

/** The `fetchOptions` of each request. axios passes them to `fetch` and to the interceptors. */
interface FetchOptions {
  readonly send: ApprovedFetch;
  readonly target: PendingRequest;
}

const MAX_BODY_BYTES = 4_194_304;
const PROBE_MS = 15_000;
const MAX_PROBE_BYTES = 1_048_576;

/**
 * The HTTP client: axios on the approved `fetch`, with retries by axios-retry. `send` and `probe`
 * throw only a `ServiceError`. An AxiosError would expose the key and the token, even as JSON or
 * through `util.inspect`.
 */
export class Http {
  /** The `fetch` below axios, for a library that needs one. It doesn't retry or add a token. */
  readonly fetch: ApprovedFetch;
  readonly #options: ApprovedFetchOptions & PendingRequestOptions;
  readonly #axios: AxiosInstance;
  readonly #closing = new AbortController();
  /** The hosts and ports of all requests. */
  readonly #hosts = new Set<string>();
  readonly #unwatchProxyErrors: () => void;

  constructor(options: HttpOptions = {}) {
    this.#options = {
      fetch: hardenedFetch,
      headersMs: 60_000,
      silentMs: 5_000,
      idleMs: 30_000,
      clock: systemClock,
      random: Math.random,
      waitMs: retryWaitMs,
      secrets: () => [],
      provenSecrets: () => [],
      ...options,
    };
    this.#unwatchProxyErrors = endEndlessTunnels((host) => this.#hosts.has(host));
    const approvedFetch = createApprovedFetch(this.#options);
    this.fetch = (url, init) => {
      this.#hosts.add(new URL(url).host);
      return approvedFetch(url, init);
    };
    this.#axios = createAxios();
  }

  /**
   * Creates the budget of one call. The deadline is this many milliseconds after its first attempt.
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
   * Sends a request, retries it within its budget, and reads the response.
   * @throws {ServiceError} and nothing else
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
      const { url, method, body: data, accept, contentType } = request;
      const response = await this.#axios.request<ReadableStream<Uint8Array> | null>({
        url,
        method,
        data,
        headers: { Accept: accept, ...(contentType && { 'Content-Type': contentType }) },
        signal: AbortSignal.any([pending.signal, connectionAbort.signal]),
        fetchOptions: { send: this.fetch, target: pending },
      });
      const { maxBytes } = request;
      const closeConnection = () => connectionAbort.abort();
      body = new Body(response.data, maxBytes, this.#options.idleMs, closeConnection);
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
   * Sends one request without a credential to find out if a host responds. An error status counts
   * as a response.
   * @returns undefined if the response isn't the expected one
   * @throws {ServiceError} if there was no response, or the response isn't from the service
   */
  async probe<Found>(
    asked: Pick<HttpRequest<Found>, 'url' | 'origin' | 'secrets' | 'signal' | 'limiter' | 'read'>,
  ): Promise<Found | undefined> {
    const { limiter } = asked;
    try {
      return await this.send({
        ...asked,
        ...(limiter && { limiter: withoutLearning(limiter) }),
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
 * The callbacks of one call. An error from a callback must not be mistaken for a failure of the
 * request.
 */
export class Callbacks {
  #thrown: { readonly error: unknown } | undefined;

  /** Wraps a callback, and keeps the first error that any callback throws. */
  capturing<Value>(call: ((value: Value) => void) | undefined): typeof call {
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
   * Wraps an asynchronous callback in the same way. If it rejects, the request ends as if it were
   * canceled.
   */
  awaiting(call: (() => Promise<void>) | undefined): typeof call {
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

  /** @throws the first error of a callback, unchanged */
  rethrow(): void {
    if (this.#thrown) throw this.#thrown.error;
  }
}

/** Creates the axios instance. Its interceptors run for each attempt. */
function createAxios(): AxiosInstance {
  const instance = axios.create({
    adapter: 'fetch',
    // Without `Request`, axios passes the URL and `fetchOptions` to our `fetch`.
    env: { fetch: fetchOfOptions, Request: null as never },
    maxRedirects: 0,
    responseType: 'stream',
    // Request bodies are sent unchanged. The caller reads the response.
    transformRequest: [],
    transformResponse: [],
    headers: {
      // Responses are small, so compression isn't needed. Refusing it rules out decompression
      // bombs.
      'Accept-Encoding': 'identity',
      'User-Agent': 'hosted-model',
    },
  });
  instance.interceptors.request.use(async (config) => {
    const authorization = await pendingIn(config).takeTurn();
    refuseUserInfo(config.url);
    if (authorization !== undefined) config.headers.setAuthorization(authorization);
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
 * Calls `send` of `fetchOptions`. axios caches each `env.fetch` forever, so all instances share
 * this function.
 */
function fetchOfOptions(url: unknown, init: object = {}): Promise<Response> {
  const { send, ...others } = init as FetchOptions;
  return send(String(url), others);
}

/** Returns the request that an axios config belongs to. */
function pendingIn(config: AxiosRequestConfig | undefined): PendingRequest {
  const options = config?.fetchOptions as FetchOptions;
  return options.target;
}

/** Replaces the stream of an error response with its text. */
async function readErrorText(error: unknown): Promise<never> {
  if (axios.isAxiosError(error) && error.response) {
    error.response.data = await new Response(error.response.data).text();
  }
  throw error;
}

function headersIn({ headers }: AxiosResponse): (name: string) => string | undefined {
  return (name) => headers[name]?.toString();
}

/**
 * Refuses a URL with a user name or password. axios would move them to a header, and `fetch` would
 * never see them.
 * @throws {ServiceError} `host-not-approved`
 */
function refuseUserInfo(url = ''): void {
  const { username, password, host } = new URL(url);
  if (username || password) throw new ServiceError('host-not-approved', { host });
}

/**
 * Returns a limit that counts a probe but ignores its response. A rate or pause in the response
 * would delay the first text, because the generation follows the probe of a new connection.
 */
function withoutLearning(limiter: RequestGate): RequestGate {
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
 * True if a failure shows that the host responds. A page with a success status doesn't count. It
 * can be the login page of a network, and that page would receive the key next.
 */
function showsHostResponds({ kind, details: { status = 0 } }: ServiceError): boolean {
  const isPage = status >= 200 && status < 300;
  return (kind === 'unexpected-answer' && !isPage) || kind === 'too-large';
}
