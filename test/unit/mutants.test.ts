import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mutants } from '../mutants/all.ts';
import { type Mutant, mutated, type Result, verdictOf } from '../mutants/mutant.ts';
import { typeErrors } from '../mutants/typeErrors.ts';

const sample: Mutant = {
  name: 'any',
  file: 'src/service/sharedTask.ts',
  from: 'if (this.#isOver) return;',
  to: '',
  test: 'a.test.ts',
  title: 'keeps the key',
};

describe('the mutants', () => {
  it('number at least 25', () => {
    assert.ok(mutants.length >= 25);
  });

  it('have unique names', () => {
    assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length);
  });

  const verdicts: readonly [string, Partial<Result>, string][] = [
    ['fails', { failed: ['a suite keeps the key'] }, 'a suite keeps the key'],
    ['hangs', { end: 'timed out' }, 'keeps the key (hangs)'],
    ['passes', { passed: 1 }, 'NOT KILLED by a.test.ts, keeps the key'],
    ['has a failing hook', { failed: ['hook'] }, 'NOT KILLED by a.test.ts, keeps the key'],
    ["can't run", { end: 'crashed' }, 'NOT KILLED: did not run: a.test.ts, keeps the key'],
  ];
  for (const [what, result, verdict] of verdicts) {
    it(`get the verdict “${verdict}” if their test ${what}`, () => {
      const reported: Result = { end: 'reported', passed: 0, failed: [], ms: 0 };
      assert.equal(verdictOf(sample, { ...reported, ...result }), verdict);
    });
  }

  it('compile without type errors', () => {
    assert.deepEqual([...typeErrors(mutants)], []);
  });

  it('are reported if they use unknown names or invalid syntax', () => {
    const broken = ['if (isOver) return;', 'if (this.#isLate) return;', 'if ('];
    const all = ['', ...broken].map((to) => ({ ...sample, name: to, to }));
    assert.deepEqual([...typeErrors(all).keys()], broken);
  });

  for (const mutant of mutants) {
    it(`can be applied: ${mutant.name}`, () => {
      assert.notEqual(mutated(mutant), '');
      assert.ok(existsSync(mutant.test));
    });
  }
});
