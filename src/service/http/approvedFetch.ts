import { ServiceError } from '../errors.ts';
import { addressHolds, holdsSecret, SHORTEST_SOUGHT } from '../secrets.ts';
import { Body } from './body.ts';
import { isUnsent } from './connectionErrors.ts';

/** The approved destination of a request, and the secrets that the request must not contain. */
export interface ApprovedTarget {
  /**
   * The only allowed origin. For a request with a credential, it's the one that the user approved.
   */
  readonly origin: string;
  /** Values that must not appear in the URL or the body. */
  readonly secrets: readonly string[];
  /** True for a token request. No other request may have a secret in its URL or body. */
  readonly sendsSecret?: boolean | undefined;
  /** Called after the checks, right before the request is sent. */
  onSend?(): void;
  /** Called if no response has begun `silentMs` after the request was sent. */
  onSilence?(): void;
  /** Called when the headers of a response have arrived. */
  onResponse?(response: Response): void;
}

export type ApprovedFetch = (
  url: string | URL,
  init: RequestInit & { readonly target: ApprovedTarget },
) => Promise<Response>;

export interface ApprovedFetchOptions {
  /** Sends a request that has passed the checks. */
  readonly fetch: typeof globalThis.fetch;
  /** Maximum milliseconds from sending a request to the headers of its response. */
  readonly headersMs: number;
  /** Milliseconds without a response after which `onSilence` is called. */
  readonly silentMs: number;
  /** Maximum milliseconds between two chunks of a body. */
  readonly idleMs: number;
  /** Secrets of accepted credentials. Only a token request may have one in its URL or body. */
  readonly provenSecrets: () => readonly string[];
}

const MAX_ERROR_BYTES = 65_536;

/**
 * Creates the one `fetch` that sends every request. Right before sending, it compares the origin
 * with the approved one and searches for secrets. Redirects aren't followed. Up to 64 KiB of an
 * error response are read before it's returned, so that the connection can be reused.
 * @returns a function that rejects with a `ServiceError` (`host-not-approved`,
 * `certificate-checks-off`, `setting-holds-secret`, `timeout`, `unreachable`) or with the error of
 * `fetch`
 */
export function createApprovedFetch(options: ApprovedFetchOptions): ApprovedFetch {
  const { headersMs, silentMs, idleMs, provenSecrets } = options;
  return async (url, { target, ...init }) => {
    checkDestination(String(url), target.origin, process.env);
    if (!target.sendsSecret) {
      checkSecrets(String(url), init.body, [...target.secrets, ...provenSecrets()]);
    }
    target.onSend?.();
    const connectionAbort = new AbortController();
    const closeConnection = () => connectionAbort.abort();
    const signal = AbortSignal.any([connectionAbort.signal, ...(init.signal ? [init.signal] : [])]);
    const timers = [
      setTimeout(() => target.onSilence?.(), silentMs),
      setTimeout(closeConnection, headersMs),
    ];
    let response: Response;
    try {
      response = await options.fetch(url, { ...init, signal });
    } catch (error) {
      throw connectionAbort.signal.aborted ? headersTimeout(error) : error;
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
    target.onResponse?.(response);
    if (response.ok) return response;
    const body = new Body(response.body, MAX_ERROR_BYTES, idleMs, closeConnection);
    const text = await body.text().catch(() => '');
    const { status, headers } = response;
    return new Response(text || null, { status, headers });
  };
}

/**
 * Throws unless a URL is on the approved origin and certificates are checked.
 * @throws {ServiceError} `host-not-approved`, `certificate-checks-off`
 */
function checkDestination(
  url: string,
  origin: string,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const destination = new URL(url);
  if (destination.origin !== origin || destination.username || destination.password) {
    throw new ServiceError('host-not-approved', { host: destination.host });
  }
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw new ServiceError('certificate-checks-off', { names: ['NODE_TLS_REJECT_UNAUTHORIZED'] });
  }
}

/**
 * Refuses a request if a key was pasted into an ID or a URL, so that the key doesn't reach the
 * model host.
 * @throws {ServiceError} `setting-holds-secret`
 */
function checkSecrets(url: string, body: unknown, secrets: readonly string[]): void {
  const text = typeof body === 'string' ? body : String(body ?? '');
  if (addressHolds(url, secrets) || holdsSecret(text, secrets, SHORTEST_SOUGHT)) {
    throw new ServiceError('setting-holds-secret');
  }
}

/**
 * Returns the failure of a request without a response: `unreachable` if nothing was sent, otherwise
 * `timeout`.
 */
function headersTimeout(error: unknown): ServiceError {
  return isUnsent(error)
    ? new ServiceError('unreachable', { phase: 'connect' })
    : new ServiceError('timeout', { phase: 'headers' });
}
