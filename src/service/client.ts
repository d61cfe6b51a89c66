import { apiOf } from './api/apis.ts';
import {
  type Conversation,
  chatParts,
  conversationText,
  inputTexts,
  promptConversation,
  transcript,
} from './api/conversation.ts';
import type { Model } from './api/modelList.ts';
import { CHAT_NEW_TOKENS, type Parameters, parameterProblem } from './api/parameters.ts';
import { mapParameters, type RequestBody, stringsIn } from './api/requestBody.ts';
import { type RequestUsage, usageOf, usageOfFailed } from './api/requestUsage.ts';
import { type Generation, ResponseReader } from './api/responseReader.ts';
import { secretsOf } from './auth/authMethods.ts';
import { isKind, type SecretKind, ServiceError } from './errors.ts';
import type { ConcurrencyOptions } from './http/concurrencyLimit.ts';
import { type HttpResponse, type Retry, readRateLimit } from './http/httpRequest.ts';
import type { RateLimit } from './http/requestPace.ts';
import { Callbacks, type InferenceOptions, infer } from './inference.ts';
import { explainByModel } from './models/explain.ts';
import { type ModelRequest, newTokensByDefault } from './models/modelLimits.ts';
import { parseJson } from './responseSchemas.ts';
import {
  holdsPrivateKey,
  holdsSecret,
  maskPrivateKeys,
  maskSecrets,
  repeats,
  SHORTEST_SOUGHT,
} from './secrets.ts';
import type { Operation } from './services.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Called with each new part of the text; asks the service to stream. */
  readonly onText?: (text: string) => void;
  /** Called with each new part of what the model says to itself, where the service streams. */
  readonly onReasoning?: (text: string) => void;
  /** Called once, directly before the request is sent. A rejection ends the call. */
  readonly onTurn?: () => Promise<void>;
  readonly onRetry?: (retry: Retry) => void;
  /** Called when a request has been sent for 5 s, and nothing of its answer has come. */
  readonly onSilence?: () => void;
  /** Called once with what the request has used, even if it failed on the way. */
  readonly onUsage?: (usage: RequestUsage) => void;
}

export interface GenerateOptions extends CallOptions {
  /**
   * What the model has answered to this prompt already: it goes on from there. Neither `onText` nor
   * the result repeats it.
   */
  readonly responseSoFar?: string;
}

/** What one call is made with. */
export interface ClientSettings {
  readonly modelId: string;
  readonly operation: Operation;
  readonly limits: ConcurrencyOptions;
  /** See `InferenceOptions`. */
  readonly isLowPriority?: boolean;
}

export interface ClientOptions extends InferenceOptions {
  readonly modelId: string;
  readonly operation: Operation;
  /** What the service is known to say about the model, without asking it. */
  readonly knownModel?: () => Model | undefined;
  /**
   * Asks the service what it says about the model, which also opens a connection for the request
   * that follows.
   */
  readonly fetchModelInfo?: (signal: AbortSignal) => Promise<Model | undefined>;
  /** What an answer may not repeat either: keys and tokens that were in use before. */
  readonly secrets?: () => readonly string[];
}

interface GenerationRequest extends ModelRequest {
  /** What the model is given to read, as the operation wants it. */
  readonly fields: RequestBody;
  /** The texts of it that are not the model's own. */
  readonly inputs: readonly string[];
}

/** Once the token is there: another connection would take about as long on a line across an ocean. */
const CONNECTION_WAIT_MS = 1_000;
/** After a refusal somebody waits for its message. */
const EXPLANATION_MS = 3_000;

/** The hosted service for one set of credentials, one model and one operation. Keeps nothing. */
export class Client {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /**
   * Generates text from a prompt. The parameter set has the field names of the generation
   * operation, whichever operation runs.
   * @throws {ServiceError} of any kind; text already given to `onText` stays with the caller. An
   * error from `onText`, `onTurn`, or `onRetry` ends the request and is rethrown unchanged.
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
   * Generates what comes next in a conversation. The generation operation knows neither tools nor
   * images, and is sent the texts alone.
   * @throws {ServiceError} as `generateText` does
   */
  chat(
    conversation: Conversation,
    parameters: Parameters,
    options: CallOptions,
  ): Promise<Generation> {
    const { operation } = this.#options;
    const fields = this.#textFields(conversation, () => transcript(conversation.messages));
    const texts = {
      text: conversationText(conversation),
      inputs: inputTexts(conversation.messages),
    };
    const request = { operation, parameters, fields, newTokens: CHAT_NEW_TOKENS, ...texts };
    return this.#generate(request, options);
  }

