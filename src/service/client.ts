import type { RequestBody } from './api/api.ts';
import { apiOf } from './api/apis.ts';
import { type Conversation, promptConversation } from './api/conversation.ts';
import { chatParts, conversationText, inputTexts, transcript } from './api/conversationFormats.ts';
import type { Model } from './api/modelTypes.ts';
import { parameterProblem } from './api/parameterChecks.ts';
import { CONVERSATION_NEW_TOKENS, mapParameters, type Parameters } from './api/parameters.ts';
import { type Generation, ResponseReader } from './api/responseReader.ts';
import { type RequestUsage, usageOf, usageOfFailed } from './api/usageEstimate.ts';
import type { Operation } from './apiCapabilities.ts';
import { secretsOf } from './auth/keySecrets.ts';
import type { Token } from './auth/token.ts';
import { TokenService } from './auth/tokenService.ts';
import { type SecretKind, ServiceError } from './errors.ts';
import type { ConcurrencyOptions } from './http/concurrencyLimit.ts';
import { Callbacks } from './http/http.ts';
import { type HttpResponse, type Retry, readRateLimit } from './http/httpTypes.ts';
import type { RateLimit } from './http/requestPace.ts';
import {
  holdsPrivateKey,
  holdsSecret,
  MIN_BLOCKED_LENGTH,
  maskPrivateKeys,
  maskSecrets,
  repeats,
  stringsIn,
} from './masking.ts';
import { type ModelRequest, newTokensByDefault } from './models/modelLimitRules.ts';
import { asNoModelListError, MAX_PAGE_BYTES } from './models/models.ts';
import { explainByModel } from './models/rejectionCause.ts';
import { parseJson } from './schemaHelpers.ts';
import { type InferenceOptions, sendWithToken } from './sendWithToken.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
  /**
   * Called with each chunk of the response. The response is streamed only if this callback is set.
   */
  readonly onText?: (text: string) => void;
  /** Called with each chunk of the model's reasoning, if the response is streamed. */
  readonly onReasoning?: (text: string) => void;
  /**
   * Called once, just before the request is sent for the first time. If the callback rejects, its
   * error is rethrown unchanged.
   */
  readonly beforeFirstAttempt?: () => Promise<void>;
  readonly onRetry?: (retry: Retry) => void;
  /**
   * Called if the response doesn't start and no error status arrives within 5 s. A streamed
   * response counts as started when its first text, reasoning, or tool call arrives.
   */
  readonly onSilence?: () => void;
  /**
   * Called once with the request's token usage, which can be an estimate. After a failure, called
   * only if part of the response arrived, or if the request was canceled and may have been billed.
   */
  readonly onUsage?: (usage: RequestUsage) => void;
}

export interface GenerateOptions extends CallOptions {
  /**
   * An incomplete response to the prompt, for the model to continue. `onText` and the result
   * contain only the continuation.
   */
  readonly responseSoFar?: string;
}

export interface ChatOptions extends CallOptions {
  /**
   * The model from the stored model list. Cached limits take precedence over the limits in
   * `storedModel`.
   */
  readonly storedModel?: Model | undefined;
}

export interface ClientSettings {
  readonly modelId: string;
  readonly operation: Operation;
  readonly limits: ConcurrencyOptions;
  /** See `InferenceOptions.isLowPriority`. */
  readonly isLowPriority?: boolean;
}

export interface ClientOptions extends InferenceOptions {
  readonly modelId: string;
  readonly operation: Operation;
  /**
   * Returns information about the model, using only the cache and the settings. See
   * `Models.knownModel`.
   */
  readonly knownModel?: (stored?: Model) => Model | undefined;
  /**
   * Requests information about the model. The request also opens a network connection that the next
   * request can reuse.
   */
  readonly fetchModelInfo?: (signal: AbortSignal) => Promise<Model | undefined>;
  /**
   * Returns the secrets of all credentials that were used or tested in this window, and their
   * latest tokens. None of these may appear in a prompt or in a warning from the service.
   */
  readonly secrets?: () => readonly string[];
}

interface GenerationRequest extends ModelRequest {
  /** The body fields for the prompt or conversation, in the format of the operation. */
  readonly fields: RequestBody;
  /** The strings in `fields` that the model didn't generate. */
  readonly inputs: readonly string[];
  readonly storedModel?: Model | undefined;
}

/**
 * Maximum time to wait for the network connection after the token has arrived, in milliseconds. A
 * longer wait wouldn't save any time, because opening another network connection takes at most
 * about a second, even across an ocean.
 */
const CONNECTION_WAIT_MS = 1_000;
/**
 * Maximum time to spend looking for the cause of a rejection, in milliseconds. It's kept short,
 * because the user is waiting for the error message.
 */
const EXPLANATION_MS = 3_000;

