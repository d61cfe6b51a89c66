import { Client, type ClientOptions } from './client.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Credentials } from './credentials.ts';
import { Http, type HttpOptions } from './http.ts';
import { fetchToken, isSameKey } from './identity.ts';
import { Limiter, type LimiterOptions, type LimiterState } from './limiter.ts';
import { ModelCache, type Patience } from './modelCache.ts';
import { fateOf } from './modelLife.ts';
import type { Model, ModelList } from './modelList.ts';
import { listModels, type ModelSource } from './models.ts';
import { RecentSecrets } from './recentSecrets.ts';
import { redact } from './redact.ts';
import { holdsSecret } from './secretSearch.ts';
import { TokenService } from './token.ts';
import type { TokenState } from './tokenState.ts';
import type { Operation } from './vendors.ts';

// What `start.ts` does with the states of a token loads with them.
export { isOutOfReach } from './errors.ts';

export interface SessionOptions {
  readonly onTokenState?: (state: TokenState) => void;
  /**
   * Told after each change of what the requests to the origin in use do, with where to read it at
   * any time; undefined before the first one to it.
   */
  readonly onTraffic?: (live: Pick<Limiter, 'state'> | undefined) => void;
  readonly http?: HttpOptions;
  readonly clock?: Clock;
}

/** What one call is made with. */
export interface ClientSettings {
  readonly modelId: string;
  readonly operation: Operation;
  readonly limits: LimiterOptions;
}

/** What the requests to one service do. */
export interface Load {
  /** Whether the credentials in use lead there. */
  readonly isInUse: boolean;
  readonly state: LimiterState;
}

const PROBE_DEADLINE_MS = 30_000;
/** For the entry of a single model, while somebody looks at an empty list. */
const LOOK_MS = 5_000;

/**
 * What outlives a single call: the connections, one limiter for each service origin, and the
 * token of the key in use. Hands out clients, which are cheap and made for each call.
 */
export class Session {
  readonly #options: SessionOptions;
  /** Sends what needs no credential, such as the first checks of a diagnosis. */
  readonly http: Http;
  readonly #limiters = new Map<string, Limiter>();
  readonly #models: ModelCache;
  /**
   * Where the credentials lead that are in use; others may still have requests under way, and keep
   * the pause that their service asked for.
   */
  #origin: string | undefined;
  #tokens: { readonly service: TokenService; readonly credentials: Credentials } | undefined;
  /** What is masked; gone with the window. */
  readonly #secrets = new RecentSecrets();

