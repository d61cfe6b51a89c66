import assert from 'node:assert/strict';
import { printTable } from '../table.ts';
import { AREAS, rows, seed } from './fuzz.ts';

const LEAST_CASES = 40_000;
const MOST_SECONDS = 90;

after(() => {
  const total = rows.reduce((sum, { ran }) => sum + ran, 0);
  const ms = rows.reduce((sum, row) => sum + row.ms, 0);
  const seconds = (ms / 1_000).toFixed(1);
  printTable({
    figure: 'fuzz',
    title: `${total.toLocaleString('en')} random cases in ${seconds} s (bar: at least ${LEAST_CASES.toLocaleString('en')} in ${MOST_SECONDS} s, 0 uncaught)`,
    heads: ['area', 'cases', 'ms'],
    rows: rows.map((row) => [row.area, row.ran, Math.round(row.ms)]),
    note: `Seed ${seed}.`,
  });
  assert.ok(ms < MOST_SECONDS * 1_000, `took ${(ms / 1_000).toFixed()} s`);
});

describe('the fuzz tests', () => {
  it(`are ${LEAST_CASES} cases at least`, () => {
    assert.ok(Object.values(AREAS).reduce((sum, cases) => sum + cases, 0) >= LEAST_CASES);
  });
});
