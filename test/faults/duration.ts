import { readFileSync } from 'node:fs';

/** In milliseconds. */
export interface Duration {
  /** By the clock. */
  readonly ms: number;
  /** Without what this process could have run and had no processor; by the clock outside Linux. */
  readonly ownMs: number;
}

export async function durationOf(work: () => Promise<unknown>): Promise<Duration> {
  const [waited, startedAt] = [waitedMs(), performance.now()];
  await work();
  const ms = performance.now() - startedAt;
  return { ms, ownMs: ms - (waitedMs() - waited) };
}

/** How long the main thread has waited for a processor since it began. */
export function waitedMs(): number {
  if (process.platform !== 'linux') return 0;
  const [, nanoseconds] = readFileSync('/proc/self/schedstat', 'latin1').split(' ');
  return Number(nanoseconds) / 1e6;
}
