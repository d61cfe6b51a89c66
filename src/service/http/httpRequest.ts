import { ServiceError } from '../errors.ts';
import type { ErrorResponse } from '../failures.ts';
import type { Body } from './body.ts';
import type { RateLimit, RequestGate } from './limiter.ts';

/** What one request is, and what the head of its answer says. */

/** One request with everything that decides where it goes, how often and how long. */
export interface HttpRequest<Result> {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** The one origin this may go to: for a request with a credential, the one its user approved. */
  readonly origin: string;
  readonly accept: 'application/json' | 'text/event-stream';
  readonly contentType?: 'application/json' | 'application/x-www-form-urlencoded';
  readonly body?: string;
  /**
   * Secrets of the connection. The access token is added to them. Neither the URL nor the body may
   * contain one. No failure contains one, even if the response does.
   */
  readonly secrets?: readonly string[];
  /** True for the token request, the only one that may contain a secret. */
  readonly sendsSecret?: true;
  /** Other values that no failure contains, such as a project ID. */
  readonly confidential?: readonly string[];
  /** The word before the credential in the Authorization header; `Bearer` without it. */
  readonly scheme?: string;
  /** Called as each attempt begins, so that a retry carries the token of its moment. */
  readonly tokenProvider?: () => TokenProvider;
  readonly limiter?: RequestGate;
  readonly budget: CallBudget;
  /** The most bytes an answer may have. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Called once, when the first attempt has its slot. A rejection ends the request. */
  readonly onTurn?: (() => Promise<void>) | undefined;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Called when an attempt has been sent for a while, and nothing of an answer has come. */
  readonly onSilence?: (() => void) | undefined;
  /** What an error answer means. */
  readonly failure: (answer: ErrorResponse) => ServiceError;
  /** Reads the answer; the request is over when it settles. */
  readonly read: (answer: HttpResponse) => Promise<Result>;
}

/** What a service is asked with that wants a token, and the one origin that gets it. */
export type Access = Pick<HttpRequest<unknown>, 'origin' | 'scheme' | 'secrets' | 'tokenProvider'>;

/** The bearer of one attempt, which may wait long between its beginning and its request. */
export interface TokenProvider {
  /** True if `get` has one at once. */
  hasToken(): boolean;
  /** @throws {ServiceError} */
  get(signal: AbortSignal): Promise<string>;
}

/** For one that is there already, and is not renewed. */
export function fixedToken(value: string): TokenProvider {
  return { hasToken: () => true, get: async () => value };
}

export interface HttpResponse {
  readonly status: number;
  readonly header: ReadHeader;
  readonly body: Body;
}

/** What is about to be sent again. */
export interface Retry {
  /** 1 for the first retry. */
  readonly retry: number;
  readonly waitMs: number;
  readonly error: ServiceError;
}

/** Retries and time left, shared by the requests that serve one call. */
export interface CallBudget {
  retriesLeft: number;
  /** Requests sent so far. */
  attempts: number;
  /** Milliseconds from the first attempt to the end of all of it. */
  readonly totalMs: number;
  /** Monotonic milliseconds at which all of it must be over; undefined before the first attempt. */
  endsAt: number | undefined;
}

/** The value of a header, by its name in lower case. */
export type ReadHeader = (name: string) => string | undefined;

/**
 * Whether the head of an answer promises what was asked for.
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

/** What the headers of an answer say about the limit: numbers, and nothing else of them. */
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
