import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import {
  DEFAULT_NEW_TOKENS,
  mapParameters,
  type NumberRange,
  PARAMETER_RANGES,
  type ParameterRange,
} from '../../../../src/service/generation/parameters.ts';

type Type = 'integer' | 'number' | 'boolean' | 'string' | 'array' | 'object';

/** What the JSON schema of a setting says about a parameter. */
interface Schema {
  /** With null beside it for a parameter itself: that is how it is taken back. */
  readonly type: Type | readonly [Type, 'null'];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly (string | null)[];
  readonly items?: { readonly type: string };
  readonly uniqueItems?: boolean;
  readonly maxItems?: number;
  readonly additionalProperties?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
}

function numberRange({ type, minimum, exclusiveMinimum, maximum }: Schema): NumberRange {
  assert.ok(type === 'integer' || type === 'number');
  return {
    type,
    ...(minimum !== undefined && { least: minimum }),
    ...(exclusiveMinimum !== undefined && { above: exclusiveMinimum }),
    ...(maximum !== undefined && { most: maximum }),
  };
}

function rangeOf(schema: Schema): ParameterRange {
  assert.ok(typeof schema.type !== 'string' && schema.type[1] === 'null');
  const [type] = schema.type;
  switch (type) {
    case 'boolean':
      return { type };
    case 'string': {
      const choices = schema.enum ?? [];
      assert.ok(choices.includes(null));
      return { type: 'choice', choices: choices.flatMap((choice) => choice ?? []) };
    }
    case 'array':
      assert.deepEqual([schema.items, schema.uniqueItems], [{ type: 'string' }, true]);
      return { type: 'texts', most: schema.maxItems ?? 0 };
    case 'object': {
      assert.equal(schema.additionalProperties, false);
      const fields = Object.entries(schema.properties ?? {});
      return {
        type: 'object',
        fields: new Map(fields.map(([name, field]) => [name, numberRange(field)])),
      };
    }
    default:
      return numberRange({ ...schema, type });
  }
}

/** What either of two operations takes. */
function wider(one: ParameterRange, other: ParameterRange): ParameterRange {
  if (one.type === 'texts' && other.type === 'texts') {
    return { type: 'texts', most: Math.max(one.most, other.most) };
  }
  if (one.type !== 'integer' && one.type !== 'number') return one;
  if (other.type !== 'integer' && other.type !== 'number') return one;
  const least =
    other.least === undefined ? undefined : Math.min(other.least, one.least ?? one.above ?? 0);
  const most = other.most === undefined ? undefined : Math.max(other.most, one.most ?? 0);
  return {
    type: one.type,
    ...(least !== undefined && { least }),
    ...(most !== undefined && { most }),
  };
}

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

describe('parameters', () => {
  it('go to generation as they are', () => {
    assert.deepEqual(mapParameters('generation', everything), { fields: everything, dropped: [] });
    const zero = { max_new_tokens: 0, stop_sequences: ['1', '2', '3', '4', '5', '6'] };
    assert.deepEqual(mapParameters('generation', zero), { fields: zero, dropped: [] });
  });

  it('ask for 1,024 new tokens where nothing is set', () => {
    assert.equal(DEFAULT_NEW_TOKENS, 1_024);
    assert.deepEqual(mapParameters('chat', {}).fields, { max_completion_tokens: 1_024 });
    assert.deepEqual(mapParameters('generation', {}).fields, { max_new_tokens: 1_024 });
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
    it(`map ${JSON.stringify(parameters)} onto chat`, () => {
      assert.deepEqual(mapParameters('chat', { ...parameters }), { fields, dropped });
    });
  }

  it('lose on chat exactly those without a counterpart, and name them', () => {
    assert.deepEqual(mapParameters('chat', everything).dropped, [
      'min_new_tokens',
      'top_k',
      'include_stop_sequence',
      'truncate_input_tokens',
      'return_options',
      'typical_p',
    ]);
  });

  it('have the ranges that the settings page says', () => {
    const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
    const setting: Schema = manifest.contributes.configuration.properties['hostedModel.parameters'];
    assert.equal(setting.additionalProperties, false);
    const described = Object.entries(setting.properties ?? {});
    const { chat, generation } = PARAMETER_RANGES;
    const ranges = [...generation].map(([name, range]) => {
      const ofChat = chat.get(name);
      return [name, ofChat ? wider(range, ofChat) : range];
    });
    assert.deepEqual(
      described.map(([name, schema]) => [name, rangeOf(schema)]),
      ranges,
    );
  });

  it('are unset by null, for a folder that wants the default of the service', () => {
    const nothing = { temperature: null, max_new_tokens: null, top_k: null };
    assert.deepEqual(mapParameters('chat', nothing), {
      fields: { max_completion_tokens: 1_024 },
      dropped: [],
    });
    assert.deepEqual(mapParameters('generation', nothing, 7).fields, { max_new_tokens: 7 });
  });
});
