import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import type { Conversation } from './api/conversation.ts';
import type { ModelList } from './api/modelTypes.ts';
import type { Parameters } from './api/parameters.ts';
import type { Generation } from './api/responseReader.ts';
import type { Operation, ResourceKind } from './apiCapabilities.ts';
import type { TokenService } from './auth/tokenService.ts';
import { type CheckResult, runConnectionChecks } from './checks/connectionChecks.ts';
import type { ChatOptions, Client, GenerateOptions } from './client.ts';
import type { ApprovedOrigins, Credentials, SourceId } from './credentials.ts';
import type { ServiceError } from './errors.ts';
import type { ConcurrencyLimit, ConcurrencyOptions } from './http/concurrencyLimit.ts';
import { hasOwnModel, type Service } from './service.ts';
import type { ServiceRuntime } from './serviceRuntime.ts';

/**
 * The settings that affect requests. If you add a setting that the client needs, also add it to
 * `ClientSettings`.
 */
export interface ModelSettings {
  readonly modelId: string;
  readonly operation: Operation;
  /** The model parameters, named as in the generation operation, even for chat. */
  readonly parameters: Parameters;
  readonly limits: ConcurrencyOptions;
}

export interface ConnectionOptions extends ModelSettings {
  readonly credentials: Credentials;
  readonly source: SourceId;
  /** A sentence that explains to the user why this source is used. */
  readonly reason: string;
}

export type PublicCredentials = Omit<Credentials, 'apiKey' | 'headerSecrets' | 'otherKeys'>;

/**
 * A service with the credentials, project, and addresses that the user approved, plus the model
 * settings. Immutable. Its JSON and `inspect` output contain no secrets.
 */
export class Connection implements PublicCredentials, ModelSettings {
  readonly service: Service;
  readonly account: string | undefined;
  readonly projectId: string;
  readonly resource: ResourceKind | undefined;
  readonly authUrl: string;
  readonly serviceUrl: string;
  readonly approved: ApprovedOrigins;
  /** The absolute path to the program that prints the token, if the service uses a command. */
  readonly program: string | undefined;
  /** The ID of the model that generates text. Empty for a deployment, which has its own model. */
  readonly modelId: string;
  readonly operation: Operation;
  readonly parameters: Parameters;
  readonly limits: ConcurrencyOptions;
  readonly source: SourceId;
  readonly reason: string;
  readonly #credentials: Credentials;
  readonly #runtime: ServiceRuntime;

  constructor(options: ConnectionOptions, runtime: ServiceRuntime) {
    const { credentials } = options;
    this.service = credentials.service;
    this.account = credentials.account;
    this.projectId = credentials.projectId;
    this.resource = credentials.resource;
    this.authUrl = credentials.authUrl;
    this.serviceUrl = credentials.serviceUrl;
    this.approved = credentials.approved;
    this.program = credentials.program;
    this.modelId = hasOwnModel(credentials) ? '' : options.modelId;
    this.operation = options.operation;
    this.parameters = options.parameters;
    this.limits = options.limits;
    this.source = options.source;
    this.reason = options.reason;
    this.#credentials = credentials;
    this.#runtime = runtime;
  }

  /** Returns the credentials with their secrets. For tests only. */
  static credentials(connection: Connection): Credentials {
    return connection.#credentials;
  }

  /** The token state that the status bar shows, and the methods that refresh the token. */
  get tokens(): Pick<TokenService, 'state' | 'onDidChange' | 'refresh' | 'keepFresh'> {
    return this.#runtime.tokenService(this.#credentials);
  }

  /** The state of all requests to the service, both running and waiting. */
  get requests(): Pick<ConcurrencyLimit, 'state' | 'onDidChange'> {
    return this.#runtime.limit(this.approved.service, this.limits);
  }

  /** See `ServiceRuntime.isPaused`. */
  get isPaused(): boolean {
    return this.#runtime.isPaused(this.approved.service);
  }

  /** See `ServiceRuntime.contextLength`. */
  get contextLength(): number | undefined {
    return this.#runtime.contextLength(this);
  }

