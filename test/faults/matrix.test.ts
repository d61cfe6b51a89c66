import assert from 'node:assert/strict';
import { endWorlds } from '../contract/service/world.ts';
import { becomes, playCell } from './cell.ts';
import { faultTable, type Phase, phases } from './faultTable.ts';

const MOST_OVERRUN_MS = 250;
const CELLS = 104;

describe('a call that meets a fault ends once, in success or in one classified error', function () {
  this.timeout(20_000);
  const parallels = [1, 8] as const;
  const overruns = new Map<string, number>();
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

  for (const { name, cells } of faultTable) {
    for (const phase of phases) {
      const cell = cells[phase];
      if ('impossible' in cell) {
        reasons.set(cell.impossible, (reasons.get(cell.impossible) ?? 0) + parallels.length);
        continue;
      }
      for (const calls of parallels) {
        it(`K15: ${name}, ${phase}, ${calls} at once: ${cell.outcome}`, async () => {
          const overrunMs = await playCell(phase, cell, calls);
          const key = `${name} ${phase}`;
          overruns.set(key, Math.max(overrunMs, overruns.get(key) ?? 0));
          played += 1;
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
    const width = 28;
    const row = (...columns: readonly string[]) =>
      `      ${columns.map((column) => column.padEnd(width)).join('')}`.trimEnd();
    console.log(row('fault', ...phases));
    for (const { name, cells } of faultTable) {
      const columns = phases.map((phase: Phase) => {
        const cell = cells[phase];
        const overrunMs = overruns.get(`${name} ${phase}`);
        if ('impossible' in cell) return 'cannot exist';
        return `${cell.outcome} +${overrunMs === undefined ? '?' : overrunMs.toFixed()} ms`;
      });
      console.log(row(name, ...columns));
    }
    for (const [reason, count] of reasons) console.log(`      ${count} cannot exist: ${reason}`);
    const worst = Math.max(...overruns.values());
    console.log(
      `      ${played} cells played, alone and ${parallels[1]} at once; past the deadline at most ${worst.toFixed()} ms (bar ${MOST_OVERRUN_MS})`,
    );
  }
});

/** Ends of connections in this process, those of the emulator included. */
function sockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}
