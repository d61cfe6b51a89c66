import type { Operation } from '../apiCapabilities.ts';

/** The documented ranges of parameters. */

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

export const GENERATION_RANGES: ReadonlyMap<string, ParameterRange> = new Map<
  string,
  ParameterRange
>([
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
