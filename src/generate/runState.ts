import type { StopReason } from '../service/api/responseReader.ts';

/** Starting point of a run: an empty response, or the end of the current text. */
export type RunMode = 'restart' | 'continue';

/** State of a response without an active run. `ended` includes a response that failed halfway. */
type Rest = 'new' | 'ended' | 'cut' | 'undone';

/**
 * State of one response across the runs of its job. A run that fails before its first text doesn't
 * change the response.
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
 * After its first text, a replacing run leaves an ended response, even if it fails. An undone
 * response stays undone until a run that starts later receives text. A run that ends without text
 * doesn't change that.
 */
export type RunState =
  | { readonly kind: Rest }
  /** The next text replaces the current text. */
  | { readonly kind: 'replacing'; readonly before: Rest }
  /** The next text is appended to the current text. */
  | { readonly kind: 'writing'; readonly before: Rest };

export type RunEnd = 'ended' | 'cut' | 'failed';

export type RunEvent = RunMode | 'text' | RunEnd | 'undone';

export function nextRunState(state: RunState, event: RunEvent): RunState {
  const before = settledStateOf(state);
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

/** Returns the state that the response goes back to if its run fails. */
export function settledStateOf(state: RunState): Rest {
  return 'before' in state ? state.before : state.kind;
}

/** Returns `cut` for a truncated response, which can be continued. */
export function endOf(stopReason: StopReason): 'ended' | 'cut' {
  return stopReason === 'max_tokens' || stopReason === 'time_limit' ? 'cut' : 'ended';
}

/** The active runs of a job, with their responses. Each response has at most one run at a time. */
export class ActiveRuns {
  readonly #taken = new Map<AbortController, readonly number[]>();
  #isClosed = false;

  /** True if a run is active. */
  get isAny(): boolean {
    return this.#taken.size > 0;
  }

  /**
   * Reserves responses for one run until they are released.
   * @returns the controller that stops the run; undefined if one of the responses is taken, or the
   * job is closed
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

  cancel(): void {
    for (const controller of this.#taken.keys()) controller.abort();
  }

  /** Stops every run, and prevents new ones. */
  close(): void {
    this.#isClosed = true;
    this.cancel();
  }
}