  constructor(options: SessionOptions = {}) {
    this.#options = options;
    this.http = new Http({ ...options.http, secrets: () => this.#secrets.values });
    this.#models = new ModelCache(
      (from, signal) => this.#listModels(from, signal),
      options.clock ?? systemClock,
    );
  }

  /** A client for these credentials. */
  client(credentials: Credentials, settings: ClientSettings): Client {
    this.#use(credentials.approved.service);
    const limiter = this.#limiter(credentials.approved.service, settings.limits);
    return this.#client(credentials, settings, { limiter });
  }

  /**
   * What a diagnosis asks with: the token in use, but neither the queue of other requests nor
   * their patience.
   */
  probe(
    credentials: Credentials,
    settings: ClientSettings,
  ): { readonly tokens: TokenService; readonly client: Client } {
    const limiter = new Limiter({ limit: 1, queue: 1, minIntervalMs: 0 });
    const client = this.#client(credentials, settings, { limiter, deadlineMs: PROBE_DEADLINE_MS });
    return { tokens: this.tokens(credentials), client };
  }

  /**
   * The token service of these credentials. That of another key goes on for the calls that have
   * it, and is forgotten here.
   */
  tokens(credentials: Credentials): TokenService {
    if (this.#tokens && isSameKey(this.#tokens.credentials, credentials)) {
      return this.#tokens.service;
    }
    this.#tokens?.service.retire();
    const { apiKey } = credentials;
    this.#secrets.keep(apiKey);
    const service = new TokenService({
      fetchToken: async (signal) => {
        const answer = await fetchToken(this.http, credentials, signal);
        this.#secrets.keep(apiKey, answer.value);
        return answer;
      },
      ...(this.#options.onTokenState && { onState: this.#options.onTokenState }),
      ...(this.#options.clock && { clock: this.#options.clock }),
    });
    this.#tokens = { service, credentials };
    return service;
  }

  /**
   * Forgets the token unless it belongs to these credentials, which are all that may be used now.
   * Calls that are under way with it may end.
   */
  keepOnly(credentials: Credentials | undefined): void {
    this.#use(credentials?.approved.service);
    if (!this.#tokens) return;
    if (credentials && isSameKey(this.#tokens.credentials, credentials)) return;
    this.#tokens.service.retire();
    this.#tokens = undefined;
    this.#options.onTokenState?.({ kind: 'none' });
  }

  /** Renews the token in use if it is due; without one it does nothing. */
  keepTokenFresh(): void {
    this.#tokens?.service.keepFresh();
  }

  /**
   * The models that a service offers at this moment, as for a person who picks one; and the current
   * one at the end if the service has withdrawn it, so that it can be shown what becomes of it.
   * @throws {ServiceError} as the service failed; `cancelled` when the signal aborts
   */
  async listModels(from: ModelSource, current: string, signal: AbortSignal): Promise<ModelList> {
    const list = await this.#models.refresh(from, signal);
    if (list.models.some(({ id }) => id === current)) return list;
    const known = await this.#models.find(from, current, { signal, patienceMs: LOOK_MS });
    const isWithdrawn = known && fateOf(known)?.stage === 'withdrawn';
    return isWithdrawn ? { ...list, models: [...list.models, known] } : list;
  }

  /**
   * What a service says about one model, also one that it has withdrawn or does not offer for this
   * operation. Never stands in the way of what it is asked for, and asks nothing in a pause.
   * @returns undefined where the service does not know it, as for a custom deployment, or could not
   * be asked in time
   * @throws {ServiceError} `cancelled` when the signal aborts, and nothing else
   */
  async knownModel(
    from: ModelSource,
    modelId: string,
    patience: Patience,
  ): Promise<Model | undefined> {
    return this.isPaused(new URL(from.serviceUrl).origin)
      ? this.#models.peek(from, modelId)
      : this.#models.find(from, modelId, patience);
  }

  /**
   * True while a service has asked for a pause. It holds for all that nobody asks for: what a person
   * wants to see may go.
   */
  isPaused(origin: string): boolean {
    return this.#limiters.get(origin)?.state.resumesInMs !== undefined;
  }

  /** The text with the last keys and their tokens masked. */
  redact(text: string): string {
    return redact(text, this.#secrets.values);
  }

  /**
   * True if the text holds one of these words, one of the last keys or tokens, in any form.
   * @param shortest characters of the shortest key or token that counts
   */
  leaksInto(text: string, words: readonly string[], shortest: number): boolean {
    const secrets = this.#secrets.values.filter(({ length }) => length >= shortest);
    return holdsSecret(text, [...words, ...secrets]);
  }

  /** What each of the limiters is doing, one for each service that was used. */
  get loads(): readonly Load[] {
    return [...this.#limiters].map(([origin, { state }]) => {
      return { isInUse: origin === this.#origin, state };
    });
  }

  /** Forgets the token, as after signing out. */
  forgetToken(): void {
    this.#use(undefined);
    this.#tokens?.service.dispose();
    this.#tokens = undefined;
    this.#options.onTokenState?.({ kind: 'none' });
  }

  dispose(): void {
    this.forgetToken();
    this.#secrets.clear();
    this.#models.dispose();
    this.http.dispose();
  }

  /** Without models whose words repeat a secret: they would be shown. */
  async #listModels(from: ModelSource, signal: AbortSignal): Promise<ModelList> {
    const list = await listModels(this.http, from, signal);
    const secrets = this.#secrets.values;
    const isFree = (words: unknown) => !holdsSecret(JSON.stringify(words), secrets);
    // Nearly every list is: one search in place of a thousand.
    return isFree(list.models) ? list : { ...list, models: list.models.filter(isFree) };
  }

  #client(
    credentials: Credentials,
    { modelId, operation }: ClientSettings,
    patience: Pick<ClientOptions, 'limiter' | 'deadlineMs'>,
  ): Client {
    const { http } = this;
    const tokens = this.tokens(credentials);
    const { vendor, serviceUrl } = credentials;
    const knownModel = () => this.#models.peek({ vendor, serviceUrl, operation }, modelId);
    const secrets = () => this.#secrets.values;
    const call = { credentials, modelId, operation, knownModel, secrets };
    return new Client({ ...call, http, tokens, ...patience });
  }

  #use(origin: string | undefined): void {
    if (origin === this.#origin) return;
    this.#origin = origin;
    this.#options.onTraffic?.(this.#limiters.get(origin ?? ''));
  }

  #limiter(origin: string, options: LimiterOptions): Limiter {
    const { clock = systemClock, onTraffic } = this.#options;
    const tell = () => {
      if (origin === this.#origin) onTraffic?.(limiter);
    };
    const limiter: Limiter = this.#limiters.get(origin) ?? new Limiter(options, clock, tell);
    limiter.configure(options);
    this.#limiters.set(origin, limiter);
    return limiter;
  }
}
