import type { Clock } from '../clock.ts';
import type { Budget } from './httpRequest.ts';

/**
 * Keeps one request within the budget of its call. The time begins with the first attempt of the
 * call: how long it waits for its turn depends on others, and its user can cancel it.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #budget: Budget;
  readonly #clock: Clock;
  #timer: NodeJS.Timeout | undefined;

  constructor(budget: Budget, clock: Clock) {
    this.#budget = budget;
    this.#clock = clock;
    if (budget.endsAt !== undefined) this.begin();
  }

  /** Aborts when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** An attempt begins; the first one of the call begins its time. */
  begin(): void {
    const now = this.#clock.monotonic();
    this.#budget.endsAt ??= now + this.#budget.totalMs;
    this.#timer ??= setTimeout(() => this.#controller.abort(), this.#budget.endsAt - now);
  }

  /** The request is over. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
