import { type Answer, eventsAnswer, jsonAnswer } from './answer.ts';
import { completion, tokensOfPrompt } from './completions.ts';
import { messagesOf, promptOf } from './conversation.ts';
import {
  bodyInvalid,
  chatTooLong,
  errorAnswer,
  errorBody,
  type InferenceError,
  modelCannotChat,
  modelUnknown,
  noProject,
  noToken,
  projectUnknown,
  projectWithoutRuntime,
  promptTooLong,
  quotaReached,
  rateLimitReached,
  tokenExpired,
  tokenNotValid,
  tooManyAtOnce,
} from './errors.ts';
import { isWithdrawn, modelList } from './models.ts';
import { keyIn } from './otherAuthMethods.ts';
import type { ReceivedRequest } from './requests.ts';
import { isRecord, type Service } from './service.ts';

const operations = ['generation', 'generation_stream', 'chat', 'chat_stream', 'tokenization'];

/**
 * Handles all requests under `/ml/v1`. For an operation on a model, checks the token, version,
 * body, project, rate limit, model, and prompt, in this order. For a deployment, checks the
 * deployment instead of the project, and doesn't check the model.
 */
export function inferenceAnswer(request: ReceivedRequest, service: Service): Answer {
  const { path, method } = request;
  const fail = (error: InferenceError) => errorAnswer(error, path, service);

  if (path === '/ml/v1/foundation_model_specs' && method === 'GET') {
    const problem = versionProblem(request);
    const { settings, url, nowMs } = service;
    return problem
      ? fail(problem)
      : jsonAnswer(200, modelList(settings.models, request.query, url, nowMs()));
  }
  const deployed = /^\/ml\/v1\/deployments\/([^/]+)(\/text\/.+)$/.exec(path);
  const place = deployed ? `/ml/v1${deployed[2]}` : path;
  const operation = operations.find((name) => place === `/ml/v1/text/${name}`);
  if (operation === undefined) {
    return fail({ status: 404, code: 'not_found', message: `No operation ${path}` });
  }
  if (method !== 'POST') {
    return fail({ status: 405, code: 'method_not_allowed', message: `${method} is not allowed` });
  }
  const rejected = tokenProblem(request, service) ?? versionProblem(request);
  if (rejected) return fail(rejected);
  const body = request.json;
  if (!isRecord(body)) return fail(bodyInvalid('the body is not a Json object'));
  const problem = deployed
    ? (deploymentProblem(decodeURIComponent(deployed[1] ?? ''), operation, body, service) ??
      rateProblem(service) ??
      promptProblem(body, operation, service))
    : (projectProblem(body, service) ??
      rateProblem(service) ??
      modelProblem(body, operation, service) ??
      promptProblem(body, operation, service));
  if (problem === undefined) return completion(operation, body, service);

  // If the prompt of a chat_stream request is too long, the live service responds with status 200
  // and reports the error in the stream.
  if (operation === 'chat_stream' && problem.code === 'invalid_input_argument') {
    const event = { id: 1, event: 'error', data: errorBody(problem, path, service) };
    return eventsAnswer([event], service.settings);
  }
  return fail(problem);
}

function tokenProblem(request: ReceivedRequest, service: Service): InferenceError | undefined {
  const authorization = request.headers['authorization'] ?? '';
  if (keyIn(request, service) !== undefined) return undefined;
  const token = /^\w+ (.+)$/u.exec(authorization)?.[1];
  if (token === undefined) return noToken;
  const state = service.tokens.stateOf(token);
  if (state === 'expired') return tokenExpired;
  return state === 'not valid' ? tokenNotValid : undefined;
}

/**
 * Requires a version, because the documentation lists it as required. It's unknown how the live
 * service responds to a missing or invalid version.
 */
function versionProblem({ query }: ReceivedRequest): InferenceError | undefined {
  if (/^\d{4}-\d{2}-\d{2}$/u.test(query.get('version') ?? '')) return undefined;
  const message = "The query parameter 'version' is required, as YYYY-MM-DD";
  return { status: 400, code: 'invalid_request_entity', message };
}

function projectProblem(
  body: Record<string, unknown>,
  { settings }: Service,
): InferenceError | undefined {
  const { project_id: projectId, space_id: spaceId } = body;
  if (projectId === undefined && spaceId !== undefined) {
    return settings.spaceIds.includes(String(spaceId))
      ? undefined
      : projectUnknown(String(spaceId));
  }
  if (typeof projectId !== 'string' || projectId === '') return noProject;
  if (settings.projectIdsWithoutRuntime.includes(projectId))
    return projectWithoutRuntime(projectId);
  if (!settings.projectIds.includes(projectId)) return projectUnknown(projectId);
  return settings.quotaReached ? quotaReached : undefined;
}

/**
 * Checks a request to a deployment. A deployment has its own model and project, so the request must
 * not name a model, project, or space. Messages must not have the `system` role.
 */
function deploymentProblem(
  id: string,
  operation: string,
  body: Record<string, unknown>,
  { settings }: Service,
): InferenceError | undefined {
  if (!settings.deploymentIds.includes(id) || operation === 'tokenization') {
    return { status: 404, code: 'not_found', message: `No deployment ${id}` };
  }
  const known = ['model_id', 'project_id', 'space_id'].find((name) => name in body);
  if (known) return bodyInvalid(`'${known}' is not allowed`);
  const isSystem = (one: unknown) => isRecord(one) && one['role'] === 'system';
  return messagesOf(body).some(isSystem)
    ? bodyInvalid("the role 'system' is not allowed")
    : undefined;
}

function rateProblem({ settings, accepted, nowMs }: Service): InferenceError | undefined {
  const now = nowMs();
  const recent = accepted.filter((time) => time > now - 1000);
  accepted.splice(0, accepted.length, ...recent);
  const limit = settings.requestsPerSecond;
  if (limit !== undefined && recent.length >= limit) return rateLimitReached(limit);
  accepted.push(now);
  return undefined;
}

function modelProblem(
  body: Record<string, unknown>,
  operation: string,
  { settings, inFlight, nowMs }: Service,
): InferenceError | undefined {
  const modelId = body['model_id'];
  if (typeof modelId !== 'string') return bodyInvalid("'model_id' cannot be missing or empty");
  const isWithoutChat = settings.unlistedModelIdsWithoutChat.includes(modelId);
  const model = settings.models.find(({ model_id }) => model_id === modelId);
  if (!isWithoutChat && (!model || isWithdrawn(model, nowMs()))) return modelUnknown(modelId);
  if (isWithoutChat && operation.startsWith('chat')) return modelCannotChat(modelId);
  const limit = settings.concurrentRequests;
  if (limit !== undefined && inFlight() > limit) return tooManyAtOnce(modelId, limit);
  return undefined;
}

function promptProblem(
  body: Record<string, unknown>,
  operation: string,
  { settings }: Service,
): InferenceError | undefined {
  const isChat = operation.startsWith('chat');
  if (promptOf(body) === '') {
    return bodyInvalid(`'${isChat ? 'messages' : 'input'}' cannot be missing or empty`);
  }
  const modelId = String(body['model_id']);
  const model = settings.models.find(({ model_id }) => model_id === modelId);
  const limit = model?.model_limits?.max_sequence_length ?? Number.POSITIVE_INFINITY;
  const tokens = tokensOfPrompt(body);
  if (tokens <= limit) return undefined;
  return isChat ? chatTooLong(modelId, tokens, limit) : promptTooLong(modelId, tokens, limit);
}
