/**
 * Everything that can go wrong with the service, as kinds and numbers. Sentences belong to the
 * user interface; text of the service, headers, bodies and foreign error objects never get here,
 * since both JSON and inspection of them can show the key: an AxiosError holds the request.
 */

/** Why a request failed. Each kind exists because a person has to do something different. */
export type ErrorKind =
  // Before anything is sent
  | 'host-not-approved'
  | 'certificate-checks-off'
  | 'parameter-refused'
  | 'prompt-holds-secret'
  /** In the URL, or in an ID of the body. */
  | 'setting-holds-secret'
  | 'queue-full'
  /** They were replaced or forgotten while they were being checked. */
  | 'credentials-changed'
  // The identity service
  | 'key-refused'
  | 'token-request-refused'
  | 'token-unusable'
  // The inference service
  | 'unauthorized'
  /** Refused the token, and a moment later accepts a new one. */
  | 'refused-once'
  | 'forbidden'
  /** Something between this machine and the service refused it, in a shape that is not the service's. */
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
  // The way there and back
  | 'unreachable'
  /** None of the hosts that were tried can be reached. */
  | 'offline'
  | 'connection-lost'
  | 'certificate'
  /** No encryption was agreed upon; the code says whether the other end speaks it at all. */
  | 'tls'
  | 'proxy'
  | 'timeout'
  | 'redirected'
  | 'too-large'
  | 'unexpected-answer'
  | 'incomplete'
  | 'cancelled';

/** The only facts about a failure that leave `src/service`. */
export interface ErrorDetails {
  /** HTTP status. */
  readonly status?: number;
  /** A code of the service, or of the operating system for connection failures. */
  readonly code?: string;
  /** The service's own number of the request, for its support. */
  readonly requestId?: string;
  /** Host the request went to. */
  readonly host?: string;
  /** For `redirected` the host it was told to go to, if it was one. */
  readonly redirectHost?: string;
  /** Host and port of the proxy on the way, as far as they are known. */
  readonly proxy?: string;
  /** Requests sent, the first one included. */
  readonly attempts?: number;
  /** Milliseconds the service asked to wait. */
  readonly retryAfterMs?: number;
  /** Names of settings or parameters, our own words. */
  readonly names?: readonly string[];
  /** What is allowed, in the unit of `actual`: the most, unless `bound` says otherwise. */
  readonly limit?: number;
  readonly actual?: number;
  /** `limit` is the least that is allowed, the most, or what must be exceeded. */
  readonly bound?: 'least' | 'above' | 'most';
  /**
   * Who sets `limit` where it is not the range of the parameter: the operation, while the other one
   * takes more, or the model.
   */
  readonly limitOf?: 'chat' | 'generation' | 'model';
  /** What the value of a parameter should have been. */
  readonly expected?: 'integer' | 'number' | 'boolean' | 'choice' | 'texts' | 'object';
  /** The words that a parameter can be. */
  readonly choices?: readonly string[];
  /** What a prompt holds that is not sent. */
  readonly secretKinds?: readonly SecretKind[];
  /** The day from which a model is withdrawn, YYYY-MM-DD. */
  readonly since?: string;
  /** Ids of the models that the service names in place of a withdrawn one. */
  readonly successors?: readonly string[];
  /** Which of our deadlines ran out; `connect` for whatever happened before anything was sent. */
  readonly phase?: 'connect' | 'headers' | 'idle' | 'total';
  /** The checks that were to find the cause found something else in their way. */
  readonly isUnchecked?: true;
}

/** A kind of secret that text can contain. */
export type SecretKind = 'apiKey' | 'token' | 'privateKey';

/** The same where some may be unknown. */
export type FoundDetails = {
  readonly [Name in keyof ErrorDetails]: ErrorDetails[Name] | undefined;
};

const SAFE_WORD = /^[A-Za-z0-9._-]{1,64}$/;

/** A failure of the hosted service or of the way to it. Carries no foreign text and no cause. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly kind: ErrorKind;
  readonly details: ErrorDetails;

  /** @param found what is undefined in it is left out */
  constructor(kind: ErrorKind, found: FoundDetails = {}) {
    super(summary(kind, found));
    this.kind = kind;
    const known = Object.entries(found).filter(([, value]) => value !== undefined);
    this.details = Object.fromEntries(known);
  }

  /** The same failure with more known about it. */
  with(details: FoundDetails): ServiceError {
    return new ServiceError(this.kind, { ...this.details, ...details });
  }
}

/** True for a failure of this kind; narrows unknown errors. */
export function isKind(error: unknown, ...kinds: ErrorKind[]): error is ServiceError {
  return error instanceof ServiceError && kinds.includes(error.kind);
}

/** True where the network or the service is out of reach, rather than saying no. */
export function isOutOfReach(error: unknown): boolean {
  return isKind(error, 'unreachable', 'offline', 'connection-lost', 'timeout', 'proxy');
}

/** A word of the service that is safe to show anywhere: short, no markup, no control characters. */
export function safeWord(word: unknown): string | undefined {
  return typeof word === 'string' && SAFE_WORD.test(word) ? word : undefined;
}

/** `ECONNREFUSED`, `status 503`, … in a fixed order, for the log and for `message`. */
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

// The codes of the service that this client knows: documented, or seen in its answers.

/** Of a token that was good once. */
export const TOKEN_EXPIRED = 'authentication_token_expired';

/** Codes of the inference service that have one meaning, whatever the status. */
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

/** Its message says which argument it means. */
export const INPUT_ARGUMENT = 'invalid_input_argument';
export const REQUEST_ENTITY = 'invalid_request_entity';

/** The identity service says this of a request that it cannot read. */
export const TOKEN_REQUEST_REFUSED = 'BXNIM0106E';
const KEY_REFUSED = 'BXNIM0415E';

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(INFERENCE_KINDS),
  INPUT_ARGUMENT,
  REQUEST_ENTITY,
  TOKEN_REQUEST_REFUSED,
  KEY_REFUSED,
]);

/** True for a word that this client knows; any other one is whatever an answer said. */
export function isKnownCode(code: string): boolean {
  return KNOWN.has(code);
}
