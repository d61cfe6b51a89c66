import type { Operation } from '../apiCapabilities.ts';
import { ServiceError } from '../errors.ts';
import { type Body, readEvents } from '../http/body.ts';
import { parseJson } from '../schemaHelpers.ts';
import type { Api } from './api.ts';
import type { ToolCall } from './conversation.ts';
import { type StopReason, stopReason } from './stopReason.ts';

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The contents of one stream event or of a response that isn't streamed. */
export interface ResponseChunk {
  readonly text: string;
  /** The model's reasoning, which precedes the response. */
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCallFragment[];
  /** Undefined until the generation stops. */
  readonly stopReason: StopReason | undefined;
  /** The total number of tokens in the prompt. Undefined if this chunk doesn't contain a count. */
  readonly inputTokens: number | undefined;
  /**
   * The number of tokens in the response so far. Undefined if this chunk doesn't contain a count.
   */
  readonly outputTokens: number | undefined;
  /** IDs of the service's warnings, such as `api_legacy`. */
  readonly warnings: readonly string[];
}

/** A part of a tool call. Parts of the same tool call have the same index. */
export interface ToolCallFragment extends ToolCall {
  readonly index: number;
}

type MutableToolCall = { -readonly [Field in keyof ToolCall]: ToolCall[Field] };

export interface Generation {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly stopReason: StopReason;
  readonly usage: TokenUsage;
  /**
   * Names of parameters that weren't sent, because the operation or the API doesn't support them.
   */
  readonly dropped: readonly string[];
  /** IDs of the service's warnings. `Client` removes IDs that contain a secret. */
  readonly warnings: readonly string[];
}

/** Maximum time to wait for the token count after the stop reason has arrived, in milliseconds. */
const COUNT_MS = 1_000;

export interface ResponseListeners {
  readonly onText: (text: string) => void;
  readonly onReasoning?: ((text: string) => void) | undefined;
}

/** Reads the response to one request, streamed or not. */
export class ResponseReader {
  readonly #readChunk: (json: unknown) => ResponseChunk;
  readonly #listeners: ResponseListeners | undefined;
  readonly #failureInEvent: Api['failureInEvent'];
  readonly #parts: string[] = [];
  readonly #toolCalls: MutableToolCall[] = [];
  /** The newest tool call for each index. */
  readonly #newestCalls = new Map<number, MutableToolCall>();
  readonly #received: string[] = [];
  readonly #warnings = new Set<string>();
  #stopReason: StopReason | undefined;
  #inputTokens = 0;
  #outputTokens: number | undefined;

  /** @param listeners called as text and reasoning arrive; undefined without streaming */
  constructor(
    operation: Operation,
    listeners: ResponseListeners | undefined,
    { failureInEvent }: Pick<Api, 'failureInEvent'>,
  ) {
    this.#failureInEvent = failureInEvent;
    this.#readChunk = operation === 'chat' ? readChat : readGeneration;
    this.#listeners = listeners;
  }

  /** True once any text, reasoning, or tool call has been received. */
  get hasBegun(): boolean {
    return this.#received.some((part) => part !== '');
  }

  /** Everything that the model has generated so far, including reasoning and tool calls. */
  get received(): string {
    return this.#received.join('');
  }

