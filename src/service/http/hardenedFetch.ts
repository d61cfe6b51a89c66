import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { UnderlyingByteSource } from 'node:stream/web';
import { setImmediate as turn } from 'node:timers/promises';

/** What newer versions of undici call a proxy that closes the connection in place of an answer. */
export const PROXY_CLOSED = 'UND_ERR_PRX_CONN';

const CONNECT_ERROR = 'undici:client:connectError';
/** What it is called before: a code that undici takes for one that passes. */
const TAKEN_FOR_PASSING = 'UND_ERR_SOCKET';

/** Thrown in place of what a fetch throws where certainly nothing of its request has left this machine. */
export class RequestNotSentError extends Error {
  override readonly name = 'RequestNotSentError';
}

/** What the end of a connection that nobody used is called, where it comes to light by a request. */
const CLOSED_CODES: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * Sends one request by the global `fetch`, which VS Code replaces by one that knows the proxies and
 * certificates of the user and keeps connections (its patched `http` and `https` do not). Looked up
 * each time, since it may be replaced at any time. Follows no redirect: one of a POST would carry
 * the key to the other host.
 * @throws {RequestNotSentError} with what fetch has thrown as its cause; otherwise what fetch throws
 */
export async function hardenedFetch(
  url: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  // A connection whose answer has just come to its end is free in the next turn, and not before.
  await turn();
  try {
    return await send(url, init);
  } catch (error) {
    // Most likely the service had closed it while nobody used it: another one is opened at once.
    if (!isOfClosedConnection(error) || init.signal?.aborted) throw error;
    return send(url, init);
  }
}

async function send(
  url: string | URL | Request,
  { method, headers, body, signal }: RequestInit,
): Promise<Response> {
  const options: object = {
    method,
    headers,
    signal: signal ?? null,
    // Otherwise, some versions of Node fail on a 401 after a streamed body (nodejs/undici#5018).
    credentials: 'omit',
    redirect: 'manual',
  };
  if (typeof body !== 'string') return globalThis.fetch(url, options);
  let isSent = false;
  const bytes = new TextEncoder().encode(body);
  // Asked for its bytes as they are written to a connection, and never before (measured).
  const source: UnderlyingByteSource = {
    type: 'bytes',
    pull: (controller) => {
      isSent = true;
      controller.enqueue(bytes);
      controller.close();
    },
  };
  const all = new Headers(headers);
  all.set('Content-Length', String(bytes.length));
  const sent = globalThis.fetch(url, {
    ...options,
    body: new ReadableStream(source),
    headers: all,
    duplex: 'half',
  });
  return sent.catch((error: unknown) => {
    throw isSent ? error : new RequestNotSentError('nothing was sent', { cause: error });
  });
}

function isOfClosedConnection(error: unknown): boolean {
  if (!(error instanceof RequestNotSentError) || !(error.cause instanceof Error)) return false;
  const { cause } = error.cause;
  if (!(cause instanceof Error) || isCutHandshake(cause)) return false;
  const { code, syscall } = cause as NodeJS.ErrnoException;
  return CLOSED_CODES.has(code) && syscall !== 'connect';
}

/** True where the other end closed a new connection in its TLS handshake; only then Node names the host. */
export function isCutHandshake(error: unknown): boolean {
  return (
    error instanceof Error && 'host' in error && 'code' in error && error.code === 'ECONNRESET'
  );
}

/**
 * A proxy that closes the connection where it should answer CONNECT makes a fetch connect again
 * without end, thousands of times a second, until it answers or its port is closed; to cancel the
 * request does not end it (nodejs/undici#3897, mended in 8.10.1; VS Code 1.139 has 7.29). undici
 * tells of each error before it looks at its code: with another code the first one is the last.
 * @param isOurs whether this host with its port is one of ours: others are left alone
 * @returns ends that
 */
export function endEndlessTunnels(isOurs: (host: string) => boolean): () => void {
  const onError = (message: unknown) => {
    const { error, connectParams } = message as {
      readonly error?: { code?: unknown };
      readonly connectParams?: { readonly host?: unknown };
    };
    if (error?.code !== TAKEN_FOR_PASSING || !isOurs(String(connectParams?.host))) return;
    error.code = PROXY_CLOSED;
  };
  subscribe(CONNECT_ERROR, onError);
  return () => unsubscribe(CONNECT_ERROR, onError);
}
