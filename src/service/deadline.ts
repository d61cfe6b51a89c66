import type { Clock } from './clock.ts';
import type { Budget } from './exchange.ts';
import { follow } from './follow.ts';

/**
 * Keeps one exchange within the budget of its call. The time begins with the first attempt of the
 * call: how long it waits for its turn depends on others, and its user can cancel it.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #budget: Budget;
  readonly #clock: Clock;
  readonly #letGo: () => void;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param cancelled aborts when nobody waits for the exchange any longer */
  constructor(budget: Budget, clock: Clock, cancelled: AbortSignal) {
    this.#budget = budget;
    this.#clock = clock;
    this.#letGo = follow(cancelled, this.#controller);
    if (budget.endsAt !== undefined) this.begin();
  }

  /** Aborts when the time is over, or the exchange cancelled. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True once the time has come to its end. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** An attempt begins; the first one of the call begins its time. */
  begin(): void {
    const now = this.#clock.monotonic();
    this.#budget.endsAt ??= now + this.#budget.totalMs;
    this.#timer ??= setTimeout(() => this.#runOut(), this.#budget.endsAt - now);
  }

  /** The exchange is over. */
  end(): void {
    clearTimeout(this.#timer);
    this.#letGo();
  }

  #runOut(): void {
    this.#isOver = true;
    this.#controller.abort();
  }
}
