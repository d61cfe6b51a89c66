import { functionOf } from '../apiCapabilities.ts';
import { authMethodOf } from '../auth/authMethods.ts';
import { probeIdentity } from '../auth/identityService.ts';
import type { ClientSettings } from '../client.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Credentials } from '../credentials.ts';
import { isKind, ServiceError } from '../errors.ts';
import type { Retry } from '../http/httpTypes.ts';
import type { RateLimit } from '../http/requestPace.ts';
import { withoutSecrets } from '../masking.ts';
import { lifecycleOf, type ModelLifecycle, withLifecycle } from '../models/modelLifecycle.ts';
import type { ServiceRuntime } from '../serviceRuntime.ts';

/**
 * The network checks of a diagnosis, in order. They follow the steps of a generation, but stop
 * short of generating text, which would cost money.
 */

export const CHECKS = [
  'identity-host',
  'service-host',
  'token',
  'clock',
  'access',
  'request-limit',
] as const;

export type CheckName = (typeof CHECKS)[number];

/**
 * Returns the checks that apply to the authentication method. Without an identity service, there is
 * no identity host to check, and no server clock to compare this machine's clock with. Without an
 * exchange, there is no token to check.
 */
function checksFor({ service }: Credentials): readonly CheckName[] {
  const { exchange } = authMethodOf(service);
  if (exchange && !exchange.isOnDemand) return CHECKS;
  const others: readonly CheckName[] = exchange
    ? ['identity-host', 'clock']
    : ['identity-host', 'clock', 'token'];
  return CHECKS.filter((one) => !others.includes(one));
}

/** The findings of a check. They contain only numbers, booleans, dates, and validated names. */
export interface CheckFacts {
  readonly host?: string;
  /** Remaining lifetime of the token, in milliseconds. */
  readonly lifeMs?: number;
  /**
   * How far this machine's clock is ahead of the identity service's, in milliseconds. Negative if
   * this machine's clock is behind.
   */
  readonly clockAheadMs?: number;
  /** The model's lifecycle. Set only if the model is deprecated or withdrawn. */
  readonly model?: ModelLifecycle;
  /** The functions that the model supports, according to the model list or the user's settings. */
  readonly functions?: readonly string[];
  /**
   * True if the project and model couldn't be checked because either the model doesn't support the
   * access check or the service has no model list.
   */
  readonly isUnchecked?: true;
  readonly requestLimit?: RateLimit;
  /** True during a pause that the service requested. */
  readonly isPaused?: boolean;
}

type CheckEnd = { readonly check: CheckName } & (
  | { readonly state: 'passed' | 'warning'; readonly facts: CheckFacts }
  | { readonly state: 'failed'; readonly error: ServiceError }
);

export type CheckResult =
  | CheckEnd
  | { readonly check: CheckName; readonly state: 'running'; readonly retry?: Retry }
  /** The check was skipped because an earlier check failed. */
  | { readonly check: CheckName; readonly state: 'not-run' };

type Probe = ReturnType<ServiceRuntime['clientForChecks']>;

export interface ConnectionCheckOptions {
  readonly runtime: ServiceRuntime;
  readonly credentials: Credentials;
  readonly settings: ClientSettings;
  /**
   * Returns true if these credentials are still in use. Called before each check that uses the key
   * or a token.
   */
  readonly mayUse?: () => Promise<boolean>;
  readonly clock?: Clock;
}

/**
 * Minimum clock difference, in milliseconds, that causes a warning. A smaller difference doesn't
 * cause noticeable problems.
 */
const CLOCK_TOLERANCE_MS = 120_000;

interface CheckContext extends ConnectionCheckOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onRetry: (retry: Retry) => void;
  /**
   * Returns the client and the token service for checks that use the key or a token. All checks of
   * a diagnosis share one client and one token service.
   * @throws {ServiceError} `credentials-changed`
   */
  readonly probe: () => Promise<Probe>;
  /** Facts from earlier checks. */
  readonly found: CheckFacts;
}

