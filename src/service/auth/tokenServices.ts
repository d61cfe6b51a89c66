import type { Clock } from '../clock.ts';
import type { Credentials } from '../credentials.ts';
import { isKind } from '../errors.ts';
import { secretsOf } from './authMethods.ts';
import type { TokenResponse } from './token.ts';
import { TokenService } from './tokenService.ts';

const MOST_CREDENTIALS = 4;
/** Of each credentials. */
const MOST_TOKENS = 3;

export interface TokenServicesOptions {
  readonly fetchToken: (credentials: Credentials, signal: AbortSignal) => Promise<TokenResponse>;
  readonly clock?: Clock;
}

/** Credentials that were used or tested in this window. */
interface Entry {
  readonly credentials: Credentials;
  /** Undefined after a failed test, and after signing out. */
  service: TokenService | undefined;
  /** False if only a test has used the service. */
  isUsed: boolean;
  readonly secrets: readonly string[];
  /** The last tokens. Empty if no identity service has accepted the credentials. */
  tokens: readonly string[];
}

/**
 * The token services of this window: equal credentials share one.
 *
 * Keeps the last four, and the secrets of the last four credentials that have none any more. A service
 * can repeat whatever it was sent, so these secrets stay masked after they are replaced, and after
 * signing out.
 */
export class TokenServices {
  readonly #options: TokenServicesOptions;
  /** By `keyOf`. The last ones used are at the end. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: TokenServicesOptions) {
    this.#options = options;
  }

  /** The token service of these credentials. */
  for(credentials: Credentials): TokenService {
    const { entry, service } = this.#open(credentials);
    entry.isUsed = true;
    this.#forgetOldest();
    return service;
  }

  /** The token service of these credentials if there is one. */
  peek(credentials: Credentials): TokenService | undefined {
    return this.#entries.get(keyOf(credentials))?.service;
  }

  /**
   * Proves credentials with a new token and a check. The first generation finds the same token. If
   * the test fails, its token service is forgotten, unless something else uses it.
   * @throws {ServiceError} the failure of the token request; whatever the check throws
   */
  async test(
    credentials: Credentials,
    check: (service: TokenService) => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<void> {
    const { entry, service } = this.#open(credentials);
    try {
      // Proves the credentials themselves: a token of them can outlive them, and refused ones are sent
      // again.
      await service.refresh(signal);
      await check(service);
    } catch (error) {
      if (!entry.isUsed) entry.service = undefined;
      throw error;
    } finally {
      this.#forgetOldest();
    }
  }

  /** Secrets that must not be sent or shown, including those that were replaced or forgotten. */
  get secrets(): readonly string[] {
    return [...this.#entries.values()].flatMap(({ secrets, tokens }) => [...secrets, ...tokens]);
  }

  /** The secrets of accepted credentials. A refused key can be a project ID in the wrong box. */
  get provenSecrets(): readonly string[] {
    const proven = [...this.#entries.values()].filter(({ tokens }) => tokens.length > 0);
    return proven.flatMap(({ secrets, tokens }) => [...secrets, ...tokens]);
  }

  /** True if the identity service refused this key in the last request. */
  isRefused(apiKey: string): boolean {
    return [...this.#entries.values()].some(({ credentials, service }) => {
      const state = service?.state;
      const isKeyRefused = state?.kind === 'refused' && isKind(state.error, 'key-refused');
      return isKeyRefused && credentials.apiKey === apiKey;
    });
  }

  /** Forgets all tokens, and discards the results of requests under way. */
  forget(): void {
    for (const entry of this.#entries.values()) {
      entry.service?.dispose();
      entry.service = undefined;
      entry.isUsed = false;
    }
  }

  /** Forgets the secrets, too. */
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
    return new TokenService({
      fetchToken: async (signal) => {
        const response = await fetchToken(entry.credentials, signal);
        // No service has accepted a key yet that is its own token.
        if (!response.isApiKey) {
          entry.tokens = [response.value, ...entry.tokens].slice(0, MOST_TOKENS);
        }
        return response;
      },
      ...(clock && { clock }),
    });
  }

  #forgetOldest(): void {
    const keys = [...this.#entries.keys()];
    const hasService = (key: string) => this.#entries.get(key)?.service !== undefined;
    const without = keys.filter((key) => !hasService(key)).slice(0, -MOST_CREDENTIALS);
    const oldest = keys.filter(hasService).slice(0, -MOST_CREDENTIALS);
    for (const key of [...without, ...oldest]) this.#entries.delete(key);
  }
}

/** Two credentials with the same key can use the same token. */
function keyOf({ service, account, apiKey, authUrl, approved }: Credentials): string {
  const { word, definition } = service;
  const origins = [authUrl, approved.auth, approved.service];
  return JSON.stringify([word, definition, account, apiKey, ...origins]);
}

function newEntry(credentials: Credentials): Entry {
  // The keys of other sources belong to one lookup.
  const secrets = secretsOf({ ...credentials, otherKeys: [] });
  return { credentials, service: undefined, isUsed: false, secrets, tokens: [] };
}
