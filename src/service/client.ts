import { readText } from './body.ts';
import { Callbacks } from './callbacks.ts';
import { Collector, collectStream } from './collector.ts';
import { requestText, stringsIn } from './continuation.ts';
import type { Credentials } from './credentials.ts';
import { isKind, ServiceError } from './errors.ts';
import type { Answer, Exchange, Retry } from './exchange.ts';
import { inferenceFailure } from './failures.ts';
import { type RequestLimit, requestLimit } from './headers.ts';
import type { Http } from './http.ts';
import type { Limiter } from './limiter.ts';
import { newTokensByDefault } from './modelLimits.ts';
import type { Model } from './modelList.ts';
import { parameterProblem } from './parameterCheck.ts';
import { mapParameters, type Parameters } from './parameters.ts';
import { readChat, readGeneration, type StopReason, type Usage } from './piece.ts';
import {
  holdsPrivateKey,
  kindsIn,
  maskPrivateKeys,
  maskWhole,
  type SecretKind,
} from './promptSecrets.ts';
import { repeats } from './redact.ts';
import { SoughtSecret } from './secretForms.ts';
import type { TokenService } from './token.ts';
import type { Token } from './tokenState.ts';
import type { InferencePath, Operation } from './vendors.ts';
import { parseJson, readTokenCount } from './wire.ts';

export interface GenerateOptions {
  readonly signal?: AbortSignal;
  /** Called with each new part of the text; asks the service to stream. */
  readonly onText?: (text: string) => void;
  readonly onRetry?: (retry: Retry) => void;
  /**
   * What the model has answered to this prompt already: it goes on from there. Neither `onText` nor
   * the result repeats it.
   */
  readonly answerSoFar?: string;
}

export interface Generation {
  readonly text: string;
  readonly stopReason: StopReason;
  readonly usage: Usage;
  /** Parameters that the operation has no counterpart for; they were not sent. */
  readonly dropped: readonly string[];
  /** Short ids of the service's warnings, such as `api_legacy`, none of which repeats a secret. */
  readonly warnings: readonly string[];
}

export interface TokenCount {
  readonly tokens: number;
  readonly requestLimit: RequestLimit;
}

export interface ClientOptions {
  readonly credentials: Credentials;
  readonly modelId: string;
  readonly operation: Operation;
  readonly http: Http;
  readonly tokens: TokenService;
  readonly limiter: Limiter;
  /** What the service is known to say about the model, without asking it. */
  readonly knownModel?: () => Model | undefined;
  /** What an answer may not repeat either: keys and tokens that were in use before. */
  readonly secrets?: () => readonly string[];
  /** Milliseconds for one call with all its attempts, from the first of them. */
  readonly deadlineMs?: number;
}

type RequestBody = Readonly<Record<string, unknown>>;

const DEADLINE_MS = 300_000;
const MAX_ANSWER_BYTES = 8_388_608;
const MAX_STREAM_BYTES = 67_108_864;

