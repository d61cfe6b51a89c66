import type { Clock } from '../clock.ts';
import type { Credentials } from '../credentials.ts';
import { isKind, ServiceError } from '../errors.ts';
import type { Retry } from '../http/httpRequest.ts';
import type { RequestLimit } from '../http/limiter.ts';
import { endOf, type ModelEnd, withEnd } from '../models/modelLifecycle.ts';
import { functionOf } from '../models/models.ts';
import type { ClientSettings, Session } from '../session.ts';
import { addressOf, probeIdentity } from './probe.ts';

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
  readonly model?: ModelEnd;
  /** What the model can be used for, as the public list says. */
  readonly functions?: readonly string[];
  /** The model does not take the call that would have proved project and model. */
  readonly isUnproven?: true;
  readonly requestLimit?: RequestLimit;
}

/** A clock that is wrong by less does no harm that anybody would notice. */
const CLOCK_TOLERANCE_MS = 120_000;

/** What a check works with. */
export interface CheckContext {
  readonly session: Session;
  readonly credentials: Credentials;
  readonly settings: ClientSettings;
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

export type Probe = ReturnType<Session['probe']>;

type Check = (bench: CheckContext) => Promise<CheckFacts>;

export const RUN: Readonly<Record<CheckName, Check>> = {
  'identity-host': async ({ session, credentials, signal }) => {
    await probeIdentity(session.http, credentials, signal);
    return { host: new URL(credentials.authUrl).host };
  },

  'service-host': async ({ session, credentials, settings, signal }) => {
    const entry = await session.askModel(addressOf(credentials), settings, signal);
    const model = entry && endOf(entry);
    const { host } = new URL(credentials.serviceUrl);
    return { host, ...(model && { model }), ...(entry && { functions: entry.functions }) };
  },

  token: async ({ probe, clock, signal }) => {
    const { tokens } = await probe();
    await tokens.refresh(signal);
    const { state } = tokens;
    return state.kind === 'valid' ? { lifeMs: state.expiresAt - clock.now() } : {};
  },

  clock: async ({ probe }) => {
    const { state } = (await probe()).tokens;
    const clockAheadMs = state.kind === 'valid' ? state.clockAheadMs : undefined;
    return clockAheadMs === undefined ? {} : { clockAheadMs };
  },

  access: async ({ probe, settings, found: { model, functions = [] }, onRetry, signal }) => {
    const { client } = await probe();
    const counted = await client.countTokens('hello', signal, onRetry).catch((error: unknown) => {
      // Counting is an operation of its own: without it the others may well be there.
      if (isKind(error, 'operation-unsupported')) return undefined;
      throw isKind(error, 'model-unknown') && model ? withEnd(error, model) : error;
    });
    if (functions.length > 0 && !functions.includes(functionOf(settings.operation))) {
      throw new ServiceError('operation-unsupported');
    }
    const proof = counted ? { requestLimit: counted.requestLimit } : { isUnproven: true as const };
    return { ...proof, ...(model && { model }) };
  },

  'request-limit': async ({ found: { requestLimit } }) => (requestLimit ? { requestLimit } : {}),
};

/** Whether a check that passed found something worth a warning. */
export function isWorrying(check: CheckName, facts: CheckFacts): boolean {
  const { clockAheadMs = 0, model, isUnproven } = facts;
  if (check === 'clock') return Math.abs(clockAheadMs) >= CLOCK_TOLERANCE_MS;
  return check === 'access' && (model !== undefined || isUnproven === true);
}
