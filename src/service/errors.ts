/**
 * Failures of the service, as kinds and facts. Messages belong to the user interface. Text
 * from the service, headers, bodies, and foreign errors must not get here: JSON or inspection of
 * them can show the key. For example, an AxiosError contains the request.
 */

/** The reason for a failure. Each kind requires a different action from the user. */
export type ErrorKind =
  // Before anything is sent.
  | 'host-not-approved'
  | 'certificate-checks-off'
  | 'parameter-refused'
  | 'prompt-holds-secret'
  /** The URL, or an ID in the body, contains a secret. */
  | 'setting-holds-secret'
  | 'queue-full'
  /** The credentials were replaced or forgotten during a check. */
  | 'credentials-changed'
  // From the identity service.
  | 'key-refused'
  | 'token-request-refused'
  | 'token-unusable'
  // From the inference service.
  | 'unauthorized'
  /** The service refused the token, but accepted a new one a moment later. */
  | 'refused-once'
  | 'forbidden'
  /** Refused in a format other than the service's, probably by a gateway in between. */
  | 'intercepted'
  | 'project-missing'
  | 'project-unknown'
  | 'project-without-runtime'
  | 'quota-used-up'
  | 'model-unknown'
  | 'operation-unsupported'
  | 'prompt-too-long'
  | 'bad-request'
  | 'rate-limited'
  | 'capacity-full'
  | 'server-failed'
  // On the network.
  | 'unreachable'
  /** All hosts that were tried are unreachable. */
  | 'offline'
  | 'connection-lost'
  | 'certificate'
  /** The TLS handshake failed. `ERR_SSL_WRONG_VERSION_NUMBER` means that the server has no TLS. */
  | 'tls'
  | 'proxy'
  | 'timeout'
  | 'redirected'
  | 'too-large'
  | 'unexpected-answer'
  | 'incomplete'
  | 'cancelled';

/** The facts about a failure. Nothing else about a failure leaves `src/service`. */
export interface ErrorDetails {
  /** HTTP status. */
  readonly status?: number;
  /** The service's error code, or a code of Node or undici for connection failures. */
  readonly code?: string;
  /** The service's ID of the request, for its support. */
  readonly requestId?: string;
  /** The host that the request was sent to. */
  readonly host?: string;
  /** The destination of a refused redirect, if it's a valid host. */
  readonly redirectHost?: string;
  /** Host and port of the proxy, as far as they are known. */
  readonly proxy?: string;
  /** Requests sent, including the first one. */
  readonly attempts?: number;
  /** Milliseconds the service asked to wait. */
  readonly retryAfterMs?: number;
  /** Names of settings or parameters that this extension defines. */
  readonly names?: readonly string[];
  /** The bound of the allowed range, in the unit of `actual`. The maximum if `bound` is missing. */
  readonly limit?: number;
  readonly actual?: number;
  /** The meaning of `limit`: inclusive minimum, exclusive minimum, or inclusive maximum. */
  readonly bound?: 'least' | 'above' | 'most';
  /**
   * The origin of `limit`, unless it's the general range of the parameter. An operation is named if
   * the other one would accept the value.
   */
  readonly limitOf?: 'chat' | 'generation' | 'model';
  /** The expected type of a parameter. */
  readonly expected?: 'integer' | 'number' | 'boolean' | 'choice' | 'texts' | 'object';
  /** The allowed values of a parameter. */
  readonly choices?: readonly string[];
  /** The kinds of secrets that were found in a prompt. */
  readonly secretKinds?: readonly SecretKind[];
  /** The day a model was withdrawn, YYYY-MM-DD. */
  readonly since?: string;
  /** IDs of the models that the service suggests instead of a deprecated or withdrawn one. */
  readonly successors?: readonly string[];
  /** The deadline that expired. `connect` marks any failure before something was sent. */
  readonly phase?: 'connect' | 'headers' | 'idle' | 'total';
  /** The checks that look for the cause couldn't run to the end. */
  readonly isUnchecked?: true;
}

