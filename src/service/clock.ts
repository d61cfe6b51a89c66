/** Provides the time. Tests replace it to avoid real waits. */
export interface Clock {
  /**
   * Wall-clock time in milliseconds since 1970. Can jump when the system time is changed or the
   * machine wakes up.
   */
  now(): number;
  /** Monotonic time in milliseconds. Never goes backward. May stop while the machine sleeps. */
  monotonic(): number;
}

/** A moment, in milliseconds of both the wall clock and the monotonic clock. */
export interface Moment {
  readonly wallStart: number;
  readonly monotonicStart: number;
}

export function momentOf(clock: Clock): Moment {
  return { wallStart: clock.now(), monotonicStart: clock.monotonic() };
}

/**
 * Returns the milliseconds since a moment, by whichever clock has counted more of them. The wall
 * clock can be set back, and the monotonic clock can stop while the machine sleeps.
 */
export function passedSince({ wallStart, monotonicStart }: Moment, clock: Clock): number {
  return Math.max(clock.now() - wallStart, clock.monotonic() - monotonicStart);
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
