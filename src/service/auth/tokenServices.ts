import type { Clock } from '../clock.ts';
import type { Credentials } from '../credentials.ts';
import { isKind } from '../errors.ts';
import { authMethodOf } from './authMethods.ts';
import { secretsOf } from './keySecrets.ts';
import type { TokenResponse } from './token.ts';
import { TokenService } from './tokenService.ts';

/** Maximum number of tokens to keep for masking, per set of credentials. */
const MAX_TOKENS = 3;

export interface TokenServicesOptions {
  readonly fetchToken: (credentials: Credentials, signal: AbortSignal) => Promise<TokenResponse>;
  readonly clock?: Clock;
}

/** A set of credentials that was used or tested in this window, with its token service. */
interface Entry {
  readonly apiKey: string;
  readonly service: TokenService;
  readonly secrets: readonly string[];
  /**
   * The latest tokens, newest first. Empty if the credentials haven't been exchanged for a token.
   */
  readonly tokens: string[];
}

/**
 * This window's token services. Equal credentials share a token service.
 *
 * Credentials and their latest tokens stay masked even after the credentials are replaced or the
 * user signs out, because a service can repeat anything that it has received.
 */
export class TokenServices {
  readonly #options: TokenServicesOptions;
  /** Entries since the last sign-out, keyed by `keyOf(credentials)`. */
  readonly #entries = new Map<string, Entry>();
  /** The values of `secrets` and `provenSecrets` from before the last sign-out. */
  readonly #former = { secrets: new Set<string>(), provenSecrets: new Set<string>() };

  constructor(options: TokenServicesOptions) {
    this.#options = options;
  }

  /** Returns the token service for these credentials. Creates it if necessary. */
  for(credentials: Credentials): TokenService {
    const key = keyOf(credentials);
    const entry = this.#entries.get(key) ?? this.#newEntry(credentials);
    this.#entries.set(key, entry);
    return entry.service;
  }

  /**
   * Tests credentials by getting a new token and running a check. Later requests with these
   * credentials reuse the token.
   * @throws {ServiceError} if the token request fails; errors from the check are rethrown
   */
  async test(
    credentials: Credentials,
    check: (service: TokenService) => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<void> {
    const service = this.for(credentials);
    // An existing token can outlive its credentials, so request a new token. Unlike `get`,
    // `refresh` resends rejected credentials.
    await service.refresh(signal);
    await check(service);
  }

  /**
   * The secrets and the latest tokens of all credentials that were used or tested in this window,
   * including those that have since been replaced. None of these may appear in messages, logs, or
   * prompts.
   */
  get secrets(): readonly string[] {
    return [...this.#former.secrets, ...secretsIn([...this.#entries.values()])];
  }

  /**
   * The secrets and the latest tokens of all credentials that have been exchanged for a token.
   * Leaves out keys that have never been accepted. Such a key might be a project ID that the user
   * entered in the wrong field, and requests must contain the project ID.
   */
  get provenSecrets(): readonly string[] {
    const proven = [...this.#entries.values()].filter(hasToken);
    return [...this.#former.provenSecrets, ...secretsIn(proven)];
  }

  /**
   * True if this key was rejected and hasn't been accepted since. False if an identity service
   * accepted it with another account or address. Also false after the user signs out.
   */
  isRejected(apiKey: string): boolean {
    const tried = [...this.#entries.values()].filter(
      (entry) => entry.apiKey === apiKey && (isKeyRejected(entry) || hasToken(entry)),
    );
    return tried.length > 0 && tried.every(isKeyRejected);
  }

  /** Allows the next requests to send this key again if it was rejected. */
  forgetRejection(apiKey: string): void {
    for (const entry of this.#entries.values()) {
      if (entry.apiKey === apiKey) entry.service.forgetRejection();
    }
  }

  /**
   * Disposes of all token services, cancels their token requests, and discards the tokens. The
   * secrets and tokens stay masked.
   */
  forget(): void {
    const { secrets, provenSecrets } = this;
    for (const secret of secrets) this.#former.secrets.add(secret);
    for (const secret of provenSecrets) this.#former.provenSecrets.add(secret);
    for (const { service } of this.#entries.values()) service.dispose();
    this.#entries.clear();
  }

  /** Like `forget`, but doesn't keep any values for masking. */
  dispose(): void {
    this.forget();
    for (const secrets of Object.values(this.#former)) secrets.clear();
  }

  #newEntry(credentials: Credentials): Entry {
    const { fetchToken, clock } = this.#options;
    const tokens: string[] = [];
    const service = new TokenService({
      fetchToken: async (signal) => {
        const response = await fetchToken(credentials, signal);
        // If requests contain the key itself, don't store the key as a token, because no service
        // has accepted it yet.
        if (!response.isApiKey) tokens.unshift(response.value);
        tokens.splice(MAX_TOKENS);
        return response;
      },
      isOnDemand: authMethodOf(credentials.service).exchange?.isOnDemand,
      ...(clock && { clock }),
    });
    // Leave out `otherKeys`. They come from unused sources and can change while this entry is in
    // use.
    const secrets = secretsOf({ ...credentials, otherKeys: [] });
    return { apiKey: credentials.apiKey, service, secrets, tokens };
  }
}

function secretsIn(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ secrets, tokens }) => [...secrets, ...tokens]);
}

function hasToken({ tokens }: Entry): boolean {
  return tokens.length > 0;
}

/** True if the key was rejected and hasn't been accepted since. */
function isKeyRejected({ service: { state } }: Entry): boolean {
  return state.kind === 'rejected' && isKind(state.error, 'key-rejected');
}

/** Returns the map key for `#entries`. Credentials with equal map keys share a token service. */
function keyOf(credentials: Credentials): string {
  const { service, account, apiKey, headerSecrets, program, authUrl, approved } = credentials;
  const { word, authentication } = service;
  const origins = [authUrl, approved.auth, approved.service];
  const parts = [word, authentication, account, apiKey, headerSecrets, program, ...origins];
  return JSON.stringify(parts);
}
