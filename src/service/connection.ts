import { ServiceError } from './errors.ts';

/** What a failed connection means, and whether the service can have seen the request. */

export interface ConnectionFailure {
  readonly error: ServiceError;
  /** True if certainly nothing was sent, so that sending again cannot run or bill a request twice. */
  readonly nothingSent: boolean;
}

const CERTIFICATE_CODES =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH|EPROTO$)/;

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

/** Reads the codes that Node puts on its errors; nothing else of a foreign error is kept. */
export function connectionFailure(error: unknown): ConnectionFailure {
  const code = codeOf(error);
  const connecting = syscallOf(error) === 'connect';
  if (CERTIFICATE_CODES.test(code)) {
    return { error: new ServiceError('certificate', { code }), nothingSent: false };
  }
  if (UNREACHABLE_CODES.has(code) || (connecting && code !== '')) {
    const nothingSent = PASSING_CODES.has(code) || (connecting && code === 'ETIMEDOUT');
    return { error: new ServiceError('unreachable', { code }), nothingSent };
  }
  const details = code === '' ? {} : { code };
  return { error: new ServiceError('connection-lost', details), nothingSent: false };
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

function codeOf(error: unknown): string {
  const code = property(error, 'code');
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,63}$/.test(code) ? code : '';
}

function syscallOf(error: unknown): unknown {
  const cause = property(error, 'cause') ?? error;
  // All addresses of a host fail together, as the errors of one AggregateError.
  const errors = property(cause, 'errors');
  return property(Array.isArray(errors) ? errors[0] : cause, 'syscall');
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
