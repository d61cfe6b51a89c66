import { functionOf, type Model } from '../api/modelList.ts';
import { authMethodOf } from '../auth/authMethods.ts';
import { probeIdentity } from '../auth/identity.ts';
import type { TokenService } from '../auth/tokenService.ts';
import type { Client, ClientSettings } from '../client.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Credentials } from '../credentials.ts';
import { isKind, ServiceError } from '../errors.ts';
import type { Http } from '../http/http.ts';
import type { Retry } from '../http/httpRequest.ts';
import type { RateLimit } from '../http/requestPace.ts';
import { lifecycleOf, type ModelLifecycle, withLifecycle } from '../models/modelLifecycle.ts';
import { withoutSecrets } from '../secrets.ts';

/**
 * The checks of a diagnosis on the network, in order, each one a function. They send what a
 * generation sends, up to but without the generation: no generated token is spent.
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

/** They say nothing where the key itself opens the service. */
const TOKEN_CHECKS: ReadonlySet<CheckName> = new Set<CheckName>([
  'identity-host',
  'token',
  'clock',
]);

/** What a check found out; numbers and checked names. */
export interface CheckFacts {
  readonly host?: string;
  /** Milliseconds a new token lives. */
  readonly lifeMs?: number;
  /** How far this machine's clock is ahead of the service's; negative if it is behind. */
  readonly clockAheadMs?: number;
  /** Of a model that is deprecated or withdrawn. */
  readonly model?: ModelLifecycle;
  /** What the model can be used for, as the public list says. */
  readonly functions?: readonly string[];
  /** The model does not take the call that would have proved project and model. */
  readonly isUnchecked?: true;
  readonly requestLimit?: RateLimit;
}

type CheckEnd = { readonly check: CheckName } & (
  | { readonly state: 'passed' | 'warning'; readonly facts: CheckFacts }
  | { readonly state: 'failed'; readonly error: ServiceError }
);

export type CheckResult =
  | CheckEnd
  | { readonly check: CheckName; readonly state: 'running'; readonly retry?: Retry }
  /** It would have told nothing after the one that failed. */
  | { readonly check: CheckName; readonly state: 'not-run' };

/** What the checks use of a `ServiceRuntime`. */
export interface CheckedRuntime {
  readonly http: Http;
  fetchModelInfo(
    credentials: Credentials,
    settings: ClientSettings,
    signal: AbortSignal,
  ): Promise<Model | undefined>;
  clientForChecks(credentials: Credentials, settings: ClientSettings): Probe;
}

interface Probe {
  readonly tokenService: TokenService;
  readonly client: Client;
}

export interface DiagnoseOptions {
  readonly runtime: CheckedRuntime;
  readonly credentials: Credentials;
  readonly settings: ClientSettings;
  /** Whether these credentials still are what would be used; asked before each step that sends them. */
  readonly mayUse?: () => Promise<boolean>;
  readonly clock?: Clock;
}

/** A clock that is wrong by less does no harm that anybody would notice. */
const CLOCK_TOLERANCE_MS = 120_000;

/** What a check works with. */
interface CheckContext extends DiagnoseOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onRetry: (retry: Retry) => void;
  /**
   * What a credential is sent with: one client and one token service for the whole run.
   * @throws {ServiceError} `credentials-changed`
   */
  readonly probe: () => Promise<Probe>;
  /** What earlier checks found. */
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
    await tokenService.refresh(signal);
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
      // What proves it is an operation of its own: without it the others may well be there.
      if (isKind(error, 'operation-unsupported')) return undefined;
      throw isKind(error, 'model-unknown') && model ? withLifecycle(error, model) : error;
    });
    if (functions.length > 0 && !functions.includes(functionOf(settings.operation))) {
      throw new ServiceError('operation-unsupported');
    }
    const proof = requestLimit ? { requestLimit } : { isUnchecked: true as const };
    return { ...proof, ...(model && { model }) };
  },

  'request-limit': async ({ found: { requestLimit } }) => (requestLimit ? { requestLimit } : {}),
};

/**
 * Runs the checks one after the other, up to the first failure that makes the rest meaningless.
 * @param onResult called when a check starts and when it is over
 * @returns the first failure
 * @throws {ServiceError} `cancelled` when the signal aborts
 */
export async function diagnose(
  options: DiagnoseOptions,
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
  const { exchange } = authMethodOf(credentials.service);
  for (const check of CHECKS.filter((one) => exchange || !TOKEN_CHECKS.has(one))) {
    if (failure && !(check === 'service-host' && isOfOneHost(failure))) {
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
    return { check, state: isWorrying(check, facts) ? 'warning' : 'passed', facts };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // No report may repeat them, whoever puts them into an answer.
    const secrets = [context.credentials.apiKey, context.credentials.projectId];
    return { check, state: 'failed', error: withoutSecrets(error, secrets) };
  }
}

/**
 * Whether two failures say more together than each of them: systems without a network call every
 * name unknown, so that of two hosts neither is likely to be misspelt.
 */
function isOffline(one: ServiceError, other: ServiceError): boolean {
  const areOut = [one, other].every((error) => isKind(error, 'unreachable', 'timeout'));
  return areOut && one.details.host !== other.details.host;
}

function offline({ details }: ServiceError): ServiceError {
  return new ServiceError('offline', details);
}

/** Whether the other host is still worth a look: it tells one host from the whole network. */
function isOfOneHost(error: ServiceError): boolean {
  return isKind(error, 'unreachable', 'connection-lost', 'timeout', 'certificate', 'tls');
}

/** Whether a check that passed found something worth a warning. */
function isWorrying(check: CheckName, facts: CheckFacts): boolean {
  const { clockAheadMs = 0, model, isUnchecked } = facts;
  if (check === 'clock') return Math.abs(clockAheadMs) >= CLOCK_TOLERANCE_MS;
  return check === 'access' && (model !== undefined || isUnchecked === true);
}
