import { ServiceError } from '../errors.ts';
import type { Body } from './body.ts';
import type { RequestGate } from './concurrencyLimit.ts';
import type { RateLimit } from './requestPace.ts';

/** An answer that is no success. Its text goes no further than this file. */
export interface ErrorResponse {
  readonly status: number;
  readonly text: string;
}

/** One request: its destination, its content, its limits, and the reader of its response. */
export interface HttpRequest<Result> {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** The only origin the request may go to: for a credential, the one the user approved. */
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
  /** More values that no failure may contain, such as a project ID. */
  readonly confidential?: readonly string[];
  /** The authentication scheme of the Authorization header. `Bearer` if undefined. */
  readonly scheme?: string;
  /** Called at the start of each attempt, so that a retry uses the current token. */
  readonly tokenProvider?: () => TokenProvider;
  readonly limiter?: RequestGate;
  readonly budget: CallBudget;
  /** The most bytes of a response. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Called once, when the first attempt has its slot. If it rejects, the request ends. */
  readonly onTurn?: (() => Promise<void>) | undefined;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Called when an attempt has had no response for 5 s. */
  readonly onSilence?: (() => void) | undefined;
  /** Turns an error response into a failure. */
  readonly failure: (answer: ErrorResponse) => ServiceError;
  /** Reads the response. The request ends when it settles. */
  readonly read: (answer: HttpResponse) => Promise<Result>;
}

/** The part of a request that gives it access to a service, and the origin that receives the token. */
export type Access = Pick<HttpRequest<unknown>, 'origin' | 'scheme' | 'secrets' | 'tokenProvider'>;

/** Provides the token of one attempt, which can wait between its start and its request. */
export interface TokenProvider {
  /** True if `get` resolves at once. */
  hasToken(): boolean;
  /** @throws {ServiceError} */
  get(signal: AbortSignal): Promise<string>;
}

/** Provides a token that is never refreshed. */
export function fixedToken(value: string): TokenProvider {
  return { hasToken: () => true, get: async () => value };
}

export interface HttpResponse {
  readonly status: number;
  readonly header: ReadHeader;
  readonly body: Body;
}

/** A retry that is about to start its wait. */
export interface Retry {
  /** 1 for the first retry. */
  readonly retry: number;
  readonly waitMs: number;
  readonly error: ServiceError;
}

/** Retries and time left. All requests of a call share them. */
export interface CallBudget {
  retriesLeft: number;
  /** Requests sent so far. */
  attempts: number;
  /** Milliseconds from the first attempt to the deadline. */
  readonly totalMs: number;
  /** The deadline in monotonic milliseconds. Undefined before the first attempt. */
  endsAt: number | undefined;
}

/** Returns the value of a header. Names are lowercase. */
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

/** Reads the rate limit in the headers of a response: numbers only. */
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
