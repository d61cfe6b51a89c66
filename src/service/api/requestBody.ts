import type { Operation } from '../services.ts';
import { DEFAULT_NEW_TOKENS, type Parameters, withoutUnset } from './parameters.ts';

/** Request bodies, and the mapping of parameters to an operation. Pure. */

export type RequestBody = Readonly<Record<string, unknown>>;

/** Returns all strings in a JSON value, including property names, at any depth. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(stringsIn)];
}

/**
 * Maps a parameter set to the fields of an operation. `parameters.ts` checks the values.
 * @param chatNames the API's chat fields, keyed by generation fields; without `decoding_method`,
 * which is mapped by value
 * @param newTokens the value of `max_new_tokens` if it isn't set
 * @returns the fields to send, and the names of parameters without a counterpart in the operation
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
  // A temperature of 0 means greedy decoding. Sampling is the default in chat.
  if (set['decoding_method'] === 'greedy') fields['temperature'] = 0;
  return { fields, dropped };
}
