import type { Disposable, Memento, SecretStorage } from 'vscode';

/**
 * The one place that touches secret storage. Keeps the API key together with the two addresses
 * the user saw when it was saved: the key goes to no other identity service, and its tokens to no
 * other inference service (rule R2 of the threat model).
 */

export interface KeyRecord {
  readonly apiKey: string;
  /** Address of the identity service that was shown. */
  readonly authUrl: string;
  /** Address of the inference service that was shown. */
  readonly serviceUrl: string;
}

const SECRET = 'hostedModel.key';
/** Says that a key exists, where secret storage cannot list its names. Holds nothing of the key. */
const MARKER = 'hostedModel.hasKey';

export class KeyStore {
  readonly #secrets: SecretStorage;
  readonly #state: Memento;

  constructor(secrets: SecretStorage, state: Memento) {
    this.#secrets = secrets;
    this.#state = state;
  }

  /** Whether a key is stored, without reading it. */
  async has(): Promise<boolean> {
    try {
      return (await this.#secrets.keys()).includes(SECRET);
    } catch {
      return this.#state.get(MARKER, false);
    }
  }

  /** The stored record as it is at this moment, in whichever window it was written. */
  async read(): Promise<KeyRecord | undefined> {
    const text = await this.#secrets.get(SECRET);
    return text === undefined ? undefined : parseRecord(text);
  }

  async write(record: KeyRecord): Promise<void> {
    // The marker first: the change event of the secret asks for it.
    await this.#state.update(MARKER, true);
    await this.#secrets.store(SECRET, JSON.stringify(record));
  }

  async delete(): Promise<void> {
    await this.#state.update(MARKER, undefined);
    await this.#secrets.delete(SECRET);
  }

  /** Fires in every window when the record is written or deleted, here as well. */
  onDidChange(listener: () => void): Disposable {
    return this.#secrets.onDidChange(({ key }) => {
      if (key === SECRET) listener();
    });
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
