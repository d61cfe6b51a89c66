import { ServiceError } from '../errors.ts';
import type { Body } from './body.ts';
import type { RequestGate } from './concurrencyLimit.ts';
import type { RateLimit } from './requestPace.ts';

/**
 * A response with an error status. Only `HttpRequest.failure` reads the text, because a
 * `ServiceError` must not contain it.
 */
export interface ErrorResponse {
  readonly status: number;
  readonly text: string;
}

/** A request, its limits, and the functions that read its response. */
export interface HttpRequest<Result> {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /**
   * The only origin that the request may be sent to. If the request contains a credential, the user
   * has approved this origin.
   */
  readonly origin: string;
  readonly accept: 'application/json' | 'text/event-stream';
  readonly contentType?: 'application/json' | 'application/x-www-form-urlencoded';
  readonly body?: string;
  /**
   * The connection's secrets. Neither these secrets nor the access token may appear in the URL or
   * the body, unless `sendsSecret` is true. Failure details that contain any of them are removed.
   */
  readonly secrets?: readonly string[];
  /** True for a token request. No other request may have a secret in its URL or body. */
  readonly sendsSecret?: true;
  /** Values that aren't secrets but must not appear in failures, such as a project ID. */
  readonly confidential?: readonly string[];
  /** The scheme of the Authorization header. Defaults to `Bearer`. */
  readonly scheme?: string;
  /**
   * The name of a header whose entire value is the token. If undefined, the token follows the
   * scheme in the `Authorization` header.
   */
  readonly tokenHeader?: string | undefined;
  /**
   * The headers that the service's definition adds to every request. Their values can be secrets.
   */
  readonly fixedHeaders?: readonly (readonly [name: string, value: string])[] | undefined;
  /**
   * Returns a provider for the token. Called at the start of each attempt so that a retry uses the
   * latest token.
   */
  readonly tokenProvider?: () => TokenProvider;
  readonly limiter?: RequestGate;
  readonly budget: CallBudget;
  /** Maximum size of a response, in bytes. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /**
   * Called only once, just before the request is sent for the first time. If the callback rejects,
   * the request fails.
   */
  readonly beforeFirstAttempt?: (() => Promise<void>) | undefined;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /**
   * Called if neither an error status nor the start of the response arrives within 5 s (see
   * `Body`).
   */
  readonly onSilence?: (() => void) | undefined;
  readonly failure: (answer: ErrorResponse) => ServiceError;
  /** Reads the response. The rest of the body is discarded after the promise settles. */
  readonly read: (answer: HttpResponse) => Promise<Result>;
}

/** The fields that every request to a service needs, with or without a token. */
export type PublicAccess = Required<
  Pick<HttpRequest<unknown>, 'origin' | 'secrets' | 'fixedHeaders'>
>;

/** The request fields that grant access to a service. */
export type Access = PublicAccess &
  Pick<HttpRequest<unknown>, 'scheme' | 'tokenHeader' | 'tokenProvider'> & {
    /**
     * Called with the error if a request fails. If the service may have rejected the token, the
     * function drops the token so that the request can be sent once more. Undefined for a public
     * request.
     * @throws {ServiceError} the failure to report, if another token wouldn't help
     */
    readonly dropRejectedToken?: (error: unknown) => void;
  };

/**
 * Provides the token for one attempt. An attempt calls `get` before and after it waits in the
 * queue, because a token can expire while the attempt waits.
 */
export interface TokenProvider {
  /** True if `get` can return a token without waiting. */
  hasToken(): boolean;
  /** @throws {ServiceError} */
  get(signal: AbortSignal): Promise<string>;
}

/** Returns a provider for a token that is never refreshed. */
export function fixedToken(value: string): TokenProvider {
  return { hasToken: () => true, get: async () => value };
}

export interface HttpResponse {
  readonly status: number;
  readonly header: ReadHeader;
  readonly body: Body;
}

/** A scheduled retry, reported before the wait. */
export interface Retry {
  /** The retry number, starting at 1. */
  readonly retry: number;
  readonly waitMs: number;
  readonly error: ServiceError;
}

/**
 * The number of retries and the amount of time that a call has left. All requests in the call share
 * this budget.
 */
export interface CallBudget {
  retriesLeft: number;
  /** Number of requests that the call has sent so far, including retries. */
  attempts: number;
  /** Milliseconds from the first attempt to the deadline. */
  readonly totalMs: number;
  /** The deadline, in milliseconds of monotonic time. Undefined before the first attempt. */
  endsAt: number | undefined;
}

/** Returns the value of a header. Names must be lowercase. */
export type ReadHeader = (name: string) => string | undefined;

/**
 * Checks that a response has the requested type and isn't compressed.
 * @throws {ServiceError} `unexpected-answer`
 */
export function checkResponseHeaders(
  { status, header }: HttpResponse,
  { accept }: HttpRequest<unknown>,
): void {
  const type = header('content-type')?.split(';')[0]?.trim().toLowerCase();
  const encoding = header('content-encoding') ?? 'identity';
  if (type !== accept || encoding !== 'identity') {
    throw new ServiceError('unexpected-answer', { status });
  }
}

/**
 * Reads the rate limit from response headers. Ignores values that aren't whole numbers of up
 * to six digits.
 */
export function readRateLimit(header: ReadHeader): RateLimit {
  const number = (name: string) => {
    const text = header(name);
    return text && /^\d{1,6}$/.test(text) ? Number(text) : undefined;
  };
  return {
    perSecond: number('x-requests-limit-rate'),
    left: number('x-requests-limit-remaining'),
  };
}
