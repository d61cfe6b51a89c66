import axios, {
  type AxiosAdapter,
  AxiosError,
  type AxiosInstance,
  type AxiosResponse,
} from 'axios';
import axiosRetry from 'axios-retry';
import { systemClock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import type { ErrorResponse } from '../failures.ts';
import { endEndlessTunnels, hardenedFetch } from './hardenedFetch.ts';
import type { CallBudget, HttpRequest, HttpResponse, StreamedResponse } from './httpRequest.ts';
import { type AttemptOptions, RequestAttempts } from './requestAttempts.ts';
import { MAX_RETRIES, retryWaitMs } from './retry.ts';

/**
 * The only file that knows axios. Sends one request, again where the retry rules allow it, within
 * its deadlines and size caps, and only to its origin. Whatever goes wrong leaves as a ServiceError:
 * an AxiosError holds the key and the bearer, in JSON and under inspection.
 */

export interface HttpOptions extends Partial<AttemptOptions> {
  /** Sends one attempt; the editor's own unless a test replaces the network. */
  readonly fetch?: typeof globalThis.fetch;
}

const MAX_BODY_BYTES = 4_194_304;
const PROBE_MS = 15_000;
const MAX_PROBE_BYTES = 1_048_576;

export class Http {
  readonly #options: AttemptOptions;
  readonly #fetch: AxiosAdapter;
  readonly #axios: AxiosInstance;
  readonly #closing = new AbortController();
  /** That were asked, with their ports. */
  readonly #hosts = new Set<string>();
  readonly #unwatchProxyErrors: () => void;

  constructor({ fetch = hardenedFetch, ...options }: HttpOptions = {}) {
    this.#options = {
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
    // No Request object: it would hide from the function what axios has put into it.
    this.#fetch = axios.getAdapter('fetch', { env: { fetch, Request: null as never } });
    this.#axios = axios.create({
      // Texts are sent as they are, and answers read here, with caps and deadlines.
      transformRequest: [],
      transformResponse: [],
      responseType: 'stream',
    });
    axiosRetry(this.#axios, { shouldResetTimeout: true });
    this.#unwatchProxyErrors = endEndlessTunnels((host) => this.#hosts.has(host));
  }

  /** A budget for one call that must be over within these milliseconds of its first attempt. */
  budget(totalMs: number): CallBudget {
    return { retriesLeft: MAX_RETRIES, attempts: 0, totalMs, endsAt: undefined };
  }

  /** Ends all that is under way; it fails as cancelled. */
  dispose(): void {
    this.#closing.abort();
    this.#unwatchProxyErrors();
  }

  /** @throws {ServiceError} and nothing else */
  async send<Result>(request: HttpRequest<Result>): Promise<Result> {
    const bodyBytes = Buffer.byteLength(request.body ?? '');
    if (bodyBytes > MAX_BODY_BYTES) {
      throw new ServiceError('too-large', { limit: MAX_BODY_BYTES, actual: bodyBytes });
    }
    const cancelled = AbortSignal.any([request.signal, this.#closing.signal]);
    const attempts = new RequestAttempts(request, cancelled, this.#options);
    return attempts.run(() => this.#request(request, attempts));
  }

  /**
   * Asks a host for something that needs no credential; that it says no is an answer. Sends once: what
   * is found is said at once, and a second look is up to the user.
   * @returns undefined where the answer is another one than was asked for
   * @throws {ServiceError} where no answer came, or another one than from the service itself
   */
  async probe<Found>(
    asked: Pick<HttpRequest<Found>, 'url' | 'origin' | 'secrets' | 'signal' | 'limiter' | 'read'>,
  ): Promise<Found | undefined> {
    try {
      return await this.send({
        ...asked,
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

  async #request<Result>(
    request: HttpRequest<Result>,
    attempts: RequestAttempts<Result>,
  ): Promise<HttpResponse> {
    const { url, accept, contentType, scheme = 'Bearer' } = request;
    const { data } = await this.#axios.request<HttpResponse>({
      method: request.method,
      url,
      data: request.body,
      headers: {
        Accept: accept,
        // Answers are small; unasked compression is refused, and with it bombs and silent truncation.
        'Accept-Encoding': 'identity',
        'User-Agent': 'hosted-model',
        ...(contentType && { 'Content-Type': contentType }),
      },
      signal: attempts.signal,
      adapter: async (config) => {
        const attempt = attempts.attempt(async (bearer, signal) => {
          this.#hosts.add(new URL(url).host);
          if (bearer !== undefined) config.headers.set('Authorization', `${scheme} ${bearer}`);
          // The address is that of the request, whatever a retry has made of the configuration. Axios
          // judges no status: it would let go of the signal, and the body could not be cancelled any more.
          const ours = { url, signal, validateStatus: null };
          return streamedResponse(await this.#fetch({ ...config, ...ours }));
        });
        const answer = await attempt.catch(() => {
          // What it means stands in the attempts; the library retries only what names its request.
          throw new AxiosError('no success', undefined, config);
        });
        return { data: answer, status: answer.status, statusText: '', headers: {}, config };
      },
      'axios-retry': {
        retries: request.budget.retriesLeft,
        retryCondition: () => attempts.plansRetry(),
        retryDelay: () => attempts.nextWaitMs,
      },
    });
    return data;
  }
}

function streamedResponse({
  status,
  headers,
  data,
}: AxiosResponse<StreamedResponse['stream']>): StreamedResponse {
  const header = (name: string) => {
    const value: unknown = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { status, header, stream: data };
}

function probeFailure({ status }: ErrorResponse): ServiceError {
  return new ServiceError(status === 407 ? 'proxy' : 'unexpected-answer', { status });
}

/**
 * A host that says no, or something that nobody asked for, is there. But not one that says yes with
 * a page: that is how a network answers which wants a login first, and it would get the key next.
 */
function isAnswer({ kind, details: { status = 0 } }: ServiceError): boolean {
  const isPage = status >= 200 && status < 300;
  return (kind === 'unexpected-answer' && !isPage) || kind === 'too-large';
}
