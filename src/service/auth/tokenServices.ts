import { MAX_SERVICES } from '../addedServices.ts';
import type { Clock } from '../clock.ts';
import type { Credentials } from '../credentials.ts';
import { isKind } from '../errors.ts';
import { authMethodOf, secretsOf } from './authMethods.ts';
import type { TokenResponse } from './token.ts';
import { TokenService } from './tokenService.ts';

/**
 * Maximum number of sets of credentials to keep. Enough for every service that the user can add.
 */
const MAX_CREDENTIALS = MAX_SERVICES;
/** Maximum number of tokens to keep for each set of credentials. */
const MAX_TOKENS = 3;

export interface TokenServicesOptions {
  readonly fetchToken: (credentials: Credentials, signal: AbortSignal) => Promise<TokenResponse>;
  readonly clock?: Clock;
}

/** Credentials that were used or tested in this window. */
interface Entry {
  readonly credentials: Credentials;
  /** Undefined after a failed test and after sign-out. */
  service: TokenService | undefined;
  /** False if only a test has used the token service. */
  isUsed: boolean;
  readonly secrets: readonly string[];
  /** The latest tokens. Empty if the credentials haven't been exchanged for a token. */
  tokens: readonly string[];
}

/**
 * The token services of this window. Equal credentials share a token service.
 *
 * Keeps the token services of the 50 most recently used sets of credentials. Also keeps the secrets
 * of the 50 most recent sets whose token service was discarded after a failed test or a sign-out. A
 * service can repeat anything that it has received, so secrets stay masked after they're replaced
 * and after sign-out.
 */
export class TokenServices {
  readonly #options: TokenServicesOptions;
  /** Entries, keyed by `keyOf(credentials)`. The most recently used entry is last. */
  readonly #entries = new Map<string, Entry>();
  /**
   * All token services created since the last sign-out. A running call may still use a token
   * service that is no longer in `#entries`.
   */
  readonly #created: WeakRef<TokenService>[] = [];

  constructor(options: TokenServicesOptions) {
    this.#options = options;
  }

  /** Returns the token service for these credentials. Creates it if necessary. */
  for(credentials: Credentials): TokenService {
    const { entry, service } = this.#open(credentials);
    entry.isUsed = true;
    this.#forgetOldest();
    return service;
  }

  /**
   * Tests credentials by getting a new token and running a check. If both succeed, the first
   * generation reuses the token. If the test fails, the token service is discarded unless it was
   * also used outside of tests.
   * @throws {ServiceError} the failure of the token request; any error from the check
   */
  async test(
    credentials: Credentials,
    check: (service: TokenService) => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<void> {
    const { entry, service } = this.#open(credentials);
    try {
      // An existing token can outlive its credentials, so request a new token. Unlike `get`,
      // `refresh` also sends refused credentials again.
      await service.refresh(signal);
      await check(service);
    } catch (error) {
      if (!entry.isUsed) entry.service = undefined;
      throw error;
    } finally {
      this.#forgetOldest();
    }
  }

  /**
   * The secrets of all credentials that were recently used or tested, including replaced tokens.
   * They must not appear in messages, logs, or prompts.
   */
  get secrets(): readonly string[] {
    return [...this.#entries.values()].flatMap(({ secrets, tokens }) => [...secrets, ...tokens]);
  }

  /**
   * The secrets of credentials that have been exchanged for a token. Leaves out refused keys. A
   * refused key might be a project ID that the user entered in the wrong field, and requests must
   * contain the project ID.
   */
  get provenSecrets(): readonly string[] {
    const proven = [...this.#entries.values()].filter(({ tokens }) => tokens.length > 0);
    return proven.flatMap(({ secrets, tokens }) => [...secrets, ...tokens]);
  }

  /**
   * True if the identity service refused this key, and hasn't accepted it since then. False after a
   * sign-out, and for a key that was only tested.
   */
  isRefused(apiKey: string): boolean {
    return [...this.#entries.values()].some(({ credentials, service }) => {
      const state = service?.state;
      const isKeyRefused = state?.kind === 'refused' && isKind(state.error, 'key-refused');
      return isKeyRefused && credentials.apiKey === apiKey;
    });
  }

  /**
   * Discards all tokens and the results of pending requests, and disposes all token services. The
   * secrets stay masked.
   */
  forget(): void {
    for (const created of this.#created.splice(0)) created.deref()?.dispose();
    for (const entry of this.#entries.values()) {
      entry.service = undefined;
      entry.isUsed = false;
    }
  }

  /** Like `forget`, but also discards the secrets. */
  dispose(): void {
    this.forget();
    this.#entries.clear();
  }

  #open(credentials: Credentials): { readonly entry: Entry; readonly service: TokenService } {
    const key = keyOf(credentials);
    const entry = this.#entries.get(key) ?? newEntry(credentials);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.service ??= this.#serviceFor(entry);
    return { entry, service: entry.service };
  }

  #serviceFor(entry: Entry): TokenService {
    const { fetchToken, clock } = this.#options;
    const service = new TokenService({
      fetchToken: async (signal) => {
        const response = await fetchToken(entry.credentials, signal);
        // If the key itself is the token, no service has accepted it yet.
        if (!response.isApiKey) {
          entry.tokens = [response.value, ...entry.tokens].slice(0, MAX_TOKENS);
        }
        return response;
      },
      isOnDemand: authMethodOf(entry.credentials.service).exchange?.isOnDemand,
      ...(clock && { clock }),
    });
    this.#created.push(new WeakRef(service));
    return service;
  }

  #forgetOldest(): void {
    const keys = [...this.#entries.keys()];
    const hasService = (key: string) => this.#entries.get(key)?.service !== undefined;
    const without = keys.filter((key) => !hasService(key)).slice(0, -MAX_CREDENTIALS);
    const oldest = keys.filter(hasService).slice(0, -MAX_CREDENTIALS);
    for (const key of [...without, ...oldest]) this.#entries.delete(key);
  }
}

/** Returns a map key. Credentials with the same map key can share a token. */
function keyOf(credentials: Credentials): string {
  const { service, account, apiKey, headerSecrets, program, authUrl, approved } = credentials;
  const { word, authentication } = service;
  const origins = [authUrl, approved.auth, approved.service];
  const parts = [word, authentication, account, apiKey, headerSecrets, program, ...origins];
  return JSON.stringify(parts);
}

function newEntry(credentials: Credentials): Entry {
  // Leave out the keys from other sources, because they vary from lookup to lookup.
  const secrets = secretsOf({ ...credentials, otherKeys: [] });
  return { credentials, service: undefined, isUsed: false, secrets, tokens: [] };
}
