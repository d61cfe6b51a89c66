import assert from 'node:assert/strict';
import { printTable } from '../table.ts';
import { AREAS, rows, seed } from './fuzz.ts';

const LEAST_CASES = 40_000;

after(() => {
  const total = rows.reduce((sum, { ran }) => sum + ran, 0);
  printTable({
    figure: 'fuzz',
    title: `${total.toLocaleString('en')} random cases (bar: at least ${LEAST_CASES.toLocaleString('en')} cases and 0 uncaught errors)`,
    heads: ['area', 'cases'],
    rows: rows.map((row) => [row.area, row.ran]),
    note: `Seed: ${seed}.`,
  });
});

describe('the fuzz tests', () => {
  it(`run at least ${LEAST_CASES} cases`, () => {
    assert.ok(Object.values(AREAS).reduce((sum, cases) => sum + cases, 0) >= LEAST_CASES);
  });
});
