import assert from 'node:assert/strict';
import { activeResources } from '../activeResources.ts';
import { printTable } from '../table.ts';
import { becomes } from '../vscode/deadline.ts';
import { playCell } from './cell.ts';
import { faultTable, phases } from './faultTable.ts';

const CELLS = 104;

describe('a call with a fault', () => {
  const parallels = [1, 8] as const;
  const reasons = new Map<string, number>();
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  let socketsBefore = 0;
  let played = 0;

  before(() => {
    process.on('unhandledRejection', note);
    socketsBefore = sockets();
  });
  after(() => {
    process.off('unhandledRejection', note);
    print();
  });

  for (const { name, cells } of faultTable) {
    for (const phase of phases) {
      const cell = cells[phase];
      if ('impossible' in cell) {
        reasons.set(cell.impossible, (reasons.get(cell.impossible) ?? 0) + parallels.length);
        continue;
      }
      for (const calls of parallels) {
        const place = `${name}, ${phase}, concurrency ${calls}`;
        it(`K15: settles once, with the result ${cell.outcome} (${place})`, async () => {
          await playCell(phase, cell, calls);
          played += 1;
        });
      }
    }
  }

  it(`K15: is tested with every possible combination in the fault table (${CELLS} cells)`, () => {
    const impossible = [...reasons.values()].reduce((sum, count) => sum + count, 0);
    assert.deepEqual([faultTable.length, played + impossible], [13, CELLS]);
  });

  it("K09: doesn't leave behind any unhandled rejections or open sockets", async () => {
    await becomes('back at its sockets', () => sockets() <= socketsBefore);
    assert.deepEqual(unhandled, []);
  });

  function print(): void {
    const rows = faultTable.map(({ name, cells }) => [
      name,
      ...phases.map((phase) => {
        const cell = cells[phase];
        if ('impossible' in cell) return 'impossible';
        return cell.deadline === 'none' ? cell.outcome : `${cell.outcome} (${cell.deadline})`;
      }),
    ]);
    printTable({
      figure: 'faults',
      title: `${faultTable.length} faults in ${phases.length} phases of a call, each tested with a single call and with ${parallels[1]} concurrent calls. The tests cover ${played} of these ${CELLS} combinations.`,
      heads: ['fault', ...phases],
      rows,
      note: [
        'Each cell shows the result of the call. If a deadline ends the call, the cell names the deadline in parentheses.',
        ...[...reasons].map(
          ([reason, count]) =>
            `The ${count} combinations in the cells marked “impossible” aren’t tested, because ${reason}.`,
        ),
      ].join(' '),
    });
  }
});

/** Returns the number of sockets in this process, including the emulator's. */
function sockets(): number {
  return activeResources('TCPSocketWrap');
}