/** The hosted service for one set of credentials, one model and one operation. Keeps nothing. */
export class Client {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /**
   * Generates text from a prompt. The parameter set has the field names of the generation
   * operation, whichever operation runs.
   * @throws {ServiceError} of any kind; text already given to `onText` stays with the caller.
   * What `onText` or `onRetry` throws ends the request, and is thrown as it is.
   */
  async generateText(
    prompt: string,
    parameters: Parameters,
    options: GenerateOptions = {},
  ): Promise<Generation> {
    const { signal = new AbortController().signal, onText, onRetry, answerSoFar = '' } = options;
    const { operation, knownModel } = this.#options;
    const problem = parameterProblem(operation, parameters);
    if (problem) throw problem;
    const request = { operation, parameters, text: prompt + answerSoFar };
    const newTokens = newTokensByDefault(knownModel?.(), request);
    const { fields, dropped } = mapParameters(operation, parameters, newTokens);
    const parameterFields = operation === 'chat' ? fields : { parameters: fields };
    const text = requestText(operation, prompt, answerSoFar);
    const body = this.#bodyOf({ ...text, ...parameterFields });
    this.#refuseSecrets(body, [prompt, ...stringsIn(fields)]);
    const callbacks = new Callbacks();
    const collected = new Collector(callbacks.keeping(onText));
    const readPiece = operation === 'chat' ? readChat : readGeneration;
    const generation = await this.#post(onText ? `${operation}Stream` : operation, body, {
      signal,
      onRetry,
      callbacks,
      mayReplay: () => !collected.hasText,
      read: async (answer) => {
        if (onText) await collectStream(answer.body, readPiece, collected, signal);
        else collected.add(readPiece(parseJson(await readText(answer.body))));
        return collected.finish();
      },
    });
    const isSafe = (id: string) => !repeats(id, this.#secrets);
    return { ...generation, dropped, warnings: generation.warnings.filter(isSafe) };
  }

  /**
   * Counts the tokens of a text. Proves token, project and model without generating anything.
   * @throws {ServiceError}
   */
  countTokens(
    text: string,
    signal: AbortSignal,
    onRetry?: (retry: Retry) => void,
  ): Promise<TokenCount> {
    const read = async ({ body, header }: Answer) => ({
      tokens: readTokenCount(parseJson(await readText(body))),
      requestLimit: requestLimit(header),
    });
    return this.#post('tokenization', this.#bodyOf({ input: text }), { signal, read, onRetry });
  }

  /**
   * The kinds of secrets in a text of the user: a key or token of these credentials, or any private
   * key. What the model has answered is asked for key and token alone: a private key in it is an
   * example of the model's own, and no secret.
   */
  secretsIn(text: string): readonly SecretKind[] {
    return this.#secretsIn([text], [text]);
  }

  /** The text with every one of these secrets masked. */
  mask(text: string): string {
    return maskWhole(maskPrivateKeys(text), Object.values(this.#soughtByKind()).flat());
  }

  get #secrets(): string[] {
    const { tokens, secrets = () => [] } = this.#options;
    return [...this.#keys(), ...tokens.values, ...secrets()];
  }

  #keys(): string[] {
    const { apiKey, otherKeys = [] } = this.#options.credentials;
    return [apiKey, ...otherKeys];
  }

  #soughtByKind() {
    const apiKey = this.#keys().map((key) => new SoughtSecret(key));
    return { apiKey, token: this.#options.tokens.sought };
  }

  /** @param ofUser those of the texts that are not the model's own */
  #secretsIn(texts: readonly string[], ofUser: readonly string[]): SecretKind[] {
    const kinds = kindsIn(texts, this.#soughtByKind());
    return ofUser.some(holdsPrivateKey) ? [...kinds, 'privateKey'] : kinds;
  }

  /**
   * The last gate: whoever asked the user, and whatever they said, no secret is sent, in whichever
   * part of the body it stands.
   * @param ofUser the texts of the body that are not the model's own
   */
  #refuseSecrets(body: RequestBody, ofUser: readonly string[]): void {
    const secretKinds = this.#secretsIn(stringsIn(body), ofUser);
    if (secretKinds.length > 0) throw new ServiceError('prompt-holds-secret', { secretKinds });
  }

  #bodyOf(fields: RequestBody): RequestBody {
    const { modelId, credentials } = this.#options;
    return { model_id: modelId, project_id: credentials.projectId, ...fields };
  }

  async #post<Result>(
    path: InferencePath,
    body: RequestBody,
    call: Pick<Exchange<Result>, 'signal' | 'read' | 'onRetry'> & {
      readonly mayReplay?: () => boolean;
      readonly callbacks?: Callbacks;
    },
  ): Promise<Result> {
    const { credentials, http, tokens, limiter, deadlineMs = DEADLINE_MS } = this.#options;
    const { vendor, projectId, serviceUrl, approved } = credentials;
    const { callbacks = new Callbacks() } = call;
    const streams = path.endsWith('Stream');
    let used: Token | undefined;
    const exchange: Exchange<Result> = {
      method: 'POST',
      url: `${serviceUrl}${vendor.paths[path]}?version=${vendor.apiVersion}`,
      origin: approved.service,
      accept: streams ? 'text/event-stream' : 'application/json',
      contentType: 'application/json',
      body: JSON.stringify(body),
      secrets: [credentials.apiKey, projectId],
      bearer: () => {
        const before = tokens.state;
        const get = async (signal: AbortSignal) => {
          used = await tokens.get(signal, before);
          return used.value;
        };
        return { isThere: () => tokens.isLiving, get };
      },
      limiter,
      budget: http.budget(deadlineMs),
      maxBytes: streams ? MAX_STREAM_BYTES : MAX_ANSWER_BYTES,
      signal: call.signal,
      onRetry: callbacks.keeping(call.onRetry),
      failure: inferenceFailure,
      read: call.read,
    };
    try {
      return await http.send(exchange);
    } catch (error) {
      // A token can die before its time. Drop that very token, and send once more with the next.
      const mayReplay = call.mayReplay?.() ?? true;
      if (!isRefusal(error) || !used || !mayReplay) throw error;
      tokens.drop(used);
      return await http.send(exchange);
    } finally {
      callbacks.rethrow();
    }
  }
}

/** A new token may help wherever a 401 comes from: gateways answer in their own words, or in none. */
function isRefusal(error: unknown): boolean {
  return (
    isKind(error, 'unauthorized') || (isKind(error, 'intercepted') && error.details.status === 401)
  );
}
