import type { Disposable, Memento, SecretStorage } from 'vscode';

/**
 * Stores each API key together with the two addresses that the user saw when saving it. The key
 * goes to no other identity service, and its tokens to no other inference service (R2 of
 * docs/threat-model.md).
 */

export interface KeyRecord {
  /** The account that the secret belongs to, if the service needs one. */
  readonly account?: string | undefined;
  /** An API key, or the secret of an OAuth client. */
  readonly apiKey: string;
  /** The user's own entry for the service, if it isn't built in: see `Service`. */
  readonly definition?: string | undefined;
  /** Address of the identity service that the user saw. */
  readonly authUrl: string;
  /** Address of the inference service that the user saw. */
  readonly serviceUrl: string;
}

/** Prefix of the names in secret storage. The `word` of the service follows. */
const SECRET = 'hostedModel.key.';
/**
 * Prefix of the flags for stored keys, since some secret storage can't list its names. A flag
 * contains nothing of the key.
 */
const MARKER = 'hostedModel.hasKey.';
/**
 * Gets a new value with each sign-out, so that VS Code fires an event in every window. Deleting a
 * name without a value fires none, for example if the key is in a `.env` file.
 */
const LAST_SIGN_OUT = 'hostedModel.lastSignOut';

/** Problems of secret storage that are reported to the user. */
export type StorageIssue = 'fails' | 'refuses-key';

/** Stored keys. Secret storage can fail, for example on Linux without a keyring. */
export class KeyStore {
  readonly #secrets: SecretStorage;
  readonly #state: Memento;
  readonly #listeners = new Set<(isSignOut: boolean) => void>();
  readonly #subscription: Disposable;
  readonly #onIssue: (what: StorageIssue) => void;
  #hasFailed = false;
  /** The last value that this window read or wrote, by name. No entry before the first read. */
  readonly #seen = new Map<string, string | undefined>();
  /** Cached names from secret storage. Undefined after a change, or if they can't be listed. */
  #listed: readonly string[] | undefined;
  /** Number of changes that secret storage announced or this window started. */
  #changes = 0;
  /** Settles after the last write or deletion that this window started. */
  #lastChange: Promise<unknown> = Promise.resolve();

  /**
   * @param onIssue called once if secret storage can't be read, and each time it fails to store a
   * key
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

  /** Returns the `word` of each service that has a stored key. Reads no secret. */
  async services(): Promise<string[]> {
    // Cached, since listing takes as long as reading a key, and each generation needs the names.
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
   * Returns the current record, even if another window wrote it. Undefined if there is none, or it
   * can't be read.
   */
  async read(word: string): Promise<KeyRecord | undefined> {
    const text = await this.#readAndCompare(SECRET + word);
    return text === undefined ? undefined : parseRecord(text);
  }

  /** Returns the `word` and the record of every other service. */
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

  /** @returns false if secret storage doesn't keep the record, which `onIssue` reports */
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
      // A key that can't be deleted must not keep the others from being deleted.
      return Promise.allSettled(names.map((name) => this.#delete(name)));
    });
    this.#announce();
    // If secret storage fails, other windows can't be notified.
    await this.#secrets.store(LAST_SIGN_OUT, crypto.randomUUID()).then(undefined, () => {});
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  /**
   * Calls the listener when a record changes, in this window or another, and after a sign-out.
   * Ignores the events of this window's own writes, and of writes that change nothing.
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
   * Runs the changes of this window one after the other. During a change, secret storage may still
   * return the old state. That must not count as a change by another window or as a sign-out.
   */
  #change<Result>(work: () => Promise<Result>): Promise<Result> {
    const change = this.#lastChange.then(() => {
      this.#expectChange();
      return work();
    });
    this.#lastChange = change.catch(() => {});
    return change;
  }

  /** Clears the cached names, and makes running reads repeat. */
  #expectChange(): void {
    this.#listed = undefined;
    this.#changes += 1;
  }

  /**
   * Reads after the pending changes of this window, and repeats if anything changed during the
   * read.
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

  /** Returns the names of the stored keys; undefined if secret storage can't list them. */
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
    // If this window hasn't read the key, no caller holds an old one, so reading isn't needed.
    if (this.#seen.has(name)) await this.#readAndCompare(name);
    else this.#announce();
  }

  async #storeVerified(name: string, text: string): Promise<boolean> {
    try {
      await this.#secrets.store(name, text);
      // A different text means that another window wrote at the same moment, so storage works.
      return (await this.#secrets.get(name)) !== undefined;
    } catch {
      // The error is dropped, since its message may quote the secret.
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

  /** Reads the stored text, and announces a change if this window last saw a different one. */
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

/** Parses a record. An invalid one counts as none, and stays stored until it's replaced. */
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
