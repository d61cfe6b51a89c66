import assert from 'node:assert/strict';
import { codePaths } from './work/codePaths.ts';
import { codePaths as QUADRATIC } from './work/planted.ts';
import { type CodePath, WorkCounter } from './work/workCounter.ts';

/**
 * Checks that the work for untrusted text grows at most linearly with the text's length, even in
 * the worst case. expressions.test.ts covers individual regular expressions. The tests in this file
 * cover complete paths through the code, including code that holds back and concatenates text.
 */

/**
 * Length of the shorter of the two compared texts. The longer text is `SPAN` times as long.
 */
const LENGTH = 64;
const SPAN = 16;
/**
 * The highest growth factor that still counts as linear. Linear work grows by a factor of `SPAN`,
 * or by less if part of it is fixed. Quadratic work grows by a factor of `SPAN` squared.
 */
const MOST_GROWTH = 20;

/** Describes each text for which the work grows faster than the text's length. */
async function slowTexts(counter: WorkCounter, name: string, path: CodePath): Promise<string[]> {
  const { texts, length = LENGTH } = path;
  const slow: string[] = [];
  for (const textOf of texts) {
    const [short, long] = [textOf(length), textOf(SPAN * length)];
    const work = await counter.count(name, short);
    const growth = (await counter.count(name, long)) / work;
    if (growth > MOST_GROWTH) slow.push(`${short.slice(0, 60)}: ${growth.toFixed(1)} times`);
  }
  return slow;
}

const PROSE = 'The quick brown fox jumps over the lazy dog, and again it does.\n';
/**
 * Maximum work per character when searching a prompt for secrets, as counted by `WorkCounter`. The
 * limit is low, because the search delays each request.
 */
const MOST_WORK = 64;

describe('the cost of processing untrusted text', () => {
  let counter: WorkCounter;
  let planted: WorkCounter;
  before(() => {
    counter = new WorkCounter(new URL('./work/codePaths.ts', import.meta.url));
    planted = new WorkCounter(new URL('./work/planted.ts', import.meta.url));
  });
  after(() => Promise.all([counter.end(), planted.end()]));

  for (const [name, path] of Object.entries(codePaths)) {
    it(name.replace(/^([A-M]\d\d: )?/, '$1is linear in the worst case for '), async () => {
      assert.deepEqual(await slowTexts(counter, name, path), []);
    });
  }

  for (const [name, path] of Object.entries(QUADRATIC)) {
    it(`is reported as superlinear for ${name}`, async () => {
      assert.notDeepEqual(await slowTexts(planted, name, path), []);
    });
  }

  it('E12: stays bounded per character when a prompt is searched for keys', async () => {
    const text = PROSE.repeat(1_024);
    const work = await counter.count('the search of a prompt for keys', text);
    assert.ok(work <= MOST_WORK * text.length, `${(work / text.length).toFixed(1)} per character`);
  });

  // Makes enough calls that V8 would optimize the counted code if it could.
  it('is the same each time for the same text', async () => {
    const counts = new Set<number>();
    for (let call = 0; call < 200; call += 1) {
      counts.add(await counter.count('a whole response, in one chunk', PROSE));
    }
    assert.equal(counts.size, 1);
  });
});
