import { ServiceError } from '../errors.ts';
import { addressHolds, holdsSecret, SHORTEST_SOUGHT } from '../secrets.ts';
import { Body } from './body.ts';
import { isUnsent } from './connectionErrors.ts';

/** Where a request may go, and what it must not contain. */
export interface ApprovedTarget {
  /** The only origin the request may go to: for a credential, the one the user approved. */
  readonly origin: string;
  /** Neither the URL nor the body may contain one of these. */
  readonly secrets: readonly string[];
  /** True for the token request, the only one that may contain a secret. */
  readonly sendsSecret?: boolean | undefined;
  /** Called after the checks, right before the request is sent. */
  onSend?(): void;
  /** Called when no response has begun `silentMs` after the request was sent. */
  onSilence?(): void;
  /** Called when the headers of a response have arrived. */
  onResponse?(response: Response): void;
}

export type ApprovedFetch = (
  url: string | URL,
  init: RequestInit & { readonly target: ApprovedTarget },
) => Promise<Response>;

export interface ApprovedFetchOptions {
  /** Sends a request after it has passed the checks. */
  readonly fetch: typeof globalThis.fetch;
  /** Milliseconds from sending a request to the headers of its response. */
  readonly headersMs: number;
  /** Milliseconds without a response after which `onSilence` is called. */
  readonly silentMs: number;
  /** Milliseconds between two chunks of a body. */
  readonly idleMs: number;
  /** The secrets of accepted keys. Only the token request may contain one. */
  readonly provenSecrets: () => readonly string[];
}

const MAX_ERROR_BYTES = 65_536;

/**
 * Creates the one `fetch` through which every request leaves. It compares the origin with the
 * approved one, and looks for secrets, right before it sends. It follows no redirect. The body of an
 * error response is read before it returns, up to 64 KiB, so that the connection can be kept.
 * @returns rejects with a `ServiceError` of the kinds `host-not-approved`, `certificate-checks-off`,
 * `setting-holds-secret`, `timeout`, and `unreachable`, otherwise with the error of `fetch`
 */
export function createApprovedFetch(options: ApprovedFetchOptions): ApprovedFetch {
  const { headersMs, silentMs, idleMs, provenSecrets } = options;
  return async (url, { target, ...init }) => {
    checkDestination(String(url), target.origin, process.env);
    if (!target.sendsSecret) {
      checkSecrets(String(url), init.body, [...target.secrets, ...provenSecrets()]);
    }
    target.onSend?.();
    const hangingUp = new AbortController();
    const hangUp = () => hangingUp.abort();
    const signal = AbortSignal.any([hangingUp.signal, ...(init.signal ? [init.signal] : [])]);
    const timers = [
      setTimeout(() => target.onSilence?.(), silentMs),
      setTimeout(hangUp, headersMs),
    ];
    let response: Response;
    try {
      response = await options.fetch(url, { ...init, signal });
    } catch (error) {
      throw hangingUp.signal.aborted ? headersTimeout(error) : error;
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
    target.onResponse?.(response);
    if (response.ok) return response;
    const body = new Body(response.body, MAX_ERROR_BYTES, idleMs, hangUp);
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
 * Refuses a key that was pasted as an ID or into a URL: it must not reach the model host.
 * @throws {ServiceError} `setting-holds-secret`
 */
function checkSecrets(url: string, body: unknown, secrets: readonly string[]): void {
  const text = typeof body === 'string' ? body : String(body ?? '');
  if (addressHolds(url, secrets) || holdsSecret(text, secrets, SHORTEST_SOUGHT)) {
    throw new ServiceError('setting-holds-secret');
  }
}

/** Reports a request without a response as a timeout, unless it wasn't even sent. */
function headersTimeout(error: unknown): ServiceError {
  return isUnsent(error)
    ? new ServiceError('unreachable', { phase: 'connect' })
    : new ServiceError('timeout', { phase: 'headers' });
}
