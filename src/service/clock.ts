/** Provides the time. Tests use a fake clock to avoid real waits. */
export interface Clock {
  /**
   * Wall-clock time in milliseconds since 1970. Can jump when the system time is changed or the
   * machine wakes up.
   */
  now(): number;
  /** Monotonic time in milliseconds. Never goes backward. May stop while the machine sleeps. */
  monotonic(): number;
}

/** A moment as measured by both clocks, in milliseconds. */
export interface Moment {
  readonly wallStart: number;
  readonly monotonicStart: number;
}

export function momentOf(clock: Clock): Moment {
  return { wallStart: clock.now(), monotonicStart: clock.monotonic() };
}

/**
 * Returns the number of milliseconds since the given moment, according to the clock that has
 * advanced further. The wall clock can be set back, and the monotonic clock may stop while the
 * machine sleeps.
 */
export function passedSince({ wallStart, monotonicStart }: Moment, clock: Clock): number {
  return Math.max(clock.now() - wallStart, clock.monotonic() - monotonicStart);
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
