/** Waits for a condition, never for a fixed time. */
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Maximum time between two checks of a condition, in milliseconds. The first checks are closer
 * together.
 */
const MOST_BETWEEN_MS = 50;
/**
 * Milliseconds after which a wait for a condition in this process counts as hung, even on a busy
 * machine.
 */
const HANG_MS = 60_000;

/**
 * Calls `probe` until it returns something other than undefined, and returns that result.
 *
 * @param description completes the sentence "Waited 10 s for …".
 * @throws {DeadlineError} after `milliseconds`. An error from `probe` is thrown immediately.
 */
export async function until<T>(
  description: string,
  milliseconds: number,
  probe: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const end = performance.now() + milliseconds;
  for (let betweenMs = 1; ; betweenMs = Math.min(2 * betweenMs, MOST_BETWEEN_MS)) {
    const found = await probe();
    if (found !== undefined) return found;
    if (performance.now() > end)
      throw new DeadlineError(`Waited ${milliseconds / 1000} s for ${description}.`);
    await delay(betweenMs);
  }
}

/**
 * Waits until a condition in this process is true.
 * @throws {DeadlineError} after `HANG_MS`
 */
export async function becomes(description: string, isSo: () => boolean): Promise<void> {
  await until(description, HANG_MS, () => isSo() || undefined);
}

export class DeadlineError extends Error {
  override name = 'DeadlineError';
}
