/** The key in use and the three before it. */
const MOST_KEYS = 4;
/** Of each key. */
const MOST_TOKENS = 3;

/**
 * The last keys with their last tokens, in memory only: a service can repeat whatever it was sent,
 * also once it is replaced, or forgotten by signing out.
 */
export class RecentSecrets {
  /** The one that was used last at the end. */
  readonly #tokens = new Map<string, readonly string[]>();

  get values(): readonly string[] {
    return [...this.#tokens].flat(2);
  }

  /** Keeps a key, with this token of it; the key that was used longest ago makes room. */
  keep(apiKey: string, ...token: readonly string[]): void {
    const tokens = [...token, ...(this.#tokens.get(apiKey) ?? [])].slice(0, MOST_TOKENS);
    this.#tokens.delete(apiKey);
    this.#tokens.set(apiKey, tokens);
    const [oldest = ''] = this.#tokens.keys();
    if (this.#tokens.size > MOST_KEYS) this.#tokens.delete(oldest);
  }

  clear(): void {
    this.#tokens.clear();
  }
}
