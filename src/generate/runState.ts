import type { StopReason } from '../service/api/responseReader.ts';

/** How a run treats the existing text: replaces it or continues it. */
export type RunMode = 'restart' | 'continue';

/**
 * The state of a response without an active run. `ended` includes responses that failed halfway.
 */
type Rest = 'new' | 'ended' | 'truncated' | 'undone';

/**
 * The state of one response across the runs of its job. A run that fails before its first text
 * doesn't change the response.
 *
 * | State     | restart   | continue  | text    | ended | truncated | failed | undone |
 * |-----------|-----------|-----------|---------|-------|-----------|--------|--------|
 * | new       | replacing | writing   | same    | ended | truncated | same   | undone |
 * | ended     | replacing | writing   | same    | ended | truncated | same   | undone |
 * | truncated | replacing | writing   | same    | ended | truncated | same   | undone |
 * | undone    | replacing | replacing | same    | same  | same      | same   | same   |
 * | replacing | replacing | writing   | writing | ended | truncated | before | undone |
 * | writing   | replacing | writing   | same    | ended | truncated | before | undone |
 *
 * If a replacing run fails after receiving text, the response becomes `ended`. An undone response
 * stays undone until a later run receives text.
 */
export type RunState =
  | { readonly kind: Rest }
  /** The next text replaces the current text. */
  | { readonly kind: 'replacing'; readonly before: Rest }
  /** The next text is appended to the current text. */
  | { readonly kind: 'writing'; readonly before: Rest };

export type RunEnd = 'ended' | 'truncated' | 'failed';

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
    case 'truncated':
      return { kind: before === 'undone' ? before : event };
    case 'failed':
      return { kind: before };
    case 'undone':
      return { kind: 'undone' };
  }
}

/** Returns the state that the response reverts to if its run fails. */
export function settledStateOf(state: RunState): Rest {
  return 'before' in state ? state.before : state.kind;
}

/**
 * Returns how a response ended. A response that was stopped by a token or time limit is `truncated`
 * and can be continued.
 */
export function endOf(stopReason: StopReason): 'ended' | 'truncated' {
  return stopReason === 'max_tokens' || stopReason === 'time_limit' ? 'truncated' : 'ended';
}

/**
 * The active runs of a job and the responses they generate. Each response belongs to at most one
 * run.
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

  /** Cancels all runs and prevents new ones. */
  close(): void {
    this.#isClosed = true;
    this.cancel();
  }
}
