/**
 * Request failures. Each failure has a kind and details, from which `src/messages` builds the text
 * for the user. A failure must not contain headers, bodies, free text from the service, or errors
 * from libraries, because logging any of these could reveal a secret. For example, an AxiosError
 * contains the request.
 */

/** How the extension handles failures of one kind, apart from the message for the user. */
interface Handling {
  /**
   * True if the failure may soon go away on its own. A request that fails this way is retried if
   * `RETRIED_STATUSES` in `src/service/http/retryRules.ts` contains the response's status, and if
   * the service doesn't ask for a longer wait than `MAX_RETRY_AFTER_MS`.
   */
  readonly isTemporary?: true;
  /**
   * True if the identity service would also reject any further token requests. No more tokens are
   * requested until the user changes the credentials, refreshes the token, or tests the connection.
   * Set this field only for failures that the identity service reports and that only new
   * credentials or an action by the user can fix. An example is a locked account, because further
   * requests could extend the lockout.
   */
  readonly stopsTokenRequests?: true;
  /**
   * True if the failure can also cause an unexplained 401 or 403. After such a response, checks are
   * run to find the cause. If a check fails with an error of this kind, the error's message is
   * shown. Don't set this field for a temporary failure, because it may have started after the
   * response.
   */
  readonly explainsRejection?: true;
  /**
   * The part of the model's description that may explain the failure of a generation. If it's
   * `lifecycle`, the message can use the details `since` and `successors`.
   */
  readonly explainedBy?: 'lifecycle' | 'limits';
  /**
   * The value that the user should correct. If the test during setup fails, setup returns to the
   * step for this value. If several values may be wrong, use the last one in this list, because
   * users can go back. The step for `url`, which includes the region, is used only if the inference
   * service failed.
   */
  readonly setting?: 'apiKey' | 'projectId' | 'url';
}

/**
 * Each kind of failure, and how the extension handles it. The kind also determines the message for
 * the user. No test checks whether a new kind has the right fields, so compare it with the most
 * similar kinds.
 */
export const ERROR_KINDS = {
  // Failures that the extension detects, usually before anything is sent.
  'host-not-approved': {},
  'certificate-checks-off': {},
  'parameter-rejected': {},
  'prompt-holds-secret': {},
  /**
   * The URL or the body contains a secret, for example because the user entered a key as a project
   * ID.
   */
  'setting-holds-secret': {},
  'queue-full': {},
  /** VS Code couldn't write to a settings file, for example because of unsaved changes. */
  'settings-not-written': {},
  /**
   * During a diagnosis, the credentials were replaced or removed, or couldn't be read. The
   * remaining diagnosis requests weren't sent.
   */
  'credentials-changed': {},
  // Failures while getting a token. The inference service can also reject a key if requests contain
  // the key itself.
  'key-rejected': { stopsTokenRequests: true, explainsRejection: true, setting: 'apiKey' },
  'token-request-rejected': { stopsTokenRequests: true, explainsRejection: true },
  'token-unusable': {},
  /** The command that prints the token failed or printed no usable token. */
  'command-failed': {},
  // Failures that the inference service reports. The identity service can also report some of these
  // failures, such as `rate-limited`.
  unauthorized: { explainsRejection: true },
  /** The service rejected a token, but all subsequent checks passed with a new token. */
  'rejected-once': {},
  forbidden: { explainsRejection: true, setting: 'projectId' },
  /**
   * A 401 or 403 that isn't in the service's format and probably comes from a firewall or gateway.
   */
  intercepted: {},
  'project-missing': { explainsRejection: true, setting: 'projectId' },
  'project-unknown': { explainsRejection: true, setting: 'projectId' },
  'project-without-runtime': { explainsRejection: true, setting: 'projectId' },
  'quota-used-up': { explainsRejection: true },
  'model-unknown': { explainsRejection: true, explainedBy: 'lifecycle' },
  /** The service has no model list, so access can't be checked without generating text. */
  'no-model-list': {},
  'operation-unsupported': { explainsRejection: true },
  'prompt-too-long': {},
  'bad-request': { explainedBy: 'limits' },
  /** The request headers are larger than the service accepts. */
  'headers-too-large': {},
  'rate-limited': { isTemporary: true },
  'capacity-full': { isTemporary: true },
  'server-failed': { isTemporary: true },
  // Network failures and failures while reading the response.
  unreachable: { setting: 'url' },
  /** Neither the identity service nor the inference service is reachable. */
  offline: {},
  'connection-lost': {},
  certificate: { setting: 'url' },
  /**
   * The TLS handshake failed. The code `ERR_SSL_WRONG_VERSION_NUMBER` means that the server doesn't
   * use TLS.
   */
  tls: { setting: 'url' },
  proxy: {},
  timeout: {},
  redirected: {},
  'too-large': {},
  'unexpected-answer': { setting: 'url' },
  incomplete: {},
  cancelled: {},
} as const satisfies Readonly<Record<string, Handling>>;

