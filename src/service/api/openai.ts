import * as v from 'valibot';
import { type ErrorKind, type FoundDetails, plainWord, ServiceError } from '../errors.ts';
import type { ErrorResponse } from '../http/httpTypes.ts';
import { MODEL_ID } from '../modelId.ts';
import { check, parseJson, shape, tokenLimit, validEntries } from '../schemaHelpers.ts';
import type { Api, ModelTarget } from './api.ts';
import { mayHaveModelInfo, readModelInfo } from './liteLlmModelInfo.ts';
import { MAX_MODELS, type ModelPage } from './modelTypes.ts';
import { failureOfKind, foreignFailure, kindOfStatus } from './statusFailure.ts';

/**
 * The OpenAI chat completions API, which many company gateways support. Requests contain no project
 * ID. Streams report usage only if the request includes an option for it. Most services require a
 * token or key for the model list. Source: https://platform.openai.com/docs/api-reference/chat
 *
 * The fields in `streaming` and `chatParameters` are sent to every service. If a service rejects
 * one of them, add a parameter to this function and an optional field to `ApiConfig`, and test the
 * field in `test/unit/service/api/parameterMapping.test.ts`.
 */
export function openai(prefix: string): Api {
  const addressOf = ({ serviceUrl }: Pick<ModelTarget, 'serviceUrl'>, path: string) =>
    serviceUrl + prefix + path;
  const modelsUrl = (from: Pick<ModelTarget, 'serviceUrl'>) => addressOf(from, '/models');
  return {
    url: (_call, target) => addressOf(target, '/chat/completions'),
    modelFields: (model) => ({ model }),
    streaming: { stream: true, stream_options: { include_usage: true } },
    chatParameters: new Map([
      // Ollama supports only `max_tokens`, but OpenAI's newer models reject it, even alongside
      // `max_completion_tokens`: https://github.com/ollama/ollama/issues/7125
      ['max_new_tokens', 'max_completion_tokens'],
      ['stop_sequences', 'stop'],
      ['random_seed', 'seed'],
      ['temperature', 'temperature'],
      ['top_p', 'top_p'],
    ]),
    conversation: ({ messages, tools, toolChoice }) => ({
      messages,
      ...(tools && { tools, tool_choice: toolChoice }),
    }),
    failure,
    failureInEvent,
    accessCheck: (_modelId, target) => ({
      url: modelsUrl(target),
      // This request checks only the token or key. The model isn't looked up in the list, because
      // many gateways accept models that they don't list.
      read: readModels,
    }),
    models: {
      needsToken: true,
      isMissing,
      listUrl: modelsUrl,
      entryUrl: modelsUrl,
      read: readModels,
      assumedTasks: ASSUMED_TASKS,
      info: { url: (from) => addressOf(from, '/model/info'), read: readModelInfo },
    },
  };
}

/**
 * The formats of error responses. A 401 or 403 in another format is reported as `intercepted`, even
 * if the key is wrong. To support a format without an `error` field, change `failureInEvent`, too.
 *
 * If the key is wrong, vLLM and SGLang send a string instead of an error object. Source:
 * https://github.com/vllm-project/vllm/tree/main/vllm/entrypoints (`AuthenticationMiddleware`)
 */
const errorSchema = shape({
  error: v.union([
    v.pipe(
      v.string(),
      v.transform((message) => ({ message, type: undefined, code: undefined })),
    ),
    shape({
      message: v.fallback(v.string(), ''),
      type: v.optional(v.unknown()),
      code: v.optional(v.unknown()),
    }),
  ]),
});

/**
 * The error kinds, keyed by the error's `code` or `type`. Most codes don't need an entry, because
 * `kindOfStatus` returns the right kind for their status. If a code's meaning depends on the status
 * or the service, handle it in `failure`. Test each code in `test/unit/service/failures.test.ts`.
 *
 * vLLM and Ollama report an unknown model only in the `type` field. Groq has its own code for a
 * withdrawn model. Sources: https://github.com/vllm-project/vllm/tree/main/vllm/entrypoints/openai,
 * https://github.com/ollama/ollama/blob/main/openai/openai.go (`NewError`), and
 * https://github.com/ItzCrazyKns/Vane/issues/771
 */
export const KIND_BY_OPENAI_CODE: Readonly<Record<string, ErrorKind>> = {
  model_not_found: 'model-unknown',
  model_decommissioned: 'model-unknown',
  NotFoundError: 'model-unknown',
  not_found_error: 'model-unknown',
  insufficient_quota: 'quota-used-up',
  budget_exceeded: 'quota-used-up',
  rate_limit_exceeded: 'rate-limited',
  token_expired: 'unauthorized',
  invalid_api_key: 'unauthorized',
};

