import assert from 'node:assert/strict';
import type { Parameters } from '../../../../src/service/generation/parameters.ts';
import {
  estimateTokens,
  leastTokens,
  modelProblem,
  newTokensByDefault,
} from '../../../../src/service/models/modelLimits.ts';
import type { Model } from '../../../../src/service/models/modelList.ts';
import type { Operation } from '../../../../src/service/vendors.ts';
import { processorTime } from '../../../processorTime.ts';
import { modelOf, stageOf } from '../modelFixtures.ts';

interface Case {
  readonly operation?: Operation;
  readonly parameters?: Parameters;
  readonly text?: string;
}

const problemOf = (facts: Partial<Model>, { operation = 'chat', ...rest }: Case = {}) => {
  const problem = modelProblem(modelOf(facts), {
    operation,
    parameters: {},
    text: 'Hi',
    ...rest,
  });
  return problem && [problem.kind, problem.details];
};
/** A text that has this many tokens at the least. */
const words = (count: number) => 'eight ch'.repeat(count);

describe('the limits of a model', () => {
  it('are none where the list does not say any', () => {
    const parameters = { max_new_tokens: 1_000_000 };
    assert.equal(problemOf({}, { parameters, text: words(100_000) }), undefined);
  });

  it('bound the new tokens that are set, and no others', () => {
    const parameters = { max_new_tokens: 512 };
    assert.equal(problemOf({ maxOutputTokens: 512 }, { parameters }), undefined);
    const details = { names: ['max_new_tokens'], bound: 'most', limitOf: 'model', limit: 511 };
    assert.deepEqual(problemOf({ maxOutputTokens: 511 }, { parameters }), [
      'parameter-refused',
      { ...details, actual: 512 },
    ]);
    for (const unset of [{}, { max_new_tokens: null }]) {
      assert.equal(problemOf({ maxOutputTokens: 511 }, { parameters: unset }), undefined);
    }
  });

  it('end with the model, and name what takes its place', () => {
    const until = (day: string) => ({ lifecycle: [stageOf('withdrawn', day, 'maker/next')] });
    assert.equal(problemOf(until('2026-11-22')), undefined);
    assert.deepEqual(problemOf(until('2026-11-21')), [
      'model-unknown',
      { since: '2026-11-21', successors: ['maker/next'] },
    ]);
  });

  it('refuse a text only where the least that it can have is too much', () => {
    const least = 3_000;
    const text = words(least);
    assert.equal(leastTokens(text), least);
    assert.ok(estimateTokens(text) > least + 1_024);
    assert.equal(problemOf({ contextLength: least + 1_024 }, { text }), undefined);
    for (const operation of ['chat', 'generation'] as const) {
      assert.deepEqual(problemOf({ contextLength: least - 1 }, { operation, text }), [
        'prompt-too-long',
        { limit: least - 1, actual: 6_000, isEstimate: true },
      ]);
    }
  });

  it('leave chat the room that the text is likely to leave, while generation just ends there', () => {
    const [text, contextLength] = ['word '.repeat(6_020), 8_192];
    assert.deepEqual([estimateTokens(text), leastTokens(text)], [7_525, 3_763]);
    const parameters = { max_new_tokens: 5_000 };
    assert.deepEqual(problemOf({ contextLength }, { text, parameters }), [
      'parameter-refused',
      {
        names: ['max_new_tokens'],
        bound: 'most',
        limit: 667,
        limitOf: 'room',
        actual: 5_000,
        isEstimate: true,
      },
    ]);
    // By the least that the text can have there is room: only the service knows.
    const fits = { max_new_tokens: 4_429 };
    assert.equal(problemOf({ contextLength }, { text, parameters: fits }), undefined);
    const onGeneration = { text, parameters, operation: 'generation' } as const;
    assert.equal(problemOf({ contextLength }, onGeneration), undefined);
  });

  it('blame the text, not the new tokens, where it is likely to leave no room at all', () => {
    const [text, contextLength] = [words(8_190), 8_192];
    for (const parameters of [{}, { max_new_tokens: 5 }]) {
      assert.deepEqual(problemOf({ contextLength }, { text, parameters }), [
        'prompt-too-long',
        { limit: contextLength, actual: 16_380, isEstimate: true },
      ]);
    }
  });

  it('do not count what generation is told to cut off', () => {
    const parameters = { truncate_input_tokens: 50 };
    const long = { parameters, text: words(5_000) };
    const model = { contextLength: 2_000 };
    assert.equal(problemOf(model, { ...long, operation: 'generation' }), undefined);
    assert.equal(problemOf(model, long)?.[0], 'prompt-too-long');
    const none = { ...long, operation: 'generation', parameters: { truncate_input_tokens: 0 } };
    assert.equal(problemOf(model, none as Case)?.[0], 'prompt-too-long');
  });
});

describe('the new tokens that are asked for where nothing is set', () => {
  const asked = (facts: Partial<Model>, { operation = 'chat', ...rest }: Case = {}) =>
    newTokensByDefault(modelOf(facts), { operation, parameters: {}, text: 'Hi', ...rest });

  it('are 1,024, or as many as the model takes', () => {
    const request = { operation: 'chat', parameters: {}, text: 'Hi' } as const;
    assert.equal(newTokensByDefault(undefined, request), 1_024);
    assert.equal(asked({}), 1_024);
    assert.equal(asked({ maxOutputTokens: 5_000, contextLength: 8_192 }), 1_024);
    assert.equal(asked({ maxOutputTokens: 511 }), 511);
  });

  it('are no more than chat is likely to have room for', () => {
    const text = 'word '.repeat(6_020);
    assert.equal(asked({ contextLength: 8_192 }, { text }), 667);
    assert.equal(asked({ contextLength: 8_192 }, { text, operation: 'generation' }), 1_024);
    // The estimate says that there is none, and the text may still fit: nothing to go by.
    assert.equal(asked({ contextLength: 7_000 }, { text }), 1_024);
  });

  it('are no fewer than the fewest that are set for generation', () => {
    const parameters = { min_new_tokens: 2_000 };
    assert.equal(asked({}, { operation: 'generation', parameters }), 2_000);
    assert.equal(asked({}, { parameters }), 1_024);
  });
});

describe('the estimate of tokens', () => {
  const cases: readonly [what: string, text: string, likely: number, least: number][] = [
    ['nothing', '', 0, 0],
    ['a word', 'word', 1, 1],
    ['English', 'The quick brown fox jumps over the lazy dog.', 11, 6],
    ['Chinese', '请写一首关于秋天的诗', 10, 3],
    ['Japanese', 'こんにちは世界', 7, 2],
    ['Korean', '안녕하세요', 5, 2],
    ['both', 'Say 你好', 3, 1],
    ['blanks', ' '.repeat(8_000), 2_000, 1],
    ['a line of signs', '='.repeat(8_000), 2_000, 1],
    ['a letter again and again', 'a'.repeat(8_000), 2_000, 1],
    ['indented code', `if (a) {${`\n${' '.repeat(40)}work();`.repeat(100)}\n}`, 1_203, 102],
  ];
  for (const [what, text, likely, least] of cases) {
    it(`of ${what} is ${likely}, and at the least ${least}`, () => {
      assert.deepEqual([estimateTokens(text), leastTokens(text)], [likely, least]);
    });
  }

  it('takes no longer than the text, whatever it holds', () => {
    const worked = processorTime();
    for (const part of [' \n', '-=', '-----', '😀', '漢字', 'a '])
      leastTokens(part.repeat(500_000));
    const ms = worked();
    assert.ok(ms < 2_000, `${ms.toFixed()} ms`);
  });
});
