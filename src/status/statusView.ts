import type { Obstacle } from '../connection/activeConnection.ts';
import type { Message } from '../messages/actions.ts';
import type { TokenState } from '../service/auth/token.ts';
import type { Connection } from '../service/connection.ts';
import type { ConcurrencyLimit } from '../service/http/concurrencyLimit.ts';
import { hasOwnModel } from '../service/service.ts';
import { toNextSecond, type Wait, waitFor, waitText } from './requestWait.ts';

/** Computes the content of the status item. Pure. */

/**
 * The requests to a service. The times in `state` are relative to the moment when `state` is read,
 * so `state` is read again for each repaint.
 */
type Requests = Pick<ConcurrencyLimit, 'state'>;

export interface RunningGeneration {
  /** The requests to the generation's service, which can differ from the service in use. */
  readonly requests: Requests;
  /**
   * Returns the milliseconds until the next attempt, based on a monotonic clock; 0 or less if the
   * generation isn't waiting for an attempt.
   */
  readonly retryInMs: () => number;
}

export interface StatusFacts {
  /**
   * True if the editor has a key and all needed settings, or if a source other than the editor was
   * used last. Undefined until this is known.
   */
  readonly isSetUp: boolean | undefined;
  /**
   * True if a key is stored for the service that's selected in the settings. If the settings don't
   * name a service, true if a key is stored for any service.
   */
  readonly hasKey: boolean;
  /** True if the extension is set up for a service whose access tokens need to be refreshed. */
  readonly refreshesTokens: boolean;
  /**
   * The reason that the last command for the active folder couldn't get a connection, or `none`.
   */
  readonly obstacle: Obstacle;
  readonly token: TokenState;
  readonly running: readonly RunningGeneration[];
  /** The current requests to the service in use; undefined without a connection. */
  readonly requests: Requests | undefined;
  /**
   * True if the service or the network was unreachable on the last attempt, and neither the
   * settings nor the stored keys have changed since.
   */
  readonly unreachable: boolean;
  /**
   * The message about the last failure; undefined after a success or after a stored key has
   * changed.
   */
  readonly lastFailure: Message | undefined;
  /**
   * Tooltip lines about the values that the connection uses, a source that needs approval, or an
   * error in the `.env` file. Undefined before the first lookup, or if none of these applies.
   */
  readonly provenance: readonly string[] | undefined;
  /** The connection in use, if any. */
  readonly connection: Pick<Connection, 'reason' | 'service' | 'resource' | 'modelId'> | undefined;
  /** Returns the tooltip line about today's usage; undefined once the day is over. */
  readonly usageToday: (() => string | undefined) | undefined;
}

/**
 * The state that the status item shows. The first row that applies determines the state.
 *
 * | State       | Applies if                                                     |
 * |-------------|----------------------------------------------------------------|
 * | rejected    | set up, and the key or the token request was rejected          |
 * | unapproved  | a source or an address needs approval                          |
 * | paused      | a generation or the next request waits for the end of a pause  |
 * | retrying    | a generation waits for its next attempt                        |
 * | generating  | a generation is in progress                                    |
 * | fetching    | callers wait for a token                                       |
 * | unreachable | the last attempt couldn't reach the service                    |
 * | noToken     | the connection in use needs no access token                    |
 * | valid       | there is a valid token                                         |
 * | missing     | not set up, or values are missing for the active folder        |
 * | expired     | the last token has expired                                     |
 * | ready       | nothing else applies                                           |
 */
type StatusState =
  | { readonly kind: 'rejected' | 'unapproved' }
  | Wait
  | { readonly kind: 'generating' | 'fetching' }
  /** `leftMs` is the token's remaining lifetime in milliseconds; 0 without a token. */
  | { readonly kind: 'unreachable'; readonly leftMs: number }
  | { readonly kind: 'valid'; readonly leftMs: number }
  | { readonly kind: 'noToken' }
  | { readonly kind: 'expired' | 'ready' }
  | { readonly kind: 'missing'; readonly wasTried: boolean };

export interface StatusView {
  readonly text: string;
  readonly background?: 'error' | 'warning' | undefined;
  /** The state in words, for screen readers and the first line of the tooltip. */
  readonly words: string;
  /**
   * Milliseconds until a time in the text or tooltip changes; undefined if neither contains a time.
   */
  readonly changesInMs: number | undefined;
}

export const initialFacts: StatusFacts = {
  isSetUp: undefined,
  hasKey: false,
  refreshesTokens: false,
  obstacle: 'none',
  token: { kind: 'none' },
  running: [],
  requests: undefined,
  unreachable: false,
  lastFailure: undefined,
  provenance: undefined,
  connection: undefined,
  usageToday: undefined,
};

/** Returns the model's ID, or a description of the model if the target is a deployment. */
export function modelText(
  target: Parameters<typeof hasOwnModel>[0] & Pick<Connection, 'modelId'>,
): string {
  return hasOwnModel(target) ? 'the deployment’s own model' : target.modelId;
}

const NAME = 'Hosted Model';
const MINUTE_MS = 60_000;

