import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { UnderlyingByteSource } from 'node:stream/web';
import { setImmediate as turn } from 'node:timers/promises';

/**
 * The code in newer versions of undici for a proxy that closes the connection without a response.
 */
export const PROXY_CLOSED = 'UND_ERR_PRX_CONN';

const CONNECT_ERROR = 'undici:client:connectError';
/** The code in older versions. undici treats it as temporary and connects again. */
const OLD_PROXY_CLOSED = 'UND_ERR_SOCKET';

/**
 * Replaces an error of `fetch` if it's certain that nothing was sent. Its cause is the original
 * error.
 */
export class RequestNotSentError extends Error {
  override readonly name = 'RequestNotSentError';
}

/** Error codes for a kept connection that the service has closed. */
const CLOSED_CODES: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * Sends a request with the global `fetch`. VS Code patches it to use the user's proxies and
 * certificates, and to keep connections. Its patched `http` and `https` don't keep connections. VS
 * Code may patch `fetch` at any time, so every request looks it up. Redirects aren't followed,
 * because a POST would send the key to the other host.
 * @throws {RequestNotSentError} if nothing was sent; otherwise the error of `fetch`
 */
export async function hardenedFetch(
  url: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  // A connection becomes free one turn of the event loop after its response ends.
  await turn();
  try {
    return await send(url, init);
  } catch (error) {
    // The service has probably closed the kept connection. The second attempt opens a new one.
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
    // Without this, some versions of Node fail on a 401 after a streamed body (nodejs/undici#5018).
    credentials: 'omit',
    redirect: 'manual',
  };
  if (typeof body !== 'string') return globalThis.fetch(url, options);
  let isSent = false;
  const bytes = new TextEncoder().encode(body);
  // Measured: `fetch` pulls the bytes only when it writes them to a connection.
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
  if (!(cause instanceof Error) || isTlsHandshakeReset(cause)) return false;
  const { code, syscall } = cause as NodeJS.ErrnoException;
  return CLOSED_CODES.has(code) && syscall !== 'connect';
}

/**
 * True if a new connection was closed during its TLS handshake. Node adds the host to the error
 * only in this case.
 */
export function isTlsHandshakeReset(error: unknown): boolean {
  return (
    error instanceof Error && 'host' in error && 'code' in error && error.code === 'ECONNRESET'
  );
}

/**
 * Stops the endless reconnects to a proxy that closes the connection instead of responding to
 * CONNECT. undici reconnects thousands of times a second, even after the request is canceled
 * (nodejs/undici#3897, fixed in 8.10.1; VS Code 1.139 has 7.29). undici publishes each error before
 * it reads the code. A different code prevents the reconnect.
 * @param isOurs true for a host and port that this extension sends requests to
 * @returns a function that ends the watch
 */
export function endEndlessTunnels(isOurs: (host: string) => boolean): () => void {
  const onError = (message: unknown) => {
    const { error, connectParams } = message as {
      readonly error?: { code?: unknown };
      readonly connectParams?: { readonly host?: unknown };
    };
    if (error?.code !== OLD_PROXY_CLOSED || !isOurs(String(connectParams?.host))) return;
    error.code = PROXY_CLOSED;
  };
  subscribe(CONNECT_ERROR, onError);
  return () => unsubscribe(CONNECT_ERROR, onError);
}
