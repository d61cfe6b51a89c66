import assert from 'node:assert/strict';
import { AREAS, rows, seed } from './fuzz.ts';

const LEAST_CASES = 40_000;
const MOST_SECONDS = 90;

const line = (area: string, cases: number, ms: number) => {
  const time = `${ms.toFixed()} ms`;
  console.log(`  ${area.padEnd(30)}${cases.toLocaleString('en').padStart(8)}${time.padStart(12)}`);
};

after(() => {
  const total = rows.reduce((sum, { ran }) => sum + ran, 0);
  const ms = rows.reduce((sum, row) => sum + row.ms, 0);
  console.log(`\n  ${'Area'.padEnd(30)}${'Cases'.padStart(8)}${'Time'.padStart(12)}`);
  for (const row of rows) line(row.area, row.ran, row.ms);
  line('all', total, ms);
  const bar = `at least ${LEAST_CASES.toLocaleString('en')} cases in ${MOST_SECONDS} s, 0 uncaught`;
  console.log(`  seed ${seed}; ${bar}\n`);
  assert.ok(ms < MOST_SECONDS * 1_000, `took ${(ms / 1_000).toFixed()} s`);
});

describe('the fuzz tests', () => {
  it(`are ${LEAST_CASES} cases at least`, () => {
    assert.ok(Object.values(AREAS).reduce((sum, cases) => sum + cases, 0) >= LEAST_CASES);
  });
});
