import type { Clock } from './clock.ts';

/** By so much the clocks may go apart while a machine is awake. */
const AWAKE_MS = 2_000;

/** Notices that the machine slept, or that its clock was set: then one clock goes on without the other. */
export class SleepWatch {
  readonly #clock: Clock;
  /** How far the wall clock was ahead of the monotonic one, at the last look. */
  #aheadMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#aheadMs = this.#aheadNow();
  }

  /** True if the machine may have slept since the last look. */
  hasSlept(): boolean {
    const before = this.#aheadMs;
    this.#aheadMs = this.#aheadNow();
    return Math.abs(this.#aheadMs - before) > AWAKE_MS;
  }

  #aheadNow(): number {
    return this.#clock.now() - this.#clock.monotonic();
  }
}
