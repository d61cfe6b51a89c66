import type { Event, Memento, SecretStorage, SecretStorageChangeEvent } from 'vscode';

/** Secret storage of one machine: each window has an own view on it, all hear of every write. */
export class FakeKeyring {
  readonly values = new Map<string, string>();
  readonly listeners = new Set<(event: SecretStorageChangeEvent) => void>();
  /** How often a value was read, by any window. */
  reads = 0;

  window(changes: Partial<SecretStorage> = {}): SecretStorage {
    const onDidChange: Event<SecretStorageChangeEvent> = (listener) => {
      this.listeners.add(listener);
      return { dispose: () => this.listeners.delete(listener) };
    };
    return {
      keys: async () => [...this.values.keys()],
      get: async (name) => {
        this.reads += 1;
        return this.values.get(name);
      },
      store: async (name, value) => {
        this.values.set(name, value);
        this.announce(name);
      },
      // As in VS Code, deleting a missing name fires no event.
      delete: async (name) => {
        if (this.values.delete(name)) this.announce(name);
      },
      onDidChange,
      ...changes,
    };
  }

  /** As VS Code does: to every window, the writing one as well, also without a change. */
  announce(key: string): void {
    for (const listener of this.listeners) listener({ key });
  }
}

export class FakeState implements Memento {
  readonly values = new Map<string, unknown>();

  keys(): readonly string[] {
    return [...this.values.keys()];
  }

  get<Value>(key: string, fallback?: Value): Value {
    return (this.values.has(key) ? this.values.get(key) : fallback) as Value;
  }

  async update(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.values.delete(key);
    else this.values.set(key, JSON.parse(JSON.stringify(value)));
  }
}

/** Lets everything run that waits for a resolved promise. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
