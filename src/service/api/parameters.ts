import type { Operation } from '../apiFeatures.ts';

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
