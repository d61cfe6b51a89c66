import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { UnderlyingByteSource } from 'node:stream/web';
import { setImmediate as turn } from 'node:timers/promises';

/**
 * The error code that newer versions of undici use when a proxy closes the network connection
 * without responding.
 */
export const PROXY_CLOSED = 'UND_ERR_PRX_CONN';

const CONNECT_ERROR = 'undici:client:connectError';
/**
 * The error code that older versions of undici use instead of `PROXY_CLOSED`. After this error, the
 * older versions reconnect to the proxy.
 */
const OLD_PROXY_CLOSED = 'UND_ERR_SOCKET';

/**
 * Thrown instead of the error from `fetch` if it's certain that nothing was sent. The cause is the
 * original error.
 */
export class RequestNotSentError extends Error {
  override readonly name = 'RequestNotSentError';
}

/** Error codes for a keep-alive connection that the service has closed. */
const CLOSED_CODES: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * Sends a request with the global `fetch`, which VS Code patches to use the user's proxies and
 * certificates. If nothing was sent because the service had closed the network connection, sends
 * the request once more. Unlike the patched `http` and `https`, `fetch` keeps network connections
 * alive. VS Code may patch `fetch` at any time, so each request uses the current
 * `globalThis.fetch`. Redirects aren't followed, because a redirected POST could send a secret to
 * another host.
 * @throws {RequestNotSentError} if the request has a body and `fetch` fails before sending
 * anything; other errors from `fetch` are rethrown unchanged
 */
export async function reconnectingFetch(
  url: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  // Wait for one turn of the event loop. A network connection can't be reused until one turn of the
  // event loop after the previous response ends.
  await turn();
  try {
    return await send(url, init);
  } catch (error) {
    // The service has probably closed a keep-alive connection. Sending the request again opens a
    // new network connection.
    if (!isOfClosedConnection(error) || init.signal?.aborted) throw error;
    return send(url, init);
  }
}

/**
 * Makes VS Code read the certificates now, without sending anything. Otherwise, VS Code would read
 * them during a window's first request, which would delay that request.
 */
export async function prepareFetch(): Promise<void> {
  // A data URL contains its own response, which is empty here. VS Code never uses a proxy for
  // localhost, so an invalid proxy setting can't make this call fail.
  await globalThis.fetch('data://localhost/,');
}

async function send(
  url: string | URL | Request,
  { method, headers, body, signal }: RequestInit,
): Promise<Response> {
  const options: object = {
    method,
    headers,
    signal: signal ?? null,
    // Without this option, some versions of Node fail if a request with a streamed body gets a 401
    // (nodejs/undici#5018).
    credentials: 'omit',
    redirect: 'manual',
  };
  if (typeof body !== 'string') return globalThis.fetch(url, options);
  let isSent = false;
  const bytes = new TextEncoder().encode(body);
  // `fetch` pulls the bytes only when it writes them to a network connection (confirmed by
  // testing), so `isSent` is reliable.
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
 * True if the network connection was reset during the TLS handshake. Node adds the host to the
 * error only in this case.
 * Source: `onConnectEnd` in https://github.com/nodejs/node/blob/v22.0.0/lib/_tls_wrap.js
 */
export function isTlsHandshakeReset(error: unknown): boolean {
  return (
    error instanceof Error && 'host' in error && 'code' in error && error.code === 'ECONNRESET'
  );
}

/**
 * Prevents endless reconnects to a proxy that closes the network connection instead of responding
 * to CONNECT. Without this workaround, undici would reconnect thousands of times a second, even
 * after the request is canceled (nodejs/undici#3897, fixed in 8.10.1; VS Code 1.139 has 7.29).
 * undici publishes each error before it reads the error code, so changing the code prevents the
 * reconnect.
 * @param isOurs returns true if this extension sends requests to the host and port
 * @returns a function that removes the workaround
 */
export function preventProxyReconnects(isOurs: (host: string) => boolean): () => void {
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
