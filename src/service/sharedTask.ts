import { ServiceError } from './errors.ts';

/**
 * One run of work that everybody who wants its result shares. Each can stop waiting on their own;
 * when the last one has, the work is aborted.
 */
export class SharedTask<Result> {
  /** The result, for those who do not wait for it themselves. */
  readonly result: Promise<Result>;
  readonly #controller = new AbortController();
  #waiters = 0;

  constructor(work: (signal: AbortSignal) => Promise<Result>) {
    this.result = work(this.#controller.signal);
    // Work in the background that fails is no unhandled rejection.
    this.result.catch(() => {});
  }

  /**
   * @param onAbandoned called when this was the last one to wait and has stopped
   * @throws {ServiceError} `cancelled` when the signal aborts first; otherwise what the work throws
   */
  wait(signal: AbortSignal, onAbandoned: () => void): Promise<Result> {
    if (signal.aborted) {
      if (this.#waiters === 0) this.#abandon(onAbandoned);
      return Promise.reject(new ServiceError('cancelled'));
    }
    this.#waiters += 1;
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiters -= 1;
        if (this.#waiters === 0) this.#abandon(onAbandoned);
        reject(new ServiceError('cancelled'));
      };
      signal.addEventListener('abort', leave, { once: true });
      const stay = () => signal.removeEventListener('abort', leave);
      this.result.then(resolve, reject).finally(stay);
    });
  }

  #abandon(onAbandoned: () => void): void {
    this.abort();
    onAbandoned();
  }

  abort(): void {
    this.#controller.abort();
  }

  /** Ends work in the background; what somebody waits for goes on. */
  abortIfUnawaited(): void {
    if (this.#waiters === 0) this.abort();
  }
}
