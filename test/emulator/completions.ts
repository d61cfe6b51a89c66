import { type Answer, eventsAnswer, jsonAnswer } from './answer.ts';
import { contentOf, messagesOf, promptOf, restOfAnswer } from './conversation.ts';
import { isRecord, type Service } from './service.ts';
import type { StopReason } from './settings.ts';
import { piecesOf, tokenCount } from './text.ts';

/** The version that responses contain for every model. The recordings contain no other version. */
const modelVersion = '4.0.0';

/** The rate limit that responses report if the emulator doesn't enforce one. */
const usualRequestsPerSecond = 8;

const chatReasons: Readonly<Record<StopReason, string>> = {
  eos_token: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  token_limit: 'length',
  time_limit: 'time_limit',
  cancelled: 'cancelled',
  error: 'error',
};

/** Returns the response to a request that passed all checks. */
export function completion(
  operation: string,
  body: Record<string, unknown>,
  service: Service,
): Answer {
  switch (operation) {
    case 'tokenization':
      return jsonAnswer(
        200,
        { model_id: body['model_id'], result: { token_count: tokensOfPrompt(body) } },
        limitHeaders(service),
      );
    case 'generation':
      return jsonAnswer(200, generation(body, service), limitHeaders(service));
    case 'generation_stream':
      return stream(generationEvents(body, service), service);
    case 'chat':
      return jsonAnswer(200, chat(body, service), limitHeaders(service));
    case 'chat_stream':
      return stream(chatEvents(body, service), service);
    default:
      throw new RangeError(`No operation ${operation}`);
  }
}

export function tokensOfPrompt(body: Record<string, unknown>): number {
  const input = body['input'];
  if (typeof input === 'string') return tokenCount(input);
  return messagesOf(body).reduce((sum: number, each) => sum + tokenCount(contentOf(each)), 0);
}

function generation(body: Record<string, unknown>, service: Service): unknown {
  const { pieces, reason } = generate(body, service);
  const result = {
    generated_text: pieces.join(''),
    generated_token_count: pieces.length,
    input_token_count: tokensOfPrompt(body),
    stop_reason: reason,
  };
  return generationBody(body, service, result, warningOf('chat', service));
}

function generationEvents(body: Record<string, unknown>, service: Service): unknown[] {
  const { pieces, reason } = generate(body, service);
  // If there is text, the last event has both text and the stop reason. Only a response without
  // text has a separate event for the stop reason.
  const texts = pieces.length === 0 ? ['', ''] : ['', ...pieces];
  const lastIndex = texts.length - 1;
  return texts.map((text, index) => {
    const result = {
      generated_text: text,
      generated_token_count: Math.min(index, pieces.length),
      input_token_count: index === 0 ? tokensOfPrompt(body) : 0,
      stop_reason: index === lastIndex ? reason : 'not_finished',
    };
    const warning = index === 0 ? warningOf('chat_stream', service) : {};
    return generationBody(body, service, result, warning);
  });
}

function generationBody(
  { model_id }: Record<string, unknown>,
  { nowMs }: Service,
  result: unknown,
  warning: object,
): unknown {
  const created_at = new Date(nowMs()).toISOString();
  return { model_id, model_version: modelVersion, created_at, results: [result], ...warning };
}

function warningOf(successor: string, { settings }: Service): object {
  if (!settings.legacyWarning) return {};
  const message = `This API is legacy. Please consider using '/ml/v1/text/${successor}' instead.`;
  return { system: { warnings: [{ message, id: 'api_legacy' }] } };
}

function chat(body: Record<string, unknown>, service: Service): unknown {
  const { pieces, reason } = generate(body, service);
  const text = pieces.join('');
  const content = service.settings.sendsParts ? [thoughtPart('Hm.'), textPart(text)] : text;
  const message = { role: 'assistant', content };
  const choices = [{ index: 0, message, finish_reason: chatReasons[reason] }];
  const usage = usageOf(body, pieces.length);
  return { ...chatEnvelope('chat.completion', body, service), choices, usage };
}

