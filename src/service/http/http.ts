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

/** The `fetchOptions` of each request, which axios passes on to `fetch` and to the interceptors. */
interface FetchOptions {
  readonly send: ApprovedFetch;
  readonly target: PendingRequest;
}

const MAX_BODY_BYTES = 4_194_304;
const PROBE_MS = 15_000;
const MAX_PROBE_BYTES = 1_048_576;

/**
 * The HTTP client: axios on the approved `fetch`, with retries by axios-retry. Every failure leaves it
 * as a `ServiceError`: an AxiosError contains the key and the token, and so do its JSON and inspection.
 */
export class Http {
  /** The `fetch` below axios, for a library that needs one. It neither retries nor adds a token. */
  readonly fetch: ApprovedFetch;
  readonly #options: ApprovedFetchOptions & PendingRequestOptions;
  readonly #axios: AxiosInstance;
  readonly #closing = new AbortController();
  /** The hosts of all requests, with ports. */
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

  /** A budget for one call that must be over within these milliseconds of its first attempt. */
  budget(totalMs: number): CallBudget {
    return { retriesLeft: MAX_RETRIES, attempts: 0, totalMs, endsAt: undefined };
  }

  /** Cancels all requests. */
  dispose(): void {
    this.#closing.abort();
    this.#unwatchProxyErrors();
  }

  /**
   * Sends a request, with retries as far as its budget goes, and reads its response.
   * @throws {ServiceError} and nothing else
   */
  async send<Result>(request: HttpRequest<Result>): Promise<Result> {
    const bodyBytes = Buffer.byteLength(request.body ?? '');
    if (bodyBytes > MAX_BODY_BYTES) {
      throw new ServiceError('too-large', { limit: MAX_BODY_BYTES, actual: bodyBytes });
    }
    const cancelled = AbortSignal.any([request.signal, this.#closing.signal]);
    const pending = new PendingRequest(request, cancelled, this.#options);
    const hangingUp = new AbortController();
    let body: Body | undefined;
    try {
      const { url, method, body: data, accept, contentType } = request;
      const response = await this.#axios.request<ReadableStream<Uint8Array> | null>({
        url,
        method,
        data,
        headers: { Accept: accept, ...(contentType && { 'Content-Type': contentType }) },
        signal: AbortSignal.any([pending.signal, hangingUp.signal]),
        fetchOptions: { send: this.fetch, target: pending },
      });
      const { maxBytes } = request;
      const hangUp = () => hangingUp.abort();
      body = new Body(response.data, maxBytes, this.#options.idleMs, hangUp);
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
   * Sends a request without a credential, once, to find out if a host responds. An error status is a
   * response.
   * @returns undefined if the response isn't the expected one
   * @throws {ServiceError} if there was no response, or one that isn't from the service
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
      if (!(error instanceof ServiceError) || !isAnswer(error)) throw error;
      return undefined;
    }
  }
}

/** Creates the one axios instance. Its interceptors run for each attempt. */
function createAxios(): AxiosInstance {
  const instance = axios.create({
    adapter: 'fetch',
    // Without `Request`, axios passes the URL and `fetchOptions` to our fetch.
    env: { fetch: fetchOfOptions, Request: null as never },
    maxRedirects: 0,
    responseType: 'stream',
    // Bodies are text that is sent unchanged, and read by the caller.
    transformRequest: [],
    transformResponse: [],
    headers: {
      // Responses are small. Any compression is refused, and with it decompression bombs.
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

/** Calls `send` of `fetchOptions`. Axios never forgets an `env.fetch`, so all instances share this one. */
function fetchOfOptions(url: unknown, init: object = {}): Promise<Response> {
  const { send, ...others } = init as FetchOptions;
  return send(String(url), others);
}

/** Returns the request that a configuration of axios belongs to. */
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
 * Refuses a user name in a URL. Axios would send it as a header, and `fetch` would never see it.
 * @throws {ServiceError} `host-not-approved`
 */
function refuseUserInfo(url = ''): void {
  const { username, password, host } = new URL(url);
  if (username || password) throw new ServiceError('host-not-approved', { host });
}

/**
 * Returns a concurrency limit that counts a probe and learns nothing from its response: a rate or a
 * pause in it would delay the first text, which follows the probe of a new connection.
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
 * True if a failure shows that the host responds. A page with a success status doesn't: it can be the
 * login page of a network, which would receive the key next.
 */
function isAnswer({ kind, details: { status = 0 } }: ServiceError): boolean {
  const isPage = status >= 200 && status < 300;
  return (kind === 'unexpected-answer' && !isPage) || kind === 'too-large';
}
