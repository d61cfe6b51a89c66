import { type Clock, systemClock } from './clock.ts';
import type { Credentials } from './credentials.ts';
import { isKind, ServiceError } from './errors.ts';
import type { RequestLimit } from './headers.ts';
import { type ModelFate, reachIdentity, reachService } from './reach.ts';
import type { ClientSettings, Session } from './session.ts';

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

/** What a check found out; numbers and checked names. */
export interface CheckFacts {
  readonly host?: string;
  /** Milliseconds a new token lives. */
  readonly lifeMs?: number;
  /** How far this machine's clock is ahead of the service's; negative if it is behind. */
  readonly clockAheadMs?: number;
  readonly model?: ModelFate;
  readonly requestLimit?: RequestLimit;
}

export type CheckResult = { readonly check: CheckName } & (
  | { readonly state: 'running' }
  | { readonly state: 'passed' | 'warning'; readonly facts: CheckFacts }
  | { readonly state: 'failed'; readonly error: ServiceError }
  /** It would have told nothing after the one that failed. */
  | { readonly state: 'not-run' }
);

export interface Diagnosis {
  /** One for each check, in order. */
  readonly results: readonly CheckResult[];
  /** The first failure. */
  readonly failure: ServiceError | undefined;
}

export interface DiagnoseOptions {
  readonly session: Session;
  readonly credentials: Credentials;
  readonly settings: ClientSettings;
  readonly clock?: Clock;
}

/** A clock that is wrong by less does no harm that anybody would notice. */
const CLOCK_TOLERANCE_MS = 120_000;

interface Bench extends Required<DiagnoseOptions> {
  readonly signal: AbortSignal;
  /** What earlier checks found. */
  readonly found: CheckFacts;
}

type Check = (bench: Bench) => Promise<CheckFacts>;

const RUN: Readonly<Record<CheckName, Check>> = {
  'identity-host': async ({ session, credentials, signal }) => {
    await reachIdentity(session.http, credentials, signal);
    return { host: new URL(credentials.authUrl).host };
  },

  'service-host': async ({ session, credentials, settings, signal }) => {
    const model = await reachService(session.http, credentials, settings.modelId, signal);
    return { host: new URL(credentials.serviceUrl).host, ...(model && { model }) };
  },

  token: async ({ session, credentials, clock, signal }) => {
    const tokens = session.tokens(credentials);
    await tokens.refresh(signal);
    const { state } = tokens;
    return state.kind === 'valid' ? { lifeMs: state.expiresAt - clock.now() } : {};
  },

  clock: async ({ session, credentials }) => {
    const { state } = session.tokens(credentials);
    const clockAheadMs = state.kind === 'valid' ? state.clockAheadMs : undefined;
    return clockAheadMs === undefined ? {} : { clockAheadMs };
  },

  access: async ({ session, credentials, settings, found: { model }, signal }) => {
    try {
      const client = session.client(credentials, settings);
      const { requestLimit } = await client.countTokens('hello', signal);
      return { requestLimit, ...(model && { model }) };
    } catch (error) {
      if (!isKind(error, 'model-unknown') || !model) throw error;
      const { since, successors } = model;
      throw error.with({ successors, ...(model.stage === 'withdrawn' && { since }) });
    }
  },

  'request-limit': async ({ found: { requestLimit } }) => (requestLimit ? { requestLimit } : {}),
};

/**
 * Runs the checks one after the other, up to the first failure that makes the rest meaningless.
 * @param onResult called when a check starts and when it is over
 * @throws {ServiceError} `cancelled` when the signal aborts
 */
export async function diagnose(
  options: DiagnoseOptions,
  onResult: (result: CheckResult) => void,
  signal: AbortSignal,
): Promise<Diagnosis> {
  const results: CheckResult[] = [];
  let found: CheckFacts = {};
  let failure: ServiceError | undefined;
  for (const check of CHECKS) {
    let result: CheckResult = { check, state: 'not-run' };
    if (!failure || (check === 'service-host' && isOfOneHost(failure))) {
      onResult({ check, state: 'running' });
      result = await resultOf(check, { clock: systemClock, ...options, found, signal });
      if (signal.aborted) throw new ServiceError('cancelled');
    }
    if (result.state === 'failed') failure ??= result.error;
    else if ('facts' in result) found = { ...found, ...result.facts };
    results.push(result);
    onResult(result);
  }
  return { results, failure };
}

async function resultOf(check: CheckName, bench: Bench): Promise<CheckResult> {
  try {
    const facts = await RUN[check](bench);
    return { check, state: isWorrying(check, facts) ? 'warning' : 'passed', facts };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { check, state: 'failed', error: error.without([bench.credentials.apiKey]) };
  }
}

function isWorrying(check: CheckName, { clockAheadMs = 0, model }: CheckFacts): boolean {
  if (check === 'clock') return Math.abs(clockAheadMs) >= CLOCK_TOLERANCE_MS;
  return check === 'access' && model !== undefined;
}

/** Whether the other host is still worth a look: it tells one host from the whole network. */
function isOfOneHost(error: ServiceError): boolean {
  return isKind(error, 'unreachable', 'connection-lost', 'timeout', 'certificate');
}

/**
 * The cause of a refusal, by the checks that were run after it.
 * @param failure what they found; undefined if all passed
 */
export function explain(refusal: ServiceError, failure: ServiceError | undefined): ServiceError {
  if (failure) return failure;
  // The checks prove the token, but not the right to generate.
  return refusal.kind === 'unauthorized'
    ? new ServiceError('refused-once', refusal.details)
    : refusal;
}
