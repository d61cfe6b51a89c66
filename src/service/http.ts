import { globalAgent as globalHttpAgent, Agent as HttpAgent } from 'node:http';
import { globalAgent as globalHttpsAgent, Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import axios, {
  type AxiosAdapter,
  type AxiosInstance,
  type AxiosResponse,
  isAxiosError,
} from 'axios';
import axiosRetry from 'axios-retry';
import { systemClock } from './clock.ts';
import { isAnswerOfProxy } from './connection.ts';
import { Deadline } from './deadline.ts';
import { Delivery, type DeliveryOptions, type FailedResponse } from './delivery.ts';
import { ServiceError } from './errors.ts';
import type { Budget, Exchange } from './exchange.ts';
import { answerOf, requestHeaders } from './headers.ts';
import { nodeAdapter } from './nodeAdapter.ts';
import { MAX_RETRIES, retryWaitMs } from './retry.ts';
import { SleepWatch } from './sleep.ts';

/**
 * The only file that knows axios, besides its adapter. Sends one exchange, again where the retry
 * rules allow it, within its deadlines and size caps, and only to its origin. Whatever goes wrong
 * leaves as a ServiceError: an AxiosError holds the key and the bearer, in JSON and under inspection.
 */

export interface HttpOptions extends Partial<DeliveryOptions> {
  /** Milliseconds that a connection is kept for the next request. */
  readonly spareMs?: number;
  /** Sends one attempt; `nodeAdapter` unless a test replaces the network. */
  readonly adapter?: AxiosAdapter;
}

const MAX_BODY_BYTES = 4_194_304;
/**
 * As long as a user may take from one generation to the next of a burst. Less than the minute after
 * which gateways and routers begin to forget connections, some of them without a word.
 */
const SPARE_MS = 30_000;

/** Settings of axios that nothing here reads: it would copy them all for each request. */
const UNUSED_DEFAULTS = [
  'env',
  'transitional',
  'timeout',
  'xsrfCookieName',
  'xsrfHeaderName',
  'maxContentLength',
  'maxBodyLength',
] as const;

export class Http {
  readonly #options: DeliveryOptions;
  readonly #adapter: AxiosAdapter;
  readonly #httpAgent: HttpAgent;
  readonly #httpsAgent: HttpsAgent;
  readonly #sleep: SleepWatch;
  readonly #origins = new Set<string>();
  readonly #axios: AxiosInstance;

  constructor(options: HttpOptions = {}) {
    this.#options = {
      headersMs: 60_000,
      idleMs: 30_000,
      clock: systemClock,
      random: Math.random,
      waitMs: retryWaitMs,
      secrets: () => [],
      ...options,
    };
    // Node closes connections after this time only while they are free, or sooner where the service
    // says when it will close them.
    const kept = { keepAlive: true, timeout: options.spareMs ?? SPARE_MS };
    this.#httpAgent = new HttpAgent(kept);
    this.#httpsAgent = new HttpsAgent(kept);
    this.#sleep = new SleepWatch(this.#options.clock);
    this.#adapter = options.adapter ?? nodeAdapter;
    this.#axios = axios.create({
      // Texts are sent as they are, and answers read here, with caps and deadlines.
      transformRequest: [],
      transformResponse: [],
      httpAgent: this.#httpAgent,
      httpsAgent: this.#httpsAgent,
    });
    for (const unused of UNUSED_DEFAULTS) delete this.#axios.defaults[unused];
    axiosRetry(this.#axios, { shouldResetTimeout: true });
  }

  /** A budget for one call that must be over within these milliseconds of its first attempt. */
  budget(totalMs: number): Budget {
    return { retriesLeft: MAX_RETRIES, attempts: 0, totalMs, endsAt: undefined };
  }

  /** Closes all connections, those in use included. */
  dispose(): void {
    this.#httpAgent.destroy();
    this.#httpsAgent.destroy();
  }

  /** @throws {ServiceError} and nothing else */
  async send<Result>(exchange: Exchange<Result>): Promise<Result> {
    const { budget, body = '' } = exchange;
    const bodyBytes = Buffer.byteLength(body);
    if (bodyBytes > MAX_BODY_BYTES) {
      throw new ServiceError('too-large', { limit: MAX_BODY_BYTES, actual: bodyBytes });
    }
    const deadline = new Deadline(budget, this.#options.clock, exchange.signal);
    const delivery = new Delivery(exchange, deadline.signal, this.#options);
    let response: AxiosResponse<Readable> | undefined;
    try {
      response = await this.#request(exchange, delivery, deadline);
      if (isAnswerOfProxy(exchange.url, response.data)) {
        throw new ServiceError('proxy', { status: response.status });
      }
      delivery.heed(response);
      const result = await exchange.read(answerOf(response, exchange, this.#options.idleMs));
      delivery.release('ok');
      return result;
    } catch (cause) {
      const error = await delivery.errorOf(cause, responseOf(cause));
      if (exchange.signal.aborted) throw new ServiceError('cancelled');
      if (deadline.isOver && error.details.phase !== 'connect') {
        const { host = '', attempts = 0 } = error.details;
        throw new ServiceError('timeout', { phase: 'total', host, attempts });
      }
      throw error;
    } finally {
      deadline.end();
      response?.data.destroy();
      delivery.release('failed');
    }
  }

  /**
   * Closes the connections that are not in use. One that died unseen takes a request, answers
   * nothing, and what it took is not sent again, since it may have run. VS Code's proxy layer puts
   * Node's own agents in place of ours: of theirs only the connections to our hosts are closed.
   */
  #dropFree(): void {
    const freeOf = (...agents: HttpAgent[]) =>
      agents.flatMap((agent) => Object.entries(agent.freeSockets));
    const hostnames = [...this.#origins].map((origin) => new URL(origin).hostname);
    const theirs = freeOf(globalHttpAgent, globalHttpsAgent).filter(([name]) =>
      hostnames.some((hostname) => name.startsWith(`${hostname}:`)),
    );
    for (const [, sockets] of [...freeOf(this.#httpAgent, this.#httpsAgent), ...theirs]) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }

  async #request(
    exchange: Exchange<unknown>,
    delivery: Delivery,
    deadline: Deadline,
  ): Promise<AxiosResponse<Readable>> {
    const { data: response } = await this.#axios.request<AxiosResponse<Readable>>({
      method: exchange.method,
      url: exchange.url,
      data: exchange.body,
      headers: requestHeaders(exchange),
      signal: deadline.signal,
      adapter: (config) =>
        delivery.attempt(async (bearer, limited) => {
          deadline.begin();
          if (this.#sleep.hasSlept()) this.#dropFree();
          this.#origins.add(exchange.origin);
          if (bearer !== undefined) config.headers.set('Authorization', `Bearer ${bearer}`);
          // The address is that of the exchange, whatever a retry has made of the configuration.
          const response = await this.#adapter({ ...config, url: exchange.url, signal: limited });
          // axios would look through its headers twice more.
          return { ...response, headers: {}, data: response };
        }),
      'axios-retry': {
        retries: exchange.budget.retriesLeft,
        retryCondition: (cause) => delivery.isWorthRetrying(cause, responseOf(cause)),
        retryDelay: () => delivery.nextWaitMs,
        onRetry: () => delivery.countRetry(),
      },
    });
    return response;
  }
}

function responseOf(cause: unknown): FailedResponse | undefined {
  return isAxiosError<Readable>(cause) ? cause.response : undefined;
}
