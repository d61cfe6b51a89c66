/** Waits for a condition, never for a length of time. */
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds between two looks at a condition that no event announces. */
const lookEvery = 50;

/**
 * Looks until `probe` finds something other than undefined and returns that.
 *
 * @param what completes the sentence "Waited 10 s for …".
 * @throws Error after `milliseconds`; what `probe` throws ends the wait at once.
 */
export async function until<T>(
  what: string,
  milliseconds: number,
  probe: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const end = performance.now() + milliseconds;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (performance.now() > end)
      throw new DeadlineError(`Waited ${milliseconds / 1000} s for ${what}.`);
    await delay(lookEvery);
  }
}

export class DeadlineError extends Error {
  override name = 'DeadlineError';
}
