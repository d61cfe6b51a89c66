import assert from 'node:assert/strict';
import { ServiceError } from '../../../src/service/errors.ts';
import type { ConcurrencyState } from '../../../src/service/http/concurrencyLimit.ts';
import {
  initialFacts,
  type RunningGeneration,
  renderStatus,
  type StatusFacts,
} from '../../../src/status/statusView.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const valid = (minutes: number): StatusFacts['token'] => ({
  kind: 'valid',
  expiresAt: NOW + minutes * MINUTE,
  refreshesAt: NOW + minutes * MINUTE * 0.8,
});
/** The concurrency state during a pause that ends in just under a minute. */
const paused = { inFlight: 0, waiting: 0, limit: 1, resumesInMs: 56_200 };
/**
 * A running generation whose next attempt starts in `leftMs` milliseconds. If `leftMs` is 0 or
 * less, the generation isn't waiting for an attempt.
 */
const waiting = (
  leftMs: number,
  state: ConcurrencyState = { inFlight: 1, waiting: 0, limit: 8 },
): RunningGeneration => ({ requests: { state }, retryInMs: () => leftMs });
const generating = waiting(-1_000);
const rejected = { kind: 'rejected', error: new ServiceError('key-rejected') } as const;

type Row = [
  name: string,
  facts: Partial<StatusFacts>,
  text: string,
  background: string | undefined,
  words: string,
];

const rows: Row[] = [
  ['no credentials, never used', {}, '$(key) Set Up Hosted Model', undefined, 'not set up'],
  [
    'no credentials, after an attempt',
    { obstacle: 'missing' },
    '$(key) Set Up Hosted Model',
    'warning',
    'not set up',
  ],
  [
    'credentials, but not for the active folder',
    { isSetUp: true, obstacle: 'missing' },
    '$(key) Set Up Hosted Model',
    'warning',
    'not set up',
  ],
  [
    'credentials, no token yet',
    { isSetUp: true },
    '$(key) Hosted Model',
    undefined,
    'ready, no token yet',
  ],
  [
    'token expired',
    { isSetUp: true, token: { kind: 'expired' } },
    '$(key) Hosted Model',
    undefined,
    'token expired, will be refreshed on the next request',
  ],
  [
    'token past its expiration, without an event',
    { isSetUp: true, token: valid(-1) },
    '$(key) Hosted Model',
    undefined,
    'token expired, will be refreshed on the next request',
  ],
  [
    'token valid',
    { isSetUp: true, token: valid(54.5) },
    '$(key) 54m',
    undefined,
    'token valid, 54 minutes left',
  ],
  [
    'token valid for one minute',
    { isSetUp: true, token: valid(1.5) },
    '$(key) 1m',
    undefined,
    'token valid, 1 minute left',
  ],
  [
    'token valid for less than a minute',
    { isSetUp: true, token: valid(0.5) },
    '$(key) <1m',
    undefined,
    'token valid, less than a minute left',
  ],
  [
    'no token needed',
    { isSetUp: true, token: valid(Number.POSITIVE_INFINITY) },
    '$(key) Hosted Model',
    undefined,
    'ready, no token needed',
  ],
  [
    'unreachable, no token needed',
    { isSetUp: true, unreachable: true, token: valid(Number.POSITIVE_INFINITY) },
    '$(debug-disconnect) Hosted Model: service unreachable',
    undefined,
    'service unreachable',
  ],
  [
    'unreachable',
    { isSetUp: true, unreachable: true },
    '$(debug-disconnect) Hosted Model: service unreachable',
    undefined,
    'service unreachable',
  ],
  [
    'unreachable, token still valid',
    { isSetUp: true, unreachable: true, token: valid(41) },
    '$(debug-disconnect) Hosted Model: service unreachable',
    undefined,
    'service unreachable (token valid, 41 minutes left)',
  ],
  [
    'generating, but all requests wait for the end of a pause',
    { isSetUp: true, running: [waiting(-1_000, { ...paused, waiting: 1 })] },
    '$(watch) Hosted Model: paused for 57s',
    undefined,
    'paused for 57 seconds',
  ],
  [
    'paused, although no request is waiting',
    { isSetUp: true, token: valid(54.5), requests: { state: paused } },
    '$(watch) Hosted Model: paused for 57s',
    undefined,
    'paused for 57 seconds',
  ],
  [
    'generating with another service during a pause of the service in use',
    { isSetUp: true, running: [generating], requests: { state: paused } },
    '$(loading~spin) Hosted Model',
    undefined,
    'generating',
  ],
  [
    'generating with another service that is paused',
    {
      isSetUp: true,
      running: [waiting(-1_000, { ...paused, waiting: 1 })],
      requests: { state: { inFlight: 0, waiting: 0, limit: 8 } },
    },
    '$(watch) Hosted Model: paused for 57s',
    undefined,
    'paused for 57 seconds',
  ],
  [
    'generating during a pause, with a request in progress',
    { isSetUp: true, running: [waiting(-1_000, { ...paused, inFlight: 1, waiting: 1 })] },
    '$(loading~spin) Hosted Model',
    undefined,
    'generating',
  ],
  [
    'getting a token',
    { isSetUp: true, token: { kind: 'fetching' }, unreachable: true },
    '$(loading~spin) Hosted Model',
    undefined,
    'getting a token',
  ],
  [
    'generating',
    { isSetUp: true, token: { kind: 'fetching' }, running: [generating] },
    '$(loading~spin) Hosted Model',
    undefined,
    'generating',
  ],
  [
    'waiting to retry',
    { isSetUp: true, running: [waiting(7_500)] },
    '$(watch) Hosted Model: retrying in 8s',
    undefined,
    'retrying in 8 seconds',
  ],
  [
    'several generations, two of them waiting to retry',
    { isSetUp: true, running: [waiting(7_500), generating, waiting(1_500)] },
    '$(watch) Hosted Model: retrying in 2s',
    undefined,
    'retrying in 2 seconds',
  ],
  [
    'approval needed',
    { isSetUp: true, obstacle: 'approval', running: [generating] },
    '$(error) Hosted Model: needs your approval',
    'error',
    'needs your approval',
  ],
  [
    'key rejected',
    { isSetUp: true, token: rejected, obstacle: 'approval' },
    '$(error) Hosted Model: credentials rejected',
    'error',
    'credentials rejected',
  ],
];

