import { type Answer, bodyAnswer, jsonAnswer } from './answer.ts';
import { completion } from './completions.ts';
import { promptOf } from './conversation.ts';
import { gatewayModelInfo, gatewayModels } from './gatewayModels.ts';
import { keyIn } from './otherAuthMethods.ts';
import type { ReceivedRequest } from './requests.ts';
import { isRecord, type Service } from './service.ts';
import type { EmulatorSettings } from './settings.ts';

/** The OpenAI chat completions API: https://platform.openai.com/docs/api-reference/chat */

/**
 * The supported paths, unless the settings specify a prefix. `/serving-endpoints/models` isn't one
 * of them, because Databricks doesn't document such a model list:
 * https://learn.microsoft.com/azure/databricks/machine-learning/model-serving/score-foundation-models
 */
const PATH =
  /^(?:(?:\/ml\/gateway)?\/v1(?=\/)|\/serving-endpoints(?=\/chat))(\/chat\/completions|\/models|\/model\/info)$/;

/** Returns the path without its prefix, or undefined if the path isn't supported. */
function callAt(path: string, { openaiPrefix }: EmulatorSettings): string | undefined {
  if (openaiPrefix === undefined) return PATH.exec(path)?.[1];
  return path.startsWith(openaiPrefix)
    ? PATH.exec(`/v1${path.slice(openaiPrefix.length)}`)?.[1]
    : undefined;
}

/** Returns the response to an OpenAI API request, or undefined for any other path. */
export function chatCompletionsAnswer(
  request: ReceivedRequest,
  service: Service,
): Answer | undefined {
  const { settings } = service;
  const call = callAt(request.path, settings);
  if (call === undefined) return undefined;
  const key = keyIn(request, service);
  const token = key ?? /^\w+ (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  const reject = (status: number, code: string, message: string) =>
    jsonAnswer(status, { error: { message, type: 'invalid_request_error', param: null, code } });
  if (token === undefined) return reject(401, 'missing_token', 'No token was sent.');
  const state = key === undefined ? service.tokens.stateOf(token) : 'live';
  if (state === 'expired') return reject(401, 'token_expired', 'The token has expired.');
  if (state !== 'live') return reject(401, 'invalid_api_key', 'Incorrect token.');
  if (call === '/models') return jsonAnswer(200, gatewayModels(settings));
  if (call === '/model/info') {
    const isThere = settings.gateway === 'litellm';
    return isThere ? jsonAnswer(200, gatewayModelInfo(settings)) : reject(404, 'x', 'Not Found');
  }
  const ids = settings.models.map(({ model_id }) => model_id);
  const body = request.json;
  if (!isRecord(body)) return reject(400, 'bad_body', 'The body is no JSON object.');
  const { model, messages, stream, stream_options: options } = body;
  if (!ids.includes(String(model))) return reject(404, 'model_not_found', `No model ${model}.`);
  if (!Array.isArray(messages)) return reject(400, 'bad_body', 'There are no messages.');
  if ('model_id' in body || 'project_id' in body || 'time_limit' in body) {
    return reject(400, 'unknown_parameter', 'A field is not known.');
  }
  if (settings.quotaReached) return reject(429, 'insufficient_quota', 'The quota is used up.');
  const limit = settings.longestPrompt;
  if (limit !== undefined && promptOf(body).length > limit) {
    const text = `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${promptOf(body).length} tokens.`;
    return reject(400, 'context_length_exceeded', text);
  }
  const answered = completion(stream === true ? 'chat_stream' : 'chat', body, service);
  if (stream !== true) return { ...answered, headers: { 'content-type': 'application/json' } };
  const counts = isRecord(options) && options['include_usage'] === true;
  return inEvents(answered, counts);
}

/**
 * Converts a stream to OpenAI's format: removes the ID and name of each event, and adds the end
 * marker. Removes the event with the token counts unless `counts` is true.
 */
function inEvents({ parts, ...answer }: Answer, counts: boolean): Answer {
  const events = [...parts].flatMap(({ bytes, ...when }) => {
    const data = /^data: (.*)$/m.exec(Buffer.from(bytes).toString())?.[1] ?? '';
    const isCount = data.includes('"choices":[]');
    return isCount && !counts ? [] : [{ ...when, bytes: Buffer.from(`data: ${data}\n\n`) }];
  });
  const end = [...bodyAnswer(200, {}, 'data: [DONE]\n\n').parts];
  return { ...answer, parts: [...events, ...end] };
}