  /** Returns a copy with a different model or different parameters. */
  with(changes: Partial<Pick<ModelSettings, 'modelId' | 'parameters'>>): Connection {
    const { modelId, operation, parameters, limits, source, reason } = this;
    const own = { modelId, operation, parameters, limits, source, reason };
    return new Connection({ ...own, ...changes, credentials: this.#credentials }, this.#runtime);
  }

  /**
   * Generates text from a prompt.
   * @throws {ServiceError} as `Client.generateText` does
   */
  generateText(prompt: string, options: GenerateOptions = {}): Promise<Generation> {
    return this.#client.generateText(prompt, this.parameters, options);
  }

  /**
   * Generates the next message in a conversation. Chat requests have lower priority than
   * generations in documents.
   * @throws {ServiceError} as `Client.chat` does
   */
  chat(conversation: Conversation, options: ChatOptions): Promise<Generation> {
    const settings = { ...this.#settings, isLowPriority: true };
    const client = this.#runtime.client(this.#credentials, settings);
    return client.chat(conversation, this.parameters, options);
  }

  /**
   * Requests the list of models that the service offers.
   * @throws {ServiceError}
   */
  models(signal: AbortSignal): Promise<ModelList> {
    const { service, serviceUrl, operation } = this;
    const from = { service, serviceUrl, operation };
    return this.#runtime.listModels(from, this.modelId, signal, this.#credentials);
  }

  /**
   * Runs the network checks of a diagnosis, without generating text.
   * @param onResult see `runConnectionChecks`
   * @param mayUse called before each check that uses the key or a token; returns true if this
   * connection is still in use
   * @returns the first failure; undefined if all checks passed
   * @throws {ServiceError} `cancelled` if the signal aborts
   */
  check(
    onResult: (result: CheckResult) => void,
    signal: AbortSignal,
    mayUse?: () => Promise<boolean>,
  ): Promise<ServiceError | undefined> {
    const options = {
      runtime: this.#runtime,
      credentials: this.#credentials,
      settings: this.#settings,
      ...(mayUse && { mayUse }),
    };
    return runConnectionChecks(options, onResult, signal);
  }

  /**
   * Verifies the credentials. Gets a new token if the authentication method uses tokens, and then
   * checks access without generating text.
   * @throws {ServiceError}
   */
  test(signal: AbortSignal): Promise<void> {
    return this.#runtime.test(this.#credentials, this.#settings, signal);
  }

  /**
   * Gets a new token if the authentication method uses tokens.
   * @returns an object whose `hasToken` is false if the authentication method doesn't use tokens
   * @throws {ServiceError}
   */
  async refreshToken(signal: AbortSignal): Promise<{ readonly hasToken: boolean }> {
    await this.tokens.refresh(signal);
    const { state } = this.tokens;
    return { hasToken: state.kind !== 'valid' || Number.isFinite(state.expiresAt) };
  }

  /**
   * Methods that find and mask secrets in a prompt. See `Client.secretKindsIn` and `Client.mask`.
   */
  get promptGuard(): Pick<Client, 'secretKindsIn' | 'mask'> {
    return this.#client;
  }

  /**
   * True if both connections have the same credentials, including the keys from unused sources.
   * Doesn't compare the model settings.
   */
  isSameAs(other: Connection): boolean {
    return JSON.stringify(this.#credentials) === JSON.stringify(other.#credentials);
  }

  hasSameKeyAs(other: Connection): boolean {
    return this.#keyIdentity === other.#keyIdentity;
  }

  /**
   * Returns a keyed hash of the API key, for records that must not contain the key. If there is no
   * key, hashes the service's ID and definition instead.
   * @param shown values to hash together with the key
   */
  fingerprint(hashKey: string, shown: readonly string[]): string {
    const covered = JSON.stringify(['key', this.#keyIdentity, ...shown]);
    return createHmac('sha256', hashKey).update(covered).digest('hex');
  }

  toJSON(): object {
    const { service, source, reason, projectId, authUrl, serviceUrl, modelId } = this;
    return { service: service.word, source, reason, projectId, authUrl, serviceUrl, modelId };
  }

  [inspect.custom](): object {
    return this.toJSON();
  }

  /** The key, or the service's ID and definition if there is no key. */
  get #keyIdentity(): string {
    const { word, definition } = this.service;
    return this.#credentials.apiKey || JSON.stringify([word, definition]);
  }

  get #settings() {
    const { modelId, operation, limits } = this;
    return { modelId, operation, limits };
  }

  get #client(): Client {
    return this.#runtime.client(this.#credentials, this.#settings);
  }
}
