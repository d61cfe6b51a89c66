import assert from 'node:assert/strict';
import { expressionsOfSource, slownessOf } from './expressions.ts';

describe('regular expressions, analyzed in full @nightly', () => {
  it('take at most linear time on any text', async function () {
    // Takes about a minute, without any output.
    this.timeout(0);
    const all = await expressionsOfSource();
    const slow = all.flatMap(({ place, expression }) => {
      const slowness = slownessOf(expression, 'full');
      return slowness ? `${place} ${expression}: ${slowness}` : [];
    });
    assert.deepEqual(slow, []);
  });
});