/**
 * Matches messages such as "…maximum context length is 4097 tokens. However, your messages resulted
 * in 5000 tokens…". In responses from vLLM and LiteLLM, only the message indicates that the prompt
 * is too long. The wildcard is bounded, so matching takes linear time.
 * Sources: https://github.com/vllm-project/vllm/blob/main/vllm/renderers/params.py and
 * https://docs.litellm.ai/docs/exception_mapping
 */
const TOO_LONG =
  /context length is (?:only )?(?<limit>\d+) tokens[.,](?:.{0,200}? (?<actual>\d+) (?:input )?tokens)?/;

function failure({ status, text }: ErrorResponse): ServiceError {
  const body = v.safeParse(errorSchema, parseJson(text));
  if (!body.success) return foreignFailure({ status, text });
  const { message, type, code } = body.output.error;
  const word = [code, type]
    .map(plainWord)
    .find((one) => one !== undefined && Object.hasOwn(KIND_BY_OPENAI_CODE, one));
  const details = { status, code: word ?? plainWord(code) };
  const counts = TOO_LONG.exec(message);
  if (code === 'context_length_exceeded' || ([400, 413].includes(status) && counts)) {
    return tooLong(counts, details);
  }
  // Groq sends `rate_limit_exceeded` with status 413 if a single request's prompt and requested
  // output exceed the account's tokens-per-minute limit. In that case, waiting doesn't help.
  // Source: https://github.com/HunorLaczko/ha-groq-cloud-api/issues/27
  if (status === 413 && word === 'rate_limit_exceeded') {
    return new ServiceError('bad-request', details);
  }
  return failureOfKind(KIND_BY_OPENAI_CODE[word ?? ''] ?? kindOfStatus(status), message, details);
}

/**
 * Returns a `prompt-too-long` failure. Leaves out token counts that don't explain the failure, for
 * example because they exclude the requested output.
 */
function tooLong(counts: RegExpExecArray | null, details: FoundDetails): ServiceError {
  const limit = Number(counts?.groups?.['limit']);
  const actual = Number(counts?.groups?.['actual']);
  return new ServiceError('prompt-too-long', {
    ...details,
    ...(actual > limit && { limit, actual }),
  });
}

/** True for a 404 or 405, which gateways without a model list return. */
function isMissing(error: unknown): boolean {
  return error instanceof ServiceError && [404, 405].includes(error.details.status ?? 0);
}

/**
 * Returns the failure, if any, that a stream event or a response with status 200 reports. The
 * error's code is often an HTTP status.
 */
function failureInEvent(json: unknown): ServiceError | undefined {
  if (typeof json !== 'object' || json === null || !('error' in json) || !json.error)
    return undefined;
  const code = Number(Object(json.error).code);
  const status = code >= 400 && code <= 599 ? code : 500;
  return failure({ status, text: JSON.stringify(json) });
}

/** The model list doesn't specify capabilities, so every model is assumed to support tools. */
const ASSUMED_TASKS: readonly string[] = ['function_calling'];

/**
 * Some gateways add limits to the models in the list: vLLM adds `max_model_len`, and LiteLLM adds
 * `max_input_tokens` and `max_output_tokens`. The table under _Models_ in docs/services.md lists
 * these names, and `test/contract/service/gatewayModels.test.ts` tests them. Sources:
 * https://github.com/vllm-project/vllm/blob/v0.10.2/vllm/entrypoints/openai/protocol.py
 * (`ModelCard`) and https://github.com/BerriAI/litellm/pull/30272
 */
const modelList = shape({ data: v.array(v.unknown()) });
const model = shape({
  id: v.pipe(v.string(), v.regex(MODEL_ID)),
  owned_by: v.fallback(v.string(), ''),
  created: v.optional(v.unknown()),
  max_model_len: tokenLimit,
  max_input_tokens: tokenLimit,
  max_output_tokens: tokenLimit,
});

/**
 * Assumes that every model in the list supports chat and tools, but not images. If a service marks
 * models that don't generate text, leave them out here. If it lists which models support tools or
 * images, set `tasks` and `functions` accordingly. For the test, see `gatewayModels.test.ts`.
 */
function readModels(json: unknown, _date?: string, most = MAX_MODELS): ModelPage {
  const { data } = check(modelList, json);
  const entries = validEntries(model, data, most);
  const models = entries.map((each) => ({
    id: each.id,
    label: each.id,
    provider: each.owned_by,
    description: '',
    contextLength: each.max_model_len ?? each.max_input_tokens,
    maxOutputTokens: each.max_output_tokens,
    functions: ['text_chat'],
    tasks: ASSUMED_TASKS,
    lifecycle: [],
  }));
  const mayHaveInfo = mayHaveModelInfo(entries.map(({ created }) => created));
  return { models, hasMore: data.length > most, next: undefined, mayHaveInfo };
}
