import assert from 'node:assert/strict';
import type { LimiterState } from '../../src/service/limiter.ts';
import { requestsLine } from '../../src/ui/requestsLine.ts';
import { initialFacts, renderStatus } from '../../src/ui/statusView.ts';

const NOW = 1_800_000_000_000;
const idle: LimiterState = { inFlight: 0, waiting: 0, limit: 3 };

describe('what requests do, in the tooltip', () => {
  const rows: readonly [string, LimiterState | undefined, string | undefined][] = [
    ['nothing before the first', undefined, undefined],
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
      'all of it',
      { inFlight: 3, waiting: 2, limit: 1, loweredFrom: 3, resumesAt: NOW + 7_001 },
      'Requests: 3 in flight, 2 waiting, limit lowered to 1 of 3 after 429, paused by the service, resumes in 8 s',
    ],
  ];
  for (const [what, state, expected] of rows) {
    it(`says ${what}`, () => assert.equal(requestsLine(state, NOW), expected));
  }

  it('changes by itself only while a pause runs, each second', () => {
    const changesIn = (limiter: LimiterState | undefined) =>
      renderStatus({ ...initialFacts, limiter }, NOW).changesInMs;
    assert.equal(changesIn(undefined), undefined);
    assert.equal(changesIn({ ...idle, inFlight: 3, waiting: 2 }), undefined);
    assert.equal(changesIn({ ...idle, resumesAt: NOW }), undefined);
    assert.equal(changesIn({ ...idle, resumesAt: NOW + 7_500 }), 500);
    assert.equal(changesIn({ ...idle, resumesAt: NOW + 7_000 }), 1_000);
  });
});
