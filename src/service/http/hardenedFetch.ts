import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { UnderlyingByteSource } from 'node:stream/web';
import { setImmediate as turn } from 'node:timers/promises';

/** The code of newer versions of undici for a proxy that closes the connection instead of responding. */
export const PROXY_CLOSED = 'UND_ERR_PRX_CONN';

const CONNECT_ERROR = 'undici:client:connectError';
/** The code of older versions, which undici takes for an error that passes. */
const TAKEN_FOR_PASSING = 'UND_ERR_SOCKET';

/** Replaces an error of `fetch` if certainly nothing of its request was sent. The cause is that error. */
export class RequestNotSentError extends Error {
  override readonly name = 'RequestNotSentError';
}

/** The codes of a kept connection that the service has closed. */
const CLOSED_CODES: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * Sends a request with the global `fetch`. VS Code replaces it with one that uses the proxies and
 * certificates of the user and keeps connections, which its patched `http` and `https` don't do. VS Code
 * may replace it at any time, so it's looked up for each request. Redirects aren't followed: a POST would
 * carry the key to the other host.
 * @throws {RequestNotSentError} if nothing was sent; otherwise the error of `fetch`
 */
export async function hardenedFetch(
  url: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  // A connection whose response has just ended is free in the next turn of the event loop.
  await turn();
  try {
    return await send(url, init);
  } catch (error) {
    // The service has probably closed the kept connection. The second attempt opens another one.
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
  // Measured: `fetch` pulls the bytes when it writes them to a connection, and never before.
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

/** True if a new connection was closed in its TLS handshake. Only then, Node adds the host to the error. */
export function isCutHandshake(error: unknown): boolean {
  return (
    error instanceof Error && 'host' in error && 'code' in error && error.code === 'ECONNRESET'
  );
}

/**
 * Ends the connection loop of a proxy that closes the connection instead of responding to CONNECT. undici
 * connects again thousands of times a second, even after the request is canceled (nodejs/undici#3897,
 * fixed in 8.10.1; VS Code 1.139 has 7.29). It publishes each error before it reads the code, and doesn't
 * repeat a connection that failed with another code.
 * @param isOurs returns true for a host and port of this extension's requests
 * @returns stops watching
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
