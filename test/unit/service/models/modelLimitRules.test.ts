import assert from 'node:assert/strict';
import type { Model } from '../../../../src/service/api/modelTypes.ts';
import type { Parameters } from '../../../../src/service/api/parameters.ts';
import { estimateTokens } from '../../../../src/service/api/usageEstimate.ts';
import type { Operation } from '../../../../src/service/apiCapabilities.ts';
import {
  modelProblem,
  newTokensByDefault,
} from '../../../../src/service/models/modelLimitRules.ts';
import { modelOf, stageOf } from '../modelFixtures.ts';

interface Case {
  readonly operation?: Operation;
  readonly parameters?: Parameters;
  readonly text?: string;
}

const problemOf = (facts: Partial<Model>, parameters: Parameters = {}) => {
  const problem = modelProblem(modelOf(facts), parameters);
  return problem && [problem.kind, problem.details];
};

describe('the limits of a model', () => {
  it("don't restrict max_new_tokens if the model list doesn't specify a limit", () => {
    assert.equal(problemOf({}, { max_new_tokens: 1_000_000 }), undefined);
  });

  it('apply to max_new_tokens only if it is set', () => {
    const parameters = { max_new_tokens: 512 };
    assert.equal(problemOf({ maxOutputTokens: 512 }, parameters), undefined);
    const details = { names: ['max_new_tokens'], bound: 'most', limitOf: 'model', limit: 511 };
    assert.deepEqual(problemOf({ maxOutputTokens: 511 }, parameters), [
      'parameter-rejected',
      { ...details, actual: 512 },
    ]);
    for (const unset of [{}, { max_new_tokens: null }]) {
      assert.equal(problemOf({ maxOutputTokens: 511 }, unset), undefined);
    }
  });

  it("don't allow requests on or after the withdrawal date", () => {
    const until = (day: string) => ({ lifecycle: [stageOf('withdrawn', day, 'maker/next')] });
    assert.equal(problemOf(until('2026-11-22')), undefined);
    assert.deepEqual(problemOf(until('2026-11-21')), [
      'model-unknown',
      { since: '2026-11-21', successors: ['maker/next'] },
    ]);
  });
});

describe('the default limit on new tokens', () => {
  const asked = (facts: Partial<Model>, { operation = 'chat', ...rest }: Case = {}) =>
    newTokensByDefault(modelOf(facts), { operation, parameters: {}, text: 'Hi', ...rest });

  it("is 1,024 or the model's maximum, whichever is lower", () => {
    const request = { operation: 'chat', parameters: {}, text: 'Hi' } as const;
    assert.equal(newTokensByDefault(undefined, request), 1_024);
    assert.equal(asked({}), 1_024);
    assert.equal(asked({ maxOutputTokens: 5_000, contextLength: 8_192 }), 1_024);
    assert.equal(asked({ maxOutputTokens: 511 }), 511);
  });

  it('is reduced to the estimated number of tokens left for a chat response, if any are left', () => {
    const text = 'word '.repeat(6_020);
    assert.equal(asked({ contextLength: 8_192 }, { text }), 667);
    assert.equal(asked({ contextLength: 8_192 }, { text, operation: 'generation' }), 1_024);
    // According to the estimate, no tokens are left for the response. The estimate is ignored,
    // because the text may still fit.
    assert.equal(asked({ contextLength: 7_000 }, { text }), 1_024);
  });

  it('is at least min_new_tokens for the generation operation', () => {
    const parameters = { min_new_tokens: 2_000 };
    assert.equal(asked({}, { operation: 'generation', parameters }), 2_000);
    assert.equal(asked({}, { parameters }), 1_024);
  });
});

describe('the token estimate', () => {
  const cases: readonly [what: string, text: string, likely: number][] = [
    ['empty text', '', 0],
    ['a word', 'word', 1],
    ['English text', 'The quick brown fox jumps over the lazy dog.', 11],
    ['Chinese text', '请写一首关于秋天的诗', 10],
    ['Japanese text', 'こんにちは世界', 7],
    ['Korean text', '안녕하세요', 5],
    ['English and Chinese text', 'Say 你好', 3],
  ];
  for (const [what, text, likely] of cases) {
    it(`for ${what} is ${likely}`, () => {
      assert.equal(estimateTokens(text), likely);
    });
  }
});
