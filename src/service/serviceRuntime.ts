import { apiOf } from './api/apis.ts';
import type { Model, ModelList } from './api/modelList.ts';
import { secretsOf, secretsOfKeys } from './auth/authMethods.ts';
import { accessOf, fetchToken } from './auth/identity.ts';
import type { TokenState } from './auth/token.ts';
import type { TokenService } from './auth/tokenService.ts';
import { TokenServices } from './auth/tokenServices.ts';
import { type CheckResult, diagnose } from './checks/diagnose.ts';
import { Client, type ClientOptions, type ClientSettings } from './client.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Credentials, ServiceKey } from './credentials.ts';
import type { ServiceError } from './errors.ts';
import {
  ConcurrencyLimit,
  type ConcurrencyOptions,
  type ConcurrencyState,
} from './http/concurrencyLimit.ts';
import { Http, type HttpOptions } from './http/http.ts';
import { type ModelSource, Models } from './models/models.ts';
import { holdsSecret } from './secrets.ts';
import type { Operation } from './services.ts';

export interface ServiceRuntimeOptions {
  readonly onTokenState?: (state: TokenState) => void;
  /**
   * Told after each change of what the requests to the origin in use do, with where to read it at
   * any time; undefined before the first one to it.
   */
  readonly onTraffic?: (live: Pick<ConcurrencyLimit, 'state'> | undefined) => void;
  readonly http?: HttpOptions;
  readonly clock?: Clock;
}

/** What the requests to one service do. */
export interface LimiterReport {
  /** Whether the credentials in use lead there. */
  readonly isInUse: boolean;
  readonly state: ConcurrencyState;
}

const PROBE_DEADLINE_MS = 30_000;

/**
 * What outlives a single call: the connections, one limiter for each service origin, and the
 * token of the key in use. Hands out clients, which are cheap and made for each call.
 */
export class ServiceRuntime {
  readonly #options: ServiceRuntimeOptions;
  /** Sends what needs no credential, such as the first checks of a diagnosis. */
  readonly http: Http;
  readonly #limiters = new Map<string, ConcurrencyLimit>();
  readonly #models: Models;
  /**
   * Where the credentials lead that are in use; others may still have requests under way, and keep
   * the pause that their service asked for.
   */
  #origin: string | undefined;
  readonly #tokenServices: TokenServices;
  /** The one whose states are reported, and which is kept fresh. */
  #shown: TokenService | undefined;
  #stopListening = () => {};

