import { readText } from './body.ts';
import { Collector, collectStream } from './collector.ts';
import type { Credentials } from './credentials.ts';
import { isKind, ServiceError } from './errors.ts';
import type { Answer, Exchange, Retry } from './exchange.ts';
import { inferenceFailure } from './failures.ts';
import { type RequestLimit, requestLimit } from './headers.ts';
import type { Http } from './http.ts';
import type { Limiter } from './limiter.ts';
import { mapParameters, type Parameters } from './parameters.ts';
import type { TokenService } from './token.ts';
import type { Token } from './tokenState.ts';
import type { InferencePath, Operation } from './vendors.ts';
import {
  parseJson,
  readChat,
  readGeneration,
  readTokenCount,
  type StopReason,
  type Usage,
} from './wire.ts';

export interface GenerateOptions {
  readonly signal?: AbortSignal;
  /** Called with each new part of the text; asks the service to stream. */
  readonly onText?: (text: string) => void;
  readonly onRetry?: (retry: Retry) => void;
}

export interface Generation {
  readonly text: string;
  readonly stopReason: StopReason;
  readonly usage: Usage;
  /** Parameters that the operation has no counterpart for; they were not sent. */
  readonly dropped: readonly string[];
  /** Short ids of the service's warnings, such as `api_legacy`. */
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
  /** Milliseconds for one call with all its attempts. */
  readonly deadlineMs?: number;
}

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
   * @throws {ServiceError} of any kind; text already given to `onText` stays with the caller
   */
  async generateText(
    prompt: string,
    parameters: Parameters,
    { signal = new AbortController().signal, onText, onRetry }: GenerateOptions = {},
  ): Promise<Generation> {
    const { operation, credentials, tokens } = this.#options;
    const keys = [credentials.apiKey, ...(credentials.otherKeys ?? [])];
    if (keys.some((key) => prompt.includes(key)) || tokens.isIn(prompt)) {
      throw new ServiceError('prompt-holds-secret');
    }
    const { fields, dropped } = mapParameters(operation, parameters);
    const body =
      operation === 'chat'
        ? { messages: [{ role: 'user', content: prompt }], ...fields }
        : { input: prompt, parameters: fields };
    const collected = new Collector(onText);
    const readPiece = operation === 'chat' ? readChat : readGeneration;
    await this.#post(onText ? `${operation}Stream` : operation, body, {
      signal,
      onRetry,
      mayReplay: () => !collected.hasText,
      read: async ({ bytes }) => {
        if (onText) await collectStream(bytes, readPiece, collected, signal);
        else collected.add(readPiece(parseJson(await readText(bytes))));
      },
    });
    return { ...collected.finish(), dropped };
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
    const read = async ({ bytes, header }: Answer) => ({
      tokens: readTokenCount(parseJson(await readText(bytes))),
      requestLimit: requestLimit(header),
    });
    return this.#post('tokenization', { input: text }, { signal, read, onRetry });
  }

  async #post<Result>(
    path: InferencePath,
    body: Readonly<Record<string, unknown>>,
    call: Pick<Exchange<Result>, 'signal' | 'read' | 'onRetry'> & {
      readonly mayReplay?: () => boolean;
    },
  ): Promise<Result> {
    const { credentials, http, tokens, limiter, modelId, deadlineMs = DEADLINE_MS } = this.#options;
    const { vendor, projectId, serviceUrl, approved } = credentials;
    const streams = path.endsWith('Stream');
    let used: Token | undefined;
    const exchange: Exchange<Result> = {
      method: 'POST',
      url: `${serviceUrl}${vendor.paths[path]}?version=${vendor.apiVersion}`,
      origin: approved.service,
      accept: streams ? 'text/event-stream' : 'application/json',
      contentType: 'application/json',
      body: JSON.stringify({ model_id: modelId, project_id: projectId, ...body }),
      secrets: [credentials.apiKey, projectId],
      bearer: async (signal) => {
        used = await tokens.get(signal);
        return used.value;
      },
      limiter,
      budget: http.budget(deadlineMs),
      maxBytes: streams ? MAX_STREAM_BYTES : MAX_ANSWER_BYTES,
      signal: call.signal,
      onRetry: call.onRetry,
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
    }
  }
}

/** A new token may help wherever a 401 comes from: gateways answer in their own words, or in none. */
function isRefusal(error: unknown): boolean {
  return (
    isKind(error, 'unauthorized') || (isKind(error, 'intercepted') && error.details.status === 401)
  );
}
