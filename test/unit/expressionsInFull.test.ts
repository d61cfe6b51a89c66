import assert from 'node:assert/strict';
import { expressionsOfSource, slownessOf } from './expressions.ts';

describe('regular expressions, analyzed in full @nightly', () => {
  it('take at most linear time on any text', async function () {
    // Turns off the timeout, because the analysis takes about a minute.
    this.timeout(0);
    const all = await expressionsOfSource();
    const slow = all.flatMap(({ place, expression }) => {
      const slowness = slownessOf(expression, 'full');
      return slowness ? `${place} ${expression}: ${slowness}` : [];
    });
    assert.deepEqual(slow, []);
  });
});
