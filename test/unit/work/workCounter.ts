import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * Returns a text of approximately this length. If the repeated part is long, the text can be
 * longer.
 */
export type TextOf = (length: number) => string;

/** Creates texts that repeat some characters between a fixed start and end. */
export const rows =
  (row: string, before = '', behind = ''): TextOf =>
  (length) =>
    before + row.repeat(Math.ceil(length / row.length)) + behind;

/** A path that untrusted text takes through the code. */
export interface CodePath {
  readonly work: (text: string) => unknown;
  /** Texts that can cause the most work on this path. */
  readonly texts: readonly TextOf[];
  /** Length of the shorter of the two compared texts, if it differs from the default. */
  readonly length?: number;
}

export type CodePaths = Readonly<Record<string, CodePath>>;

/** Counts the work of a module's `codePaths` in a separate thread. */
export class WorkCounter {
  readonly #thread: Worker;

  constructor(module: URL) {
    // The thread counts work with V8's coverage counters, so test coverage must be off in the
    // thread.
    const { NODE_V8_COVERAGE: _, ...env } = process.env;
    this.#thread = new Worker(new URL('./counting.ts', import.meta.url), {
      workerData: module.href,
      env,
    });
  }

  /**
   * Returns the number of executed blocks of code, plus the number of characters and elements that
   * built-in methods process. The result is always the same for the same text.
   */
  async count(path: string, text: string): Promise<number> {
    this.#thread.postMessage({ path, text });
    const [work] = await once(this.#thread, 'message');
    return work;
  }

  async end(): Promise<void> {
    await this.#thread.terminate();
  }
}