function chatEvents(body: Record<string, unknown>, service: Service): unknown[] {
  const step = service.settings.step(body);
  const { pieces, reason } = step
    ? { pieces: piecesOf(step.text ?? ''), reason: 'eos_token' as const }
    : generate(body, service);
  const calls = (step?.toolCalls ?? []).map((call) => ({ ...call, id: service.identifier() }));
  const { sendsParts } = service.settings;
  const thoughts = piecesOf(step?.reasoning ?? (sendsParts ? 'Hm.' : ''));
  const envelope = chatEnvelope('chat.completion.chunk', body, service);
  const chunk = (finish_reason: string | null, delta: object) => ({
    ...envelope,
    choices: [{ index: 0, finish_reason, delta }],
  });
  return [
    chunk(null, { role: 'assistant', content: '' }),
    ...thoughts.map((text) =>
      chunk(null, sendsParts ? { content: [thoughtPart(text)] } : reasoningFields(body, text)),
    ),
    ...pieces.map((text) => chunk(null, { content: sendsParts ? [textPart(text)] : text })),
    ...callFragments(calls).map((tool_calls) => chunk(null, { tool_calls: [tool_calls] })),
    chunk(calls.length > 0 ? 'tool_calls' : chatReasons[reason], { content: '' }),
    { ...envelope, choices: [], usage: usageOf(body, thoughts.length + pieces.length) },
  ];
}

/**
 * Returns the reasoning as `reasoning_content`. The OpenAI-compatible API also returns it as
 * `reasoning`, as vLLM did while it was renaming the field:
 * https://github.com/vllm-project/vllm/pull/27752
 */
function reasoningFields(body: Record<string, unknown>, text: string): object {
  const isOpenai = 'model' in body;
  return { reasoning_content: text, ...(isOpenai && { reasoning: text }) };
}

/**
 * Returns the reasoning as one part of a message's content:
 * https://learn.microsoft.com/azure/databricks/machine-learning/model-serving/query-reason-models
 */
function thoughtPart(text: string): object {
  return { type: 'reasoning', summary: [{ type: 'summary_text', text }] };
}

function textPart(text: string): object {
  return { type: 'text', text };
}

/**
 * Returns the chunks of all tool calls, one call after another. The first chunk of a call contains
 * the name, and the other chunks contain parts of the arguments.
 */
function callFragments(
  calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[],
): unknown[] {
  return calls.flatMap(({ id, name, arguments: given }, index) => [
    { index, id, type: 'function', function: { name, arguments: '' } },
    ...(given.match(/.{1,7}/gsu) ?? []).map((part) => ({ index, function: { arguments: part } })),
  ]);
}

function chatEnvelope(
  object: string,
  { model_id }: Record<string, unknown>,
  { identifier, nowMs }: Service,
): object {
  return {
    id: `chatcmpl-${identifier()}`,
    object,
    model_id,
    model: model_id,
    created: Math.floor(nowMs() / 1000),
    model_version: modelVersion,
    created_at: new Date(nowMs()).toISOString(),
  };
}

function usageOf(body: Record<string, unknown>, completion_tokens: number): object {
  const prompt_tokens = tokensOfPrompt(body);
  return { completion_tokens, prompt_tokens, total_tokens: prompt_tokens + completion_tokens };
}

function generate(
  body: Record<string, unknown>,
  { settings, answers }: Service,
): { pieces: readonly string[]; reason: StopReason } {
  const rest = restOfAnswer(body, answers);
  const text = rest ?? settings.answer(promptOf(body));
  const pieces = typeof text === 'string' ? piecesOf(text) : text;
  if (rest === undefined) answers.set(promptOf(body), pieces.join(''));
  const limit = tokenLimitOf(body);
  const isCut = pieces.length > limit;
  return {
    pieces: isCut ? pieces.slice(0, limit) : pieces,
    reason: settings.stopReason ?? (isCut ? 'max_tokens' : 'eos_token'),
  };
}

/**
 * Returns the maximum number of output tokens. In a chat, 0 means the model's own maximum, and
 * `max_tokens` is the older name for `max_completion_tokens`.
 */
function tokenLimitOf(body: Record<string, unknown>): number {
  const parameters = isRecord(body['parameters']) ? body['parameters'] : {};
  const ofGeneration = parameters['max_new_tokens'];
  if (typeof ofGeneration === 'number') return ofGeneration;
  const ofChat = body['max_completion_tokens'] ?? body['max_tokens'];
  return typeof ofChat === 'number' && ofChat > 0 ? ofChat : Number.POSITIVE_INFINITY;
}

function limitHeaders({ settings, accepted }: Service): Record<string, string> {
  if (!settings.namesRequestLimit) return {};
  const limit = settings.requestsPerSecond;
  return {
    'x-requests-limit-rate': `${limit ?? usualRequestsPerSecond}`,
    'x-requests-limit-remaining': `${limit === undefined ? usualRequestsPerSecond - 1 : limit - accepted.length}`,
  };
}

function stream(data: readonly unknown[], { settings }: Service): Answer {
  const events = data.map((each, index) => ({ id: index + 1, event: 'message', data: each }));
  return eventsAnswer(events, settings, settings.tokenDelayMs);
}
