import type { Operation } from '../apiCapabilities.ts';
import { type ErrorDetails, ServiceError } from '../errors.ts';
import { type NumberRange, PARAMETER_RANGES, type ParameterRange } from './parameterRanges.ts';
import { type Parameters, withoutUnset } from './parameters.ts';

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
 * Returns the names of the parameters that aren't sent, because no API supports them. The
 * generation operation sends all parameters, even unknown ones.
 */
export function unknownParameters(operation: Operation, parameters: Parameters): string[] {
  if (operation === 'generation') return [];
  return Object.keys(parameters).filter((name) => !PARAMETER_RANGES.generation.has(name));
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
