import { ServiceError } from './errors.ts';

/**
 * One run of work that everybody who wants its result shares. Each can stop waiting on their own;
 * when the last one has, the work is aborted.
 */
export class SharedTask<Result> {
  /** The result, for those who do not wait for it themselves. */
  readonly result: Promise<Result>;
  readonly #controller = new AbortController();
  readonly #onOver: (isAbandoned: boolean) => void;
  #waiters = 0;
  #isOver = false;

  /** @param onOver called once, with whether the last one who waited has stopped before the end */
  constructor(
    work: (signal: AbortSignal) => Promise<Result>,
    onOver: (isAbandoned: boolean) => void = () => {},
  ) {
    this.#onOver = onOver;
    this.result = work(this.#controller.signal);
    const landed = () => this.#over(false);
    // Work in the background that fails is no unhandled rejection.
    this.result.then(landed, landed);
  }

  /** @throws {ServiceError} `cancelled` when the signal aborts first; otherwise what the work throws */
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

  /** Ends work in the background; what somebody waits for goes on. */
  abortIfUnawaited(): void {
    if (this.#waiters === 0) this.abort();
  }
}
