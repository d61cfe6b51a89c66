import { ServiceError } from './errors.ts';

/**
 * A task that several callers can wait for. Each caller can stop waiting at any time. When the last
 * caller stops waiting, the task is aborted.
 */
export class SharedTask<Result> {
  /**
   * The result, for observers. Unlike callers of `wait`, observers neither keep the task running
   * nor abort it.
   */
  readonly result: Promise<Result>;
  readonly #controller = new AbortController();
  readonly #onOver: (isAbandoned: boolean) => void;
  #waiters = 0;
  #isOver = false;

  /**
   * @param onOver called once: with false when the task ends, or with true if its last caller stops
   * waiting first
   */
  constructor(
    work: (signal: AbortSignal) => Promise<Result>,
    onOver: (isAbandoned: boolean) => void = () => {},
  ) {
    this.#onOver = onOver;
    this.result = work(this.#controller.signal);
    const settled = () => this.#over(false);
    // The second handler also prevents an unhandled rejection if no caller is waiting.
    this.result.then(settled, settled);
  }

  /**
   * Waits for the result.
   * @throws {ServiceError} `cancelled` if the signal aborts first; any error from the task
   */
  wait(signal: AbortSignal): Promise<Result> {
    this.#waiters += 1;
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiters -= 1;
        if (this.#waiters === 0) {
          this.abort();
          this.#over(true);
        }
        reject(new ServiceError('cancelled'));
      };
      if (signal.aborted) leave();
      signal.addEventListener('abort', leave, { once: true });
      const stay = () => signal.removeEventListener('abort', leave);
      this.result.then(resolve, reject).finally(stay);
    });
  }

  #over(isAbandoned: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onOver(isAbandoned);
  }

  abort(): void {
    this.#controller.abort();
  }
}
