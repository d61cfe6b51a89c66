import { ServiceError } from './errors.ts';

/** What a failed connection means, and whether the service can have seen the request. */

export interface ConnectionFailure {
  readonly error: ServiceError;
  /** True if certainly nothing was sent, so that sending again cannot run or bill a request twice. */
  readonly nothingSent: boolean;
}

const CERTIFICATE_CODES =
  /^(CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE)$|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/;

const TLS_CODES = /^(EPROTO$|ERR_TLS_|ERR_SSL_)/;

/** What OpenSSL calls an answer that is no TLS. Node hides it behind EPROTO, in its message. */
const NO_TLS = /\b(wrong version number|packet length too long|http request|unknown protocol)\b/;

/** May pass by itself: a service that restarts, a name server that is busy. */
const PASSING_CODES: ReadonlySet<string> = new Set(['ECONNREFUSED', 'EAI_AGAIN']);

const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  ...PASSING_CODES,
  'ENOTFOUND',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
]);

/**
 * The editor's proxy layer replaces the error of the socket by one of its own (measured in VS Code
 * 1.139), which has no code: how it begins, and the first proxy it names.
 */
const PROXY_LAYER = /^Failed to establish a socket connection to proxies\b/;
const NAMED_PROXY = /: (?:PROXY|HTTPS?|SOCKS[45]?) ([a-z0-9.-]{1,253}:\d{1,5})(?:;|$)/i;

/**
 * Reads the codes that Node puts on its errors, and where the failed socket led; nothing else of a
 * foreign error is kept.
 * @param url of the request
 */
export function connectionFailure(error: unknown, url: string): ConnectionFailure {
  const code = codeOf(error);
  const connecting = property(socketError(error), 'syscall') === 'connect';
  const proxy = failedProxy(error, url);
  if (proxy !== undefined) {
    const details = { ...(code && { code }), ...(proxy && { proxy }) };
    return { error: new ServiceError('proxy', details), nothingSent: code !== 'ENOTFOUND' };
  }
  if (CERTIFICATE_CODES.test(code)) {
    return { error: new ServiceError('certificate', { code }), nothingSent: false };
  }
  if (TLS_CODES.test(code)) {
    return { error: new ServiceError('tls', { code: tlsCode(error, code) }), nothingSent: false };
  }
  if (UNREACHABLE_CODES.has(code) || (connecting && code !== '')) {
    const nothingSent = PASSING_CODES.has(code) || (connecting && code === 'ETIMEDOUT');
    return { error: new ServiceError('unreachable', { code }), nothingSent };
  }
  const details = code === '' || code === 'ERR_CANCELED' ? {} : { code };
  // Not sent again all the same: what cuts a handshake short cuts the next one, too.
  const lost = isBeforeSending(error)
    ? new ServiceError('unreachable', { ...details, phase: 'connect' })
    : new ServiceError('connection-lost', details);
  return { error: lost, nothingSent: false };
}

/**
 * True if certainly nothing of a failed request left this machine: it got no connection, or one
 * whose encryption was never agreed upon. Read off the request that a failure carries, since the
 * editor's proxy layer comes between it and any agent that could be asked.
 */
export function isBeforeSending(error: unknown): boolean {
  const request = property(error, 'request');
  const socket = property(request, 'socket');
  if (socket === null) return property(request, 'reusedSocket') === false;
  return property(socket, 'secureConnecting') === true;
}

/**
 * True for an answer to an https request that came without TLS: a proxy gave it in place of the
 * tunnel to the service, and nothing of the request was sent.
 */
export function isAnswerOfProxy(url: string, response: unknown): boolean {
  const socket = property(response, 'socket');
  const isPlain = typeof socket === 'object' && socket !== null && !property(socket, 'encrypted');
  return url.startsWith('https:') && isPlain;
}

/** The host a redirect leads to, in ASCII; undefined if it leads nowhere readable. */
export function redirectHost(location: string | undefined, from: string): string | undefined {
  return location && URL.canParse(location, from) ? new URL(location, from).host : undefined;
}

/**
 * The last gate before the socket: throws unless the URL is on the origin this exchange is bound
 * to, and certificates are being checked.
 * @throws {ServiceError} `host-not-approved`, `certificate-checks-off`
 */
export function checkDestination(
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

/** Tells a port without TLS from one that wants another TLS: one word for the first. */
function tlsCode(error: unknown, code: string): string {
  const { reason, message } = {
    reason: property(error, 'reason'),
    message: property(error, 'message'),
  };
  const isPlain = [reason, message].some((text) => typeof text === 'string' && NO_TLS.test(text));
  return isPlain || /WRONG_VERSION|PACKET_LENGTH|HTTP_REQUEST|UNKNOWN_PROTOCOL/.test(code)
    ? 'ERR_SSL_WRONG_VERSION_NUMBER'
    : code;
}

function codeOf(error: unknown): string {
  const code = property(error, 'code');
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,63}$/.test(code) ? code : '';
}

/** What the socket itself failed with. */
function socketError(error: unknown): unknown {
  const cause = property(error, 'cause') ?? error;
  // All addresses of a host fail together, as the errors of one AggregateError.
  const errors = property(cause, 'errors');
  return Array.isArray(errors) ? errors[0] : cause;
}

/**
 * The proxy that could not be reached, or an empty text where it has no readable name; undefined
 * if the socket led to the host of the URL. A proxy on the service's own port is not told apart.
 */
function failedProxy(error: unknown, url: string): string | undefined {
  const failed = socketError(error);
  const message = property(failed, 'message');
  if (typeof message === 'string' && PROXY_LAYER.test(message)) {
    return NAMED_PROXY.exec(message)?.[1]?.toLowerCase() ?? '';
  }
  const { hostname, port, protocol } = new URL(url);
  const [lookedUp, reached] = [property(failed, 'hostname'), property(failed, 'port')];
  if (property(failed, 'syscall') === 'getaddrinfo' && typeof lookedUp === 'string') {
    return lookedUp === hostname ? undefined : readableHost(lookedUp);
  }
  const wanted = Number(port) || (protocol === 'https:' ? 443 : 80);
  if (typeof reached !== 'number' || reached === wanted) return undefined;
  return readableHost(`${property(failed, 'address')}:${reached}`);
}

function readableHost(host: string): string {
  return /^[\w.:-]{1,253}$/.test(host) ? host : '';
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
