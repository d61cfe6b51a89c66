import type { StopReason } from '../service/api/responseReader.ts';

/** How an answer is come by: from the start, or from the end of what is there. */
export type RunMode = 'restart' | 'continue';

/** What an answer is while nobody is at work on it. One that failed half-way has ended, too. */
type Rest = 'new' | 'ended' | 'cut' | 'undone';

/**
 * How far the runs of a job have brought one of its answers. A run that fails before its first text
 * leaves the answer as it found it.
 *
 * | State     | restart   | continue  | text    | ended  | cut    | failed | undone |
 * |-----------|-----------|-----------|---------|--------|--------|--------|--------|
 * | new       | replacing | writing   | same    | ended  | cut    | same   | undone |
 * | ended     | replacing | writing   | same    | ended  | cut    | same   | undone |
 * | cut       | replacing | writing   | same    | ended  | cut    | same   | undone |
 * | undone    | replacing | replacing | same    | same   | same   | same   | same   |
 * | replacing | replacing | writing   | writing | ended  | cut    | before | undone |
 * | writing   | replacing | writing   | same    | ended  | cut    | before | undone |
 *
 * A run that replaces something leaves, once its text has come, an answer that has ended. What was
 * undone stays so until text comes for a run that began afterwards, also where one ends without any.
 */
export type RunState =
  | { readonly kind: Rest }
  /** The next text takes the place of what there is. */
  | { readonly kind: 'replacing'; readonly before: Rest }
  /** The next text goes behind what there is. */
  | { readonly kind: 'writing'; readonly before: Rest };

/** How a run ends. */
export type RunEnd = 'ended' | 'cut' | 'failed';

export type RunEvent = RunMode | 'text' | RunEnd | 'undone';

export function nextRunState(state: RunState, event: RunEvent): RunState {
  const before = restOf(state);
  switch (event) {
    case 'restart':
      return { kind: 'replacing', before };
    case 'continue':
      return { kind: before === 'undone' ? 'replacing' : 'writing', before };
    case 'text':
      return state.kind === 'replacing' ? { kind: 'writing', before: 'ended' } : state;
    case 'ended':
    case 'cut':
      return { kind: before === 'undone' ? before : event };
    case 'failed':
      return { kind: before };
    case 'undone':
      return { kind: 'undone' };
  }
}

/** What the answer is once more if its run comes to nothing. */
export function restOf(state: RunState): Rest {
  return 'before' in state ? state.before : state.kind;
}

/** Whether the service cut it, since a limit was reached: then it can be continued. */
export function endOf(stopReason: StopReason): 'ended' | 'cut' {
  return stopReason === 'max_tokens' || stopReason === 'time_limit' ? 'cut' : 'ended';
}

/** Who is at work on which answers of a job: each answer has one run at a time. */
export class ActiveRuns {
  readonly #taken = new Map<AbortController, readonly number[]>();
  #isClosed = false;

  /** Whether anything is being generated. */
  get isAny(): boolean {
    return this.#taken.size > 0;
  }

  /**
   * Takes answers for one run, until they are released.
   * @returns what stops the run; undefined if any of them is being generated already
   */
  take(indices: readonly number[]): AbortController | undefined {
    const running = [...this.#taken.values()].flat();
    if (this.#isClosed || indices.some((index) => running.includes(index))) return undefined;
    const controller = new AbortController();
    this.#taken.set(controller, indices);
    return controller;
  }

  release(controller: AbortController): void {
    this.#taken.delete(controller);
  }

  /** Stops every run. */
  cancel(): void {
    for (const controller of this.#taken.keys()) controller.abort();
  }

  /** Stops every run, and lets none begin. */
  close(): void {
    this.#isClosed = true;
    this.cancel();
  }
}
