import type { Operation } from '../apiFeatures.ts';
import { type ErrorDetails, ServiceError } from '../errors.ts';

/**
 * Parameters of a request. The names are those of the generation operation. `mapParameters`
 * converts them for chat requests. The values come from settings or templates, and
 * `parameterProblem` checks them.
 */
export type Parameters = Readonly<Record<string, unknown>>;

/**
 * The default for `max_new_tokens`. Enough for a page of text, but low enough to limit the cost.
 */
export const DEFAULT_NEW_TOKENS = 1_024;
/**
 * The default for `max_new_tokens` in VS Code's chat, where a tool call can contain a whole file.
 * The chat provider also reports this value to VS Code as a model's maximum output. If the model's
 * own limit or half of its context length is lower, the provider reports that instead.
 */
export const CONVERSATION_NEW_TOKENS = 8_192;

export interface NumberRange {
  readonly type: 'integer' | 'number';
  readonly least?: number;
  /** An exclusive lower bound. */
  readonly above?: number;
  readonly most?: number;
}

export type ParameterRange =
  | NumberRange
  | { readonly type: 'boolean' }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  /** A list of distinct strings, with at most `most` entries. */
  | { readonly type: 'texts'; readonly most: number }
  | { readonly type: 'object'; readonly fields: ReadonlyMap<string, NumberRange> };

const GENERATION_RANGES: ReadonlyMap<string, ParameterRange> = new Map<string, ParameterRange>([
  ['decoding_method', { type: 'choice', choices: ['greedy', 'sample'] }],
  ['max_new_tokens', { type: 'integer', least: 0 }],
  ['min_new_tokens', { type: 'integer', least: 0 }],
  ['temperature', { type: 'number', least: 0.05, most: 2 }],
  ['top_p', { type: 'number', above: 0, most: 1 }],
  ['top_k', { type: 'integer', least: 1, most: 100 }],
  ['repetition_penalty', { type: 'number', least: 1, most: 2 }],
  ['random_seed', { type: 'integer', least: 1 }],
  ['stop_sequences', { type: 'texts', most: 6 }],
  ['include_stop_sequence', { type: 'boolean' }],
  ['time_limit', { type: 'integer', least: 1 }],
  ['truncate_input_tokens', { type: 'integer', least: 0 }],
  [
    'length_penalty',
    {
      type: 'object',
      fields: new Map<string, NumberRange>([
        ['decay_factor', { type: 'number', above: 1 }],
        ['start_index', { type: 'integer', least: 0 }],
      ]),
    },
  ],
]);

/**
 * The minimum for `max_new_tokens` is 1. In chat, 0 would mean "as many as the model can generate",
 * which isn't what a user who sets 0 would expect.
 */
const CHAT_RANGES: ReadonlyMap<string, ParameterRange> = new Map<string, ParameterRange>([
  ['decoding_method', { type: 'choice', choices: ['greedy', 'sample'] }],
  ['max_new_tokens', { type: 'integer', least: 1 }],
  ['temperature', { type: 'number', least: 0, most: 2 }],
  ['top_p', { type: 'number', least: 0, most: 1 }],
  ['repetition_penalty', { type: 'number' }],
  ['random_seed', { type: 'integer' }],
  ['stop_sequences', { type: 'texts', most: 4 }],
  ['time_limit', { type: 'integer', least: 1 }],
]);

/**
 * The documented parameter ranges for each operation. A parameter without a range is sent
 * unchecked, or not at all if the operation doesn't support it. The JSON schema for
 * `hostedModel.parameters` allows a value if at least one operation does.
 */
export const PARAMETER_RANGES: Readonly<Record<Operation, ReadonlyMap<string, ParameterRange>>> = {
  chat: CHAT_RANGES,
  generation: GENERATION_RANGES,
};

/** The names of the token limit. Each API uses one of them, and every request contains it. */
const LIMITS: readonly string[] = ['max_new_tokens', 'max_completion_tokens', 'max_tokens'];
/** Matches a message that rejects a field itself, regardless of its value. */
const REJECTS_FIELD =
  /\b(?:unsupported|not supported|isn't supported|doesn't support|unrecognized|unknown|unexpected|extra|not permitted|not allowed)\b/i;

/**
 * Returns the names of the parameters that an error message from a service mentions, in the same
 * order. The token limit doesn't count if the message rejects the field itself, which the user can't
 * change.
 */
