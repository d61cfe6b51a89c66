import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Returns text of approximately this length. If the repeated part is long, the text can be longer
 * than that.
 */
export type TextOf = (length: number) => string;

/** Creates text that repeats some characters between a fixed start and end. */
export const rows =
  (row: string, before = '', behind = ''): TextOf =>
  (length) =>
    before + row.repeat(Math.ceil(length / row.length)) + behind;

/** A path that untrusted text takes through the code. */
export interface CodePath {
  readonly work: (text: string) => unknown;
  /** Inputs that cause the most work on this path. */
  readonly texts: readonly TextOf[];
  /** Length of the shorter of the two compared texts, if it differs from the default. */
  readonly length?: number;
}

export type CodePaths = Readonly<Record<string, CodePath>>;

/** Counts the work of a module's `codePaths` in a separate process. */
export class WorkCounter {
  readonly #process: ChildProcess;

  constructor(module: URL) {
    // This process uses V8's coverage counters to count work, so test coverage must be off. The
    // optimizing compilers must also be off, because V8 doesn't count calls to inlined functions.
    const { NODE_V8_COVERAGE: _, ...env } = process.env;
    this.#process = fork(fileURLToPath(new URL('./counting.ts', import.meta.url)), [module.href], {
      env,
      execArgv: [...process.execArgv, '--allow-natives-syntax', '--no-opt', '--no-maglev'],
    });
  }

  /**
   * Returns the number of executed blocks of code, plus the number of characters and elements that
   * built-in methods process. The result is always the same for the same text.
   */
  async count(path: string, text: string): Promise<number> {
    this.#process.send({ path, text });
    const [work] = await once(this.#process, 'message');
    return work;
  }

  async end(): Promise<void> {
    this.#process.disconnect();
    await once(this.#process, 'exit');
  }
}
