import { ServiceError } from '../errors.ts';
import { type Body, readEvents } from '../http/body.ts';
import { parseJson } from '../responseSchemas.ts';
import type { Operation } from '../services.ts';
import type { Api } from './api.ts';
import type { ToolCall } from './conversation.ts';

/** Why the service stopped generating, one list for both operations. */
export type StopReason = 'finished' | 'max_tokens' | 'time_limit' | 'cancelled' | 'error' | 'other';

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What one answer, or one event of a stream, adds to a generation. */
export interface ResponseChunk {
  readonly text: string;
  /** What the model says to itself before it answers. */
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCallFragment[];
  /** Undefined while the service goes on. */
  readonly stopReason: StopReason | undefined;
  /** Totals so far; undefined where this chunk says nothing about them. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  /** Short ids of warnings such as `api_legacy`. */
  readonly warnings: readonly string[];
}

/** A part of a call that the model asks for: those of one index are put together. */
export interface ToolCallFragment extends ToolCall {
  readonly index: number;
}

export interface Generation {
  readonly text: string;
  /** The calls that a conversation is answered with. */
  readonly toolCalls: readonly ToolCall[];
  readonly stopReason: StopReason;
  readonly usage: TokenUsage;
  /** Parameters that the operation has no counterpart for; they were not sent. */
  readonly dropped: readonly string[];
  /** Short ids of the service's warnings, such as `api_legacy`, none of which repeats a secret. */
  readonly warnings: readonly string[];
}

/** After the reason why the service stopped only its count of tokens is waited for. */
const COUNT_MS = 1_000;

/** What is told of a stream while it comes. */
export interface ResponseListeners {
  readonly onText: (text: string) => void;
  readonly onReasoning?: ((text: string) => void) | undefined;
}

/** Reads one generation, whole or as a stream, and puts its pieces together. */
export class ResponseReader {
  readonly #readChunk: (json: unknown) => ResponseChunk;
  readonly #listeners: ResponseListeners | undefined;
  readonly #failureInEvent: Api['failureInEvent'];
  readonly #parts: string[] = [];
  readonly #toolCalls = new Map<number, ToolCall>();
  #hasBegun = false;
  readonly #warnings = new Set<string>();
  #stopReason: StopReason | undefined;
  #inputTokens = 0;
  #outputTokens: number | undefined;

  /**
   * @param listeners told of each new part of a stream; undefined for a whole answer
   */
  constructor(
    operation: Operation,
    listeners: ResponseListeners | undefined,
    { failureInEvent }: Pick<Api, 'failureInEvent'>,
  ) {
    this.#failureInEvent = failureInEvent;
    this.#readChunk = operation === 'chat' ? readChat : readGeneration;
    this.#listeners = listeners;
  }

