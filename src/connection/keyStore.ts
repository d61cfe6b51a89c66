import type { Disposable, Memento, SecretStorage } from 'vscode';

/**
 * Keeps the API key together with the two addresses the user saw when it was saved: the key goes
 * to no other identity service, and its tokens to no other inference service (R2 of
 * docs/threat-model.md).
 */

export interface KeyRecord {
  /** Whose secret it is, where the service asks. */
  readonly account?: string | undefined;
  /** An API key, or the secret of an OAuth client. */
  readonly apiKey: string;
  /** The entry of the service, where it is the user's own: see `Service`. */
  readonly definition?: string | undefined;
  /** Address of the identity service that was shown. */
  readonly authUrl: string;
  /** Address of the inference service that was shown. */
  readonly serviceUrl: string;
}

/** Followed by the word of the service. */
const SECRET = 'hostedModel.key.';
/** Marks a stored key, since some secret storage can't list its names. Holds nothing of the key. */
const MARKER = 'hostedModel.hasKey.';
/**
 * Gets a new value with each sign-out, so that VS Code fires an event in every window. Deleting a
 * name without a value fires no event, such as when the key is in a `.env` file.
 */
const LAST_SIGN_OUT = 'hostedModel.lastSignOut';

/** What the user is told of secret storage. */
export type StorageIssue = 'fails' | 'refuses-key';

/** Secret storage can fail, as on Linux without a keyring. */
export class KeyStore {
  readonly #secrets: SecretStorage;
  readonly #state: Memento;
  readonly #listeners = new Set<(isSignOut: boolean) => void>();
  readonly #subscription: Disposable;
  readonly #onIssue: (what: StorageIssue) => void;
  #hasFailed = false;
  /** What this window last saw or wrote, by name; none as long as it has not looked. */
  readonly #seen = new Map<string, string | undefined>();
  /** What secret storage has listed since it changed last. */
  #listed: readonly string[] | undefined;
  /** How many changes were announced by secret storage or begun by this window. */
  #changes = 0;
  /** Ends with the last write or deletion that this window has begun. */
  #lastChange: Promise<unknown> = Promise.resolve();

