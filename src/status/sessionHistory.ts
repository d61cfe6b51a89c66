import type { TokenState } from '../service/auth/token.ts';
import type { Clock } from '../service/clock.ts';
import type { ServiceError } from '../service/errors.ts';

export interface PastFailure {
  /** Milliseconds since 1970. */
  readonly at: number;
  /**
   * Undefined if the error isn't a `ServiceError`, because reports must not contain the text of
   * other errors.
   */
  readonly error: ServiceError | undefined;
}

export interface PastGeneration {
  readonly at: number;
  /** Milliseconds until the first text; undefined if there was no text. */
  readonly firstTextMs: number | undefined;
  readonly wholeMs: number;
  /** A generation that the user canceled doesn't count as failed. */
  readonly end: 'complete' | 'failed' | 'cancelled';
}

export interface PastTokenWait {
  readonly at: number;
  readonly ms: number;
}

const KEPT = 5;

/** The latest failures, generations, and token waits in this window, for the diagnostic report. */
export class SessionHistory {
  // In each array, the newest entry is last.
  readonly failures: PastFailure[] = [];
  readonly generations: PastGeneration[] = [];
  /** The latest waits for a token. Background refreshes don't count. */
  readonly tokenWaits: PastTokenWait[] = [];
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Start of the current wait, in monotonic milliseconds; undefined if no caller is waiting. */
  #waitsForTokenSince: number | undefined;
  #refreshFails = false;

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock;
  }

  recordFailure(error: ServiceError | undefined): void {
    keep(this.failures, { at: this.#clock.now(), error });
  }

  recordGeneration(generation: Omit<PastGeneration, 'at'>): void {
    keep(this.generations, { at: this.#clock.now(), ...generation });
  }

  /**
   * Records failed background refreshes and successful waits for a token. If several refreshes in a
   * row fail, only the first failure is kept, to leave room for other failures.
   */
  recordTokenState(state: TokenState): void {
    const { kind } = state;
    if (kind === 'valid') {
      if (state.refreshError && !this.#refreshFails) this.recordFailure(state.refreshError);
      this.#refreshFails = state.refreshError !== undefined;
    }
    const now = this.#clock.monotonic();
    if (kind === 'valid' && this.#waitsForTokenSince !== undefined) {
      keep(this.tokenWaits, {
        at: this.#clock.now(),
        ms: Math.round(now - this.#waitsForTokenSince),
      });
    }
    this.#waitsForTokenSince = kind === 'fetching' ? (this.#waitsForTokenSince ?? now) : undefined;
  }
}

function keep<Entry>(entries: Entry[], entry: Entry): void {
  entries.push(entry);
  if (entries.length > KEPT) entries.shift();
}
