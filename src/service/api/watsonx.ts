import { functionOf } from '../apiCapabilities.ts';
import { isKind, ServiceError } from '../errors.ts';
import { check, count, shape } from '../schemaHelpers.ts';
import type { Api, GenerationCall, ModelTarget } from './api.ts';
import { failureInEvent, inferenceFailure } from './watsonxFailure.ts';
import { readModels } from './watsonxModelList.ts';

/**
 * The watsonx.ai API, on IBM Cloud and on premises. A request uses a project, a space, or a
 * deployment. For a deployment, the URL contains the deployment ID, and the body contains neither a
 * model ID nor a project ID.
 */

/** The API version, pinned to keep the response format stable. */
const VERSION = '2025-02-11';
const PATHS: Readonly<Record<GenerationCall | 'tokenization' | 'models', string>> = {
  chat: '/text/chat',
  chatStream: '/text/chat_stream',
  generation: '/text/generation',
  generationStream: '/text/generation_stream',
  tokenization: '/text/tokenization',
  models: '/foundation_model_specs',
};
const PAGE_SIZE = 200;
/** An ID that no model has, used to check access before the user has picked a model. */
const NO_MODEL = 'unknown';
/**
 * Matches model IDs that are safe to use in a list filter, where colons, commas, and `!` are
 * reserved.
 */
const FILTERED_ID = /^[\w./-]{1,128}$/;

export const watsonx: Api = {
  url: (call, target) => {
    const isDeployment = target.resource === 'deployment';
    const place = isDeployment ? `/deployments/${encodeURIComponent(target.projectId)}` : '';
    return addressOf(target, place + PATHS[call]);
  },
  modelFields: (modelId, { projectId, resource }) => {
    if (resource === 'deployment') return {};
    return { model_id: modelId, [resource === 'space' ? 'space_id' : 'project_id']: projectId };
  },
  streaming: {},
  chatParameters: new Map([
    ['max_new_tokens', 'max_completion_tokens'],
    ['stop_sequences', 'stop'],
    ['random_seed', 'seed'],
    ['temperature', 'temperature'],
    ['top_p', 'top_p'],
    ['repetition_penalty', 'repetition_penalty'],
    ['length_penalty', 'length_penalty'],
    ['time_limit', 'time_limit'],
  ]),
  conversation: ({ messages, tools, toolChoice }, { resource }) => {
    const offered = tools && { tools, tool_choice_option: toolChoice };
    if (resource !== 'deployment') return { messages, ...offered };
    // Deployments don't support the `system` role. The text of system messages goes into `context`.
    const isContext = ({ role }: { readonly role: string }) => role === 'system';
    const context = messages.filter(isContext).map(({ content }) => content);
    const others = messages.filter((message) => !isContext(message));
    return {
      messages: others,
      ...(context.length > 0 && { context: context.join('\n') }),
      ...offered,
    };
  },
  failure: (answer, target) => {
    const error = inferenceFailure(answer);
    // The URL contains the deployment ID, so a 404 means that the deployment doesn't exist.
    const isMissing = target?.resource === 'deployment' && answer.status === 404;
    return isMissing ? new ServiceError('project-unknown', error.details) : error;
  },
  failureInEvent,
  accessCheck: (modelId, target) => {
    if (target.resource !== 'deployment') {
      const body = { ...watsonx.modelFields(modelId || NO_MODEL, target), input: 'hello' };
      return {
        url: addressOf(target, PATHS.tokenization),
        body,
        read: readTokenCount,
        isExpectedError: (error) => modelId === '' && isKind(error, 'model-unknown'),
      };
    }
    // Deployments don't support tokenization, so this check sends a chat request without messages.
    // If the deployment exists and the token is accepted, the service reports a bad request, which
    // proves access.
    const url = watsonx.url('chat', target);
    const isExpectedError = (error: unknown) =>
      isKind(error, 'bad-request') && error.details.code !== undefined;
    return { url, body: { messages: [] }, read: () => undefined, isExpectedError };
  },
  models: {
    needsToken: false,
    listUrl: (from, operation, start) => {
      const filters = `function_${functionOf(operation)},!lifecycle_withdrawn:and`;
      const page = { limit: String(PAGE_SIZE), filters, ...(start && { start }) };
      return addressOf(from, PATHS.models, page);
    },
    entryUrl: (from, modelId) => {
      const filters = FILTERED_ID.test(modelId) && `modelid_${modelId}`;
      return addressOf(from, PATHS.models, { limit: '1', ...(filters && { filters }) });
    },
    read: readModels,
    assumedTasks: [],
  },
};

function addressOf(
  { serviceUrl }: Pick<ModelTarget, 'serviceUrl'>,
  path: string,
  query: Readonly<Record<string, string>> = {},
): string {
  return `${serviceUrl}/ml/v1${path}?${new URLSearchParams({ version: VERSION, ...query })}`;
}

const tokenizationSchema = shape({ result: shape({ token_count: count }) });

/**
 * Reads the token count from a tokenization response.
 * @throws {ServiceError} `unexpected-answer`
 */
export function readTokenCount(json: unknown): number {
  return check(tokenizationSchema, json).result.token_count;
}
