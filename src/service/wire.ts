import * as v from 'valibot';
import { ServiceError } from './errors.ts';
import type { TokenAnswer } from './tokenLife.ts';

/**
 * The shapes of answers, checked where they enter. Only the fields that are used are named; what
 * else an answer holds is ignored. Shapes: the recordings of the service.
 */

/** Why the service stopped generating, one list for both operations. */
export type StopReason = 'finished' | 'max_tokens' | 'time_limit' | 'cancelled' | 'error' | 'other';

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What one answer, or one event of a stream, adds to a generation. */
export interface Piece {
  readonly text: string;
  /** Undefined while the service goes on. */
  readonly stopReason: StopReason | undefined;
  /** Totals so far; undefined where this piece says nothing about them. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  /** Short ids of warnings such as `api_legacy`. */
  readonly warnings: readonly string[];
}

/** A number of tokens. */
export const count = v.pipe(v.number(), v.integer(), v.minValue(0));
// Counts and warnings are told, not relied on: nonsense in them does not spoil an answer.
const warnings = v.fallback(
  v.optional(v.object({ warnings: v.optional(v.array(v.object({ id: v.optional(v.string()) }))) })),
  undefined,
);

/** A number, or a string of digits, as some gateways make of it. Anything else counts as absent. */
const seconds = v.fallback(
  v.optional(v.union([v.number(), v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number))])),
  undefined,
);

const tokenAnswer = v.object({
  // A token goes into a header: 16 to 8192 characters of the bearer alphabet, nothing that could
  // end a line (measured: Node strips a line break and sends a broken token).
  access_token: v.pipe(v.string(), v.regex(/^[A-Za-z0-9._~+/=-]{16,8192}$/)),
  token_type: v.optional(v.pipe(v.string(), v.regex(/^bearer$/i))),
  expires_in: seconds,
  expiration: seconds,
});

const generationAnswer = v.object({
  results: v.array(
    v.object({
      generated_text: v.string(),
      generated_token_count: v.optional(count),
      input_token_count: v.optional(count),
      stop_reason: v.string(),
    }),
  ),
  system: warnings,
});

const usage = v.fallback(
  v.optional(v.object({ completion_tokens: v.optional(count), prompt_tokens: v.optional(count) })),
  undefined,
);
const chatText = v.nullish(v.object({ content: v.nullish(v.string()) }));

const chatAnswer = v.object({
  choices: v.array(
    v.object({
      // `message` in a whole answer, `delta` in an event; a moderated event has neither.
      message: chatText,
      delta: chatText,
      finish_reason: v.nullish(v.string()),
    }),
  ),
  usage,
  system: warnings,
});

const tokenizationAnswer = v.object({ result: v.object({ token_count: count }) });

/**
 * @param serverDate the `Date` header of the answer
 * @throws {ServiceError} `token-unusable`
 */
export function readTokenAnswer(text: string, serverDate: string | undefined): TokenAnswer {
  const answer = v.safeParse(tokenAnswer, parseJson(text));
  if (!answer.success) throw new ServiceError('token-unusable');
  const serverNow = Date.parse(serverDate ?? '');
  return {
    value: answer.output.access_token,
    expiresIn: answer.output.expires_in,
    expiration: answer.output.expiration,
    serverNow: Number.isNaN(serverNow) ? undefined : serverNow,
  };
}

/** One answer or event of the generation operation. @throws {ServiceError} `unexpected-answer` */
export function readGeneration(json: unknown): Piece {
  const { results, system } = check(generationAnswer, json);
  const result = results[0];
  const unfinished = !result || result.stop_reason.toLowerCase() === 'not_finished';
  return {
    text: result?.generated_text ?? '',
    stopReason: unfinished ? undefined : stopReason(result.stop_reason),
    // The prompt is counted in the first event only; later events say 0. Output is a running total.
    inputTokens: result?.input_token_count || undefined,
    outputTokens: result?.generated_token_count,
    warnings: warningIds(system),
  };
}

/** One answer or event of the chat operation. @throws {ServiceError} `unexpected-answer` */
export function readChat(json: unknown): Piece {
  const { choices, usage: totals, system } = check(chatAnswer, json);
  const choice = choices[0];
  return {
    text: (choice?.message ?? choice?.delta)?.content ?? '',
    stopReason: choice?.finish_reason ? stopReason(choice.finish_reason) : undefined,
    inputTokens: totals?.prompt_tokens,
    outputTokens: totals?.completion_tokens,
    warnings: warningIds(system),
  };
}

/** How many tokens a text has. @throws {ServiceError} `unexpected-answer` */
export function readTokenCount(json: unknown): number {
  return check(tokenizationAnswer, json).result.token_count;
}

/** Parses JSON that may be anything; undefined for what is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What has this shape. @throws {ServiceError} `unexpected-answer` */
export function check<Schema extends v.GenericSchema>(schema: Schema, json: unknown) {
  const result = v.safeParse(schema, json);
  if (!result.success) throw new ServiceError('unexpected-answer');
  return result.output;
}

function warningIds(system: v.InferOutput<typeof warnings>): string[] {
  return system?.warnings?.flatMap(({ id }) => (id && /^\w{1,64}$/.test(id) ? [id] : [])) ?? [];
}

/** The service's documentation asks for a comparison without regard to case. */
function stopReason(reason: string): StopReason {
  switch (reason.toLowerCase()) {
    case 'eos_token':
    case 'stop':
    case 'stop_sequence':
      return 'finished';
    case 'max_tokens':
    case 'token_limit':
    case 'length':
      return 'max_tokens';
    case 'time_limit':
      return 'time_limit';
    case 'cancelled':
      return 'cancelled';
    case 'error':
      return 'error';
    default:
      return 'other';
  }
}