export function mentionedParameters(message: string): string[] {
  const ignored = REJECTS_FIELD.test(message) ? LIMITS : [];
  const isMentioned = (name: string) => message.includes(name) && !ignored.includes(name);
  const names = [...GENERATION_RANGES.keys(), ...LIMITS]
    .filter(isMentioned)
    .toSorted((one, other) => message.indexOf(one) - message.indexOf(other))
    .map((name) => (LIMITS.includes(name) ? 'max_new_tokens' : name));
  return [...new Set(names)];
}

/**
 * Removes parameters whose value is null. In folder settings, null unsets a parameter that is set
 * in the user settings.
 */
export function withoutUnset(parameters: Parameters): Parameters {
  const set = Object.entries(parameters).filter(([, value]) => value !== null);
  return Object.fromEntries(set);
}

/**
 * Checks parameters before anything is sent, because the service reports an invalid parameter only
 * as a bad request. Pure.
 * @returns `parameter-rejected` for the first invalid parameter; undefined if all are valid
 */
export function parameterProblem(
  operation: Operation,
  parameters: Parameters,
): ServiceError | undefined {
  const set = withoutUnset(parameters);
  for (const [name, value] of Object.entries(set)) {
    const flaw = flawOf(operation, name, value);
    if (!flaw) continue;
    const names = [[name, ...(flaw.names ?? [])].join('.')];
    return new ServiceError('parameter-rejected', { ...flaw, names });
  }
  return operation === 'generation' ? orderProblem(set) : undefined;
}

/**
 * Returns the problem with one parameter, if any. If the value violates a limit that applies only
 * to this operation, `limitOf` is set to the operation.
 */
function flawOf(operation: Operation, name: string, value: unknown): ErrorDetails | undefined {
  const range = PARAMETER_RANGES[operation].get(name);
  const flaw = range && rangeFlaw(range, value);
  if (!flaw?.bound) return flaw;
  const other = PARAMETER_RANGES[operation === 'chat' ? 'generation' : 'chat'].get(name);
  const isOfOperation = other && !rangeFlaw(other, value);
  return isOfOperation ? { ...flaw, limitOf: operation } : flaw;
}

function rangeFlaw(range: ParameterRange, value: unknown): ErrorDetails | undefined {
  switch (range.type) {
    case 'integer':
    case 'number':
      return numberFlaw(range, value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : { expected: 'boolean' };
    case 'choice': {
      const { choices } = range;
      const isOne = choices.some((choice) => choice === value);
      return isOne ? undefined : { expected: 'choice', choices };
    }
    case 'texts':
      return textsFlaw(value, range.most);
    case 'object':
      return fieldFlaw(range.fields, value);
  }
}

function numberFlaw(range: NumberRange, value: unknown): ErrorDetails | undefined {
  const { type, least, above, most } = range;
  if (typeof value !== 'number' || !Number.isFinite(value)) return { expected: type };
  if (type === 'integer' && !Number.isInteger(value)) return { expected: type, actual: value };
  if (least !== undefined && value < least) return { bound: 'least', limit: least, actual: value };
  if (above !== undefined && value <= above) return { bound: 'above', limit: above, actual: value };
  if (most !== undefined && value > most) return { bound: 'most', limit: most, actual: value };
  return undefined;
}

function textsFlaw(value: unknown, most: number): ErrorDetails | undefined {
  const isList = Array.isArray(value) && value.every((text) => typeof text === 'string');
  if (!isList || new Set(value).size < value.length) return { expected: 'texts' };
  return value.length > most ? { bound: 'most', limit: most, actual: value.length } : undefined;
}

/**
 * Returns the problem with a parameter of type `object`, if any. If a field's value is invalid, the
 * problem includes the field's name.
 */
function fieldFlaw(
  fields: ReadonlyMap<string, NumberRange>,
  value: unknown,
): ErrorDetails | undefined {
  const expected = { expected: 'object', choices: [...fields.keys()] } as const;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return expected;
  for (const [name, each] of Object.entries(value)) {
    const range = fields.get(name);
    if (!range) return expected;
    const flaw = numberFlaw(range, each);
    if (flaw) return { ...flaw, names: [name] };
  }
  return undefined;
}

/**
 * Checks that `min_new_tokens` isn't greater than `max_new_tokens`. Chat requests don't need this
 * check, because they never contain `min_new_tokens`. If only `min_new_tokens` is set,
 * `newTokensByDefault` raises the default for `max_new_tokens` as needed.
 */
function orderProblem(parameters: Parameters): ServiceError | undefined {
  const { min_new_tokens: least, max_new_tokens: most } = parameters;
  if (typeof least !== 'number' || typeof most !== 'number' || least <= most) return undefined;
  const names = ['min_new_tokens', 'max_new_tokens'];
  const details = { names, bound: 'most', limit: most, actual: least } as const;
  return new ServiceError('parameter-rejected', details);
}
