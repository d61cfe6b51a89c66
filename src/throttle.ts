import type { Disposable } from 'vscode';

/**
 * Does something at once, and then at most once in a while, however often it is asked to: whatever
 * is asked meanwhile is done together, at the end of that while.
 */
export class Throttle implements Disposable {
  readonly #work: () => void;
  readonly #whileMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isAsked = false;

  constructor(whileMs: number, work: () => void) {
    this.#whileMs = whileMs;
    this.#work = work;
  }

  ask(): void {
    this.#isAsked = true;
    if (!this.#timer) this.#doIfAsked();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#isAsked = false;
  }

  #doIfAsked(): void {
    this.#timer = undefined;
    if (!this.#isAsked) return;
    this.#isAsked = false;
    this.#timer = setTimeout(() => this.#doIfAsked(), this.#whileMs);
    this.#work();
  }
}
