import { Client, type ClientOptions } from './client.ts';
import type { Clock } from './clock.ts';
import type { Credentials } from './credentials.ts';
import { redact } from './errors.ts';
import { Http, type HttpOptions } from './http.ts';
import { fetchToken } from './identity.ts';
import { Limiter, type LimiterOptions } from './limiter.ts';
import { listModels } from './models.ts';
import { TokenService } from './token.ts';
import type { TokenState } from './tokenState.ts';
import type { Operation, Vendor } from './vendors.ts';
import type { Model } from './wire.ts';

export interface SessionOptions {
  readonly onTokenState?: (state: TokenState) => void;
  readonly http?: HttpOptions;
  readonly clock?: Clock;
}

/** What one call is made with. */
export interface ClientSettings {
  readonly modelId: string;
  readonly operation: Operation;
  readonly limits: LimiterOptions;
}

const PROBE_DEADLINE_MS = 30_000;

/**
 * What outlives a single call: the connections, one limiter for each service origin, and the
 * token of the key in use. Hands out clients, which are cheap and made for each call.
 */
export class Session {
  readonly #options: SessionOptions;
  /** Sends what needs no credential, such as the first checks of a diagnosis. */
  readonly http: Http;
  readonly #limiters = new Map<string, Limiter>();
  #tokens: { readonly service: TokenService; readonly credentials: Credentials } | undefined;

  constructor(options: SessionOptions = {}) {
    this.#options = options;
    this.http = new Http(options.http);
  }

  /** A client for these credentials. */
  client(credentials: Credentials, settings: ClientSettings): Client {
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
    const service = new TokenService({
      fetchToken: (signal) => fetchToken(this.http, credentials, signal),
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

  listModels(
    from: { readonly vendor: Vendor; readonly serviceUrl: string; readonly operation: Operation },
    signal: AbortSignal,
  ): Promise<Model[]> {
    return listModels(this.http, from, signal);
  }

  /** The text with the key and the tokens in use masked. */
  redact(text: string): string {
    if (!this.#tokens) return redact(text);
    const { service, credentials } = this.#tokens;
    return redact(service.redact(text), [credentials.apiKey]);
  }

  /** Forgets the token, as after signing out. */
  forgetToken(): void {
    this.#tokens?.service.dispose();
    this.#tokens = undefined;
    this.#options.onTokenState?.({ kind: 'none' });
  }

  dispose(): void {
    this.forgetToken();
    this.http.dispose();
  }

  #client(
    credentials: Credentials,
    { modelId, operation }: ClientSettings,
    patience: Pick<ClientOptions, 'limiter' | 'deadlineMs'>,
  ): Client {
    const { http } = this;
    const tokens = this.tokens(credentials);
    return new Client({ credentials, modelId, operation, http, tokens, ...patience });
  }

  #limiter(origin: string, options: LimiterOptions): Limiter {
    const limiter = this.#limiters.get(origin) ?? new Limiter(options);
    limiter.configure(options);
    this.#limiters.set(origin, limiter);
    return limiter;
  }
}

function isSameKey(one: Credentials, other: Credentials): boolean {
  return (
    one.vendor.word === other.vendor.word &&
    one.apiKey === other.apiKey &&
    one.authUrl === other.authUrl &&
    one.approved.auth === other.approved.auth &&
    one.approved.service === other.approved.service
  );
}
