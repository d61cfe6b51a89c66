import type { Operation } from '../apiFeatures.ts';
import { DEFAULT_NEW_TOKENS, type Parameters, withoutUnset } from './parameters.ts';

/** Helpers for request bodies. Pure. */

export type RequestBody = Readonly<Record<string, unknown>>;

/** Returns all strings in a JSON value, including property names, at any depth. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(stringsIn)];
}

/**
 * Maps parameters to the body fields of an operation. Doesn't check the values.
 * @param chatNames the name of the chat field for each supported parameter. `decoding_method` isn't
 * in the map, because it's converted to a temperature.
 * @param newTokens the default for `max_new_tokens`
 * @returns the fields to send, and the names of parameters that the operation or the API doesn't
 * support
 */
export function mapParameters(
  operation: Operation,
  parameters: Parameters,
  chatNames: ReadonlyMap<string, string>,
  newTokens = DEFAULT_NEW_TOKENS,
) {
  const set: Parameters = { max_new_tokens: newTokens, ...withoutUnset(parameters) };
  const dropped: string[] = [];
  if (operation === 'generation') return { fields: set, dropped };
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(set)) {
    const chatName = chatNames.get(name);
    if (chatName) fields[chatName] = value;
    else if (name !== 'decoding_method') dropped.push(name);
  }
  // By default, chat uses sampling. A temperature of 0 makes decoding greedy.
  if (set['decoding_method'] === 'greedy') fields['temperature'] = 0;
  return { fields, dropped };
}