/** A kind of secret that text can contain. */
export type SecretKind = 'apiKey' | 'token' | 'privateKey';

/** Details that can be undefined. */
export type FoundDetails = {
  readonly [Name in keyof ErrorDetails]: ErrorDetails[Name] | undefined;
};

const SAFE_WORD = /^[A-Za-z0-9._-]{1,64}$/;

/** A failure of the service or of the connection to it. Contains no foreign text and no cause. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly kind: ErrorKind;
  readonly details: ErrorDetails;

  /** @param found undefined details are left out */
  constructor(kind: ErrorKind, found: FoundDetails = {}) {
    super(summary(kind, found));
    this.kind = kind;
    const known = Object.entries(found).filter(([, value]) => value !== undefined);
    this.details = Object.fromEntries(known);
  }

  /** Returns a copy with more details. */
  with(details: FoundDetails): ServiceError {
    return new ServiceError(this.kind, { ...this.details, ...details });
  }
}

/** True for a failure of one of these kinds. */
export function isKind(error: unknown, ...kinds: ErrorKind[]): error is ServiceError {
  return error instanceof ServiceError && kinds.includes(error.kind);
}

/** True if the network or the service is unreachable. False if the service refused a request. */
export function isOutOfReach(error: unknown): boolean {
  return isKind(error, 'unreachable', 'offline', 'connection-lost', 'timeout', 'proxy');
}

/** Returns a word from a response if it's safe to show: short, no markup, no control characters. */
export function safeWord(word: unknown): string | undefined {
  return typeof word === 'string' && SAFE_WORD.test(word) ? word : undefined;
}

/** Returns facts such as `status 503` in a fixed order, for the log and for `message`. */
function summary(kind: ErrorKind, details: FoundDetails): string {
  const { status, code, attempts, requestId, host, redirectHost } = details;
  const facts = [
    status && `status ${status}`,
    code,
    attempts && `${attempts} sent`,
    host && `host ${host}`,
    redirectHost && `to ${redirectHost}`,
    requestId && `request ${requestId}`,
  ].filter(Boolean);
  return facts.length > 0 ? `${kind} (${facts.join(', ')})` : kind;
}

// Error codes of the service. They are documented, or were seen in its responses.

/** For a token that was valid before. */
export const TOKEN_EXPIRED = 'authentication_token_expired';

/** Codes of the inference service that have the same meaning with every status. */
export const INFERENCE_KINDS: Readonly<Record<string, ErrorKind>> = {
  [TOKEN_EXPIRED]: 'unauthorized',
  authentication_token_not_valid: 'unauthorized',
  authentication_no_token: 'unauthorized',
  no_associated_service_instance_error: 'project-without-runtime',
  token_quota_reached: 'quota-used-up',
  authorization_rejected: 'forbidden',
  user_authorization_failed: 'forbidden',
  container_not_found: 'project-unknown',
  invalid_instance_status_error: 'project-without-runtime',
  model_not_supported: 'model-unknown',
  model_no_support_for_function: 'operation-unsupported',
  rate_limit_reached_requests: 'rate-limited',
  consumption_limit_reached: 'capacity-full',
};

/** The message of this code contains the argument. */
export const INPUT_ARGUMENT = 'invalid_input_argument';
export const REQUEST_ENTITY = 'invalid_request_entity';

/** The identity service returns this code for a request that it can't parse. */
export const TOKEN_REQUEST_REFUSED = 'BXNIM0106E';
const KEY_REFUSED = 'BXNIM0415E';

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(INFERENCE_KINDS),
  INPUT_ARGUMENT,
  REQUEST_ENTITY,
  TOKEN_REQUEST_REFUSED,
  KEY_REFUSED,
]);

/** True for a code in this file. Any other code is unverified text from a response. */
export function isKnownCode(code: string): boolean {
  return KNOWN.has(code);
}
