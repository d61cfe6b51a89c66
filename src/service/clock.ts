/** Time as a parameter, so that every rule about it is tested without waiting. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. Jumps when somebody sets it or the machine wakes up. */
  now(): number;
  /** Milliseconds that only ever grow, and may stand still while the machine sleeps. */
  monotonic(): number;
}

/** A moment on both clocks. */
export interface Moment {
  readonly wallStart: number;
  readonly monotonicStart: number;
}

export function momentOf(clock: Clock): Moment {
  return { wallStart: clock.now(), monotonicStart: clock.monotonic() };
}

/** Milliseconds: the larger of both clocks, since one can be set back and the other stands still. */
export function passedSince({ wallStart, monotonicStart }: Moment, clock: Clock): number {
  return Math.max(clock.now() - wallStart, clock.monotonic() - monotonicStart);
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