  constructor(options: ServiceRuntimeOptions = {}) {
    this.#options = options;
    this.http = new Http({
      ...this.#options.http,
      secrets: () => this.#tokenServices.secrets,
      provenSecrets: () => this.#tokenServices.provenSecrets,
    });
    this.#tokenServices = new TokenServices({
      fetchToken: (credentials, signal) => fetchToken(this.http, credentials, signal),
      ...this.#options,
    });
    const { clock = systemClock } = this.#options;
    this.#models = new Models(this.http, () => this.#tokenServices.secrets, clock);
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
  clientForChecks(
    credentials: Credentials,
    settings: ClientSettings,
  ): { readonly tokenService: TokenService; readonly client: Client } {
    const client = this.#client(credentials, settings, probing());
    return { tokenService: this.tokenService(credentials), client };
  }

  /**
   * Runs the checks of a diagnosis: see `diagnose`.
   * @throws {ServiceError} `cancelled` when the signal aborts
   */
  check(
    credentials: Credentials,
    settings: ClientSettings,
    onResult: (result: CheckResult) => void,
    signal: AbortSignal,
    mayUse?: () => Promise<boolean>,
  ): Promise<ServiceError | undefined> {
    const options = { runtime: this, credentials, settings, ...(mayUse && { mayUse }) };
    return diagnose(options, onResult, signal);
  }

  /**
   * Proves credentials that are not in use yet, by a token and a tokenization; generates nothing.
   * Once they are in use, the token serves them.
   * @throws {ServiceError}
   */
  async test(
    credentials: Credentials,
    settings: ClientSettings,
    signal: AbortSignal,
  ): Promise<void> {
    const check = (service: TokenService) =>
      this.#client(credentials, settings, probing(), service).checkAccess(signal);
    await this.#tokenServices.test(credentials, check, signal);
  }

  /**
   * The token service of these credentials, which is shown from now on. Those of others go on.
   */
  tokenService(credentials: Credentials): TokenService {
    const service = this.#tokenServices.for(credentials);
    this.#show(service);
    return service;
  }

  /** Shows token and requests of these credentials, which are those that may be used now. */
  setActive(credentials: Credentials | undefined): void {
    this.#use(credentials?.approved.service);
    this.#show(credentials && this.#tokenServices.peek(credentials));
  }

  #show(service: TokenService | undefined): void {
    if (service === this.#shown) return;
    const { onTokenState = () => {} } = this.#options;
    this.#stopListening();
    if (this.#shown) onTokenState({ kind: 'none' });
    this.#shown = service;
    if (service && service.state.kind !== 'none') onTokenState(service.state);
    this.#stopListening = service?.onDidChange(onTokenState) ?? (() => {});
  }

  /** True if the identity service refused this key when it was last asked. */
  isRefused(apiKey: string): boolean {
    return this.#tokenServices.isRefused(apiKey);
  }

  /** Renews the token in use if it is due; without one it does nothing. */
  keepTokenFresh(): void {
    this.#shown?.keepFresh();
  }

  /**
   * The models that a service offers at this moment: see `Models.list`.
   * @param from with the known keys, if there are no credentials
   * @param credentials for a list that is not public
   */
  listModels(
    from: Omit<ModelSource, 'secrets'> & Pick<Credentials, 'otherKeys'>,
    current: string,
    signal: AbortSignal,
    credentials?: Credentials,
  ): Promise<ModelList> {
    const needsToken = credentials && apiOf(from.service).models.needsToken;
    const access = needsToken ? accessOf(credentials, this.tokenService(credentials)) : undefined;
    const secrets = credentials ? secretsOf(credentials) : secretsOfKeys(from.otherKeys ?? []);
    const source = { ...from, secrets };
    return this.#models.list(source, current, signal, access);
  }

  /** What the service of these credentials says about the model of a call: see `Models.fetchModel`. */
  async fetchModelInfo(
    credentials: Credentials,
    { modelId, operation }: ClientSettings,
    signal: AbortSignal,
  ): Promise<Model | undefined> {
    const model = await this.#models.fetchModel(sourceOf(credentials, operation), modelId, signal);
    return hasOwnModel(credentials) ? undefined : model;
  }

  /**
   * True while a service has asked for a pause. It holds for all that nobody asks for: what a person
   * wants to see may go.
   */
  isPaused(origin: string): boolean {
    return this.#limiters.get(origin)?.state.resumesInMs !== undefined;
  }

  /** These keys and the values of their credential headers as they are sent. */
  secretsOfKeys(keys: readonly ServiceKey[]): readonly string[] {
    return secretsOfKeys(keys);
  }

  /**
   * True if the text holds one of these words, the key or a token in use, in any form.
   * @param shortest characters of the shortest key or token that counts
   */
  leaksInto(text: string, words: readonly string[], shortest: number): boolean {
    const secrets = this.#tokenServices.secrets.filter(({ length }) => length >= shortest);
    return holdsSecret(text, [...words, ...secrets]);
  }

  /** What each of the limiters is doing, one for each service that was used. */
  get limiterReports(): readonly LimiterReport[] {
    return [...this.#limiters].map(([origin, { state }]) => {
      return { isInUse: origin === this.#origin, state };
    });
  }

  /** Forgets the token, as after signing out. */
  forgetToken(): void {
    this.#use(undefined);
    this.#show(undefined);
    this.#tokenServices.forget();
  }

  dispose(): void {
    this.#use(undefined);
    this.#show(undefined);
    this.#tokenServices.dispose();
    this.#models.clear();
    this.http.dispose();
  }

  #client(
    credentials: Credentials,
    settings: ClientSettings,
    patience: Pick<ClientOptions, 'limiter' | 'deadlineMs'>,
    tokenService = this.tokenService(credentials),
  ): Client {
    const { http } = this;
    const { modelId, operation, isLowPriority = false } = settings;
    const source = sourceOf(credentials, operation);
    const isUnknown = hasOwnModel(credentials);
    const knownModel = () => (isUnknown ? undefined : this.#models.knownModel(source, modelId));
    const limiter = isLowPriority ? patience.limiter.lowPriority : patience.limiter;
    // None goes in a pause that the service has asked for.
    const fetchModelInfo = async (signal: AbortSignal) => {
      if (this.isPaused(source.origin)) return undefined;
      const model = await this.#models.fetchModelTogether(source, modelId, signal, limiter);
      return isUnknown ? undefined : model;
    };
    const secrets = () => this.#tokenServices.secrets;
    const facts = {
      credentials,
      modelId,
      operation,
      isLowPriority,
      knownModel,
      fetchModelInfo,
      secrets,
    };
    return new Client({ ...facts, http, tokenService, ...patience });
  }

  #use(origin: string | undefined): void {
    if (origin === this.#origin) return;
    this.#origin = origin;
    this.#options.onTraffic?.(this.#limiters.get(origin ?? ''));
  }

  #limiter(origin: string, options: ConcurrencyOptions): ConcurrencyLimit {
    const { clock = systemClock, onTraffic } = this.#options;
    const tell = () => {
      if (origin === this.#origin) onTraffic?.(limiter);
    };
    const limiter: ConcurrencyLimit =
      this.#limiters.get(origin) ?? new ConcurrencyLimit(options, clock, tell);
    limiter.configure(options);
    this.#limiters.set(origin, limiter);
    return limiter;
  }
}

/** A deployment does not say which model it has. */
function hasOwnModel({ resource }: Credentials): boolean {
  return resource === 'deployment';
}

function sourceOf(credentials: Credentials, operation: Operation) {
  const { service, serviceUrl, approved } = credentials;
  const secrets = secretsOf(credentials);
  return { service, serviceUrl, origin: approved.service, operation, secrets };
}

/** One request at a time, and none of another caller's queue or patience. */
function probing(): Pick<ClientOptions, 'limiter' | 'deadlineMs'> {
  const limiter = new ConcurrencyLimit({ limit: 1, queue: 1, minIntervalMs: 0 });
  return { limiter, deadlineMs: PROBE_DEADLINE_MS };
}
