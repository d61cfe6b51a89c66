import { ServiceError } from '../errors.ts';
import { addressHolds, holdsSecret, MIN_BLOCKED_LENGTH } from '../masking.ts';
import { Body } from './body.ts';
import { isUnsent } from './connectionErrors.ts';

/** The approved destination of a request, and the secrets that the request must not contain. */
export interface ApprovedTarget {
  /**
   * The only origin that the request may be sent to. If the request contains a credential, the user
   * has approved this origin.
   */
  readonly origin: string;
  /** Values that must not appear in the URL or the body unless `sendsSecret` is true. */
  readonly secrets: readonly string[];
  /** True for a token request. No other request may have a secret in its URL or body. */
  readonly sendsSecret?: boolean | undefined;
  /** Called after the checks, just before the request is sent. */
  onSend?(): void;
  /** Called when the response headers have arrived. */
  onResponse?(response: Response): void;
}

export type ApprovedFetch = (
  url: string | URL,
  init: RequestInit & { readonly target: ApprovedTarget },
) => Promise<Response>;

export interface ApprovedFetchOptions {
  /** Sends a request that has passed the checks. */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Maximum time from the request to the response headers, in milliseconds. Some services send the
   * headers before the model is loaded. Therefore, `Http` also requires the response to start
   * within this time, unless data keeps arriving (see `Body`).
   */
  readonly startMs: number;
  /** Maximum time between two chunks of a response body, in milliseconds. */
  readonly idleMs: number;
  /**
   * Returns the secrets and the latest tokens of all credentials that have been exchanged for a
   * token. Like the request's own secrets, they must not appear in the URL or the body.
   */
  readonly provenSecrets: () => readonly string[];
}

const MAX_ERROR_BYTES = 65_536;

/**
 * Creates the `fetch` function that all requests use. Before it sends a request, the function
 * compares the URL's origin with the approved origin. It also searches the URL and body for
 * secrets, except in token requests. To allow the network connection to be reused, the function
 * reads an error response completely before returning it. The text of an error response is dropped
 * if it's longer than 64 KiB or can't be read.
 * @returns the function; if it fails, it rejects with a `ServiceError` (`host-not-approved`,
 * `certificate-checks-off`, `setting-holds-secret`, `timeout`, `unreachable`, `unexpected-answer`)
 * or with the error from `fetch`
 */
export function createApprovedFetch(options: ApprovedFetchOptions): ApprovedFetch {
  const { startMs, idleMs, provenSecrets } = options;
  return async (url, { target, ...init }) => {
    checkDestination(String(url), target.origin, process.env);
    if (!target.sendsSecret) {
      checkSecrets(String(url), init.body, [...target.secrets, ...provenSecrets()]);
    }
    target.onSend?.();
    const connectionAbort = new AbortController();
    const closeConnection = () => connectionAbort.abort();
    const signal = AbortSignal.any([connectionAbort.signal, ...(init.signal ? [init.signal] : [])]);
    const timer = setTimeout(closeConnection, startMs);
    let response: Response;
    try {
      response = await options.fetch(url, { ...init, signal });
    } catch (error) {
      throw connectionAbort.signal.aborted ? startTimeout(error) : error;
    } finally {
      clearTimeout(timer);
    }
    target.onResponse?.(response);
    if (response.ok) return response;
    const body = new Body(
      response.body,
      { maxBytes: MAX_ERROR_BYTES, startLeftMs: () => 0, idleMs },
      closeConnection,
    );
    const text = await body.text().catch(() => '');
    const { status, headers } = response;
    // Some firewalls respond with status 999. The `Response` constructor rejects any status above
    // 599.
    if (status > 599) throw new ServiceError('unexpected-answer', { status });
    return new Response(text || null, { status, headers });
  };
}

/**
 * Throws if the URL doesn't have the approved origin, or if certificate checks are turned off.
 * @throws {ServiceError} `host-not-approved`, `certificate-checks-off`
 */
function checkDestination(
  url: string,
  origin: string,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const destination = new URL(url);
  if (destination.origin !== origin) {
    throw new ServiceError('host-not-approved', { host: destination.host });
  }
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw new ServiceError('certificate-checks-off', { names: ['NODE_TLS_REJECT_UNAUTHORIZED'] });
  }
}

/**
 * Throws if the URL or the body contains a secret. For example, the user may have entered a key as
 * the project ID, which most requests contain.
 * @throws {ServiceError} `setting-holds-secret`
 */
function checkSecrets(url: string, body: unknown, secrets: readonly string[]): void {
  const text = typeof body === 'string' ? body : String(body ?? '');
  if (addressHolds(url, secrets) || holdsSecret(text, secrets, MIN_BLOCKED_LENGTH)) {
    throw new ServiceError('setting-holds-secret');
  }
}

/**
 * Returns the failure for a request whose response headers didn't arrive in time: `unreachable` if
 * nothing was sent, and `timeout` if something may have been sent.
 */
function startTimeout(error: unknown): ServiceError {
  return isUnsent(error)
    ? new ServiceError('unreachable', { phase: 'connect' })
    : new ServiceError('timeout', { phase: 'start' });
}
