import type { Obstacle } from '../connection/activeConnection.ts';
import type { Message } from '../messages/actions.ts';
import type { TokenState } from '../service/auth/token.ts';
import type { Connection } from '../service/connection.ts';
import type { Activity } from './activity.ts';

/** The status item as a pure function of the facts. The table has one row per state. */

/**
 * The requests line of the tooltip. It loads with the service, because there are no requests before
 * that.
 */
export interface Traffic {
  /** @returns undefined if there is nothing to report */
  line(): string | undefined;
  /** Milliseconds until the line changes with time; undefined if it doesn't. */
  changesInMs(): number | undefined;
}

export interface StatusFacts {
  /** True if the editor has a key and the other settings, or if another source was used last. */
  readonly isSetUp: boolean;
  /** The obstacle of the last command that needed credentials. */
  readonly obstacle: Obstacle;
  readonly token: TokenState;
  readonly activity: Activity;
  /** The requests to the service in use; undefined before the first one. */
  readonly traffic: Traffic | undefined;
  /** True if the service or the network was unreachable at the last attempt. */
  readonly unreachable: boolean;
  /** The message of the last command, if it failed. */
  readonly lastFailure: Message | undefined;
  /** The values in use, as lines; undefined until they are looked up. */
  readonly provenance: readonly string[] | undefined;
  /** The connection in use; undefined without one. */
  readonly connection: Pick<Connection, 'reason' | 'modelId'> | undefined;
  /** Today's usage of the key in use, in all windows, as a line; undefined without a key. */
  readonly usageToday: (() => string | undefined) | undefined;
}

/**
 * The state to show: the first row that applies.
 *
 * | State       | Applies if                                                     |
 * |-------------|----------------------------------------------------------------|
 * | refused     | set up, and the identity service refused the key               |
 * | unapproved  | a source or an address needs approval                          |
 * | waiting     | a generation waits for its next attempt                        |
 * | generating  | a generation is in progress                                    |
 * | fetching    | callers wait for a token                                       |
 * | unreachable | the last attempt could not reach the service                   |
 * | noToken     | the service accepts the secret itself, and it is in use        |
 * | valid       | there is a valid token                                         |
 * | missing     | the editor isn't set up, and no other source was used last     |
 * | expired     | there was a token                                              |
 * | ready       | nothing else applies                                           |
 */
type StatusState =
  | { readonly kind: 'refused' | 'unapproved' }
  | { readonly kind: 'waiting'; readonly leftMs: number }
  | { readonly kind: 'generating' | 'fetching' }
  /** `leftMs` is the remaining life of the token; 0 without one. */
  | { readonly kind: 'unreachable'; readonly leftMs: number }
  | { readonly kind: 'valid'; readonly leftMs: number }
  /** The service accepts the secret itself, so there is no token. */
  | { readonly kind: 'noToken' }
  | { readonly kind: 'expired' | 'ready' }
  | { readonly kind: 'missing'; readonly wasTried: boolean };

export interface StatusView {
  readonly text: string;
  readonly background?: 'error' | 'warning' | undefined;
  /** The state in words, for screen readers and the first line of the tooltip. */
  readonly words: string;
  /** Milliseconds until the text or tooltip changes with time; undefined if it doesn't. */
  readonly changesInMs: number | undefined;
}

export const initialFacts: StatusFacts = {
  isSetUp: false,
  obstacle: 'none',
  token: { kind: 'none' },
  activity: { kind: 'idle' },
  traffic: undefined,
  unreachable: false,
  lastFailure: undefined,
  provenance: undefined,
  connection: undefined,
  usageToday: undefined,
};