const RUN: Readonly<Record<CheckName, (context: CheckContext) => Promise<CheckFacts>>> = {
  'identity-host': async ({ runtime, credentials, signal }) => {
    await probeIdentity(runtime.http, credentials, signal);
    return { host: new URL(credentials.authUrl).host };
  },

  'service-host': async ({ runtime, credentials, settings, signal }) => {
    const entry = await runtime.fetchModelInfo(credentials, settings, signal);
    const { host } = new URL(credentials.serviceUrl);
    if (!entry) return { host };
    const model = lifecycleOf(entry);
    return { host, functions: entry.functions, ...(model.stage && { model }) };
  },

  token: async ({ probe, clock, signal }) => {
    const { tokenService } = await probe();
    await tokenService.prove(signal);
    const { state } = tokenService;
    return state.kind === 'valid' ? { lifeMs: state.expiresAt - clock.now() } : {};
  },

  clock: async ({ probe }) => {
    const { state } = (await probe()).tokenService;
    const clockAheadMs = state.kind === 'valid' ? state.clockAheadMs : undefined;
    return clockAheadMs === undefined ? {} : { clockAheadMs };
  },

  access: async ({ probe, settings, found: { model, functions = [] }, onRetry, signal }) => {
    const { client } = await probe();
    const requestLimit = await client.checkAccess(signal, onRetry).catch((error: unknown) => {
      // A model that doesn't support the access check may still support the selected operation. A
      // service without a model list may still accept the model.
      if (isKind(error, 'operation-unsupported', 'no-model-list')) return undefined;
      const isExplained =
        error instanceof ServiceError && error.handling.explainedBy === 'lifecycle';
      throw isExplained && model ? withLifecycle(error, model) : error;
    });
    if (functions.length > 0 && !functions.includes(functionOf(settings.operation))) {
      throw new ServiceError('operation-unsupported');
    }
    const proof = requestLimit ? { requestLimit } : { isUnchecked: true as const };
    return { ...proof, ...(model && { model }) };
  },

  'request-limit': async ({ runtime, credentials, found: { requestLimit } }) => ({
    ...(requestLimit && { requestLimit }),
    isPaused: runtime.isPaused(credentials.approved.service),
  }),
};

/**
 * Runs the checks in order until one fails. If the identity host fails its check for a reason that
 * may affect only that host, the service host is still checked. That check shows whether the whole
 * network is down.
 * @param onResult called when a check starts, waits for a retry, ends, or is skipped after a
 * failure; called again for the identity host if the whole network turns out to be down
 * @returns the first failure; undefined if all checks passed
 * @throws {ServiceError} `cancelled` if the signal aborts
 */
export async function runConnectionChecks(
  options: ConnectionCheckOptions,
  onResult: (result: CheckResult) => void,
  signal: AbortSignal,
): Promise<ServiceError | undefined> {
  const { runtime, credentials, settings, mayUse } = options;
  let opened: Probe | undefined;
  const probe = async () => {
    if (mayUse && !(await mayUse())) throw new ServiceError('credentials-changed');
    opened ??= runtime.clientForChecks(credentials, settings);
    return opened;
  };
  let found: CheckFacts = {};
  let failure: ServiceError | undefined;
  for (const check of checksFor(credentials)) {
    if (failure && !(check === 'service-host' && mayAffectOneHost(failure))) {
      onResult({ check, state: 'not-run' });
      continue;
    }
    onResult({ check, state: 'running' });
    const onRetry = (retry: Retry) => onResult({ check, state: 'running', retry });
    const context = { clock: systemClock, ...options, probe, found, onRetry, signal };
    let result = await resultOf(check, context);
    if (signal.aborted) throw new ServiceError('cancelled');
    if (result.state !== 'failed') found = { ...found, ...result.facts };
    else if (failure && isOffline(failure, result.error)) {
      failure = offline(failure);
      onResult({ check: 'identity-host', state: 'failed', error: failure });
      result = { ...result, error: offline(result.error) };
    } else failure ??= result.error;
    onResult(result);
  }
  return failure;
}

async function resultOf(check: CheckName, context: CheckContext): Promise<CheckEnd> {
  try {
    const facts = await RUN[check](context);
    return { check, state: needsWarning(check, facts) ? 'warning' : 'passed', facts };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // A response can repeat the key or the project ID, but a report must contain neither.
    const secrets = [context.credentials.apiKey, context.credentials.projectId];
    return { check, state: 'failed', error: withoutSecrets(error, secrets) };
  }
}

/**
 * True if neither of two different hosts could be reached. In that case, the network is probably
 * down, because a misspelled address would affect only one host.
 */
function isOffline(one: ServiceError, other: ServiceError): boolean {
  const areOut = [one, other].every((error) => isKind(error, 'unreachable', 'timeout'));
  return areOut && one.details.host !== other.details.host;
}

function offline({ details }: ServiceError): ServiceError {
  return new ServiceError('offline', details);
}

/**
 * True if the failure may affect only one host. In that case, the other host should be checked,
 * too.
 */
function mayAffectOneHost(error: ServiceError): boolean {
  return isKind(error, 'unreachable', 'connection-lost', 'timeout', 'certificate', 'tls');
}

/** True if a check passed, but found something that the user should be warned about. */
function needsWarning(check: CheckName, facts: CheckFacts): boolean {
  const { clockAheadMs = 0, model, isUnchecked } = facts;
  if (check === 'request-limit') return facts.isPaused === true;
  if (check === 'clock') return Math.abs(clockAheadMs) >= CLOCK_TOLERANCE_MS;
  return check === 'access' && (model !== undefined || isUnchecked === true);
}
