import assert from 'node:assert/strict';
import {
  ConcurrencyLimit,
  type ConcurrencyState,
} from '../../../src/service/http/concurrencyLimit.ts';
import { requestsLine } from '../../../src/status/requestsText.ts';
import { type Wait, waitFor } from '../../../src/status/requestWait.ts';
import { initialFacts, renderStatus, type StatusFacts } from '../../../src/status/statusView.ts';

const NOW = 1_800_000_000_000;
const requestsChangeIn = (requests: StatusFacts['requests']) =>
  renderStatus({ ...initialFacts, requests }, NOW).changesInMs;
const idle: ConcurrencyState = { inFlight: 0, waiting: 0, limit: 3 };

describe('the wait before the next request', () => {
  const pause = (leftMs: number): Wait => ({ kind: 'paused', leftMs });
  const retry = (leftMs: number): Wait => ({ kind: 'retrying', leftMs });
  const paused = { ...idle, resumesInMs: 9_000 };
  const rows: readonly [string, ConcurrencyState, readonly number[], Wait | undefined][] = [
    ['is undefined if nothing delays the request', idle, [0, -1], undefined],
    ['lasts until the earliest retry', { ...idle, inFlight: 1 }, [7_000, 0, 2_000], retry(2_000)],
    ['lasts until the pause ends, even if no request is waiting', paused, [], pause(9_000)],
    ['lasts until the pause ends if that is after the retry', paused, [8_000], pause(9_000)],
    ['lasts until a retry that starts when the pause ends', paused, [9_000], retry(9_000)],
    [
      'lasts until a pause that ends before the retry if another request is waiting',
      { ...paused, waiting: 1 },
      [9_500],
      pause(9_000),
    ],
    [
      'is undefined if a request is in progress, even during a pause',
      { ...paused, inFlight: 1 },
      [],
      undefined,
    ],
  ];
  for (const [what, state, retriesInMs, expected] of rows) {
    it(what, () => assert.deepEqual(waitFor(state, retriesInMs), expected));
  }
});

describe('the requests line in the tooltip', () => {
  const rows: readonly [string, ConcurrencyState, string | undefined][] = [
    ['nothing if there are no requests', idle, undefined],
    ['the number of requests in progress', { ...idle, inFlight: 3 }, 'Requests: 3 in progress'],
    [
      'the number of waiting requests',
      { ...idle, inFlight: 3, waiting: 2 },
      'Requests: 3 in progress, 2 waiting',
    ],
    [
      'a limit lowered by the service, even without requests',
      { ...idle, limit: 1, loweredFrom: 3 },
      'Requests: limit lowered from 3 to 1 after a 429 response',
    ],
    [
      'when the next request starts if minRequestInterval delays it',
      { ...idle, waiting: 2, nextStart: { inMs: 9_500, spacedBy: 'setting' } },
      'Requests: 2 waiting, next request starts in 10s, delayed by hostedModel.minRequestInterval',
    ],
    [
      'when the next request starts if the service delays it',
      { ...idle, waiting: 1, nextStart: { inMs: 125, spacedBy: 'service' } },
      'Requests: 1 waiting, next request starts in 1s, delayed by the service’s rate limit',
    ],
    [
      'requests, a lowered limit, and a pause in one line',
      { inFlight: 3, waiting: 2, limit: 1, loweredFrom: 3, resumesInMs: 7_001 },
      'Requests: 3 in progress, 2 waiting, limit lowered from 3 to 1 after a 429 response, paused for another 8s',
    ],
  ];
  for (const [what, state, expected] of rows) {
    it(`shows ${what}`, () => assert.equal(requestsLine(state), expected));
  }

  it('changes every second during a pause or delay', () => {
    const changesIn = (state: ConcurrencyState) => requestsChangeIn({ state });
    assert.equal(requestsChangeIn(undefined), undefined);
    assert.equal(changesIn({ ...idle, inFlight: 3, waiting: 2 }), undefined);
    assert.equal(changesIn({ ...idle, resumesInMs: 7_500 }), 500);
    assert.equal(changesIn({ ...idle, resumesInMs: 7_000 }), 1_000);
    const nextStart = { inMs: 9_200, spacedBy: 'service' } as const;
    assert.equal(changesIn({ ...idle, waiting: 1, nextStart }), 200);
    assert.equal(changesIn({ ...idle, waiting: 1, nextStart, resumesInMs: 7_100 }), 100);
  });

  it('counts down correctly even if the system clock is changed', async () => {
    let [wall, monotonic] = [NOW, 0];
    const clock = { now: () => wall, monotonic: () => monotonic };
    const limiter = new ConcurrencyLimit({ limit: 3, queue: 5, minIntervalMs: 0 }, clock);
    const slot = await limiter.acquire(new AbortController().signal);
    slot.release('throttled', 8_000);
    const paused = (seconds: number) =>
      `Requests: limit lowered from 3 to 1 after a 429 response, paused for another ${seconds}s`;
    assert.equal(requestsLine(limiter.state), paused(8));
    monotonic += 5_500;
    for (wall of [NOW - 3_600_000, NOW + 3_600_000]) {
      assert.equal(requestsLine(limiter.state), paused(3));
      assert.equal(requestsChangeIn(limiter), 500);
    }
    monotonic += 2_500;
    assert.doesNotMatch(requestsLine(limiter.state) ?? '', /paused/);
    assert.equal(requestsChangeIn(limiter), undefined);
  });
});