const NAME = 'Hosted Model';
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** @param now wall-clock milliseconds */
function stateOf(facts: StatusFacts, now: number): StatusState {
  const { token, activity, isSetUp } = facts;
  const leftMs = tokenLeftMs(token, now);
  const retryInMs = activity.kind === 'waiting' ? activity.leftMs() : 0;
  if (isSetUp && token.kind === 'refused') return { kind: 'refused' };
  if (facts.obstacle === 'approval') return { kind: 'unapproved' };
  if (retryInMs > 0) return { kind: 'waiting', leftMs: retryInMs };
  if (activity.kind !== 'idle') return { kind: 'generating' };
  if (token.kind === 'fetching') return { kind: 'fetching' };
  if (facts.unreachable) return { kind: 'unreachable', leftMs };
  if (leftMs === Number.POSITIVE_INFINITY) return { kind: 'noToken' };
  if (leftMs > 0) return { kind: 'valid', leftMs };
  if (!isSetUp) return { kind: 'missing', wasTried: facts.obstacle === 'missing' };
  const hadToken = token.kind === 'valid' || token.kind === 'expired';
  return { kind: hadToken ? 'expired' : 'ready' };
}

/** @param now wall-clock milliseconds */
export function renderStatus(facts: StatusFacts, now: number): StatusView {
  const state = stateOf(facts, now);
  const leftMs = tokenLeftMs(facts.token, now);
  // At most a minute, because timers may be late after the machine sleeps.
  const changes = leftMs > 0 && Number.isFinite(leftMs);
  const nextMinute = changes ? (leftMs % MINUTE_MS) + 1 : undefined;
  const changesInMs =
    state.kind === 'waiting'
      ? toNextSecond(state.leftMs)
      : (facts.traffic?.changesInMs() ?? nextMinute);
  return { ...shown(state), changesInMs };
}

type Shown = Omit<StatusView, 'changesInMs'>;

function shown(state: StatusState): Shown {
  switch (state.kind) {
    case 'waiting': {
      const seconds = Math.ceil(state.leftMs / SECOND_MS);
      const words = `trying again in ${amount(seconds, 'second')}`;
      return { text: `$(watch) ${NAME}: again in ${seconds}s`, words };
    }
    case 'unreachable': {
      const { leftMs } = state;
      const [time, token] =
        leftMs > 0 && Number.isFinite(leftMs)
          ? [` ${minutesLeft(leftMs)}`, `, ${validWords(leftMs)}`]
          : ['', ''];
      const words = `service cannot be reached${token}`;
      return { text: `$(debug-disconnect) ${NAME}: no connection${time}`, words };
    }
    case 'valid':
      return { text: `$(key) ${minutesLeft(state.leftMs)}`, words: validWords(state.leftMs) };
    case 'missing':
      return {
        text: `$(key) Set up ${NAME}`,
        words: 'credentials are not set up',
        ...(state.wasTried && { background: 'warning' }),
      };
    default: {
      const [icon, words, background] = PLAIN[state.kind];
      // Color and icon alone must never signal that the user has to act.
      const text = background ? `${NAME}: ${words}` : NAME;
      return { text: `$(${icon}) ${text}`, words, background };
    }
  }
}

type PlainKind = Exclude<
  StatusState,
  { readonly leftMs: number } | { readonly wasTried: boolean }
>['kind'];

/** Icon, text, and color of states that carry no extra data. */
const PLAIN: Readonly<
  Record<PlainKind, readonly [icon: string, words: string, background?: 'error']>
> = {
  refused: ['error', 'credentials refused', 'error'],
  unapproved: ['error', 'your approval is needed', 'error'],
  generating: ['loading~spin', 'generating'],
  fetching: ['sync~spin', 'getting a token'],
  noToken: ['key', 'the key itself opens the service, nothing has to be renewed'],
  expired: ['key', 'token expired, renewed on next use'],
  ready: ['key', 'ready, no token yet'],
};

function tokenLeftMs(token: TokenState, now: number): number {
  return token.kind === 'valid' ? token.expiresAt - now : 0;
}

/** Milliseconds until the displayed seconds decrease; undefined if no time is left. */
export function toNextSecond(leftMs: number): number | undefined {
  return leftMs > 0 ? leftMs % SECOND_MS || SECOND_MS : undefined;
}

function minutesLeft(ms: number): string {
  return ms < MINUTE_MS ? '<1m' : `${Math.floor(ms / MINUTE_MS)}m`;
}

function validWords(ms: number): string {
  const left = ms < MINUTE_MS ? 'less than a minute' : amount(Math.floor(ms / MINUTE_MS), 'minute');
  return `token valid, ${left} left`;
}

/** "1 minute", "2 minutes". */
export function amount(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}
