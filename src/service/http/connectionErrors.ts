import { type ErrorKind, type FoundDetails, ServiceError } from '../errors.ts';
import { isTlsHandshakeReset, PROXY_CLOSED, RequestNotSentError } from './reconnectingFetch.ts';

export interface Failure {
  readonly error: ServiceError;
  /**
   * True if another attempt may succeed. In that case, the request can't be processed or billed
   * twice, because it either wasn't sent or was rejected by the service.
   */
  readonly isTransient: boolean;
}

/** Creates a failure that isn't transient. */
export function lasting(kind: ErrorKind, details: FoundDetails): Failure {
  return { error: new ServiceError(kind, details), isTransient: false };
}

/**
 * Matches the message of the error that `fetch` throws if a proxy refuses to open a tunnel. The
 * status of the proxy's response appears only in this message.
 */
const REFUSED_TUNNEL = /^Proxy response \((\d{3})\)/;

/**
 * Error codes for a proxy that uses neither http nor https, has an invalid address, or closed the
 * network connection without a response (see `preventProxyReconnects`).
 */
const UNUSABLE_PROXY: ReadonlySet<string> = new Set([
  'UND_ERR_INVALID_ARG',
  'ERR_INVALID_URL',
  PROXY_CLOSED,
]);

/** Matches the first address in the error message for a connection timeout. */
const ATTEMPTED = /\(attempted address(?:es)?: (\S+?:\d+)[,)]/;

/** The error code that `fetch` reports if it can't connect within 10 s. */
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';

const CERTIFICATE_CODES =
  /^(CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE)$|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/;

const TLS_CODES = /^(ERR_TLS_|ERR_SSL_)/;

/** Matches OpenSSL error codes for a response that isn't TLS. */
const NO_TLS = /WRONG_VERSION|PACKET_LENGTH|HTTP_REQUEST|UNKNOWN_PROTOCOL/;

/**
 * Error codes for failures that may be temporary, for example because the service is restarting or
 * the DNS server is busy.
 */
const TRANSIENT_CODES: ReadonlySet<string> = new Set(['ECONNREFUSED', 'EAI_AGAIN']);

const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  ...TRANSIENT_CODES,
  'ENOTFOUND',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
]);

/** Maximum number of errors to follow in a chain of causes. Most chains contain three errors. */
const MAX_LINKS = 10;

/**
 * Converts a network error to a failure. Keeps only the code from Node or undici, and the proxy's
 * status or address if the proxy caused the error.
 * @param url the URL of the request
 */
export function networkFailure(error: unknown, url: string): Failure {
  const root = causesOf(error).at(-1);
  const code = codeOf(root);
  const isConnecting = isConnectError(root);
  const isFetchError = property(error, 'code') === 'ERR_NETWORK';
  const proxy = proxyFailure(root, code, url, isFetchError);
  if (proxy) return proxy;
  if (CERTIFICATE_CODES.test(code)) return lasting('certificate', { code });
  if (TLS_CODES.test(code)) {
    return lasting('tls', { code: NO_TLS.test(code) ? 'ERR_SSL_WRONG_VERSION_NUMBER' : code });
  }
  if (UNREACHABLE_CODES.has(code) || (isConnecting && code !== '')) {
    const isTransient = TRANSIENT_CODES.has(code) || (isConnecting && code === 'ETIMEDOUT');
    return { error: new ServiceError('unreachable', { code }), isTransient };
  }
  const known = code === '' || code === CONNECT_TIMEOUT ? undefined : code;
  const unconnected = lasting('unreachable', { code: known, phase: 'connect' });
  // Don't retry, because another handshake would probably fail, too.
  if (isTlsHandshakeReset(root)) return unconnected;
  if (isUnsent(error) || code === CONNECT_TIMEOUT) return { ...unconnected, isTransient: true };
  return lasting('connection-lost', { code: known });
}

/** True only if it's certain that no part of the request was sent. */
export function isUnsent(error: unknown): boolean {
  return causesOf(error).some((link) => link instanceof RequestNotSentError);
}

function isConnectError(error: unknown): boolean {
  return property(error, 'syscall') === 'connect';
}

/**
 * Returns an error and its causes, with the root cause last. If all addresses of a host fail, the
 * error for the first address is treated as the cause.
 */
function causesOf(error: unknown): unknown[] {
  const links = [error];
  while (links.length < MAX_LINKS) {
    const link = links.at(-1);
    const errors = property(link, 'errors');
    const next = Array.isArray(errors) ? errors[0] : property(link, 'cause');
    if (typeof next !== 'object' || next === null) break;
    links.push(next);
  }
  return links;
}

/**
 * Returns the code of an error, or an empty string if it has no valid code. Replaces slashes with
 * underscores, because some OpenSSL codes contain `SSL/TLS`.
 */
function codeOf(error: unknown): string {
  const code = property(error, 'code');
  const isCode = typeof code === 'string' && /^[A-Z][A-Z0-9_/]{2,63}$/.test(code);
  return isCode ? code.replaceAll('/', '_') : '';
}

/** Returns a `proxy` failure if the proxy caused the error; undefined otherwise. */
function proxyFailure(
  error: unknown,
  code: string,
  url: string,
  isFetchError: boolean,
): Failure | undefined {
  const message = String(property(error, 'message') ?? '');
  // If a 407 arrives through a tunnel, the error from `fetch` has neither a message nor a code.
  const wantsLogin = isFetchError && message === '' && code === '';
  const status = wantsLogin ? 407 : Number(REFUSED_TUNNEL.exec(message)?.[1]);
  if (status) return lasting('proxy', { status });
  if (UNUSABLE_PROXY.has(code)) return lasting('proxy', { code });
  const proxy = unreachableProxy(error, code, message, url);
  if (proxy === undefined) return undefined;
  const found = lasting('proxy', { code: code || undefined, proxy: proxy || undefined });
  return { ...found, isTransient: code !== 'ENOTFOUND' };
}

/**
 * Returns the address of the proxy that couldn't be reached, or an empty string if the address
 * contains unexpected characters. Undefined if the failed network connection was to the service
 * itself or was already open. A proxy on the same port as the service is recognized only if looking
 * up the proxy's host name fails.
 */
function unreachableProxy(
  error: unknown,
  code: string,
  message: string,
  url: string,
): string | undefined {
  const { hostname, port, protocol } = new URL(url);
  const lookedUp = property(error, 'hostname');
  if (typeof lookedUp === 'string') {
    return lookedUp === hostname ? undefined : readableHost(lookedUp);
  }
  // If the network connection was already open, the request may have been processed. In that case,
  // don't report an unreachable proxy, because the request would then be retried.
  const isUnconnected =
    isConnectError(error) || isTlsHandshakeReset(error) || code === CONNECT_TIMEOUT;
  if (!isUnconnected) return undefined;
  const host = property(error, 'address') ?? property(error, 'host');
  const [, tried] = ATTEMPTED.exec(message) ?? [];
  const reached = tried ?? `${host}:${property(error, 'port')}`;
  const wanted = Number(port) || (protocol === 'https:' ? 443 : 80);
  const reachedPort = Number(reached.slice(reached.lastIndexOf(':') + 1));
  return !reachedPort || reachedPort === wanted ? undefined : readableHost(reached);
}

/**
 * Returns the host, with its port if it has one, or an empty string if the host isn't safe to
 * display. The URL parser isn't strict enough, because it accepts `$`, backticks, and quotes.
 */
export function readableHost(host: string): string {
  return /^[\w.:[\]-]{1,260}$/.test(host) ? host : '';
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
