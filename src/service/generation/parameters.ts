import type { Operation } from '../vendors.ts';

/**
 * A parameter set, with the field names of the service's generation operation. Values come from a
 * settings file, so they are unknown until `parameterCheck.ts` has seen them.
 */
export type Parameters = Readonly<Record<string, unknown>>;

/** A parameter set as one operation wants it. */
export interface MappedParameters {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Fields that the operation has no counterpart for; they are not sent. */
  readonly dropped: readonly string[];
}

/** New tokens asked for where nothing is set: enough for a page, and a bound on what is billed. */
export const DEFAULT_NEW_TOKENS = 1_024;

export interface NumberRange {
  readonly type: 'integer' | 'number';
  readonly least?: number;
  /** What it must exceed. */
  readonly above?: number;
  readonly most?: number;
}

/** What a parameter may be. */
export type ParameterRange =
  | NumberRange
  | { readonly type: 'boolean' }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  /** A list of texts, none of them twice. */
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

/** 0 new tokens means "as many as the model can" there, which nobody who writes 0 wants. */
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
 * The documented range of each parameter that an operation is sent. One that is not here is up to
 * the service, or has no counterpart. Source: the service's own reference of
 * both operations; the JSON schema of the setting takes what either operation does.
 */
export const PARAMETER_RANGES: Readonly<Record<Operation, ReadonlyMap<string, ParameterRange>>> = {
  chat: CHAT_RANGES,
  generation: GENERATION_RANGES,
};

/** Generation field to chat field; `decoding_method` is mapped by value below. */
const CHAT_FIELDS: ReadonlyMap<string, string> = new Map([
  ['max_new_tokens', 'max_completion_tokens'],
  ['stop_sequences', 'stop'],
  ['random_seed', 'seed'],
  ['temperature', 'temperature'],
  ['top_p', 'top_p'],
  ['repetition_penalty', 'repetition_penalty'],
  ['length_penalty', 'length_penalty'],
  ['time_limit', 'time_limit'],
]);

/** What is set: a folder's null takes back what the user has set. */
export function withoutUnset(parameters: Parameters): Parameters {
  const set = Object.entries(parameters).filter(([, value]) => value !== null);
  return Object.fromEntries(set);
}

/**
 * Maps a parameter set onto an operation. What its values may be is in `parameterCheck.ts`.
 * @param newTokens what to ask for where nothing is set
 */
export function mapParameters(
  operation: Operation,
  parameters: Parameters,
  newTokens = DEFAULT_NEW_TOKENS,
): MappedParameters {
  const set = { max_new_tokens: newTokens, ...withoutUnset(parameters) };
  return operation === 'chat' ? mapToChat(set) : { fields: set, dropped: [] };
}

function mapToChat(parameters: Parameters): MappedParameters {
  const fields: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    const chatName = CHAT_FIELDS.get(name);
    if (chatName) fields[chatName] = value;
    else if (name !== 'decoding_method') dropped.push(name);
  }
  // Greedy decoding is what a temperature of 0 means; sampling is what chat does anyway.
  if (parameters['decoding_method'] === 'greedy') fields['temperature'] = 0;
  return { fields, dropped };
}
