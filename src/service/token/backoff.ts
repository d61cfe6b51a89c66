import { type Clock, type Moment, momentOf, passedSince } from '../clock.ts';
import { ServiceError } from '../errors.ts';

const FIRST_MS = 5_000;
const LONGEST_MS = 300_000;
/** Something in between can ask for years. */
const LONGEST_ASKED_MS = 3_600_000;

/**
 * How long a service is left alone after failures in a row: from 5 s to 5 min, and as long as it
 * asks for itself, up to an hour. Sleep counts.
 */
export class Backoff {
  readonly #clock: Clock;
  readonly #random: () => number;
  #failures = 0;
  #last: (Moment & { readonly ms: number; readonly error: unknown }) | undefined;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** True while nothing may be sent that nobody waits for. */
  get isOn(): boolean {
    return this.#last !== undefined && this.#leftMs(this.#last.ms) > 0;
  }

  /** The failure that came with a pause, and what is left of it; undefined once that is over. */
  get pause(): ServiceError | undefined {
    const { error } = this.#last ?? {};
    if (!(error instanceof ServiceError)) return undefined;
    const retryAfterMs = this.#leftMs(askedMs(error));
    return retryAfterMs > 0 ? error.with({ retryAfterMs }) : undefined;
  }

  failed(error: unknown): void {
    const ownMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    const ms = Math.max(ownMs * (0.75 + this.#random() * 0.5), askedMs(error));
    this.#last = { ...momentOf(this.#clock), ms, error };
  }

  succeeded(): void {
    this.#failures = 0;
    this.#last = undefined;
  }

  #leftMs(ms: number): number {
    return this.#last ? ms - passedSince(this.#last, this.#clock) : 0;
  }
}

function askedMs(error: unknown): number {
  const { retryAfterMs = 0 } = error instanceof ServiceError ? error.details : {};
  return Math.min(retryAfterMs, LONGEST_ASKED_MS);
}
