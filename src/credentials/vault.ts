import type { Disposable, SecretStorage } from 'vscode';

const UNREADABLE = Symbol('unreadable');

interface Held {
  readonly value: string;
  /** What secret storage had in its place. */
  readonly stored: string | undefined;
}

/**
 * Secret storage as real machines have it. It can fail or forget, as on Linux without a keyring;
 * what it does not keep is held here until the window closes, and that is said once.
 */
export class Vault {
  readonly #secrets: SecretStorage;
  readonly #held = new Map<string, Held>();
  readonly #onTrouble: () => void;
  #isTroubled = false;
  /** Readings without an answer: a locked keyring gives none until somebody unlocks it. */
  #awaited = 0;

  /** @param onTrouble called once, when a value turns out not to be kept or not to be readable */
  constructor(secrets: SecretStorage, onTrouble: () => void) {
    this.#secrets = secrets;
    this.#onTrouble = onTrouble;
  }

  /** Whether a value of this name lives only as long as the window. */
  isHeld(name: string): boolean {
    return this.#held.has(name);
  }

  /** True while secret storage owes an answer. */
  get isAwaited(): boolean {
    return this.#awaited > 0;
  }

  /** The names of all values. @throws if secret storage cannot list them */
  async names(): Promise<string[]> {
    return [...this.#held.keys(), ...(await this.#secrets.keys())];
  }

  /** A value that cannot be read is undefined, too; `names` tells it from one that is not there. */
  async get(name: string): Promise<string | undefined> {
    const held = this.#held.get(name);
    if (held) return held.value;
    const stored = await this.#read(name);
    if (stored === UNREADABLE) this.#troubled();
    return stored === UNREADABLE ? undefined : stored;
  }

  async store(name: string, value: string): Promise<void> {
    const before = await this.#read(name);
    if (await this.#isKept(name, value, before)) {
      this.#held.delete(name);
      return;
    }
    this.#held.set(name, { value, stored: before === UNREADABLE ? undefined : before });
    this.#troubled();
  }

  /** @throws if secret storage keeps the value, or nobody can tell */
  async delete(name: string): Promise<void> {
    const wasHeld = this.#held.delete(name);
    try {
      await this.#secrets.delete(name);
    } catch (error) {
      // Where nothing can be read either, a value that only the window had is gone.
      const left = await this.#read(name);
      if (left === UNREADABLE ? !wasHeld : left !== undefined) throw error;
    }
  }

  /** Fires after every write in any window, also for one of this window and one without a change. */
  onDidChange(listener: (name: string) => void): Disposable {
    return this.#secrets.onDidChange(({ key }) => {
      void this.#letGo(key).then(() => listener(key));
    });
  }

  /** A held value gives way to what another window stored or deleted since. */
  async #letGo(name: string): Promise<void> {
    const held = this.#held.get(name);
    if (!held) return;
    const now = await this.#read(name);
    const isNews = now !== UNREADABLE && now !== held.stored;
    if (isNews && this.#held.get(name) === held) this.#held.delete(name);
  }

  async #isKept(
    name: string,
    value: string,
    before: string | undefined | typeof UNREADABLE,
  ): Promise<boolean> {
    try {
      await this.#secrets.store(name, value);
    } catch {
      return false;
    }
    const after = await this.#read(name);
    // Yet another value comes from a window that wrote at the same moment: storage works.
    return after === value || (typeof after === 'string' && after !== before);
  }

  async #read(name: string): Promise<string | undefined | typeof UNREADABLE> {
    this.#awaited += 1;
    try {
      return await this.#secrets.get(name);
    } catch {
      return UNREADABLE;
    } finally {
      this.#awaited -= 1;
    }
  }

  #troubled(): void {
    if (this.#isTroubled) return;
    this.#isTroubled = true;
    this.#onTrouble();
  }
}
