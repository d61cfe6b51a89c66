import type { Disposable, Memento } from 'vscode';
import type { Vault } from './vault.ts';

/**
 * Keeps the API key together with the two addresses the user saw when it was saved: the key goes
 * to no other identity service, and its tokens to no other inference service (rule R2 of the
 * threat model).
 */

export interface KeyRecord {
  readonly apiKey: string;
  /** Address of the identity service that was shown. */
  readonly authUrl: string;
  /** Address of the inference service that was shown. */
  readonly serviceUrl: string;
}

const SECRET = 'hostedModel.key';
/**
 * Says that a key was stored: where secret storage cannot list its names, and where it has lost the
 * key. Holds nothing of the key.
 */
const MARKER = 'hostedModel.hasKey';

export class KeyStore {
  readonly #vault: Vault;
  readonly #state: Memento;
  readonly #listeners = new Set<() => void>();
  readonly #subscription: Disposable;
  readonly #onForgotten: () => void;
  /** What this window last saw or wrote; undefined as long as it has not looked. */
  #seen: { readonly text: string | undefined } | undefined;

  /** @param onForgotten called once, if secret storage has lost a key that was set earlier */
  constructor(vault: Vault, state: Memento, onForgotten: () => void) {
    this.#vault = vault;
    this.#state = state;
    this.#onForgotten = onForgotten;
    this.#subscription = vault.onDidChange((name) => {
      if (name === SECRET) void this.#compare();
    });
  }

  /** Whether a key is stored, without reading it. */
  async has(): Promise<boolean> {
    try {
      return (await this.#vault.names()).includes(SECRET);
    } catch {
      return this.#vault.isHeld(SECRET) || this.#state.get(MARKER, false);
    }
  }

  /** True if the key is lost with the window, since secret storage did not keep it. */
  get isWindowOnly(): boolean {
    return this.#vault.isHeld(SECRET);
  }

  /** True while secret storage owes an answer. */
  get isAwaited(): boolean {
    return this.#vault.isAwaited;
  }

  /** The stored record as it is at this moment, in whichever window it was written. */
  async read(): Promise<KeyRecord | undefined> {
    const text = await this.#vault.get(SECRET);
    // Without a keyring VS Code keeps secrets only until it closes, and says so to nobody.
    const isForgotten = text === undefined && !this.#seen && this.#state.get(MARKER, false);
    if (isForgotten) {
      await this.#state.update(MARKER, undefined);
      this.#onForgotten();
    }
    this.#look(text);
    return text === undefined ? undefined : parseRecord(text);
  }

  async write(record: KeyRecord): Promise<void> {
    const text = JSON.stringify(record);
    await this.#state.update(MARKER, true);
    this.#seen = { text };
    await this.#vault.store(SECRET, text);
    this.#announce();
  }

  /** @throws if secret storage keeps the key */
  async delete(): Promise<void> {
    // First, so that no other window takes the key for one that was lost.
    await this.#state.update(MARKER, undefined);
    try {
      await this.#vault.delete(SECRET);
    } catch (error) {
      await this.#state.update(MARKER, true);
      throw error;
    }
    this.#seen = { text: undefined };
    this.#announce();
  }

  /**
   * Calls the listener when the record became another one, in this window or elsewhere. The event
   * that VS Code fires for our own write, or for the same value again, causes nothing.
   */
  onDidChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  dispose(): void {
    this.#listeners.clear();
    this.#subscription.dispose();
  }

  async #compare(): Promise<void> {
    // Nobody has asked for the key yet, so nobody holds an old one: no need to read it.
    if (this.#seen) this.#look(await this.#vault.get(SECRET));
    else this.#announce();
  }

  /** Takes note of what is stored, and announces it if this window knew something else. */
  #look(text: string | undefined): void {
    const isNews = this.#seen !== undefined && this.#seen.text !== text;
    this.#seen = { text };
    if (isNews) this.#announce();
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** A record that cannot be read counts as none; it stays stored until it is replaced. */
function parseRecord(text: string): KeyRecord | undefined {
  try {
    const { apiKey, authUrl, serviceUrl } = JSON.parse(text) as Record<string, unknown>;
    if (typeof apiKey !== 'string' || apiKey === '') return undefined;
    if (typeof authUrl !== 'string' || typeof serviceUrl !== 'string') return undefined;
    return { apiKey, authUrl, serviceUrl };
  } catch {
    return undefined;
  }
}
