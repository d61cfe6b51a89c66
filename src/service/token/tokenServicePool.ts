import type { Clock } from '../clock.ts';
import type { Credentials } from '../credentials.ts';
import { isKind } from '../errors.ts';
import { secretsOfKeys } from './identity.ts';
import type { TokenResponse, TokenState } from './tokenLife.ts';
import { TokenService } from './tokenService.ts';

/** The key in use and the three before it. */
const MOST_KEYS = 4;
/** Of each key. */
const MOST_TOKENS = 3;

export interface TokenServicePoolOptions {
  readonly fetchToken: (credentials: Credentials, signal: AbortSignal) => Promise<TokenResponse>;
  readonly onTokenState?: (state: TokenState) => void;
  readonly clock?: Clock;
}

/** The tokens of one key. */
interface Kept {
  readonly service: TokenService;
  readonly credentials: Credentials;
  /** A test with them has passed. */
  readonly isTested: boolean;
}

/** A key with its header values and latest tokens. */
interface Remembered {
  readonly secrets: readonly string[];
  /** Empty until an identity service accepts the key. */
  readonly tokens: readonly string[];
}

/**
 * Which token serves which key: a session for each service in use, of which one is shown, and that of
 * a key which was tested and may be next.
 */
export class TokenServicePool {
  readonly #options: TokenServicePoolOptions;
  /**
   * The last keys with their last tokens by `nameOf`, the key that was used last at the end; in
   * memory only, and gone with the window: a service can repeat whatever it was sent, also once it
   * is replaced, or forgotten by signing out.
   */
  readonly #recent = new Map<string, Remembered>();
  /** The one that was used last at the end. */
  #sessions: readonly Kept[] = [];
  /** The one whose states are told, and which is renewed while nobody asks. */
  #inUse: Kept | undefined;
  /** The key of the last test. */
  #trial: Kept | undefined;

  constructor(options: TokenServicePoolOptions) {
    this.#options = options;
  }

  get inUse(): TokenService | undefined {
    return this.#inUse?.service;
  }

  /** Keys and tokens that nothing may send or show, including those that were replaced or forgotten. */
  get secrets(): readonly string[] {
    return [...this.#recent.values()].flatMap(({ secrets, tokens }) => [...secrets, ...tokens]);
  }

  /** The secrets of accepted keys. A rejected key may be a project ID in the wrong box. */
  get provenSecrets(): readonly string[] {
    const proven = [...this.#recent.values()].filter(({ tokens }) => tokens.length > 0);
    return proven.flatMap(({ secrets, tokens }) => [...secrets, ...tokens]);
  }

  /**
   * Tests credentials by a token service that is not in use and tells nobody of its states. Once
   * they have passed, it serves them as soon as somebody says that they are in use.
   */
  async testCredentials(
    credentials: Credentials,
    test: (service: TokenService) => Promise<unknown>,
  ): Promise<void> {
    this.#trial?.service.dispose();
    const trial = this.#make(credentials);
    this.#trial = trial;
    await test(trial.service);
    if (this.#trial === trial) this.#trial = { ...trial, isTested: true };
  }

  #make(credentials: Credentials): Kept {
    const { fetchToken, onTokenState, clock } = this.#options;
    this.#remember(credentials);
    const service: TokenService = new TokenService({
      fetchToken: async (signal) => {
        const answer = await fetchToken(credentials, signal);
        // A key that serves as its own token hasn't been accepted by any service yet.
        if (!answer.isApiKey) this.#remember(credentials, answer.value);
        return answer;
      },
      onState: (state) => {
        if (service === this.inUse) onTokenState?.(state);
      },
      ...(clock && { clock }),
    });
    return { service, credentials, isTested: false };
  }

  /** Keeps a key and its tokens. Drops the least recently used key that isn't in a session. */
  #remember(credentials: Credentials, ...token: readonly string[]): void {
    // Keys of other sources are relevant only to the current lookup.
    const secrets = secretsOfKeys([credentials]);
    const name = nameOf(credentials);
    const before = this.#recent.get(name)?.tokens ?? [];
    const tokens = [...token, ...before].slice(0, MOST_TOKENS);
    this.#recent.delete(name);
    this.#recent.set(name, { secrets, tokens });
    const inSession = new Set(this.#sessions.map((one) => nameOf(one.credentials)));
    const others = [...this.#recent.keys()].slice(0, -1);
    const oldest = others.find((key) => !inSession.has(key));
    if (oldest !== undefined && this.#recent.size > MOST_KEYS) this.#recent.delete(oldest);
  }

  /** The one of these credentials, in use from now on. Those of other services go on beside it. */
  activate(credentials: Credentials): TokenService {
    const tested = this.#testedFor(credentials);
    const known = this.#sessionOf(credentials);
    if (tested) {
      this.#trial = undefined;
      known?.service.retire();
    }
    const kept = tested ?? known ?? this.#make(credentials);
    const others = this.#sessions.filter((one) => one !== known);
    others.at(-MOST_KEYS)?.service.retire();
    this.#sessions = [...others.slice(1 - MOST_KEYS), kept];
    this.#tell(kept);
    return kept.service;
  }

  /** Has the states of this one told, and of no other. */
  #tell(kept: Kept | undefined): void {
    if (kept === this.#inUse) return;
    const { onTokenState } = this.#options;
    if (this.#inUse) onTokenState?.({ kind: 'none' });
    this.#inUse = kept;
    if (kept && kept.service.state.kind !== 'none') onTokenState?.(kept.service.state);
  }

  #sessionOf(credentials: Credentials): Kept | undefined {
    return this.#sessions.find((one) => isOf(one, credentials));
  }

  #testedFor(credentials: Credentials): Kept | undefined {
    const trial = this.#trial;
    return trial?.isTested && isOf(trial, credentials) ? trial : undefined;
  }

  /**
   * Shows the session of what may be used now, if it has one. Asks for nothing: that of another
   * folder goes on where it was, once it is shown again.
   */
  setActive(credentials: Credentials | undefined): void {
    if (credentials && this.#testedFor(credentials)) this.activate(credentials);
    this.#tell(credentials && this.#sessionOf(credentials));
  }

  /** True if the identity service refused this key when it was last asked. */
  isRefused(apiKey: string): boolean {
    return this.#sessions.some(({ credentials, service: { state } }) => {
      const isKeyRefused = state.kind === 'refused' && isKind(state.error, 'key-refused');
      return isKeyRefused && credentials.apiKey === apiKey;
    });
  }

  /** Ends all of them. */
  forget(): void {
    for (const one of [...this.#sessions, this.#trial]) one?.service.dispose();
    this.#sessions = [];
    this.#inUse = undefined;
    this.#trial = undefined;
    this.#options.onTokenState?.({ kind: 'none' });
  }

  /** Forgets also what was masked until now. */
  dispose(): void {
    this.forget();
    this.#recent.clear();
  }
}

/** Equal for credentials with the same secrets. A header value differs by account, too. */
function nameOf(credentials: Credentials): string {
  return JSON.stringify(secretsOfKeys([credentials]));
}

/** Whether a token of the one serves the other, too. */
function isOf({ credentials: own }: Kept, wanted: Credentials): boolean {
  return (
    own.vendor.word === wanted.vendor.word &&
    own.vendor.definition === wanted.vendor.definition &&
    own.account === wanted.account &&
    own.apiKey === wanted.apiKey &&
    own.authUrl === wanted.authUrl &&
    own.approved.auth === wanted.approved.auth &&
    own.approved.service === wanted.approved.service
  );
}
