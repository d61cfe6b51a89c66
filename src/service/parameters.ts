import { ServiceError } from './errors.ts';
import type { Operation } from './vendors.ts';

/**
 * A parameter set, with the field names of the service's generation operation. Values come from a
 * settings file, so they are unknown until the service has checked them.
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

const CHAT_STOP_SEQUENCES = 4;

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

/**
 * Maps a parameter set onto an operation.
 * @throws {ServiceError} `parameter-refused` for what chat would understand as something else: 0
 * new tokens means "as many as the model can" there, and it takes four stop sequences
 */
export function mapParameters(operation: Operation, parameters: Parameters): MappedParameters {
  const set = { max_new_tokens: DEFAULT_NEW_TOKENS, ...parameters };
  return operation === 'chat' ? mapToChat(set) : { fields: set, dropped: [] };
}

function mapToChat(parameters: Parameters): MappedParameters {
  const { max_new_tokens: newTokens, stop_sequences: stops } = parameters;
  if (newTokens === 0) {
    throw new ServiceError('parameter-refused', { names: ['max_new_tokens'], limit: 1, actual: 0 });
  }
  if (Array.isArray(stops) && stops.length > CHAT_STOP_SEQUENCES) {
    const details = { limit: CHAT_STOP_SEQUENCES, actual: stops.length };
    throw new ServiceError('parameter-refused', { names: ['stop_sequences'], ...details });
  }
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