/** Calls a service with one set of credentials, one model, and one operation. Stateless. */
export class Client {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /**
   * Generates text from a prompt.
   * @param parameters the model parameters, named as in the generation operation, even for chat
   * @throws {ServiceError} any failure of the request, possibly after `onText` has been called. An
   * error from `onText`, `onReasoning`, `beforeFirstAttempt`, or `onRetry` ends the request and is
   * rethrown unchanged.
   */
  async generateText(
    prompt: string,
    parameters: Parameters,
    { responseSoFar = '', ...options }: GenerateOptions = {},
  ): Promise<Generation> {
    const { operation } = this.#options;
    const text = prompt + responseSoFar;
    const fields = this.#textFields(promptConversation(prompt, responseSoFar), () => text);
    const request = { operation, parameters, fields, text, inputs: [prompt] };
    return this.#generate(request, options);
  }

  /**
   * Generates the next message in a conversation. With the generation operation, only text is sent,
   * because this operation supports neither tools nor images.
   * @throws {ServiceError} as `generateText` does
   */
  chat(
    conversation: Conversation,
    parameters: Parameters,
    { storedModel, ...options }: ChatOptions,
  ): Promise<Generation> {
    const { operation } = this.#options;
    const fields = this.#textFields(conversation, () => transcript(conversation.messages));
    const request = {
      ...{ operation, parameters, fields, storedModel, newTokens: CONVERSATION_NEW_TOKENS },
      text: conversationText(conversation),
      inputs: inputTexts(conversation.messages),
    };
    return this.#generate(request, options);
  }

  /**
   * Checks the token or key, the project, and the model, as far as the service allows, without
   * generating text.
   * @returns the rate limit from the response headers; its values are undefined if the response was
   * an error that proves access
   * @throws {ServiceError}
   */
  async checkAccess(signal: AbortSignal, onRetry?: (retry: Retry) => void): Promise<RateLimit> {
    const { modelId, credentials } = this.#options;
    const { read, isExpectedError, ...accessRequest } = this.#api.accessCheck(modelId, credentials);
    const readAnswer = async ({ body, header }: HttpResponse) => {
      read(parseJson(await body.text()));
      return readRateLimit(header);
    };
    try {
      const request = { ...accessRequest, maxBytes: MAX_PAGE_BYTES };
      return await sendWithToken(this.#options, request, { signal, read: readAnswer, onRetry });
    } catch (error) {
      if (isExpectedError?.(error)) return { perSecond: undefined, left: undefined };
      throw asNoModelListError(error, this.#api);
    }
  }

  /**
   * Returns the kinds of secrets in text that the user wrote. Finds known keys and tokens, as well
   * as any private keys.
   */
  secretKindsIn(text: string): readonly SecretKind[] {
    return this.#secretKindsIn([text], [text]);
  }

  /** Masks the secrets that `secretKindsIn` finds. */
  mask(text: string): string {
    const secrets = Object.values(this.#secrets).flat();
    return maskSecrets(maskPrivateKeys(text), secrets, MIN_BLOCKED_LENGTH);
  }

  get #api() {
    return apiOf(this.#options.credentials.service);
  }

  /**
   * The secrets that no prompt may contain, keyed by kind. Keys of other connections are treated as
   * tokens, because `options.secrets` doesn't distinguish keys from tokens.
   */
  get #secrets() {
    const { tokenService, credentials } = this.#options;
    const keys = secretsOf(credentials);
    const recent = this.#options.secrets?.() ?? [];
    const tokens = new Set([...TokenService.valuesOf(tokenService), ...recent]);
    return { apiKey: keys, token: [...tokens].filter((secret) => !keys.includes(secret)) };
  }

  /**
   * Returns the kinds of secrets in these strings.
   * @param inputs the strings that the model didn't generate. Only these strings are searched for
   * private keys, because a private key in generated text is just an example.
   */
  #secretKindsIn(texts: readonly string[], inputs: readonly string[]): SecretKind[] {
    const secrets = this.#secrets;
    const all = texts.join('\n');
    const kinds = (['apiKey', 'token'] as const).filter((kind) =>
      holdsSecret(all, secrets[kind], MIN_BLOCKED_LENGTH),
    );
    return inputs.some(holdsPrivateKey) ? [...kinds, 'privateKey'] : kinds;
  }

  /**
   * Throws if the prompt, the conversation, or a parameter contains a secret, even if the user
   * confirmed the prompt. The URL, the model ID, and the project ID are checked just before the
   * request is sent.
   * @param inputs the strings that the model didn't generate
   * @throws {ServiceError} `prompt-holds-secret`
   */
  #rejectSecrets(fields: RequestBody, inputs: readonly string[]): void {
    const secretKinds = this.#secretKindsIn(stringsIn(fields), inputs);
    if (secretKinds.length > 0) throw new ServiceError('prompt-holds-secret', { secretKinds });
  }

