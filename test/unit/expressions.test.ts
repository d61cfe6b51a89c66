import assert from 'node:assert/strict';
import { filesIn } from '../filesIn.ts';
import {
  expressionsOfSource,
  highestCount,
  type PlacedExpression,
  slownessOf,
} from './expressions.ts';

/**
 * The highest repetition count that an expression may have. Matching time is proportional to this
 * count.
 */
const HIGHEST_COUNT = 256;

/** Returns the top-level folder of a file in `src`, or `src` if the file isn't in a subfolder. */
const roomOf = (place: string): string => place.split('/').slice(0, -1).slice(0, 2).join('/');

describe('regular expressions', () => {
  let all: readonly PlacedExpression[];
  before(async () => {
    all = await expressionsOfSource();
  });

  // One test per folder keeps each test short, and the test's title shows where a slow expression
  // is.
  const rooms = new Set(filesIn('src/**/*.ts').map(roomOf));
  for (const room of rooms) {
    it(`in ${room} take at most linear time on any text`, () => {
      const slow = all
        .filter(({ place }) => roomOf(place) === room)
        .flatMap(({ place, expression }) => {
          const slowness = slownessOf(expression, 'short');
          return slowness ? `${place} ${expression}: ${slowness}` : [];
        });
      assert.deepEqual(slow, []);
    });
  }

  it('have low repetition counts unless they are anchored at the start', () => {
    const high = all.filter(
      ({ expression }) =>
        !expression.source.startsWith('^') && highestCount(expression) > HIGHEST_COUNT,
    );
    assert.deepEqual(high, []);
    assert.equal(highestCount(/a{2}[b-d]{1,300}e{3,}/), 300);
  });

  it("are found even if they're built from parts, and aren't confused with comments", () => {
    assert.ok(all.length > 100, `${all.length} found`);
    const places = all.map(({ place }) => place);
    assert.ok(
      places.includes('src/ui/oneLine.ts'),
      'an expression built with a part from another module',
    );
    assert.ok(places.some((place) => /^src\/editor\/fit\/indentation\.ts:\d+$/.test(place)));
    assert.ok(all.every(({ expression }) => !/^\\?\/[/*]?\s/.test(expression.source)));
  });

  it('are all found again if the search is repeated in the same process', async () => {
    assert.equal((await expressionsOfSource()).length, all.length);
  });

  const QUADRATIC: Readonly<Record<string, RegExp>> = {
    'a run without the expected end': /\s+(?:\/\/|#).*$/,
    'a run of excluded characters': /[^"]+$/,
    'two parts that match the same run': /^[ \t]*(?:`{0,2}|`{3,}[^`]*|~{3,}.*)$/,
    'a repeated beginning': /input tokens (?<actual>\d+) cannot exceed .*? limit \d+/,
    'a beginning without an end': /\/(ml\/(v\d|gateway)|identity\/token)(\/.*)?$/,
    'a set difference': /[\w--[a-z]]+(?=x)/v,
    'a run after a negative lookbehind': /(?<!x)\s+$/,
    'matches that each scan the rest of the text': /a[^x]*x|a/g,
  };
  for (const [what, expression] of Object.entries(QUADRATIC)) {
    it(`are reported if they are quadratic: ${what}`, () => {
      assert.match(slownessOf(expression, 'short') ?? '', /^2nd degree polynomial/);
    });
  }
});
