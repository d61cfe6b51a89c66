/**
 * The reason that a generation stopped. `stopReason` maps the service's own names to these values.
 */
export type StopReason = 'finished' | TruncationReason | 'cancelled' | 'error' | 'other';

/** The stop reasons of a truncated response, which can be continued. */
export const TRUNCATION_REASONS = ['max_tokens', 'time_limit'] as const;

export type TruncationReason = (typeof TRUNCATION_REASONS)[number];

/** Returns the limit that truncated a response; undefined if it isn't truncated. */
export function truncationOf(stopReason: StopReason): TruncationReason | undefined {
  return TRUNCATION_REASONS.find((reason) => reason === stopReason);
}

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map<string, StopReason>([
  ['eos_token', 'finished'],
  ['stop', 'finished'],
  ['stop_sequence', 'finished'],
  ['tool_calls', 'finished'],
  ['max_tokens', 'max_tokens'],
  ['token_limit', 'max_tokens'],
  ['length', 'max_tokens'],
  ['time_limit', 'time_limit'],
  ['cancelled', 'cancelled'],
  ['error', 'error'],
]);

/**
 * Converts the service's name for a stop reason to a `StopReason`. Ignores case, as the default
 * service's documentation requires.
 */
export function stopReason(reason: string): StopReason {
  return STOP_REASONS.get(reason.toLowerCase()) ?? 'other';
}