  async #generate(
    request: GenerationRequest,
    { signal = new AbortController().signal, onText, onReasoning, onUsage, ...others }: CallOptions,
  ): Promise<Generation> {
    const { operation, parameters, inputs } = request;
    const problem = parameterProblem(operation, parameters);
    if (problem) throw problem;
    this.#rejectSecrets(this.#generationFields(request).fields, [
      ...inputs,
      ...stringsIn(parameters),
    ]);
    const waitedFor = await this.#getReady(signal);
    // Build the fields again, because model information that arrived in the meantime may have
    // lowered `max_new_tokens`.
    const { fields, dropped } = this.#generationFields(request);
    const { modelId, credentials } = this.#options;
    const body = { ...this.#api.modelFields(modelId, credentials), ...fields };
    const callbacks = new Callbacks();
    const onChunk = onText && callbacks.wrap(onText);
    const api = this.#api;
    const listeners = onChunk && { onText: onChunk, onReasoning: callbacks.wrap(onReasoning) };
    const reader = new ResponseReader(operation, listeners, api);
    const url = api.url(onChunk ? `${operation}Stream` : operation, this.#options.credentials);
    const inferenceRequest = {
      url,
      body: { ...body, ...(onChunk && api.streaming) },
      streams: !!onChunk,
    };
    const answer = sendWithToken(this.#options, inferenceRequest, {
      ...others,
      signal,
      waitedFor,
      callbacks,
      mayResend: () => !reader.hasBegun,
      read: ({ body }) => reader.read(body, signal),
    });
    const generation = await answer.catch((error) => {
      const usage = usageOfFailed(error, request.text, reader.received);
      if (usage) onUsage?.(usage);
      return this.#throwExplained(error, request, signal);
    });
    onUsage?.(usageOf(generation.usage, request.text, reader.received));
    const secrets = Object.values(this.#secrets).flat();
    const isSafe = (id: string) => !repeats(id, secrets);
    const warnings = generation.warnings.filter(isSafe);
    return { ...generation, dropped, warnings };
  }

  /**
   * Returns the body fields for a conversation, in the format of the operation.
   * @param input returns the conversation as plain text, for the generation operation
   */
  #textFields(conversation: Conversation, input: () => string): RequestBody {
    const { operation, credentials } = this.#options;
    if (operation === 'generation') return { input: input() };
    return this.#api.conversation(chatParts(conversation), credentials);
  }

  /**
   * Returns the body fields for the prompt or conversation and for the parameters. Also returns the
   * names of the parameters that were dropped because the operation or the API doesn't support
   * them.
   */
  #generationFields(request: GenerationRequest) {
    const { operation, parameters, storedModel } = request;
    const model = this.#options.knownModel?.(storedModel);
    const newTokens = newTokensByDefault(model, request);
    const names = this.#api.chatParameters;
    const { fields, dropped } = mapParameters(operation, parameters, names, newTokens);
    const parameterFields = operation === 'chat' ? fields : { parameters: fields };
    return { fields: { ...request.fields, ...parameterFields }, dropped };
  }

  /**
   * If there is no valid token, gets a token and, in parallel, opens a network connection to the
   * service. On a slow network, running these steps in sequence would take about twice as long. If
   * the network connection can't be opened, the error is ignored here, because the generation
   * request will report it.
   * @returns the token; undefined if no token was requested
   * @throws {ServiceError} if the token request fails
   */
  async #getReady(signal: AbortSignal): Promise<Token | undefined> {
    const { tokenService, fetchModelInfo, limiter } = this.#options;
    // If the user has set a minimum interval between requests, requesting model information would
    // delay the generation.
    if (tokenService.hasValidToken || !fetchModelInfo || limiter.hasMinInterval) return undefined;
    const waiting = new AbortController();
    const opened = fetchModelInfo(AbortSignal.any([signal, waiting.signal])).catch(() => {});
    try {
      const token = await tokenService.get(signal);
      const timer = setTimeout(() => waiting.abort(), CONNECTION_WAIT_MS);
      await opened;
      clearTimeout(timer);
      return token;
    } finally {
      waiting.abort();
    }
  }

  /**
   * Throws the error of a failed request, or a more specific error if the model's lifecycle or
   * limits explain the failure. Looks up the model only if `explainedBy` is set for the error kind.
   * Doesn't look up a deployment's model, because that model's ID is unknown.
   * @throws the more specific error if there is one; `cancelled` if the signal aborts during the
   * lookup; the original error in all other cases
   */
  async #throwExplained(
    error: unknown,
    request: GenerationRequest,
    signal: AbortSignal,
  ): Promise<never> {
    const { fetchModelInfo, modelId } = this.#options;
    if (!fetchModelInfo || modelId === '') throw error;
    if (!(error instanceof ServiceError) || !error.handling.explainedBy) throw error;
    const late = AbortSignal.any([signal, AbortSignal.timeout(EXPLANATION_MS)]);
    const model = await fetchModelInfo(late).catch(() => undefined);
    if (signal.aborted) throw new ServiceError('cancelled');
    throw model ? explainByModel(error, model, request.parameters) : error;
  }
}
