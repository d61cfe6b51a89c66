import type { RequestBody } from './api/api.ts';
import { apiOf } from './api/apis.ts';
import { accessOf } from './auth/requestAccess.ts';
import type { Token } from './auth/token.ts';
import type { TokenService } from './auth/tokenService.ts';
import type { Credentials } from './credentials.ts';
import type { ConcurrencyLimit } from './http/concurrencyLimit.ts';
import { Callbacks, type Http } from './http/http.ts';
import type { Access, HttpRequest } from './http/httpTypes.ts';

/** The objects and settings that a request to the inference service needs. */
export interface InferenceOptions {
  readonly credentials: Credentials;
  readonly http: Http;
  readonly tokenService: TokenService;
  readonly limiter: ConcurrencyLimit;
  /**
   * True for chat requests. All other requests go first, because an agent can send many chat
   * requests.
   */
  readonly isLowPriority?: boolean;
  /**
   * Maximum time for all of a call's attempts, in milliseconds from the start of the first attempt.
   */
  readonly deadlineMs?: number;
}

export interface InferenceRequest {
  readonly url: string;
  /** Undefined for a GET request. */
  readonly body?: RequestBody | undefined;
  /** True if the response is a stream of events. */
  readonly streams?: boolean;
  /** Maximum size of a response that isn't streamed, in bytes. Defaults to `MAX_RESPONSE_BYTES`. */
  readonly maxBytes?: number;
}

type Call<Result> = Pick<
  HttpRequest<Result>,
  'signal' | 'read' | 'beforeFirstAttempt' | 'onRetry' | 'onSilence'
> & {
  /**
   * Returns false if the request must not be resent with another token. If this function is
   * undefined, the caller doesn't restrict resending.
   */
  readonly mayResend?: () => boolean;
  readonly callbacks?: Callbacks;
  /**
   * The token that the caller got before the first attempt, if any. It may be sent even if it
   * arrived late (see `TokenService.isLate`).
   */
  readonly waitedFor?: Token | undefined;
};

const DEADLINE_MS = 300_000;
const MAX_RESPONSE_BYTES = 8_388_608;
const MAX_STREAM_BYTES = 67_108_864;

/**
 * Sends a request to the inference service, with a token or key if the service needs one. See
 * `Http.sendWithAccess` for the conditions under which the request is resent.
 * @throws {ServiceError} any failure of the request; errors from callbacks are rethrown unchanged
 */
export async function sendWithToken<Result>(
  {
    credentials,
    http,
    tokenService,
    limiter,
    isLowPriority,
    deadlineMs = DEADLINE_MS,
  }: InferenceOptions,
  { url, body, streams = false, maxBytes = MAX_RESPONSE_BYTES }: InferenceRequest,
  call: Call<Result>,
): Promise<Result> {
  const { service, projectId } = credentials;
  const { callbacks = new Callbacks() } = call;
  const request: HttpRequest<Result> & Access = {
    ...accessOf(credentials, tokenService, call.waitedFor),
    method: body ? 'POST' : 'GET',
    url,
    accept: streams ? 'text/event-stream' : 'application/json',
    ...(body && { contentType: 'application/json', body: JSON.stringify(body) }),
    confidential: [projectId],
    limiter: isLowPriority ? limiter.lowPriority : limiter,
    budget: http.budget(deadlineMs),
    maxBytes: streams ? MAX_STREAM_BYTES : maxBytes,
    signal: call.signal,
    beforeFirstAttempt: callbacks.wrapAsync(call.beforeFirstAttempt),
    onRetry: callbacks.wrap(call.onRetry),
    onSilence: call.onSilence,
    failure: (answer) => apiOf(service).failure(answer, credentials),
    read: call.read,
  };
  try {
    return await http.sendWithAccess(request, call.mayResend);
  } finally {
    callbacks.rethrow();
  }
}
