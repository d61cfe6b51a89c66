import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A text of this many characters, or a few more. */
export type TextOf = (length: number) => string;

/** A row of characters again and again, behind a text and before another one. */
export const rows =
  (row: string, before = '', behind = ''): TextOf =>
  (length) =>
    before + row.repeat(Math.ceil(length / row.length)) + behind;

/** What a text of others goes through. */
export interface Way {
  readonly work: (text: string) => unknown;
  /** Those that are hard for it. */
  readonly texts: readonly TextOf[];
  /** Characters that the shorter of two texts has, where that is more than usual. */
  readonly length?: number;
}

export type Ways = Readonly<Record<string, Way>>;

/** Counts the work of the `WAYS` of a module, in a thread where nothing else is counted. */
export class WorkCounter {
  readonly #thread: Worker;

  constructor(module: URL) {
    // That thread counts for itself what coverage counts.
    const { NODE_V8_COVERAGE: _, ...env } = process.env;
    this.#thread = new Worker(new URL('./counting.ts', import.meta.url), {
      workerData: module.href,
      env,
    });
  }

  /** Steps, and characters that built-in methods go through: the same for the same text. */
  async count(way: string, text: string): Promise<number> {
    this.#thread.postMessage({ way, text });
    const [work] = await once(this.#thread, 'message');
    return work;
  }

  async end(): Promise<void> {
    await this.#thread.terminate();
  }
}
