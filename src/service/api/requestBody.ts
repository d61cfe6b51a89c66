import type { Operation } from '../services.ts';
import { DEFAULT_NEW_TOKENS, type Parameters, withoutUnset } from './parameters.ts';

/** What is sent to generate text, and the parameters as an operation wants them. Pure. */

export type RequestBody = Readonly<Record<string, unknown>>;

/** Every text within what is sent as JSON: values and names, however deep. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(stringsIn)];
}

/**
 * Maps a parameter set onto an operation. What its values may be is in `parameters.ts`.
 * @param chatNames generation field to chat field, in the API; `decoding_method` is
 * mapped by value
 * @param newTokens what to ask for where nothing is set
 * @returns the fields to send, and the names of those that the operation has no counterpart for
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
  // Greedy decoding is what a temperature of 0 means; sampling is what chat does anyway.
  if (set['decoding_method'] === 'greedy') fields['temperature'] = 0;
  return { fields, dropped };
}
