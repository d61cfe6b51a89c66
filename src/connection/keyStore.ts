import type { Disposable, Memento, SecretStorage } from 'vscode';
import type { ResourceKind } from '../service/apiCapabilities.ts';
import type { Service } from '../service/service.ts';

/**
 * Stores each key with the identity and service addresses that the user saw when saving it. The key
 * and the tokens obtained with it are sent only to these addresses (R2 in docs/threat-model.md).
 */

export interface KeyRecord {
  /** The client ID or user name, if the authentication method needs one. */
  readonly account?: string | undefined;
  /** An API key or the secret of an OAuth client. Empty if the service needs neither. */
  readonly apiKey: string;
  /** The secret values of the service's headers, keyed by label. */
  readonly headerSecrets?: Readonly<Record<string, string>> | undefined;
  /** The absolute path to the program that prints the token, as approved by the user. */
  readonly program?: string | undefined;
  /**
   * The project, space, or deployment last set for this service. Used while the project in the
   * settings belongs to another service, because the settings can contain only one project.
   */
  readonly projectId?: string | undefined;
  readonly resource?: ResourceKind | undefined;
  /** The service's entry as JSON, if the user added the service (see `Service`). */
  readonly definition?: string | undefined;
  /**
   * The approved address of the identity service. Same as `serviceUrl` if there is no separate
   * identity service.
   */
  readonly authUrl: string;
  /** The approved address of the service. */
  readonly serviceUrl: string;
}

/** Prefix of each key's name in secret storage, as in `hostedModel.key.ibm`. */
const SECRET = 'hostedModel.key.';
/**
 * Prefix of each flag's name, as in `hostedModel.hasKey.ibm`. A flag marks a service that has a
 * stored key; the flag contains no part of the key. The flags are used if secret storage can't list
 * the names of the stored keys. This can happen in VS Code for the Web, because the host's secret
 * storage may not implement `keys`. Source:
 * https://github.com/microsoft/vscode/blob/main/src/vs/workbench/services/secrets/browser/secretStorageService.ts
 */
const MARKER = 'hostedModel.hasKey.';
/**
 * Name of the entry in secret storage that each sign-out changes, so that VS Code fires an event in
 * every window. Deleting the keys isn't enough. If no key is stored, for example because the user's
 * key is in a `.env` file, there's nothing to delete, so no event fires.
 */
export const LAST_SIGN_OUT = 'hostedModel.lastSignOut';

const RESOURCE_KINDS: readonly ResourceKind[] = ['project', 'space', 'deployment'];

/** The problems with secret storage that are reported through `onIssue`. */
export type StorageIssue = 'fails' | 'rejects-key';

/**
 * Reads and writes keys in secret storage, which can fail, for example on Linux without a keyring.
 */
export class KeyStore {
  readonly #secrets: SecretStorage;
  readonly #state: Memento;
  readonly #listeners = new Set<(isSignOut: boolean) => void>();
  readonly #subscription: Disposable;
  readonly #onIssue: (what: StorageIssue) => void;
  #hasFailed = false;
  /**
   * The last known value of each key, keyed by its name in secret storage. Used to detect changes
   * made by other windows.
   */
  readonly #seen = new Map<string, string | undefined>();
  /**
   * Cached names of the stored keys. Undefined after a change, or if secret storage can't list
   * them.
   */
  #listed: readonly string[] | undefined;
  /** Number of changes made by this window or reported by secret storage. */
  #changes = 0;
  /** Settles when this window's latest write or deletion finishes. */
  #lastChange: Promise<unknown> = Promise.resolve();

