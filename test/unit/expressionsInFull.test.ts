import assert from 'node:assert/strict';
import { expressionsOfSource, slownessOf } from './expressions.ts';

describe('regular expressions, analyzed in full @nightly', () => {
  it('take at most linear time on any text', async function () {
    // Has no timeout, because the analysis takes about a minute. It prints nothing until it ends.
    this.timeout(0);
    const all = await expressionsOfSource();
    const slow = all.flatMap(({ place, expression }) => {
      const slowness = slownessOf(expression, 'full');
      return slowness ? `${place} ${expression}: ${slowness}` : [];
    });
    assert.deepEqual(slow, []);
  });
});
