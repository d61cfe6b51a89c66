import assert from 'node:assert/strict';
import { filesIn } from '../filesIn.ts';
import {
  expressionsOfSource,
  highestCount,
  type PlacedExpression,
  slownessOf,
} from './expressions.ts';

/** The work is proportional to the count, and this one is still cheap. */
const HIGHEST_COUNT = 256;

/** The folder of a file in `src`, or `src` itself. */
const roomOf = (place: string): string => place.split('/').slice(0, -1).slice(0, 2).join('/');

describe('regular expressions', () => {
  let all: readonly PlacedExpression[];
  before(async () => {
    all = await expressionsOfSource();
  });

  // One test per room, so that each stays short and its title says where the slow one is.
  const rooms = new Set(filesIn('src/**/*.ts').map(roomOf));
  for (const room of rooms) {
    it(`none in ${room} takes more than linear time on any text`, () => {
      const slow = all
        .filter(({ place }) => roomOf(place) === room)
        .flatMap(({ place, expression }) => {
          const slowness = slownessOf(expression, 'short');
          return slowness ? `${place} ${expression}: ${slowness}` : [];
        });
      assert.deepEqual(slow, []);
    });
  }

  it('none of them has a high repetition count', () => {
    const high = all.filter(
      ({ expression }) =>
        !expression.source.startsWith('^') && highestCount(expression) > HIGHEST_COUNT,
    );
    assert.deepEqual(high, []);
    assert.equal(highestCount(/a{2}[b-d]{1,300}e{3,}/), 300);
  });

  it('all of them are found, including built ones, and none with a comment before it', () => {
    assert.ok(all.length > 100, `${all.length} found`);
    const places = all.map(({ place }) => place);
    assert.ok(places.includes('src/ui/oneLine.ts'), 'built out of a part of another module');
    assert.ok(places.some((place) => /^src\/editor\/fit\/indentation\.ts:\d+$/.test(place)));
    assert.ok(all.every(({ expression }) => !/^\\?\/[/*]?\s/.test(expression.source)));
  });

  const QUADRATIC: Readonly<Record<string, RegExp>> = {
    'a run that does not end as it should': /\s+(?:\/\/|#).*$/,
    'a run that ends at what it leaves out': /[^"]+$/,
    'two parts that share a run': /^[ \t]*(?:`{0,2}|`{3,}[^`]*|~{3,}.*)$/,
    'a beginning again and again': /input tokens (?<actual>\d+) cannot exceed .*? limit \d+/,
    'a beginning, and no end': /\/(ml\/(v\d|gateway)|identity\/token)(\/.*)?$/,
    'a set without another': /[\w--[a-z]]+(?=x)/v,
    'a run behind what is not matched': /(?<!x)\s+$/,
    'matches that each look at all of the rest': /a[^x]*x|a/g,
  };
  for (const [what, expression] of Object.entries(QUADRATIC)) {
    it(`are caught where they are quadratic: ${what}`, () => {
      assert.match(slownessOf(expression, 'short') ?? '', /^2nd degree polynomial/);
    });
  }
});