/** The reason for a failure. */
export type ErrorKind = keyof typeof ERROR_KINDS;

/** Everything that `src/service` reveals about a failure, apart from its kind. */
export interface ErrorDetails {
  /** The status of the response. Also set if the response was interrupted or stalled. */
  readonly status?: number;
  /** The service's error code. For a network failure, the code from Node or undici. */
  readonly code?: string;
  /** The ID that the service assigned to the request. The service's support team may ask for it. */
  readonly requestId?: string;
  /** The host that the request was addressed to. */
  readonly host?: string;
  /** The host that a redirect points to, if the host is valid. */
  readonly redirectHost?: string;
  /** Host and port of the proxy. */
  readonly proxy?: string;
  /**
   * Number of times the request was sent. For `cancelled`, 0 if the last attempt couldn't have been
   * billed.
   */
  readonly attempts?: number;
  /** Milliseconds to wait before the next request, if the service requested a pause. */
  readonly retryAfterMs?: number;
  /**
   * Names of the settings, parameters, or environment variables at fault. Never text from a
   * response.
   */
  readonly names?: readonly string[];
  /**
   * The limit that was violated, in the same unit as `actual`. It's a maximum if `bound` is
   * undefined.
   */
  readonly limit?: number;
  readonly actual?: number;
  /** The meaning of `limit`: inclusive minimum, exclusive minimum, or inclusive maximum. */
  readonly bound?: 'least' | 'above' | 'most';
  /** Set if `limit` applies only to one operation or only to the model in use. */
  readonly limitOf?: 'chat' | 'generation' | 'model';
  /** The expected type of a parameter. */
  readonly expected?: 'integer' | 'number' | 'boolean' | 'choice' | 'texts' | 'object';
  /** The allowed values of a parameter. */
  readonly choices?: readonly string[];
  /** The kinds of secrets that were found in a prompt or parameter. */
  readonly secretKinds?: readonly SecretKind[];
  /** The date when the model was withdrawn, YYYY-MM-DD. */
  readonly since?: string;
  /** IDs of the models that the service suggests instead of the deprecated or withdrawn model. */
  readonly successors?: readonly string[];
  /**
   * The deadline that expired. `connect` also covers other failures that occur before anything is
   * sent.
   */
  readonly phase?: 'connect' | 'start' | 'idle' | 'total';
  /** The problem with the command that prints the token. */
  readonly problem?: CommandProblem;
  readonly exitCode?: number;
  /**
   * True if the cause of a rejection is unknown, because a check that could have found it was
   * skipped or failed for an unrelated reason.
   */
  readonly isUnchecked?: true;
}

/** `stopped`: a signal killed the command. `no-token`: the command printed no usable token. */
export type CommandProblem =
  | 'not-found'
  | 'exit'
  | 'stopped'
  | 'too-slow'
  | 'too-long'
  | 'nothing'
  | 'no-token'
  | 'expired';

export type SecretKind = 'apiKey' | 'token' | 'privateKey';

/** Like `ErrorDetails`, but values can be undefined. `ServiceError` drops undefined values. */
export type FoundDetails = {
  readonly [Name in keyof ErrorDetails]: ErrorDetails[Name] | undefined;
};

