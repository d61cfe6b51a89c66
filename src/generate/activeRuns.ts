import { type StopReason, truncationOf } from '../service/api/stopReason.ts';

/** The mode of a run: `restart` replaces the response so far, and `continue` adds to it. */
export type RunMode = 'restart' | 'continue';

export type RunEnd = 'ended' | 'truncated' | 'failed';

/**
 * Returns how a response ended. A response that was stopped by a token or time limit is `truncated`
 * and can be continued.
 */
export function endOf(stopReason: StopReason): 'ended' | 'truncated' {
  return truncationOf(stopReason) ? 'truncated' : 'ended';
}

/**
 * The active runs of a job, each with the indices of the responses that it generates. Each response
 * belongs to at most one active run.
 */
export class ActiveRuns {
  readonly #taken = new Map<AbortController, readonly number[]>();
  #isClosed = false;

  /** True if a run is active. */
  get isAny(): boolean {
    return this.#taken.size > 0;
  }

  /**
   * Reserves responses for a new run until `release` is called.
   * @returns the controller that cancels the run; undefined if one of the responses is already
   * reserved, or if `close` was called
   */
  reserve(indices: readonly number[]): AbortController | undefined {
    const running = [...this.#taken.values()].flat();
    if (this.#isClosed || indices.some((index) => running.includes(index))) return undefined;
    const controller = new AbortController();
    this.#taken.set(controller, indices);
    return controller;
  }

  release(controller: AbortController): void {
    this.#taken.delete(controller);
  }

  cancel(): void {
    for (const controller of this.#taken.keys()) controller.abort();
  }

  /** Cancels all runs and prevents new runs. */
  close(): void {
    this.#isClosed = true;
    this.cancel();
  }
}