describe('the status item', () => {
  for (const [name, facts, text, background, words] of rows) {
    it(`F12: shows "${text}" for: ${name}`, () => {
      const view = renderStatus({ ...initialFacts, ...facts }, NOW);
      assert.deepEqual([view.text, view.background, view.words], [text, background, words]);
    });
  }

  it('conveys the meaning of its background color in words', () => {
    for (const [name, , text, background] of rows) {
      if (background) assert.match(text, /Set Up|rejected|approval/, name);
    }
  });

  it('updates as soon as the displayed minutes or seconds change', () => {
    const changesIn = (facts: Partial<StatusFacts>) =>
      renderStatus({ ...initialFacts, ...facts }, NOW).changesInMs;
    assert.equal(changesIn({}), undefined);
    assert.equal(changesIn({ isSetUp: true, token: { kind: 'expired' } }), undefined);
    assert.equal(changesIn({ isSetUp: true, token: valid(54.5) }), 30_001);
    assert.equal(changesIn({ isSetUp: true, running: [waiting(7_500)] }), 500);
    assert.equal(changesIn({ isSetUp: true, running: [waiting(7_000)] }), 1_000);
  });

  it('updates at least once a minute while a token is valid', () => {
    for (let minutes = 0.1; minutes < 90; minutes += 0.37) {
      const { changesInMs } = renderStatus({ ...initialFacts, token: valid(minutes) }, NOW);
      assert.ok(changesInMs !== undefined && changesInMs > 0 && changesInMs <= MINUTE + 1);
    }
  });
});