const SAFE_WORD = /^[A-Za-z0-9._-]{1,64}$/;

/** A failure, with its kind and details. Has no `cause`, because a cause could contain secrets. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly kind: ErrorKind;
  readonly details: ErrorDetails;

  constructor(kind: ErrorKind, found: FoundDetails = {}) {
    super(summary(kind, found));
    this.kind = kind;
    const known = Object.entries(found).filter(([, value]) => value !== undefined);
    this.details = Object.fromEntries(known);
  }

  get handling(): Handling {
    return ERROR_KINDS[this.kind];
  }

  /** Returns a copy with these details added or replaced. */
  with(details: FoundDetails): ServiceError {
    return new ServiceError(this.kind, { ...this.details, ...details });
  }
}

export function isKind(error: unknown, ...kinds: ErrorKind[]): error is ServiceError {
  return error instanceof ServiceError && kinds.includes(error.kind);
}

/**
 * True if the proxy caused the failure, the network or service was unreachable, or the service
 * didn't respond. False in all other cases, for example if a response was interrupted.
 */
export function isUnreachable(error: unknown): boolean {
  if (isKind(error, 'unreachable', 'offline', 'proxy')) return true;
  return isKind(error, 'connection-lost', 'timeout') && error.details.status === undefined;
}

/**
 * Returns a value from a response if it's a short word without markup, and therefore safe to show.
 * Returns undefined for any other value.
 */
export function plainWord(word: unknown): string | undefined {
  return typeof word === 'string' && SAFE_WORD.test(word) ? word : undefined;
}

/**
 * Formats a failure for `message` and the log, as in `server-failed (status 503, 4 sent)`.
 */
function summary(kind: ErrorKind, details: FoundDetails): string {
  const { status, code, attempts, requestId, host, redirectHost, problem, exitCode } = details;
  const facts = [
    problem,
    exitCode !== undefined && `code ${exitCode}`,
    status && `status ${status}`,
    code,
    attempts && `${attempts} sent`,
    host && `host ${host}`,
    redirectHost && `to ${redirectHost}`,
    requestId && `request ${requestId}`,
  ].filter(Boolean);
  return facts.length > 0 ? `${kind} (${facts.join(', ')})` : kind;
}

// Error codes of the inference service and the identity service, from documentation or recorded
// responses.

export const TOKEN_EXPIRED = 'authentication_token_expired';

/**
 * Error kinds, keyed by the status of a response without a known error code. Any service can send
 * these statuses, including an identity service. Put a status that concerns models or text in
 * `KIND_BY_INFERENCE_STATUS` (`api/statusFailure.ts`) instead.
 */
export const KIND_BY_STATUS: Readonly<Record<number, ErrorKind>> = {
  407: 'proxy',
  429: 'rate-limited',
};

/**
 * Error kinds, keyed by the error code from the inference service. Contains only codes that always
 * mean the same failure.
 */
export const KIND_BY_CODE: Readonly<Record<string, ErrorKind>> = {
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

// For these two codes, the failure kind depends on the message in the response.
export const INPUT_ARGUMENT = 'invalid_input_argument';
export const REQUEST_ENTITY = 'invalid_request_entity';

/**
 * Error kinds, keyed by the error code from IBM's identity service. Codes of other identity
 * services are in the files of their authentication methods.
 */
export const KIND_BY_IDENTITY_CODE: ReadonlyMap<string, ErrorKind> = new Map([
  // The token request failed validation.
  ['BXNIM0106E', 'token-request-rejected'],
  ['BXNIM0415E', 'key-rejected'],
]);

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(KIND_BY_CODE),
  INPUT_ARGUMENT,
  REQUEST_ENTITY,
  ...KIND_BY_IDENTITY_CODE.keys(),
]);

/**
 * True if the code is one of the error codes above. Any other code may be arbitrary text from a
 * response.
 */
export function isKnownCode(code: string): boolean {
  return KNOWN.has(code);
}
