/** Measures how long canceled calls take to end. No test checks the result. */
import { cancelPhases } from '../contract/service/cancelPhases.ts';
import { endWorlds } from '../contract/service/world.ts';
import { printTable } from '../table.ts';

const CALLS = 200;

export async function measureCancelling(): Promise<void> {
  const rows: string[][] = [];
  for (const phase of cancelPhases) {
    const times: number[] = [];
    while (times.length < CALLS) {
      const { cancel, kind, release } = await phase.begin();
      await new Promise((resolve) => setImmediate(resolve));
      const startedAt = performance.now();
      cancel();
      await kind;
      times.push(performance.now() - startedAt);
      await release?.();
      await endWorlds();
    }
    rows.push([phase.name, percentile(times, 50), percentile(times, 99)]);
  }
  printTable({
    figure: 'cancel',
    title: `Milliseconds from when a call is canceled until it ends, for ${CALLS} calls in each phase`,
    heads: ['canceled in', 'p50', 'p99'],
    rows,
    note: 'A canceled insertion takes longer, because it ends only after its next edit. Edits are at least 34 ms apart.',
  });
}

/** Returns a percentile, using the nearest-rank method, with one decimal place. */
function percentile(values: readonly number[], percent: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1]?.toFixed(1) ?? '';
}
