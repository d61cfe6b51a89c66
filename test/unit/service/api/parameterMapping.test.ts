import assert from 'node:assert/strict';
import { apiOf } from '../../../../src/service/api/apis.ts';
import { DEFAULT_NEW_TOKENS, mapParameters } from '../../../../src/service/api/parameters.ts';
import { ibm } from '../fixtures.ts';

const everything = {
  decoding_method: 'sample',
  max_new_tokens: 200,
  min_new_tokens: 5,
  temperature: 0.7,
  top_k: 50,
  top_p: 0.9,
  repetition_penalty: 1.1,
  random_seed: 42,
  stop_sequences: ['a', 'b', 'c', 'd'],
  include_stop_sequence: false,
  time_limit: 55_000,
  truncate_input_tokens: 100,
  length_penalty: { decay_factor: 1.5, start_index: 10 },
  return_options: { input_text: true },
  typical_p: 0.5,
};

const names = apiOf(ibm).chatParameters;

describe('parameters', () => {
  it('are sent to the generation operation unchanged', () => {
    assert.deepEqual(mapParameters('generation', everything, names), {
      fields: everything,
      dropped: [],
    });
    const zero = { max_new_tokens: 0, stop_sequences: ['1', '2', '3', '4', '5', '6'] };
    assert.deepEqual(mapParameters('generation', zero, names), { fields: zero, dropped: [] });
  });

  it('include a limit of 1,024 new tokens by default', () => {
    assert.equal(DEFAULT_NEW_TOKENS, 1_024);
    assert.deepEqual(mapParameters('chat', {}, names).fields, { max_completion_tokens: 1_024 });
    assert.deepEqual(mapParameters('generation', {}, names).fields, { max_new_tokens: 1_024 });
  });

  const max = { max_completion_tokens: 1_024 };
  const cases: readonly [object, object, readonly string[]][] = [
    [{ max_new_tokens: 7 }, { max_completion_tokens: 7 }, []],
    [{ stop_sequences: ['x'] }, { ...max, stop: ['x'] }, []],
    [{ random_seed: 3 }, { ...max, seed: 3 }, []],
    [{ temperature: 0.7 }, { ...max, temperature: 0.7 }, []],
    [{ top_p: 0.9 }, { ...max, top_p: 0.9 }, []],
    [{ repetition_penalty: 1.1 }, { ...max, repetition_penalty: 1.1 }, []],
    [{ time_limit: 500 }, { ...max, time_limit: 500 }, []],
    [{ decoding_method: 'greedy' }, { ...max, temperature: 0 }, []],
    [{ decoding_method: 'greedy', temperature: 1 }, { ...max, temperature: 0 }, []],
    [{ decoding_method: 'sample' }, max, []],
    [{ top_k: 5 }, max, ['top_k']],
    [{ min_new_tokens: 5 }, max, ['min_new_tokens']],
    [{ made_up: true, typical_p: 1 }, max, ['made_up', 'typical_p']],
  ];
  for (const [parameters, fields, dropped] of cases) {
    it(`are mapped to fields of the chat operation: ${JSON.stringify(parameters)}`, () => {
      assert.deepEqual(mapParameters('chat', { ...parameters }, names), { fields, dropped });
    });
  }

  it("are dropped and reported if the chat operation doesn't support them", () => {
    assert.deepEqual(mapParameters('chat', everything, names).dropped, [
      'min_new_tokens',
      'top_k',
      'include_stop_sequence',
      'truncate_input_tokens',
      'return_options',
      'typical_p',
    ]);
  });

  it('are treated as unset if they are null', () => {
    const nothing = { temperature: null, max_new_tokens: null, top_k: null };
    assert.deepEqual(mapParameters('chat', nothing, names), {
      fields: { max_completion_tokens: 1_024 },
      dropped: [],
    });
    assert.deepEqual(mapParameters('generation', nothing, names, 7).fields, { max_new_tokens: 7 });
  });
});
