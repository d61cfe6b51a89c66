import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mutants } from '../mutants/all.ts';
import { mutated } from '../mutants/mutant.ts';

describe('the mutants', () => {
  it('are 25 at least, each of another defence', () => {
    assert.ok(mutants.length >= 25);
    assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length);
  });

  for (const mutant of mutants) {
    it(`can be made where ${mutant.name}`, () => {
      assert.notEqual(mutated(mutant), '');
      assert.ok(existsSync(mutant.test));
    });
  }
});
