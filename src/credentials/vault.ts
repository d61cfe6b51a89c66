import type { Disposable, SecretStorage } from 'vscode';

/**
 * Secret storage as real machines have it. It can fail or forget, as on Linux without a keyring;
 * what it does not keep is held here until the window closes, and that is said once.
 */
export class Vault {
  readonly #secrets: SecretStorage;
  readonly #held = new Map<string, string>();
  readonly #onTrouble: () => void;
  #isTroubled = false;

  /** @param onTrouble called once, when a value turns out not to be kept or not to be readable */
  constructor(secrets: SecretStorage, onTrouble: () => void) {
    this.#secrets = secrets;
    this.#onTrouble = onTrouble;
  }

  /** Whether a value of this name lives only as long as the window. */
  isHeld(name: string): boolean {
    return this.#held.has(name);
  }

  /** The names of all values. @throws if secret storage cannot list them */
  async names(): Promise<string[]> {
    return [...this.#held.keys(), ...(await this.#secrets.keys())];
  }

  async get(name: string): Promise<string | undefined> {
    const held = this.#held.get(name);
    if (held !== undefined) return held;
    try {
      return await this.#secrets.get(name);
    } catch {
      this.#troubled();
      return undefined;
    }
  }

  async store(name: string, value: string): Promise<void> {
    if (await this.#isKept(name, value)) {
      this.#held.delete(name);
      return;
    }
    this.#held.set(name, value);
    this.#troubled();
  }

  /** @throws if secret storage keeps the value */
  async delete(name: string): Promise<void> {
    const wasHeld = this.#held.delete(name);
    try {
      await this.#secrets.delete(name);
    } catch (error) {
      if (!wasHeld) throw error;
    }
  }

  /** Fires after every write in any window, also for one of this window and one without a change. */
  onDidChange(listener: (name: string) => void): Disposable {
    return this.#secrets.onDidChange(({ key }) => listener(key));
  }

  async #isKept(name: string, value: string): Promise<boolean> {
    try {
      await this.#secrets.store(name, value);
      return (await this.#secrets.get(name)) === value;
    } catch {
      return false;
    }
  }

  #troubled(): void {
    if (this.#isTroubled) return;
    this.#isTroubled = true;
    this.#onTrouble();
  }
}