  /**
   * @param onIssue called the first time that secret storage can't be read, and each time it fails
   * to store a key
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

  /** Returns the `word` of each service that has a stored key. Reads no secrets. */
  async services(): Promise<string[]> {
    // Cached, because listing the names takes as long as reading a key, and each generation needs
    // them.
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
   * Returns the current record, even if another window just wrote it. Undefined if there is no
   * valid record, or if secret storage can't be read.
   */
  async read(word: string): Promise<KeyRecord | undefined> {
    const text = await this.#readAndCompare(SECRET + word);
    return text === undefined ? undefined : parseRecord(text);
  }

  /**
   * Returns the records of all services except the given one, each with its service's `word`.
   */
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

  /**
   * Stores a record.
   * @param expected the stored record, as last read by the caller. If it has changed since then,
   * nothing is stored, because storing the record could undo a sign-out.
   * @returns false if the stored record has changed or the new record couldn't be stored; in the
   * latter case, `onIssue` is called
   */
  async write(
    record: KeyRecord,
    word: string,
    expected?: { readonly stored: KeyRecord | undefined },
  ): Promise<boolean> {
    const name = SECRET + word;
    const text = JSON.stringify(record);
    const result = await this.#change(async () => {
      if (expected) {
        const stored = parseRecord((await this.#read(name)) ?? '');
        if (!isSameRecord(stored, expected.stored)) return 'changed';
      }
      if (!(await this.#storeVerified(name, text))) return 'failed';
      this.#seen.set(name, text);
      await this.#state.update(markerOf(name), true);
      return 'stored';
    });
    if (result === 'stored') this.#announce();
    if (result === 'failed') this.#onIssue('rejects-key');
    return result === 'stored';
  }

  /**
   * Deletes one service's key.
   * @throws if secret storage fails to delete it
   */
  async remove(word: string): Promise<void> {
    await this.#change(() => this.#delete(SECRET + word));
    this.#announce();
  }

  /**
   * Deletes the keys of all services, and announces the sign-out in every window.
   * @throws the first error if a key can't be deleted
   */
  async delete(): Promise<void> {
    const ends = await this.#change(async () => {
      const names = (await this.#list()) ?? this.#markedNames();
      // If one key can't be deleted, still delete the others.
      return Promise.allSettled(names.map((name) => this.#delete(name)));
    });
    this.#announce();
    // If this fails, there's no other way to notify the other windows, so ignore the failure.
    await this.#secrets.store(LAST_SIGN_OUT, crypto.randomUUID()).then(undefined, () => {});
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  /**
   * Calls the listener when a record changes, in this window or another, and after a sign-out.
   * Ignores events from secret storage if the stored value equals the last known value.
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
   * Runs this window's changes one at a time. During a change, secret storage may still return the
   * old state, which must not be mistaken for a sign-out or a change by another window.
   */
  #change<Result>(work: () => Promise<Result>): Promise<Result> {
    const change = this.#lastChange.then(() => {
      this.#expectChange();
      return work();
    });
    this.#lastChange = change.catch(() => {});
    return change;
  }

  /** Clears the cached names and makes pending reads start over. */
  #expectChange(): void {
    this.#listed = undefined;
    this.#changes += 1;
  }

  /**
   * Waits for this window's pending changes to finish, then calls `read`. Calls it again if
   * anything changes in the meantime.
   * @param use called synchronously after the last read, so the value is still current
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
    // Without a last known value, there's nothing to compare against, so announce the change
    // without reading the key.
    if (this.#seen.has(name)) await this.#readAndCompare(name);
    else this.#announce();
  }

  async #storeVerified(name: string, text: string): Promise<boolean> {
    try {
      await this.#secrets.store(name, text);
      // Any value shows that storage works. If the value isn't `text`, another window stored a
      // value at the same time.
      return (await this.#secrets.get(name)) !== undefined;
    } catch {
      // Drop the error, because its message may contain the secret.
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

  /** Reads the stored value, and announces a change if it differs from the last known value. */
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

export function recordFor(
  { definition }: Service,
  values: Omit<KeyRecord, 'definition' | 'authUrl' | 'serviceUrl'>,
  { authUrl, serviceUrl }: Pick<KeyRecord, 'authUrl' | 'serviceUrl'>,
): KeyRecord {
  const { account, apiKey, headerSecrets, program, projectId, resource } = values;
  const own = { account: account || undefined, apiKey, authUrl, serviceUrl, definition };
  return {
    ...own,
    ...(headerSecrets && Object.keys(headerSecrets).length > 0 && { headerSecrets }),
    ...(program && { program }),
    ...(projectId && { projectId }),
    ...(resource && { resource }),
  };
}

/**
 * True if two records of a service, read at different times, are equal. If they are, the user
 * hasn't signed out and no other window has stored a different record in the meantime.
 */
export function isSameRecord(one: KeyRecord | undefined, other: KeyRecord | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isSecret(name: string): boolean {
  return name.startsWith(SECRET);
}

function markerOf(name: string): string {
  return MARKER + name.slice(SECRET.length);
}

/**
 * Parses a record. Returns undefined for an invalid record, which stays in secret storage until
 * it's replaced or deleted.
 */
function parseRecord(text: string): KeyRecord | undefined {
  try {
    const fields = JSON.parse(text) as Record<string, unknown>;
    const { apiKey, authUrl, serviceUrl, account, definition, headerSecrets } = fields;
    const { program, projectId, resource } = fields;
    if (typeof apiKey !== 'string') return undefined;
    if (typeof authUrl !== 'string' || typeof serviceUrl !== 'string') return undefined;
    const kind = RESOURCE_KINDS.find((one) => one === resource);
    return {
      ...(typeof account === 'string' && { account }),
      ...{ apiKey, authUrl, serviceUrl },
      ...(typeof definition === 'string' && { definition }),
      ...(headerSecrets !== undefined && { headerSecrets: textsIn(headerSecrets) }),
      ...(typeof program === 'string' && { program }),
      ...(typeof projectId === 'string' && { projectId }),
      ...(kind && { resource: kind }),
    };
  } catch {
    return undefined;
  }
}

function textsIn(value: unknown): Readonly<Record<string, string>> {
  const texts = Object.entries(Object(value)).filter(([, text]) => typeof text === 'string');
  return Object.fromEntries(texts) as Record<string, string>;
}