  /**
   * @param onIssue called once if secret storage can't be read, and for each key that it fails to
   * keep
   */
  constructor(secrets: SecretStorage, state: Memento, onIssue: (what: StorageIssue) => void) {
    this.#secrets = secrets;
    this.#state = state;
    this.#onIssue = onIssue;
    this.#subscription = secrets.onDidChange(({ key }) => {
      if (key === LAST_SIGN_OUT) this.#announce(true);
      if (!isSecret(key)) return;
      this.#expectChange();
      void this.#compare(key);
    });
  }

  /** The words of the services that have a stored key. Reads no secret. */
  async services(): Promise<string[]> {
    // To list them takes as long as to read a key, and each generation asks.
    const names =
      this.#listed ??
      (await this.#readCurrent(
        () => this.#list(),
        (listed) => {
          this.#listed = listed;
          return listed ?? this.#markedNames();
        },
      ));
    return names.map((name) => name.slice(SECRET.length));
  }

  /**
   * The stored record as it is at this moment, in whichever window it was written. One that cannot
   * be read counts as none.
   */
  async read(word: string): Promise<KeyRecord | undefined> {
    const text = await this.#readAndCompare(SECRET + word);
    return text === undefined ? undefined : parseRecord(text);
  }

  /** The words of the other services, each with its stored record. */
  async others(word: string): Promise<(readonly [word: string, record: KeyRecord])[]> {
    const words = (await this.services()).filter((one) => one !== word);
    const found = await Promise.all(
      words.map(async (one) => {
        const text = await this.#read(SECRET + one);
        const record = text && parseRecord(text);
        return record ? [[one, record] as const] : [];
      }),
    );
    return found.flat();
  }

  /** @returns false if secret storage does not keep the record, which the user is told */
  async write(record: KeyRecord, word: string): Promise<boolean> {
    const name = SECRET + word;
    const text = JSON.stringify(record);
    const isStored = await this.#change(async () => {
      if (!(await this.#storeVerified(name, text))) return false;
      this.#seen.set(name, text);
      await this.#state.update(markerOf(name), true);
      return true;
    });
    if (isStored) this.#announce();
    else this.#onIssue('refuses-key');
    return isStored;
  }

  /**
   * Deletes the keys of all services, and announces the sign-out in every window.
   * @throws if a key can't be deleted, or secret storage can't be read
   */
  async delete(): Promise<void> {
    const ends = await this.#change(async () => {
      const names = (await this.#list()) ?? this.#markedNames();
      // One that stays is no reason to keep the others.
      return Promise.allSettled(names.map((name) => this.#delete(name)));
    });
    this.#announce();
    // If storage fails, other windows can't be notified.
    await this.#secrets.store(LAST_SIGN_OUT, crypto.randomUUID()).then(undefined, () => {});
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  /**
   * Calls the listener when the record changes, in this window or another, and after a sign-out.
   * Events of our own writes, and of writes that change nothing, are ignored.
   */
  readonly onDidChange = (listener: (isSignOut: boolean) => void): Disposable => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };

  dispose(): void {
    this.#listeners.clear();
    this.#subscription.dispose();
  }

  /**
   * Makes the changes of this window one after the other. While one is under way, secret storage
   * may return the old state, which must not count as a change of another window or as a sign-out.
   */
  #change<Result>(work: () => Promise<Result>): Promise<Result> {
    const change = this.#lastChange.then(() => {
      this.#expectChange();
      return work();
    });
    this.#lastChange = change.catch(() => {});
    return change;
  }

  /** Drops what was listed, and has reads repeated that are under way. */
  #expectChange(): void {
    this.#listed = undefined;
    this.#changes += 1;
  }

  /**
   * Reads after the changes of this window, and again if anything changed meanwhile.
   * @param use called with the result before anything else can change
   */
  async #readCurrent<Value, Result>(
    read: () => Promise<Value>,
    use: (value: Value) => Result,
  ): Promise<Result> {
    for (;;) {
      await this.#lastChange;
      const changes = this.#changes;
      const value = await read();
      if (changes === this.#changes) return use(value);
    }
  }

  /** Returns the names that keys are stored under; undefined if secret storage can't list them. */
  async #list(): Promise<string[] | undefined> {
    try {
      return (await this.#secrets.keys()).filter(isSecret);
    } catch {
      return undefined;
    }
  }

  #markedNames(): string[] {
    const markers = this.#state.keys().filter((name) => this.#state.get(name) === true);
    return markers.map((name) => name.replace(MARKER, SECRET)).filter(isSecret);
  }

  async #delete(name: string): Promise<void> {
    try {
      await this.#secrets.delete(name);
    } catch (error) {
      const isGone = (await this.#read(name)) === undefined && !this.#hasFailed;
      if (!isGone) throw error;
    }
    this.#seen.set(name, undefined);
    await this.#state.update(markerOf(name), undefined);
  }

  async #compare(name: string): Promise<void> {
    await this.#lastChange;
    // Nobody has asked for the key yet, so nobody holds an old one: no need to read it.
    if (this.#seen.has(name)) await this.#readAndCompare(name);
    else this.#announce();
  }

  async #storeVerified(name: string, text: string): Promise<boolean> {
    try {
      await this.#secrets.store(name, text);
      // Another text comes from a window that wrote at the same moment: storage works.
      return (await this.#secrets.get(name)) !== undefined;
    } catch {
      // Its words may quote what was to be stored.
      return false;
    }
  }

  async #read(name: string): Promise<string | undefined> {
    try {
      return await this.#secrets.get(name);
    } catch {
      if (!this.#hasFailed) this.#onIssue('fails');
      this.#hasFailed = true;
      return undefined;
    }
  }

  /** Reads what is stored, and announces it if this window knew something else. */
  #readAndCompare(name: string): Promise<string | undefined> {
    return this.#readCurrent(
      () => this.#read(name),
      (text) => {
        const isNews = this.#seen.has(name) && this.#seen.get(name) !== text;
        this.#seen.set(name, text);
        if (isNews) this.#announce();
        return text;
      },
    );
  }

  #announce(isSignOut = false): void {
    for (const listener of this.#listeners) listener(isSignOut);
  }
}

function isSecret(name: string): boolean {
  return name.startsWith(SECRET);
}

function markerOf(name: string): string {
  return MARKER + name.slice(SECRET.length);
}

/** A record that cannot be read counts as none; it stays stored until it is replaced. */
function parseRecord(text: string): KeyRecord | undefined {
  try {
    const fields = JSON.parse(text) as Record<string, unknown>;
    const { apiKey, authUrl, serviceUrl, account, definition } = fields;
    if (typeof apiKey !== 'string' || apiKey === '') return undefined;
    if (typeof authUrl !== 'string' || typeof serviceUrl !== 'string') return undefined;
    return {
      ...(typeof account === 'string' && { account }),
      ...{ apiKey, authUrl, serviceUrl },
      ...(typeof definition === 'string' && { definition }),
    };
  } catch {
    return undefined;
  }
}
