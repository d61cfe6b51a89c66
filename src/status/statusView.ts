import type { Message } from '../messages/actions.ts';
import type { TokenState } from '../service/token/tokenLife.ts';

/** The status item as a pure function of what is known. One row of the table for each state. */

/** Loads with the service, since there is none before the first request. */
export interface Traffic {
  /** @returns undefined while there is nothing to say */
  line(): string | undefined;
  /** Milliseconds until the line changes by itself; undefined if it does not. */
  changesInMs(): number | undefined;
}

export interface StatusFacts {
  /** A key is stored, and the settings name a project and an address. */
  readonly isSetUp: boolean;
  /** Somebody tried to generate without credentials. */
  readonly triedWithout: boolean;
  readonly needsApproval: boolean;
  readonly token: TokenState;
  readonly generating: number;
  /** Milliseconds until the next attempt starts, at the moment of the call: clocks can be set. */
  readonly retryInMs: (() => number) | undefined;
  /** What the requests to the service in use do; undefined before the first one. */
  readonly traffic: Traffic | undefined;
  /** The service or the network could not be reached at the last try. */
  readonly unreachable: boolean;
  /** The message of the last command, if it failed. */
  readonly lastFailure: Message | undefined;
  /** Where each of the settings comes from, as lines; undefined as long as nobody has looked. */
  readonly provenance: readonly string[] | undefined;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface StatusView {
  readonly text: string;
  readonly background: 'error' | 'warning' | undefined;
  /** The state in words: for screen readers, and the first line of the tooltip. */
  readonly words: string;
  /** Milliseconds until text or tooltip change by themselves; undefined if they do not. */
  readonly changesInMs: number | undefined;
}

export const initialFacts: StatusFacts = {
  isSetUp: false,
  triedWithout: false,
  needsApproval: false,
  token: { kind: 'none' },
  generating: 0,
  retryInMs: undefined,
  traffic: undefined,
  unreachable: false,
  lastFailure: undefined,
  provenance: undefined,
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
};

const NAME = 'Hosted Model';
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** @param now wall-clock milliseconds */
export function renderStatus(facts: StatusFacts, now: number): StatusView {
  const { token, traffic } = facts;
  const retryInMs = facts.retryInMs?.() ?? 0;
  const leftMs = token.kind === 'valid' ? token.expiresAt - now : 0;
  // A minute at the most, since a sleeping machine may skip any moment waited for.
  const nextMinute = leftMs > 0 ? (leftMs % MINUTE_MS) + 1 : undefined;
  const nextSecond = traffic?.changesInMs();
  const fixed = (text: string, words: string): StatusView => ({
    text,
    words,
    background: undefined,
    changesInMs: nextSecond ?? nextMinute,
  });

  if (facts.isSetUp && token.kind === 'refused') {
    return { ...fixed(`$(error) ${NAME}`, 'API key refused'), background: 'error' };
  }
  if (facts.needsApproval) {
    return { ...fixed(`$(error) ${NAME}`, 'your approval is needed'), background: 'error' };
  }
  if (retryInMs > 0) {
    const seconds = Math.ceil(retryInMs / SECOND_MS);
    const changesInMs = toNextSecond(retryInMs);
    const words = `trying again in ${count(seconds, 'second')}`;
    return { text: `$(watch) ${NAME} ${seconds}s`, words, background: undefined, changesInMs };
  }
  if (facts.generating > 0) return fixed(`$(loading~spin) ${NAME}`, 'generating');
  if (token.kind === 'fetching') return fixed(`$(sync~spin) ${NAME}`, 'getting a token');
  if (facts.unreachable) {
    const left = leftMs > 0 ? ` ${minutesLeft(leftMs)}` : '';
    const words = `service cannot be reached${left && `, token valid, ${wordsLeft(leftMs)} left`}`;
    return fixed(`$(debug-disconnect) ${NAME}${left}`, words);
  }
  if (leftMs > 0)
    return fixed(`$(key) ${minutesLeft(leftMs)}`, `token valid, ${wordsLeft(leftMs)} left`);
  if (facts.isSetUp) {
    const expired = token.kind === 'valid' || token.kind === 'expired';
    return fixed(
      `$(key) ${NAME}`,
      expired ? 'token expired, renewed on next use' : 'ready, no token yet',
    );
  }
  const view = fixed(`$(key) Set up ${NAME}`, 'credentials are not set up');
  return facts.triedWithout ? { ...view, background: 'warning' } : view;
}

/** Milliseconds until the seconds left become one fewer; undefined once none is left. */
export function toNextSecond(leftMs: number): number | undefined {
  return leftMs > 0 ? leftMs % SECOND_MS || SECOND_MS : undefined;
}

function minutesLeft(ms: number): string {
  return ms < MINUTE_MS ? '<1m' : `${Math.floor(ms / MINUTE_MS)}m`;
}

function wordsLeft(ms: number): string {
  return ms < MINUTE_MS ? 'less than a minute' : count(Math.floor(ms / MINUTE_MS), 'minute');
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}
