/** Time as a parameter, so that every rule about it is tested without waiting. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. Jumps when somebody sets it or the machine wakes up. */
  now(): number;
  /** Milliseconds that only ever grow, and may stand still while the machine sleeps. */
  monotonic(): number;
  /** Calls once when so many milliseconds are over. @returns takes that back */
  after(ms: number, call: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};
