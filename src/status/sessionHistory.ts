import type { TokenState } from '../service/auth/token.ts';
import type { Clock } from '../service/clock.ts';
import type { ServiceError } from '../service/errors.ts';

export interface PastFailure {
  /** Wall-clock milliseconds. */
  readonly at: number;
  /** Undefined for what is no failure of the service: what it holds is nobody's business here. */
  readonly error: ServiceError | undefined;
}

export interface PastGeneration {
  readonly at: number;
  /** Milliseconds to the first text; undefined if none came. */
  readonly firstTextMs: number | undefined;
  readonly wholeMs: number;
  /** One that the user cancelled is no failure. */
  readonly end: 'complete' | 'failed' | 'cancelled';
}

export interface PastTokenWait {
  readonly at: number;
  readonly ms: number;
}

const KEPT = 5;

/** What happened last in this window, as kinds and numbers; for the report of a diagnosis. */
export class SessionHistory {
  // The last ones, the newest at the end.
  readonly failures: PastFailure[] = [];
  readonly generations: PastGeneration[] = [];
  /** How long callers waited for a token; renewals in the background are nobody's wait. */
  readonly tokenWaits: PastTokenWait[] = [];
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Monotonic milliseconds. */
  #waitsForTokenSince: number | undefined;
  #renewalFails = false;

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock;
  }

  failed(error: ServiceError | undefined): void {
    keep(this.failures, { at: this.#clock.now(), error });
  }

  generated(generation: Omit<PastGeneration, 'at'>): void {
    keep(this.generations, { at: this.#clock.now(), ...generation });
  }

  /** Of renewals in the background that fail in a row only the first is kept: others count, too. */
  tokenIs(state: TokenState): void {
    const { kind } = state;
    if (kind === 'valid') {
      if (state.refreshError && !this.#renewalFails) this.failed(state.refreshError);
      this.#renewalFails = state.refreshError !== undefined;
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
