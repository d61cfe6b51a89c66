import { apiOf } from './api/apis.ts';
import type { Model, ModelList } from './api/modelTypes.ts';
import { fetchToken } from './auth/identityService.ts';
import { secretsOfKeys } from './auth/keySecrets.ts';
import { accessOf, publicAccess } from './auth/requestAccess.ts';
import type { TokenService } from './auth/tokenService.ts';
import { TokenServices } from './auth/tokenServices.ts';
import { Client, type ClientOptions, type ClientSettings } from './client.ts';
import { type Clock, systemClock } from './clock.ts';
import { type Credentials, headersOf, type ServiceKey } from './credentials.ts';
import { ConcurrencyLimit, type ConcurrencyOptions } from './http/concurrencyLimit.ts';
import { Http, type HttpOptions } from './http/http.ts';
import type { Access, PublicAccess } from './http/httpTypes.ts';
import { holdsSecret } from './masking.ts';
import { type ModelQuery, Models } from './models/models.ts';
import { Secret } from './secret.ts';

export interface ServiceRuntimeOptions {
  readonly http?: HttpOptions;
  readonly clock?: Clock;
}

/** The keys from all sources, including those that aren't in use. */
type KnownKeys = Secret<readonly ServiceKey[]>;

const PROBE_DEADLINE_MS = 30_000;

/**
 * Holds everything that outlives a single call: the HTTP client, token services, model information,
 * and a concurrency limit for each service origin. Each call creates its own `Client`, because
 * creating one is cheap.
 */
export class ServiceRuntime {
  readonly #options: ServiceRuntimeOptions;
  /** Public so that a diagnosis can send requests without a key or token. */
  readonly http: Http;
  readonly #limiters = new Map<string, ConcurrencyLimit>();
  readonly #models: Models;
  readonly #tokenServices: TokenServices;

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

  /** Creates a client for these credentials, and applies the concurrency settings. */
  client(credentials: Credentials, settings: ClientSettings): Client {
    const limiter = this.limit(credentials.approved.service, settings.limits);
    limiter.configure(settings.limits);
    return this.#client(credentials, settings, { limiter });
  }

  /**
   * Creates a client for a diagnosis. The client uses the same token service as other calls, but
   * has its own concurrency limit and a shorter deadline.
   */
  clientForChecks(
    credentials: Credentials,
    settings: ClientSettings,
  ): { readonly tokenService: TokenService; readonly client: Client } {
    const client = this.#client(credentials, settings, checkLimits());
    return { tokenService: this.tokenService(credentials), client };
  }

  /**
   * Tests credentials before they're used. Gets a new token if the authentication method uses
   * tokens, and then checks access without generating text. The first generation reuses the token.
   * @throws {ServiceError}
   */
  async test(
    credentials: Credentials,
    settings: ClientSettings,
    signal: AbortSignal,
  ): Promise<void> {
    const check = (service: TokenService) =>
      this.#client(credentials, settings, checkLimits(), service).checkAccess(signal);
    await this.#tokenServices.test(credentials, check, signal);
  }

  /** Returns the token service for these credentials. Equal credentials share a token service. */
  tokenService(credentials: Credentials): TokenService {
    return this.#tokenServices.for(credentials);
  }

  /** True if this key was rejected. See `TokenServices.isRejected`. */
  isRejected(apiKey: string): boolean {
    return this.#tokenServices.isRejected(apiKey);
  }

  /** Allows the next requests to send this key again if it was rejected. */
  forgetRejection(apiKey: string): void {
    this.#tokenServices.forgetRejection(apiKey);
  }

  /**
   * Requests the models that a service offers. See `Models.list`.
   * @param from the service to request models from, and keys that requests must not contain
   * (`otherKeys`). If `credentials` is set, its `otherKeys` are used instead.
   * @param credentials required if the list isn't public
   */
  listModels(
    from: ModelQuery & { readonly otherKeys?: KnownKeys },
    current: string,
    signal: AbortSignal,
    credentials?: Credentials,
  ): Promise<ModelList> {
    const access = credentials ? this.#accessToLists(credentials) : accessWithoutKey(from);
    return this.#models.list(from, access, current, signal);
  }

