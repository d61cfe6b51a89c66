/** The command that caused a change: undo or redo. */
export type Replay = 'undo' | 'redo';

/** Maximum number of states kept for undo; the same limit applies separately to redo. */
const KEPT = 200;

/** States that undo and redo can restore. */
export class UndoStates<State> {
  /** In each list, the latest state is last. */
  readonly #states: Readonly<Record<Replay, State[]>> = { undo: [], redo: [] };
  #hasForgotten = false;

  /**
   * Saves the state before a change.
   * @param replay undefined if the change is neither an undo nor a redo
   */
  keep(state: State, replay: Replay | undefined): void {
    const states = this.#states[replay === 'undo' ? 'redo' : 'undo'];
    states.push(state);
    if (states.length > KEPT) {
      states.shift();
      this.#hasForgotten = true;
    }
  }

  /** Drops all redo states, because a new edit empties VS Code's redo stack. */
  forgetRedo(): void {
    this.#states.redo.length = 0;
  }

  /** Returns the states that an undo or redo can restore, with the latest state last. */
  ahead(replay: Replay): readonly State[] {
    return this.#states[replay];
  }

  /** Drops the state that an undo or redo has restored, and all later states. */
  reach(replay: Replay, index: number): void {
    this.#states[replay].length = index;
  }

  /** True if old states were dropped because there were too many. */
  get hasForgotten(): boolean {
    return this.#hasForgotten;
  }
}
