import { ServiceError } from './errors.ts';

/**
 * Work whose result several callers share. Each caller can stop waiting. The work is aborted when
 * the last one stops.
 */
export class SharedTask<Result> {
  /** The result, for background work. */
  readonly result: Promise<Result>;
  readonly #controller = new AbortController();
  readonly #onOver: (isAbandoned: boolean) => void;
  #waiters = 0;
  #isOver = false;

  /** @param onOver called once, with true if the last caller left before the end */
  constructor(
    work: (signal: AbortSignal) => Promise<Result>,
    onOver: (isAbandoned: boolean) => void = () => {},
  ) {
    this.#onOver = onOver;
    this.result = work(this.#controller.signal);
    const landed = () => this.#over(false);
    // Handles the rejection of background work.
    this.result.then(landed, landed);
  }

  /**
   * @throws {ServiceError} `cancelled` if the signal aborts first. An error from the work is
   * rethrown unchanged.
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
