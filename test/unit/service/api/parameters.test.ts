import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { apiOf } from '../../../../src/service/api/apis.ts';
import {
  parameterProblem,
  unknownParameters,
} from '../../../../src/service/api/parameterChecks.ts';
import {
  type NumberRange,
  PARAMETER_RANGES,
  type ParameterRange,
} from '../../../../src/service/api/parameterRanges.ts';
import type { Operation } from '../../../../src/service/apiCapabilities.ts';
import type { ErrorDetails } from '../../../../src/service/errors.ts';
import { settingsIn } from '../../../settingsIn.ts';
import { seed } from '../fixtures.ts';

type Type = 'integer' | 'number' | 'boolean' | 'string' | 'array' | 'object';

/** The JSON schema of a parameter in the settings. */
interface Schema {
  /**
   * A parameter's type includes null, which unsets the parameter. The type of a field within a
   * parameter doesn't include null.
   */
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

/** Returns a range that covers a parameter's ranges for both operations. */
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

const operations: readonly Operation[] = ['chat', 'generation'];
const texts = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);
const range = (bound: 'least' | 'above' | 'most', limit: number, actual: number) => ({
  bound,
  limit,
  actual,
});
const of = (limitOf: Operation, details: object) => ({ ...details, limitOf });

describe('the parameter check', () => {
  const fine: readonly object[] = [
    {},
    { decoding_method: 'greedy', temperature: 0.05 },
    { temperature: 2, top_p: 1, top_k: 100, repetition_penalty: 2 },
    { top_p: 0.000_001, top_k: 1, repetition_penalty: 1, random_seed: 1 },
    { max_new_tokens: 1, stop_sequences: [], include_stop_sequence: false, time_limit: 1 },
    { stop_sequences: texts(4), truncate_input_tokens: 0 },
    { length_penalty: { decay_factor: 1.01, start_index: 0 } },
    { length_penalty: {} },
    { min_new_tokens: 2_000 },
    { min_new_tokens: 7, max_new_tokens: 7 },
    { temperature: null, max_new_tokens: null, stop_sequences: null, made_up: null },
    { made_up: 1, constructor: 1, '$(x) [y](z)': 1 },
    { presence_penalty: 0.5, return_options: { input_text: true }, typical_p: 0.2 },
  ];
  for (const parameters of fine) {
    it(`accepts ${JSON.stringify(parameters)}`, () => {
      for (const operation of operations) {
        assert.equal(parameterProblem(operation, { ...parameters }), undefined);
      }
    });
  }

  const wrong: readonly [object, ErrorDetails][] = [
    [{ temperature: 2.1 }, range('most', 2, 2.1)],
    [{ top_p: 1.5 }, range('most', 1, 1.5)],
    [{ random_seed: 1.5 }, { expected: 'integer', actual: 1.5 }],
    [{ temperature: Number.POSITIVE_INFINITY }, { expected: 'number' }],
    [{ temperature: '0.5' }, { expected: 'number' }],
    [{ decoding_method: 'best' }, { expected: 'choice', choices: ['greedy', 'sample'] }],
    [{ stop_sequences: 'x' }, { expected: 'texts' }],
    [{ stop_sequences: ['x', 1] }, { expected: 'texts' }],
    [{ stop_sequences: ['x', 'x'] }, { expected: 'texts' }],
  ];
  for (const [parameters, flaw] of wrong) {
    // JSON.stringify writes Infinity as null. A title that contains null would be wrong, because
    // the check accepts null.
    it(`rejects ${JSON.stringify(parameters).replace('null', 'Infinity')} for both operations`, () => {
      for (const operation of operations) {
        const error = parameterProblem(operation, { ...parameters });
        assert.equal(error?.kind, 'parameter-rejected');
        assert.deepEqual(error.details, { names: Object.keys(parameters), ...flaw });
      }
    });
  }

  const fields = { expected: 'object', choices: ['decay_factor', 'start_index'] } as const;
  const onOne: readonly [Operation, object, ErrorDetails][] = [
    ['chat', { max_new_tokens: 0 }, of('chat', range('least', 1, 0))],
    ['chat', { stop_sequences: texts(6) }, of('chat', range('most', 4, 6))],
    ['generation', { temperature: 0.01 }, of('generation', range('least', 0.05, 0.01))],
    ['generation', { top_p: 0 }, of('generation', range('above', 0, 0))],
    ['generation', { repetition_penalty: 2.5 }, of('generation', range('most', 2, 2.5))],
    ['generation', { random_seed: 0 }, of('generation', range('least', 1, 0))],
    ['generation', { top_k: 0 }, range('least', 1, 0)],
    ['generation', { top_k: 500 }, range('most', 100, 500)],
    ['generation', { include_stop_sequence: 'yes' }, { expected: 'boolean' }],
    ['generation', { length_penalty: 2 }, fields],
    ['generation', { length_penalty: { decay: 2 } }, fields],
    [
      'generation',
      { length_penalty: { decay_factor: 1 } },
      { ...range('above', 1, 1), names: ['length_penalty.decay_factor'] },
    ],
  ];
  for (const [operation, parameters, flaw] of onOne) {
    it(`rejects ${JSON.stringify(parameters)} only for the ${operation} operation`, () => {
      const details = { names: Object.keys(parameters), ...flaw };
      assert.deepEqual(parameterProblem(operation, { ...parameters })?.details, details);
      const other = operation === 'chat' ? 'generation' : 'chat';
      assert.equal(parameterProblem(other, { ...parameters }), undefined);
    });
  }

  it("reports the requested operation's limit if both operations reject a value", () => {
    const seven = { stop_sequences: texts(7) };
    const names = ['stop_sequences'];
    const detailsOf = (operation: Operation) => parameterProblem(operation, seven)?.details;
    assert.deepEqual(detailsOf('generation'), { names, ...range('most', 6, 7) });
    assert.deepEqual(detailsOf('chat'), { names, ...range('most', 4, 7) });
    const cold = parameterProblem('generation', { temperature: -1 })?.details;
    assert.deepEqual(cold, { names: ['temperature'], ...range('least', 0.05, -1) });
  });

  it('compares min_new_tokens with max_new_tokens only for the generation operation', () => {
    const names = ['min_new_tokens', 'max_new_tokens'];
    const set = { min_new_tokens: 8, max_new_tokens: 7 };
    assert.deepEqual(parameterProblem('generation', set)?.details, {
      names,
      ...range('most', 7, 8),
    });
    assert.equal(parameterProblem('generation', { min_new_tokens: 1_025 }), undefined);
    assert.equal(parameterProblem('chat', set), undefined);
  });

  it(`reports only safe parameter names for random settings (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (parameters) => {
        for (const operation of operations) {
          const { names = [] } = parameterProblem(operation, parameters)?.details ?? {};
          for (const name of names) assert.match(name, /^[\w.-]{1,64}$/);
        }
      }),
      { seed },
    );
  });
});

describe('parameters', () => {
  it('are unknown only if no API supports them', () => {
    for (const kind of ['watsonx', 'openai'] as const) {
      const { chatParameters } = apiOf({ api: { kind, prefix: '' } });
      const supported = Object.fromEntries(chatParameters);
      assert.deepEqual(unknownParameters('chat', { ...supported, top_k: 5, max_tokens: 1 }), [
        'max_tokens',
      ]);
    }
  });

  it('have ranges in the manifest that cover the ranges of both operations', () => {
    const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
    const setting = settingsIn<Schema>(manifest)['hostedModel.parameters'];
    assert.ok(setting);
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
});
