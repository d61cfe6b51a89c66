import { apiOf } from './api/apis.ts';
import type { RequestBody } from './api/requestBody.ts';
import { authMethodOf } from './auth/authMethods.ts';
import { accessOf } from './auth/identity.ts';
import type { Token } from './auth/token.ts';
import type { TokenService } from './auth/tokenService.ts';
import type { Credentials } from './credentials.ts';
import { isKind, ServiceError } from './errors.ts';
import type { ConcurrencyLimit } from './http/concurrencyLimit.ts';
import type { Http } from './http/http.ts';
import type { HttpRequest } from './http/httpRequest.ts';

/** What a request to the inference service is made with. */
export interface InferenceOptions {
  readonly credentials: Credentials;
  readonly http: Http;
  readonly tokenService: TokenService;
  readonly limiter: ConcurrencyLimit;
  /** Whether it goes behind requests that somebody waits for who looks at a document. */
  readonly isLowPriority?: boolean;
  /** Milliseconds for one call with all its attempts, from the first of them. */
  readonly deadlineMs?: number;
}

/** What is asked for, and where. */
export interface Asked {
  readonly url: string;
  /** Undefined for a GET. */
  readonly body?: RequestBody | undefined;
  /** Whether the answer comes in pieces. */
  readonly streams?: boolean;
}

type Call<Result> = Pick<
  HttpRequest<Result>,
  'signal' | 'read' | 'onTurn' | 'onRetry' | 'onSilence'
> & {
  /** Whether the request may be sent again with another token; it may unless this says no. */
  readonly mayResend?: () => boolean;
  readonly callbacks?: Callbacks;
};

const DEADLINE_MS = 300_000;
const MAX_ANSWER_BYTES = 8_388_608;
const MAX_STREAM_BYTES = 67_108_864;

/**
 * Sends one request with a bearer, and once more with another one where that was refused.
 * @throws {ServiceError}; what a callback throws, as it is
 */
export async function infer<Result>(
  {
    credentials,
    http,
    tokenService,
    limiter,
    isLowPriority,
    deadlineMs = DEADLINE_MS,
  }: InferenceOptions,
  { url, body, streams = false }: Asked,
  call: Call<Result>,
): Promise<Result> {
  const { service, projectId } = credentials;
  const { callbacks = new Callbacks() } = call;
  let used: Token | undefined;
  const request: HttpRequest<Result> = {
    ...accessOf(credentials, tokenService, (token) => {
      used = token;
    }),
    method: body ? 'POST' : 'GET',
    url,
    accept: streams ? 'text/event-stream' : 'application/json',
    ...(body && { contentType: 'application/json', body: JSON.stringify(body) }),
    confidential: [projectId],
    limiter: isLowPriority ? limiter.lowPriority : limiter,
    budget: http.budget(deadlineMs),
    maxBytes: streams ? MAX_STREAM_BYTES : MAX_ANSWER_BYTES,
    signal: call.signal,
    onTurn: callbacks.awaiting(call.onTurn),
    onRetry: callbacks.capturing(call.onRetry),
    onSilence: call.onSilence,
    failure: (answer) => apiOf(service).failure(answer, credentials),
    read: call.read,
  };
  try {
    return await http.send(request);
  } catch (error) {
    // A token can die before its time. Drop that very token, and send once more with the next.
    const mayResend = call.mayResend?.() ?? true;
    if (!isRefusal(error) || !used || !mayResend) throw error;
    // The secret itself was refused, and there is no other one.
    if (!authMethodOf(service).exchange) {
      throw isKind(error, 'unauthorized') ? asKeyRefused(error) : error;
    }
    tokenService.drop(used);
    return await http.send(request);
  } finally {
    callbacks.rethrow();
  }
}

function asKeyRefused({ details }: ServiceError): ServiceError {
  return new ServiceError('key-refused', details);
}

/** A new token may help wherever a 401 comes from: gateways answer in their own words, or in none. */
function isRefusal(error: unknown): boolean {
  return (
    isKind(error, 'unauthorized') || (isKind(error, 'intercepted') && error.details.status === 401)
  );
}

/**
 * The functions of one caller. What one of them throws is a fault of the caller's own, and must
 * not be taken for one of the connection that happened to be under way.
 */
export class Callbacks {
  #thrown: { readonly error: unknown } | undefined;

  /** The same function, whose first exception is kept. */
  capturing<Value>(call: ((value: Value) => void) | undefined): typeof call {
    if (!call) return undefined;
    return (value) => {
      try {
        call(value);
      } catch (error) {
        this.#thrown ??= { error };
        throw error;
      }
    };
  }

  /**
   * Wraps an asynchronous callback in the same way. If it rejects, the request ends like a canceled
   * one.
   */
  awaiting(call: (() => Promise<void>) | undefined): typeof call {
    if (!call) return undefined;
    return async () => {
      try {
        await call();
      } catch (error) {
        this.#thrown ??= { error };
        throw new ServiceError('cancelled');
      }
    };
  }

  /** @throws what one of the functions threw, as it is */
  rethrow(): void {
    if (this.#thrown) throw this.#thrown.error;
  }
}
