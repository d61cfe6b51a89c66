import type { Operation } from '../apiCapabilities.ts';
import { GENERATION_RANGES } from './parameterRanges.ts';

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

/**
 * The field names for the token limit. Every request contains one of them, depending on the API.
 */
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