/** @param now milliseconds since 1970 */
function stateOf(facts: StatusFacts, now: number): StatusState {
  const { token, running, isSetUp } = facts;
  const leftMs = tokenLeftMs(token, now);
  if (isSetUp && token.kind === 'rejected') return { kind: 'rejected' };
  if (facts.obstacle === 'approval') return { kind: 'unapproved' };
  const wait = firstWait(facts);
  if (wait) return wait;
  if (running.length > 0) return { kind: 'generating' };
  if (token.kind === 'fetching') return { kind: 'fetching' };
  if (facts.unreachable) return { kind: 'unreachable', leftMs };
  if (leftMs === Number.POSITIVE_INFINITY) return { kind: 'noToken' };
  if (leftMs > 0) return { kind: 'valid', leftMs };
  if (lacksSetUp(facts)) return { kind: 'missing', wasTried: facts.obstacle === 'missing' };
  const hadToken = token.kind === 'valid' || token.kind === 'expired';
  return { kind: hadToken ? 'expired' : 'ready' };
}

/**
 * True if the extension isn't set up, or if the last command for the active folder couldn't get a
 * connection because settings were missing.
 */
export function lacksSetUp({ isSetUp, obstacle }: StatusFacts): boolean {
  return !isSetUp || obstacle === 'missing';
}

/**
 * Returns a running generation's wait, if any. If several generations are waiting, returns the wait
 * that ends first. If no generation is running, returns the wait that would delay a new request, if
 * any.
 */
function firstWait({ running, requests }: StatusFacts): Wait | undefined {
  if (running.length === 0) return requests && waitFor(requests.state, []);
  return running
    .flatMap((one) => waitFor(one.requests.state, [one.retryInMs()]) ?? [])
    .sort((one, other) => one.leftMs - other.leftMs)
    .at(0);
}

/** @param now milliseconds since 1970 */
export function renderStatus(facts: StatusFacts, now: number): StatusView {
  const state = stateOf(facts, now);
  const leftMs = tokenLeftMs(facts.token, now);
  // The time left is shown in whole minutes, so the text changes once the current minute is over.
  const changes = leftMs > 0 && Number.isFinite(leftMs);
  const nextMinute = changes ? (leftMs % MINUTE_MS) + 1 : undefined;
  const changesInMs =
    state.kind === 'retrying' || state.kind === 'paused'
      ? toNextSecond(state.leftMs)
      : (requestsChangeInMs(facts.requests) ?? nextMinute);
  return { ...shown(state), changesInMs };
}

type Shown = Omit<StatusView, 'changesInMs'>;

function shown(state: StatusState): Shown {
  switch (state.kind) {
    case 'retrying':
    case 'paused': {
      const words = waitText(state, (seconds) => amount(seconds, 'second'));
      return { text: `$(watch) ${NAME}: ${waitText(state)}`, words };
    }
    case 'unreachable': {
      const { leftMs } = state;
      const isValid = leftMs > 0 && Number.isFinite(leftMs);
      const words = `service unreachable${isValid ? ` (${validWords(leftMs)})` : ''}`;
      return { text: `$(debug-disconnect) ${NAME}: service unreachable`, words };
    }
    case 'valid':
      return { text: `$(key) ${minutesLeft(state.leftMs)}`, words: validWords(state.leftMs) };
    case 'missing':
      return {
        text: `$(key) Set Up ${NAME}`,
        words: 'not set up',
        ...(state.wasTried && { background: 'warning' }),
      };
    default: {
      const [icon, words, background] = PLAIN[state.kind];
      // If the user has to act, the status bar shows text, because a color and an icon aren't
      // enough.
      const text = background ? `${NAME}: ${words}` : NAME;
      return { text: `$(${icon}) ${text}`, words, background };
    }
  }
}

type PlainKind = Exclude<
  StatusState,
  { readonly leftMs: number } | { readonly wasTried: boolean }
>['kind'];

/** The icon, text, and color of each state that always looks the same. */
const PLAIN: Readonly<
  Record<PlainKind, readonly [icon: string, words: string, background?: 'error']>
> = {
  rejected: ['error', 'credentials rejected', 'error'],
  unapproved: ['error', 'needs your approval', 'error'],
  generating: ['loading~spin', 'generating'],
  fetching: ['loading~spin', 'getting a token'],
  noToken: ['key', 'ready, no token needed'],
  expired: ['key', 'token expired, will be refreshed on the next request'],
  ready: ['key', 'ready, no token yet'],
};

function tokenLeftMs(token: TokenState, now: number): number {
  return token.kind === 'valid' ? token.expiresAt - now : 0;
}

/**
 * Returns the milliseconds until a time in the requests line changes; undefined if the line
 * contains no time.
 */
function requestsChangeInMs(requests: StatusFacts['requests']): number | undefined {
  const { resumesInMs = 0, nextStart } = requests?.state ?? {};
  const times = [resumesInMs, nextStart?.inMs ?? 0].flatMap((ms) => toNextSecond(ms) ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}

function minutesLeft(ms: number): string {
  return ms < MINUTE_MS ? '<1m' : `${Math.floor(ms / MINUTE_MS)}m`;
}

function validWords(ms: number): string {
  const left = ms < MINUTE_MS ? 'less than a minute' : amount(Math.floor(ms / MINUTE_MS), 'minute');
  return `token valid, ${left} left`;
}

/** Formats a number and its unit, such as "1 minute" or "2 minutes". */
export function amount(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}
