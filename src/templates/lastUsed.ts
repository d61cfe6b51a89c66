import type { Memento } from 'vscode';
import { nameKey } from './template.ts';

/** The names of the templates that were used last, newest first; nothing else of them. */

const KEY = 'hostedModel.lastUsedTemplates';
const MOST_NAMES = 20;

export class LastUsedTemplates {
  readonly #memento: Memento;

  constructor(memento: Memento) {
    this.#memento = memento;
  }

  get names(): readonly string[] {
    const kept: unknown = this.#memento.get(KEY);
    if (!Array.isArray(kept)) return [];
    return kept.filter((name) => typeof name === 'string').slice(0, MOST_NAMES);
  }

  /** @throws if VS Code cannot keep it */
  async note(name: string): Promise<void> {
    const others = this.names.filter((other) => nameKey(other) !== nameKey(name));
    await this.#memento.update(KEY, [name, ...others].slice(0, MOST_NAMES));
  }
}
