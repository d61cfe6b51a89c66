/** Who is at work on which answers: each answer has one run at a time. */
export class ActiveRuns {
  readonly #answers = new Map<AbortController, readonly number[]>();
  #isClosed = false;

  /** Whether anything is being generated. */
  get isAny(): boolean {
    return this.#answers.size > 0;
  }

  /**
   * Takes answers for one run, until they are released.
   * @returns what stops the run; undefined if any of them is being generated already
   */
  take(answers: readonly number[]): AbortController | undefined {
    const taken = [...this.#answers.values()].flat();
    if (this.#isClosed || answers.some((answer) => taken.includes(answer))) return undefined;
    const controller = new AbortController();
    this.#answers.set(controller, answers);
    return controller;
  }

  release(controller: AbortController): void {
    this.#answers.delete(controller);
  }

  /** Stops every run. */
  cancel(): void {
    for (const controller of this.#answers.keys()) controller.abort();
  }

  /** Stops every run, and lets none begin. */
  close(): void {
    this.#isClosed = true;
    this.cancel();
  }
}