  /**
   * Reads the response. If the response is streamed, waits up to `COUNT_MS` for the token count
   * after the stop reason.
   * @param signal once it's aborted, errors are thrown even if the stop reason has arrived
   * @throws {ServiceError} if the service reports a failure or the response can't be read;
   * `incomplete` if the response ends without a stop reason
   */
  async read(body: Body, signal: AbortSignal): Promise<Omit<Generation, 'dropped'>> {
    if (this.#listeners) await this.#readStream(body, signal);
    else await this.#readWhole(body);
    if (this.#stopReason === undefined) throw new ServiceError('incomplete');
    if (this.#stopReason === 'error') throw new ServiceError('server-failed');
    return {
      text: this.#parts.join(''),
      toolCalls: this.#toolCalls,
      stopReason: this.#stopReason,
      usage: { inputTokens: this.#inputTokens, outputTokens: this.#outputTokens ?? 0 },
      warnings: [...this.#warnings],
    };
  }

  async #readWhole(body: Body): Promise<void> {
    const json = parseJson(await body.text());
    this.#throwFailure(json);
    this.#add(this.#readChunk(json));
  }

  /** Reads the stream until it ends, or until the stop reason and the token count have arrived. */
  async #readStream(body: Body, signal: AbortSignal): Promise<void> {
    try {
      for await (const { data } of readEvents(body)) {
        const json = parseJson(data);
        this.#throwFailure(json);
        if (isSilent(json, data)) continue;
        this.#add(this.#readChunk(json));
        if (this.hasBegun || this.#isComplete) body.markStarted();
        if (this.#isComplete && this.#outputTokens !== undefined) return;
        if (this.#isComplete) body.endWithin(COUNT_MS);
      }
    } catch (error) {
      if (!this.#isComplete || signal.aborted) throw error;
    }
  }

  /**
   * True once the stop reason has been received. From then on, errors in the rest of the stream are
   * ignored unless the signal is aborted.
   */
  get #isComplete(): boolean {
    return this.#stopReason !== undefined;
  }

  /** Throws if a stream event, or a response with status 200, reports a failure. */
  #throwFailure(json: unknown): void {
    const failure = this.#failureInEvent(json);
    if (failure) throw failure;
  }

  #add(chunk: ResponseChunk): void {
    this.#stopReason = chunk.stopReason ?? this.#stopReason;
    this.#inputTokens = chunk.inputTokens ?? this.#inputTokens;
    this.#outputTokens = chunk.outputTokens ?? this.#outputTokens;
    for (const id of chunk.warnings) this.#warnings.add(id);
    for (const fragment of chunk.toolCalls) this.#addToolCall(fragment);
    if (chunk.reasoning !== '') {
      this.#received.push(chunk.reasoning);
      this.#listeners?.onReasoning?.(chunk.reasoning);
    }
    if (chunk.text === '') return;
    this.#received.push(chunk.text);
    this.#parts.push(chunk.text);
    this.#listeners?.onText(chunk.text);
  }

  /**
   * Adds a fragment to its tool call. Usually, only the first fragment of a tool call has the ID
   * and the name. Some services use the same index for all tool calls, so a fragment with a name
   * and a new ID starts a new tool call. A new ID without a name doesn't start a tool call, because
   * some services change the ID within a tool call.
   * Source: https://github.com/ollama/ollama/issues/15457
   */
  #addToolCall({ index, ...fragment }: ToolCallFragment): void {
    this.#received.push(fragment.name, fragment.arguments);
    const known = this.#newestCalls.get(index);
    const isNamed = fragment.id !== '' && fragment.name !== '';
    if (!known || (isNamed && known.id !== '' && known.id !== fragment.id)) {
      this.#toolCalls.push(fragment);
      this.#newestCalls.set(index, fragment);
      return;
    }
    known.id ||= fragment.id;
    known.name ||= fragment.name;
    known.arguments += fragment.arguments;
  }
}

/** True for events that aren't part of the response, such as keep-alives and `close`. */
function isSilent(json: unknown, data: string): boolean {
  if (json === undefined) return !data.trimStart().startsWith('{');
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  return (
    isObject &&
    !('choices' in json || 'results' in json || ('usage' in json && isFields(json.usage)))
  );
}

/*
 * The functions below validate responses without a schema. A stream can have thousands of events.
 * Validating each one with a schema would add 50% to the parsing time (measured with `npm run bench
 * cpuOfAStream`). The formats are based on recorded responses.
 */

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a response or stream event from the generation operation.
 * @throws {ServiceError} `unexpected-answer`
 */
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
    // Only the first event has the prompt's token count. Later events have 0, which must not
    // overwrite that count.
    inputTokens: countOf(result?.['input_token_count']) || undefined,
    outputTokens: countOf(result?.['generated_token_count']),
    warnings: warningIds(system),
  };
}

/**
 * Reads a response or stream event from the chat operation.
 * @throws {ServiceError} `unexpected-answer`
 */
export function readChat(json: unknown): ResponseChunk {
  const { choices, usage, system } = fieldsOf(json);
  const choice = firstOf(choices, usage);
  // Without streaming, the message is in `message`. In a stream event, it's in `delta`. An event
  // without text may lack both fields.
  const message = fieldsOf(choice?.['message'] ?? choice?.['delta'] ?? {});
  const reason = textOf(choice?.['finish_reason']);
  const totals = isFields(usage) ? usage : {};
  return {
    text: textIn(message['content'], 'text'),
    reasoning: reasoningOf(message),
    toolCalls: message['tool_calls'] === undefined ? [] : toolCallsOf(message['tool_calls']),
    stopReason: reason ? stopReason(reason) : undefined,
    inputTokens: countOf(totals['prompt_tokens']),
    outputTokens: countOf(totals['completion_tokens']),
    warnings: warningIds(system),
  };
}

/**
 * Returns the text of a field, such as a message's `content`, that contains either text or a list
 * of parts. Joins the text of all parts of the given type, and ignores other parts.
 */
function textIn(content: unknown, type: 'text' | 'summary_text'): string {
  if (!Array.isArray(content)) return textOf(content) ?? '';
  const parts = content.map(fieldsOf).filter((part) => part['type'] === type);
  return parts.map(({ text }) => textOf(text) ?? '').join('');
}

/**
 * vLLM renamed `reasoning_content` to `reasoning`, and Ollama sends only `reasoning`. For a while,
 * vLLM sent the same text in both fields. Databricks and Mistral send the reasoning in `content`.
 * Sources: https://github.com/vllm-project/vllm/pull/27752
 * https://learn.microsoft.com/azure/databricks/machine-learning/model-serving/query-reason-models
 * https://docs.mistral.ai/capabilities/reasoning/
 */
function reasoningOf({ reasoning_content: older, reasoning: newer, content }: Fields): string {
  const whole = textOf(older) || (typeof newer === 'string' ? newer : '');
  if (whole || !Array.isArray(content)) return whole;
  return content.map(fieldsOf).map(reasoningIn).join('');
}

function reasoningIn(part: Fields): string {
  if (part['type'] === 'reasoning') return textIn(part['summary'], 'summary_text');
  return part['type'] === 'thinking' ? textIn(part['thinking'], 'text') : '';
}

function toolCallsOf(calls: unknown): ToolCallFragment[] {
  if (!Array.isArray(calls)) return calls === null ? [] : unexpected();
  return calls.map((call, position) => {
    const { index, id, function: asked } = fieldsOf(call);
    const { name, arguments: given } = fieldsOf(asked);
    return {
      // Without streaming, tool calls have no index.
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
 * Returns the first entry, which should be the only one, because each request generates a single
 * response. Undefined if the list is empty, or if a gateway omits the list from the event that
 * contains the usage.
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

// Counts and warnings are only informational, so an invalid count or warning doesn't invalidate the
// response.

/**
 * The highest valid token count, far above what any request uses. Higher counts are ignored,
 * because their sum could be Infinity.
 */
const MAX_TOKENS = 1_000_000_000;

function countOf(value: unknown): number | undefined {
  const isCount = Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TOKENS;
  return isCount ? Number(value) : undefined;
}

function warningIds(system: unknown): readonly string[] {
  const warnings = isFields(system) ? system['warnings'] : undefined;
  if (!Array.isArray(warnings)) return [];
  const ids = warnings.map((warning) => (isFields(warning) ? warning['id'] : undefined));
  return ids.filter((id) => typeof id === 'string').filter((id) => /^\w{1,64}$/.test(id));
}
