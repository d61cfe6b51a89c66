import assert from 'node:assert/strict';
import { activeResources } from '../activeResources.ts';
import { endWorlds } from '../contract/service/world.ts';
import { printTable } from '../table.ts';
import { becomes, playCell, type Timing } from './cell.ts';
import { dripRow, faultTable, type Phase, phases } from './faultTable.ts';

const MOST_OVERRUN_MS = 250;
const CELLS = 104;

describe('a call that meets a fault ends once, in success or in one classified error', () => {
  const parallels = [1, 8] as const;
  const timings = new Map<string, Timing>();
  const reasons = new Map<string, number>();
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  let socketsBefore = 0;
  let played = 0;

  before(() => {
    process.on('unhandledRejection', note);
    socketsBefore = sockets();
  });
  afterEach(endWorlds);
  after(() => {
    process.off('unhandledRejection', note);
    print();
  });

  for (const { name, cells } of [...faultTable, dripRow]) {
    for (const phase of phases) {
      const cell = cells[phase];
      if ('impossible' in cell) {
        reasons.set(cell.impossible, (reasons.get(cell.impossible) ?? 0) + parallels.length);
        continue;
      }
      for (const calls of parallels) {
        it(`K15: ${name}, ${phase}, ${calls} at once: ${cell.outcome}`, async () => {
          const timing = await playCell(phase, cell, calls);
          const key = `${name} ${phase}`;
          if (timing.ms > (timings.get(key)?.ms ?? 0)) timings.set(key, timing);
          if (cells !== dripRow.cells) played += 1;
          const overrunMs = overrunOf(timing);
          assert.ok(overrunMs <= MOST_OVERRUN_MS, `${overrunMs.toFixed()} ms past its deadline`);
        });
      }
    }
  }

  it(`K15: these are ${CELLS} cells, with those that cannot exist`, () => {
    const impossible = [...reasons.values()].reduce((sum, count) => sum + count, 0);
    assert.deepEqual([faultTable.length, played + impossible], [13, CELLS]);
  });

  it('K09: leaves no rejection unhandled and no socket open', async () => {
    await becomes('back at its sockets', () => sockets() <= socketsBefore);
    assert.deepEqual(unhandled, []);
  });

  function print(): void {
    const rows = [...faultTable, dripRow].map(({ name, cells }) => [
      name,
      ...phases.map((phase: Phase) => {
        const cell = cells[phase];
        const timing = timings.get(`${name} ${phase}`);
        if ('impossible' in cell) return 'cannot exist';
        if (!timing) return `${cell.outcome}, not played`;
        const { ms, allowedMs } = timing;
        return `${cell.outcome} ${ms.toFixed()}${allowedMs === undefined ? '' : `/${allowedMs}`} ms`;
      }),
    ]);
    const worst = Math.max(...[...timings.values()].map(overrunOf));
    printTable({
      figure: 'faults',
      title: `${faultTable.length} faults in ${phases.length} phases of a call, alone and ${parallels[1]} at once: ${played} cells played, at most ${worst.toFixed()} ms past the deadline (bar ${MOST_OVERRUN_MS})`,
      heads: ['fault', ...phases],
      rows,
      note: [
        'What the slowest call took, and its deadline where one ends it.',
        ...[...reasons].map(([reason, count]) => `${count} cells cannot exist: ${reason}.`),
      ].join(' '),
    });
  }
});

/**
 * Milliseconds by which the slowest call was later than its rule has it; 0 if none was. A wait for a
 * processor beside other suites is no fault.
 */
function overrunOf({ ms, allowedMs = ms, waitedMs }: Timing): number {
  return Math.max(0, ms - allowedMs - waitedMs);
}

/** Ends of connections in this process, those of the emulator included. */
function sockets(): number {
  return activeResources('TCPSocketWrap');
}
