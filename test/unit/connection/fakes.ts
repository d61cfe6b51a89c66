import type { Event, Memento, SecretStorage, SecretStorageChangeEvent } from 'vscode';

/** A machine's secret storage. All windows share it and are notified of every write. */
export class FakeKeyring {
  readonly values = new Map<string, string>();
  readonly listeners = new Set<(event: SecretStorageChangeEvent) => void>();
  /** The number of reads by all windows. */
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
      // As in VS Code, deleting a name that isn't stored doesn't fire an event.
      delete: async (name) => {
        if (this.values.delete(name)) this.announce(name);
      },
      onDidChange,
      ...changes,
    };
  }

  /**
   * Notifies every window of a write, including the one that made it, even if the value didn't
   * change. VS Code does the same.
   */
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

/** Waits until all code that awaits a resolved promise has run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
