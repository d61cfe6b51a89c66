import { apiOf } from './api/apis.ts';
import type { RequestBody } from './api/parameterFields.ts';
import { authMethodOf } from './auth/authMethods.ts';
import { accessOf } from './auth/requestAccess.ts';
import type { Token } from './auth/token.ts';
import type { TokenService } from './auth/tokenService.ts';
import type { Credentials } from './credentials.ts';
import { isKind, ServiceError } from './errors.ts';
import type { ConcurrencyLimit } from './http/concurrencyLimit.ts';
import { Callbacks, type Http } from './http/http.ts';
import type { HttpRequest } from './http/httpTypes.ts';

/** The objects and settings that a request to the inference service needs. */
export interface InferenceOptions {
  readonly credentials: Credentials;
  readonly http: Http;
  readonly tokenService: TokenService;
  readonly limiter: ConcurrencyLimit;
  /**
   * True if requests for documents go first. Chat requests have low priority, because an agent can
   * send many of them.
   */
  readonly isLowPriority?: boolean;
  /** Maximum milliseconds for all attempts of a call, from the start of the first attempt. */
  readonly deadlineMs?: number;
}

export interface InferenceRequest {
  readonly url: string;
  /** Undefined for a GET request. */
  readonly body?: RequestBody | undefined;
  /** True if the response is a stream of events. */
  readonly streams?: boolean;
  /** Maximum bytes of a response that isn't streamed. Defaults to `MAX_RESPONSE_BYTES`. */
  readonly maxBytes?: number;
}

type Call<Result> = Pick<
  HttpRequest<Result>,
  'signal' | 'read' | 'beforeFirstAttempt' | 'onRetry' | 'onSilence'
> & {
  /**
   * Returns true if resending the request with another token is allowed. If this function is
   * undefined, resending is always allowed.
   */
  readonly mayResend?: () => boolean;
  readonly callbacks?: Callbacks;
  /**
   * The token that the caller got before the first attempt, if any. This token may be sent even if
   * it arrived late (see `TokenService.isLate`).
   */
  readonly waitedFor?: Token | undefined;
};

const DEADLINE_MS = 300_000;
const MAX_RESPONSE_BYTES = 8_388_608;
const MAX_STREAM_BYTES = 67_108_864;

/**
 * Sends a request to the inference service, with a token or key if the service needs one. If the
 * service refuses an access token, gets a new token and sends the request once more. Doesn't resend
 * the request if `mayResend` returns false, or if the token can't be replaced yet.
 * @throws {ServiceError} An error from a callback is rethrown unchanged.
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
  let used: Token | undefined;
  const request: HttpRequest<Result> = {
    ...accessOf(credentials, tokenService, call.waitedFor, (token) => {
      used = token;
    }),
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
    return await http.send(request);
  } catch (error) {
    // A token can become invalid before it expires, so retry once with the next token. Drop only
    // the token that was sent, because another call may already have replaced that token.
    const mayResend = call.mayResend?.() ?? true;
    const { exchange } = authMethodOf(service);
    if (!isRefusal(error, exchange?.isOnDemand === true) || !mayResend) throw error;
    // Without an exchange, the key itself is the token, or requests have no token. Either way,
    // there is no other token to try.
    if (!exchange) throw isKind(error, 'unauthorized') ? asKeyRefused(error) : error;
    if (!used || !tokenService.canReplace(used)) throw error;
    tokenService.drop(used);
    return await http.send(request);
  } finally {
    callbacks.rethrow();
  }
}

function asKeyRefused({ details }: ServiceError): ServiceError {
  return new ServiceError('key-refused', details);
}

/**
 * True if the service may have refused the token, so a new token may help. A 401 counts even if it
 * isn't in the service's error format, because a gateway may have checked the token.
 * @param isOnDemand true if the token came from a program on this machine. Such a token can be
 * stale, and some gateways refuse a stale token with a 403.
 */
function isRefusal(error: unknown, isOnDemand: boolean): boolean {
  if (isKind(error, 'unauthorized') || (isOnDemand && isKind(error, 'forbidden'))) return true;
  const { status } = isKind(error, 'intercepted') ? error.details : {};
  return status === 401 || (isOnDemand && status === 403);
}
