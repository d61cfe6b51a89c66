import assert from 'node:assert/strict';
import { isLinear } from '../growth.ts';
import { expressionsOfSource, type PlacedExpression, worstTexts } from './expressions.ts';

/** The work of an expression that every match is wanted of, or the first one. */
const workOf = (expression: RegExp) => (text: string) =>
  expression.global ? text.replace(expression, '') : expression.exec(text);

async function isLinearIn(expression: RegExp, length?: number): Promise<boolean> {
  for (const textOf of worstTexts(expression)) {
    if (!(await isLinear(workOf(expression), textOf, length))) return false;
  }
  return true;
}

describe('regular expressions', () => {
  let all: readonly PlacedExpression[];
  before(async () => {
    all = await expressionsOfSource();
  });

  it('none of them takes more than linear time on the 64 KB that are worst for it', async () => {
    assert.ok(all.length > 100, `${all.length} found`);
    const slow: string[] = [];
    for (const { place, expression } of all) {
      if (!(await isLinearIn(expression))) slow.push(`${place} ${expression}`);
    }
    assert.deepEqual(slow, []);
  });

  it('all of them are found, built ones too', () => {
    const places = all.map(({ place }) => place);
    assert.ok(places.includes('src/ui/oneLine.ts'), 'built out of a part of another module');
    assert.ok(places.some((place) => /^src\/formatting\/indentation\.ts:\d+$/.test(place)));
  });

  const QUADRATIC: Readonly<Record<string, RegExp>> = {
    'a run that does not end as it should': /\s+(?:\/\/|#).*$/,
    'a run that ends at what it leaves out': /[^"]+$/,
    'two parts that share a run': /^[ \t]*(?:`{0,2}|`{3,}[^`]*|~{3,}.*)$/,
    'a beginning again and again': /input tokens (?<actual>\d+) cannot exceed .*? limit \d+/,
    'a beginning, and no end': /\/(ml\/(v\d|gateway)|identity\/token)(\/.*)?$/,
    'a set without another': /[\p{L}--[a-z]]+(?=x)/v,
  };
  for (const [what, expression] of Object.entries(QUADRATIC)) {
    it(`are caught where they are quadratic: ${what}`, async function () {
      // A short text that was held up each time makes the long one look fast.
      this.retries(2);
      assert.equal(await isLinearIn(expression, 16_384), false);
    });
  }
});