  /**
   * Checks token, project and model without generating anything, as far as the service lets.
   * @returns what the answer says about the limit of requests
   * @throws {ServiceError}
   */
  async checkAccess(signal: AbortSignal, onRetry?: (retry: Retry) => void): Promise<RateLimit> {
    const { modelId, credentials } = this.#options;
    const { read, isExpectedError, ...asked } = this.#api.accessCheck(modelId, credentials);
    const readAnswer = async ({ body, header }: HttpResponse) => {
      read(parseJson(await body.text()));
      return readRateLimit(header);
    };
    try {
      return await infer(this.#options, asked, { signal, read: readAnswer, onRetry });
    } catch (error) {
      if (isExpectedError?.(error)) return { perSecond: undefined, left: undefined };
      throw error;
    }
  }

  /**
   * The kinds of secrets in a text of the user: a key or token of these credentials, or any private
   * key. What the model has answered is asked for key and token alone: a private key in it is an
   * example of the model's own, and no secret.
   */
  secretKindsIn(text: string): readonly SecretKind[] {
    return this.#secretKindsIn([text], [text]);
  }

  /** The text with every one of these secrets masked. */
  mask(text: string): string {
    const secrets = Object.values(this.#secrets).flat();
    return maskSecrets(maskPrivateKeys(text), secrets, SHORTEST_SOUGHT);
  }

  get #api() {
    return apiOf(this.#options.credentials.service);
  }

  /** Secrets that no prompt may contain: all known keys and the latest tokens of every service. */
  get #secrets() {
    const { tokenService, credentials } = this.#options;
    const keys = secretsOf(credentials);
    const recent = this.#options.secrets?.() ?? [];
    const tokens = new Set([...tokenService.values, ...recent]);
    return { apiKey: keys, token: [...tokens].filter((secret) => !keys.includes(secret)) };
  }

  /** @param inputs those of the texts that are not the model's own */
  #secretKindsIn(texts: readonly string[], inputs: readonly string[]): SecretKind[] {
    const secrets = this.#secrets;
    const all = texts.join('\n');
    const kinds = (['apiKey', 'token'] as const).filter((kind) =>
      holdsSecret(all, secrets[kind], SHORTEST_SOUGHT),
    );
    return inputs.some(holdsPrivateKey) ? [...kinds, 'privateKey'] : kinds;
  }

  /**
   * Refuses a secret in any text or parameter, even if the user confirmed it. The request itself
   * checks IDs and the URL.
   * @param inputs the texts in `fields` that the model has not generated
   */
  #refuseSecrets(fields: RequestBody, inputs: readonly string[]): void {
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
    this.#refuseSecrets(this.#generationFields(request).fields, [
      ...inputs,
      ...stringsIn(parameters),
    ]);
    await this.#getReady(signal);
    // Once more: what the service said meanwhile may limit the model.
    const { fields, dropped } = this.#generationFields(request);
    const { modelId, credentials } = this.#options;
    const body = { ...this.#api.modelFields(modelId, credentials), ...fields };
    const callbacks = new Callbacks();
    let received = '';
    const receive = (listener: CallOptions['onText']) => (text: string) => {
      received += text;
      listener?.(text);
    };
    const hear = onText && callbacks.capturing(receive(onText));
    const api = this.#api;
    const listeners = hear && {
      onText: hear,
      onReasoning: callbacks.capturing(receive(onReasoning)),
    };
    const reader = new ResponseReader(operation, listeners, api);
    const url = api.url(hear ? `${operation}Stream` : operation, this.#options.credentials);
    const asked = { url, body: { ...body, ...(hear && api.streaming) }, streams: !!hear };
    const answer = infer(this.#options, asked, {
      ...others,
      signal,
      callbacks,
      mayResend: () => !reader.hasBegun,
      read: ({ body }) => reader.read(body, signal),
    });
    const generation = await answer.catch((error) => {
      const usage = usageOfFailed(error, request.text, received);
      if (usage) onUsage?.(usage);
      return this.#refuse(error, request, signal);
    });
    onUsage?.(usageOf(generation.usage, request.text, received || generation.text));
    const secrets = Object.values(this.#secrets).flat();
    const isSafe = (id: string) => !repeats(id, secrets);
    const warnings = generation.warnings.filter(isSafe);
    return { ...generation, dropped, warnings };
  }

  /** @param input the same for the generation operation, which knows text alone */
  #textFields(conversation: Conversation, input: () => string): RequestBody {
    const { operation, credentials } = this.#options;
    if (operation === 'generation') return { input: input() };
    return this.#api.conversation(chatParts(conversation), credentials);
  }

  /** Returns the body without the fields for model and project. */
  #generationFields(request: GenerationRequest) {
    const { operation, parameters } = request;
    const { knownModel } = this.#options;
    const newTokens = newTokensByDefault(knownModel?.(), request);
    const names = this.#api.chatParameters;
    const { fields, dropped } = mapParameters(operation, parameters, names, newTokens);
    const parameterFields = operation === 'chat' ? fields : { parameters: fields };
    return { fields: { ...request.fields, ...parameterFields }, dropped };
  }

  /**
   * Gets a token where one is needed, and opens the connection to the service meanwhile: one after
   * the other they take twice as long on a slow line. What goes wrong with the connection the
   * request itself will find.
   * @throws {ServiceError} as the identity service failed
   */
  async #getReady(signal: AbortSignal): Promise<void> {
    const { tokenService, fetchModelInfo, limiter } = this.#options;
    // Where starts keep a distance, the connection would cost the request its turn.
    if (tokenService.isLiving || !fetchModelInfo || limiter.keepsDistance) return;
    const waiting = new AbortController();
    const opened = fetchModelInfo(AbortSignal.any([signal, waiting.signal])).catch(() => {});
    try {
      await tokenService.get(signal);
      const timer = setTimeout(() => waiting.abort(), CONNECTION_WAIT_MS);
      await opened;
      clearTimeout(timer);
    } finally {
      waiting.abort();
    }
  }

  /**
   * Says why the service refused a request, where that lies in the model: in its own words it says
   * no more than that the request is bad.
   * @throws {ServiceError} always
   */
  async #refuse(error: unknown, request: GenerationRequest, signal: AbortSignal): Promise<never> {
    const { fetchModelInfo } = this.#options;
    if (!fetchModelInfo || !isKind(error, 'bad-request', 'model-unknown')) throw error;
    const late = AbortSignal.any([signal, AbortSignal.timeout(EXPLANATION_MS)]);
    const model = await fetchModelInfo(late).catch(() => undefined);
    if (signal.aborted) throw new ServiceError('cancelled');
    throw model ? explainByModel(error, model, request.parameters) : error;
  }
}
