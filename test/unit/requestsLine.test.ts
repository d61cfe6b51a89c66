import assert from 'node:assert/strict';
import type { LimiterState } from '../../src/service/limiter.ts';
import { trafficOf } from '../../src/ui/requestsLine.ts';
import { initialFacts, renderStatus } from '../../src/ui/statusView.ts';

const NOW = 1_800_000_000_000;
const idle: LimiterState = { inFlight: 0, waiting: 0, limit: 3 };

describe('what requests do, in the tooltip', () => {
  const rows: readonly [string, LimiterState, string | undefined][] = [
    ['nothing at rest', idle, undefined],
    ['nothing of a pause that is over', { ...idle, resumesAt: NOW }, undefined],
    ['how many are in flight', { ...idle, inFlight: 3 }, 'Requests: 3 in flight'],
    ['how many wait', { ...idle, inFlight: 3, waiting: 2 }, 'Requests: 3 in flight, 2 waiting'],
    [
      'that the service throttled, also at rest',
      { ...idle, limit: 1, loweredFrom: 3 },
      'Requests: limit lowered to 1 of 3 after 429',
    ],
    [
      'when the next one starts that keeps the distance of the setting',
      { ...idle, waiting: 2, nextStart: { at: NOW + 9_500, spacedBy: 'setting' } },
      'Requests: 2 waiting, next start in 10 s, spaced by your setting',
    ],
    [
      'when the next one starts that keeps the rate of the service',
      { ...idle, waiting: 1, nextStart: { at: NOW + 125, spacedBy: 'service' } },
      'Requests: 1 waiting, next start in 1 s, spaced by the rate of the service',
    ],
    [
      'nothing of a start whose time has come',
      { ...idle, waiting: 1, nextStart: { at: NOW, spacedBy: 'setting' } },
      'Requests: 1 waiting',
    ],
    [
      'all of it',
      { inFlight: 3, waiting: 2, limit: 1, loweredFrom: 3, resumesAt: NOW + 7_001 },
      'Requests: 3 in flight, 2 waiting, limit lowered to 1 of 3 after 429, paused by the service, resumes in 8 s',
    ],
  ];
  for (const [what, state, expected] of rows) {
    it(`says ${what}`, () => assert.equal(trafficOf(state).line(NOW), expected));
  }

  it('changes by itself only while a pause or a distance runs, each second', () => {
    const changesIn = (limiter: LimiterState | undefined) =>
      renderStatus({ ...initialFacts, traffic: limiter && trafficOf(limiter) }, NOW).changesInMs;
    assert.equal(changesIn(undefined), undefined);
    assert.equal(changesIn({ ...idle, inFlight: 3, waiting: 2 }), undefined);
    assert.equal(changesIn({ ...idle, resumesAt: NOW }), undefined);
    assert.equal(changesIn({ ...idle, resumesAt: NOW + 7_500 }), 500);
    assert.equal(changesIn({ ...idle, resumesAt: NOW + 7_000 }), 1_000);
    const nextStart = { at: NOW + 9_200, spacedBy: 'service' } as const;
    assert.equal(changesIn({ ...idle, waiting: 1, nextStart }), 200);
    assert.equal(changesIn({ ...idle, waiting: 1, nextStart, resumesAt: NOW + 7_100 }), 100);
  });
});
