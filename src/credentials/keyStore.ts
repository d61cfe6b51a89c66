import type { Disposable, Memento, SecretStorage } from 'vscode';

/**
 * Keeps the API key together with the two addresses the user saw when it was saved: the key goes
 * to no other identity service, and its tokens to no other inference service (R2 of
 * docs/threat-model.md).
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

/** What the user is told of secret storage. */
export type StorageIssue = 'fails' | 'forgot' | 'refuses-key';

/** Secret storage can fail or forget, as on Linux without a keyring. */
export class KeyStore {
  readonly #secrets: SecretStorage;
  readonly #state: Memento;
  readonly #listeners = new Set<() => void>();
  readonly #subscription: Disposable;
  readonly #onIssue: (what: StorageIssue) => void;
  #hasFailed = false;
  /** What this window last saw or wrote; undefined as long as it has not looked. */
  #seen: { readonly text: string | undefined } | undefined;

  /**
   * @param onIssue called once if secret storage cannot be read, once if it has lost a key that
   * was set earlier, and for each key that it does not keep
   */
  constructor(secrets: SecretStorage, state: Memento, onIssue: (what: StorageIssue) => void) {
    this.#secrets = secrets;
    this.#state = state;
    this.#onIssue = onIssue;
    this.#subscription = secrets.onDidChange(({ key }) => {
      if (key === SECRET) void this.#compare();
    });
  }

  /** Whether a key is stored, without reading it. */
  async has(): Promise<boolean> {
    try {
      return (await this.#secrets.keys()).includes(SECRET);
    } catch {
      return this.#state.get(MARKER, false);
    }
  }

  /**
   * The stored record as it is at this moment, in whichever window it was written. One that cannot
   * be read counts as none.
   */
  async read(): Promise<KeyRecord | undefined> {
    const text = await this.#read();
    // Without a keyring VS Code keeps secrets only until it closes, and says so to nobody.
    const isGone = text === undefined && !this.#hasFailed && !this.#seen;
    if (isGone && this.#state.get(MARKER, false)) {
      await this.#state.update(MARKER, undefined);
      this.#onIssue('forgot');
    }
    this.#look(text);
    return text === undefined ? undefined : parseRecord(text);
  }

  /** @returns false if secret storage does not keep the record, which the user is told */
  async write(record: KeyRecord): Promise<boolean> {
    const text = JSON.stringify(record);
    const before = this.#seen;
    this.#seen = { text };
    if (!(await this.#isKept(text))) {
      this.#seen = before;
      this.#onIssue('refuses-key');
      return false;
    }
    await this.#state.update(MARKER, true);
    this.#announce();
    return true;
  }

  /** @throws if secret storage keeps the key, or nobody can tell */
  async delete(): Promise<void> {
    // First, so that no other window takes the key for one that was lost.
    await this.#state.update(MARKER, undefined);
    try {
      await this.#secrets.delete(SECRET);
    } catch (error) {
      const isGone = (await this.#read()) === undefined && !this.#hasFailed;
      if (isGone) return this.#look(undefined);
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
  readonly onDidChange = (listener: () => void): Disposable => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };

  dispose(): void {
    this.#listeners.clear();
    this.#subscription.dispose();
  }

  async #compare(): Promise<void> {
    // Nobody has asked for the key yet, so nobody holds an old one: no need to read it.
    if (this.#seen) this.#look(await this.#read());
    else this.#announce();
  }

  async #isKept(text: string): Promise<boolean> {
    try {
      await this.#secrets.store(SECRET, text);
      // Another text comes from a window that wrote at the same moment: storage works.
      return (await this.#secrets.get(SECRET)) !== undefined;
    } catch {
      // Its words may quote what was to be stored.
      return false;
    }
  }

  async #read(): Promise<string | undefined> {
    try {
      return await this.#secrets.get(SECRET);
    } catch {
      if (!this.#hasFailed) this.#onIssue('fails');
      this.#hasFailed = true;
      return undefined;
    }
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
