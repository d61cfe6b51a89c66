import { createHistogram } from 'node:perf_hooks';
import type { Caller, MakeCaller } from './callers/caller.ts';
import { answerParent } from './child.ts';
import { profiled } from './profile.ts';

/** Runs one caller in its own process: `node contestant.ts <caller> <address>`. */

const [name, url = ''] = process.argv.slice(2);
const { makeCaller }: { makeCaller: MakeCaller } = await import(`./callers/${name}.ts`);
const caller: Caller = await makeCaller(url);

/** The measurements of several calls. */
export interface Figures {
  readonly ms: number;
  /** User and system CPU time. */
  readonly cpuMs: number;
  readonly failed: number;
  /** Median time until the first text, in milliseconds, or 0 for calls that aren't streamed. */
  readonly firstTextMs: number;
  /** Total number of characters in all responses. */
  readonly characters: number;
}

export interface Order {
  readonly kind: 'call' | 'stream';
  readonly calls: number;
  readonly inFlight: number;
}

answerParent({ run, heapBytes, profile: (order: Order) => profiled(() => run(order)) });

async function run({ kind, calls, inFlight }: Order): Promise<Figures> {
  const firstText = createHistogram();
  let [left, failed, characters] = [calls, 0, 0];
  const streamed = async () => {
    const startedAt = performance.now();
    let length = 0;
    await caller.stream?.((text) => {
      if (length === 0) firstText.record(Math.round((performance.now() - startedAt) * 1e6));
      length += text.length;
    });
    return length;
  };
  const one = kind === 'call' ? async () => (await caller.call()).length : streamed;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      try {
        const length = await one();
        characters += length;
      } catch {
        failed += 1;
      }
    }
  };
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: inFlight }, worker));
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  const firstTextMs = firstText.count === 0 ? 0 : firstText.percentile(50) / 1e6;
  return { ms, cpuMs: (user + system) / 1_000, failed, firstTextMs, characters };
}

/** Returns the heap and external memory in use after garbage collection, in bytes. */
async function heapBytes(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