  /** True once anything of the answer itself has come. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /**
   * @param signal of the caller: what it cancelled is not complete
   * @throws {ServiceError} as the service reports, or as reading fails; `incomplete` if it never
   * said that it stopped
   */
  async read(body: Body, signal: AbortSignal): Promise<Omit<Generation, 'dropped'>> {
    if (this.#listeners) await this.#readStream(body, signal);
    else this.#add(this.#readChunk(parseJson(await body.text())));
    if (this.#stopReason === undefined) throw new ServiceError('incomplete');
    if (this.#stopReason === 'error') throw new ServiceError('server-failed');
    return {
      text: this.#parts.join(''),
      toolCalls: [...this.#toolCalls.values()],
      stopReason: this.#stopReason,
      usage: { inputTokens: this.#inputTokens, outputTokens: this.#outputTokens ?? 0 },
      warnings: [...this.#warnings],
    };
  }

  /** Up to the last event; what follows that is left unread. */
  async #readStream(body: Body, signal: AbortSignal): Promise<void> {
    try {
      for await (const { data } of readEvents(body)) {
        const json = parseJson(data);
        const failure = this.#failureInEvent(json);
        if (failure) throw failure;
        if (isSilent(json, data)) continue;
        this.#add(this.#readChunk(json));
        // The service has said why it stopped, and counted its tokens, which is the last that it says.
        if (this.#isComplete && this.#outputTokens !== undefined) return;
        if (this.#isComplete) body.endWithin(COUNT_MS);
      }
    } catch (error) {
      if (!this.#isComplete || signal.aborted) throw error;
    }
  }

  /** True once the service has said why it stopped: how the connection ends after that is no matter. */
  get #isComplete(): boolean {
    return this.#stopReason !== undefined;
  }

  #add(chunk: ResponseChunk): void {
    this.#stopReason = chunk.stopReason ?? this.#stopReason;
    this.#inputTokens = chunk.inputTokens ?? this.#inputTokens;
    this.#outputTokens = chunk.outputTokens ?? this.#outputTokens;
    for (const id of chunk.warnings) this.#warnings.add(id);
    for (const fragment of chunk.toolCalls) this.#addToolCall(fragment);
    if (chunk.reasoning !== '') {
      this.#hasBegun = true;
      this.#listeners?.onReasoning?.(chunk.reasoning);
    }
    if (chunk.text === '') return;
    this.#hasBegun = true;
    this.#parts.push(chunk.text);
    this.#listeners?.onText(chunk.text);
  }

  /** The first fragment of a call has its id and name, all of them a part of its arguments. */
  #addToolCall({ index, ...fragment }: ToolCallFragment): void {
    this.#hasBegun = true;
    const known = this.#toolCalls.get(index);
    this.#toolCalls.set(index, {
      id: known?.id || fragment.id,
      name: known?.name || fragment.name,
      arguments: (known?.arguments ?? '') + fragment.arguments,
    });
  }
}

/** Comments, `close`, keep-alives and other events that are no part of an answer. */
function isSilent(json: unknown, data: string): boolean {
  if (json === undefined) return !data.trimStart().startsWith('{');
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  return (
    isObject &&
    !('choices' in json || 'results' in json || ('usage' in json && isFields(json.usage)))
  );
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

/** The service's documentation asks for a comparison without regard to case. */
function stopReason(reason: string): StopReason {
  return STOP_REASONS.get(reason.toLowerCase()) ?? 'other';
}

/*
 * Reads the answers and events of both operations. By hand, unlike all other answers: thousands of
 * events come in one stream, and a schema takes half as long for each as JSON.parse (measured,
 * `npm run bench cpuOfAStream`). Shapes: the recordings of the service.
 */

type Fields = Readonly<Record<string, unknown>>;

/** One answer or event of the generation operation. @throws {ServiceError} `unexpected-answer` */
export function readGeneration(json: unknown): ResponseChunk {
  const { results, usage, system } = fieldsOf(json);
  const result = firstOf(results, usage);
  const reason = result && (textOf(result['stop_reason']) ?? unexpected());
  const isUnfinished = reason === undefined || reason.toLowerCase() === 'not_finished';
  return {
    text: result ? (textOf(result['generated_text']) ?? unexpected()) : '',
    reasoning: '',
    toolCalls: [],
    stopReason: isUnfinished ? undefined : stopReason(reason),
    // The prompt is counted in the first event only; later events say 0. Output is a running total.
    inputTokens: countOf(result?.['input_token_count']) || undefined,
    outputTokens: countOf(result?.['generated_token_count']),
    warnings: warningIds(system),
  };
}

/** One answer or event of the chat operation. @throws {ServiceError} `unexpected-answer` */
export function readChat(json: unknown): ResponseChunk {
  const { choices, usage, system } = fieldsOf(json);
  const choice = firstOf(choices, usage);
  // `message` in a whole answer, `delta` in an event; a moderated event has neither.
  const said = fieldsOf(choice?.['message'] ?? choice?.['delta'] ?? {});
  const reason = textOf(choice?.['finish_reason']);
  const totals = isFields(usage) ? usage : {};
  return {
    text: textOf(said['content']) ?? '',
    reasoning: textOf(said['reasoning_content']) ?? '',
    toolCalls: said['tool_calls'] === undefined ? [] : toolCallsOf(said['tool_calls']),
    stopReason: reason ? stopReason(reason) : undefined,
    inputTokens: countOf(totals['prompt_tokens']),
    outputTokens: countOf(totals['completion_tokens']),
    warnings: warningIds(system),
  };
}

function toolCallsOf(calls: unknown): ToolCallFragment[] {
  if (!Array.isArray(calls)) return calls === null ? [] : unexpected();
  return calls.map((call, position) => {
    const { index, id, function: asked } = fieldsOf(call);
    const { name, arguments: given } = fieldsOf(asked);
    return {
      // A whole answer has no indexes.
      index: countOf(index) ?? position,
      id: textOf(id) ?? '',
      name: textOf(name) ?? '',
      arguments: textOf(given) ?? '',
    };
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : unexpected();
}

/**
 * Returns the first entry of a list, since requests ask for only one response. The list may be
 * empty, and some gateways omit it from the event with the usage.
 */
function firstOf(list: unknown, usage: unknown): Fields | undefined {
  if (list === undefined && isFields(usage)) return undefined;
  if (!Array.isArray(list)) return unexpected();
  return list.length === 0 ? undefined : fieldsOf(list[0]);
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : unexpected();
}

function unexpected(): never {
  throw new ServiceError('unexpected-answer');
}

// Counts and warnings are told, not relied on: nonsense in them does not spoil an answer.

/** More than any response has. Sums of larger counts could become Infinity. */
const MOST_TOKENS = 1_000_000_000;

function countOf(value: unknown): number | undefined {
  const isCount = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_TOKENS;
  return isCount ? Number(value) : undefined;
}

function warningIds(system: unknown): readonly string[] {
  const warnings = isFields(system) ? system['warnings'] : undefined;
  if (!Array.isArray(warnings)) return [];
  const ids = warnings.map((warning) => (isFields(warning) ? warning['id'] : undefined));
  return ids.filter((id) => typeof id === 'string').filter((id) => /^\w{1,64}$/.test(id));
}