  /**
   * Requests information about the model that the client settings specify. See `Models.fetchModel`.
   * @returns the model; undefined if the model is unknown, which is always the case for a
   * deployment
   */
  fetchModelInfo(
    credentials: Credentials,
    { modelId, operation }: ClientSettings,
    signal: AbortSignal,
  ): Promise<Model | undefined> {
    const { service, serviceUrl } = credentials;
    const from = { service, serviceUrl, operation };
    return this.#models.fetchModel(from, publicAccess(credentials), modelId, signal);
  }

  /** Returns the context length of a model, in tokens; undefined if it isn't known yet. */
  contextLength(from: ModelQuery & Pick<ClientSettings, 'modelId'>): number | undefined {
    return this.#models.knownModel(from, from.modelId)?.contextLength;
  }

  /**
   * True during a pause that the service requested. Until the pause ends, generations wait, and
   * model information isn't requested automatically. The user can still request a model list or a
   * diagnosis.
   */
  isPaused(origin: string): boolean {
    return this.#limiters.get(origin)?.state.resumesInMs !== undefined;
  }

  /**
   * True if the text contains one of these words or keys, or a key or token that was used in this
   * window. Also finds encoded forms and header values derived from the keys.
   * @param shortest minimum length, in characters, of a word, key, or token to search for; values
   * below 6 count as 6
   */
  leaksInto(text: string, words: readonly string[], shortest: number, keys?: KnownKeys): boolean {
    const known = [...words, ...secretsIn(keys), ...this.#tokenServices.secrets];
    const sought = known.filter(({ length }) => length >= shortest);
    return holdsSecret(text, sought);
  }

  /** The concurrency limits, keyed by service origin. */
  get limits(): ReadonlyMap<string, Pick<ConcurrencyLimit, 'state'>> {
    return this.#limiters;
  }

  /**
   * Discards all tokens, for example after the user signs out. The values of the discarded tokens
   * stay masked.
   */
  forgetTokens(): void {
    this.#tokenServices.forget();
  }

  dispose(): void {
    this.#tokenServices.dispose();
    this.#models.clear();
    this.http.dispose();
  }

  #client(
    credentials: Credentials,
    settings: ClientSettings,
    callLimits: Pick<ClientOptions, 'limiter' | 'deadlineMs'>,
    tokenService = this.tokenService(credentials),
  ): Client {
    const { http } = this;
    const { modelId, operation, isLowPriority = false } = settings;
    const { service, serviceUrl } = credentials;
    const from = { service, serviceUrl, operation };
    const access = publicAccess(credentials);
    const knownModel = (stored?: Model) => this.#models.knownModel(from, modelId, stored);
    const limiter = isLowPriority ? callLimits.limiter.lowPriority : callLimits.limiter;
    const fetchModelInfo = async (signal: AbortSignal) => {
      if (this.isPaused(access.origin)) return undefined;
      return this.#models.fetchModelTogether(from, access, modelId, signal, limiter);
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
    return new Client({ ...facts, http, tokenService, ...callLimits });
  }

  /**
   * Returns the fields of a request for a service's model lists. They include a token only if the
   * lists aren't public.
   */
  #accessToLists(credentials: Credentials): Access {
    return apiOf(credentials.service).models.needsToken
      ? accessOf(credentials, this.tokenService(credentials))
      : publicAccess(credentials);
  }

  /** Returns the concurrency limit for a service origin. Creates it if necessary. */
  limit(origin: string, options: ConcurrencyOptions): ConcurrencyLimit {
    const { clock = systemClock } = this.#options;
    const limiter = this.#limiters.get(origin) ?? new ConcurrencyLimit(options, clock);
    this.#limiters.set(origin, limiter);
    return limiter;
  }
}

function secretsIn(keys: KnownKeys | undefined): readonly string[] {
  return keys ? secretsOfKeys(Secret.open(keys)) : [];
}

/** Returns the fields of a request for a public model list, without credentials. */
function accessWithoutKey({
  service,
  serviceUrl,
  otherKeys,
}: ModelQuery & { readonly otherKeys?: KnownKeys }): PublicAccess {
  return {
    origin: new URL(serviceUrl).origin,
    secrets: secretsIn(otherKeys),
    fixedHeaders: headersOf({ service }),
  };
}

/**
 * Returns the limits for a diagnosis or test: a separate queue, one request at a time, and a short
 * deadline.
 */
function checkLimits(): Pick<ClientOptions, 'limiter' | 'deadlineMs'> {
  const limiter = new ConcurrencyLimit({ limit: 1, queue: 1, minIntervalMs: 0 });
  return { limiter, deadlineMs: PROBE_DEADLINE_MS };
}
