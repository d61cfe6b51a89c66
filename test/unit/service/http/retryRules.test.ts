import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  isRetriedStatus,
  MAX_RETRIES,
  MAX_RETRY_AFTER_MS,
  retryAfterMs,
  retryWaitMs,
} from '../../../../src/service/http/retryRules.ts';
import { seed } from '../fixtures.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

describe('retry rules', () => {
  it('allow up to three retries; only statuses 429 and 500–504 are retryable', () => {
    const retried = Array.from({ length: 600 }, (_, status) => status).filter(isRetriedStatus);
    assert.deepEqual(retried, [429, 500, 501, 502, 503, 504]);
    assert.equal(isRetriedStatus(undefined), false);
    assert.equal(MAX_RETRIES, 3);
  });

  it('require waits of 0.5–1, 1–2, and 2–4 s before the three retries', () => {
    const draws = [0, 0.25, 0.5, 0.999_999];
    const ranges = [1, 2, 3].map((retry) => draws.map((draw) => retryWaitMs(retry, 0, () => draw)));
    const [first = [], second = [], third = []] = ranges;
    assert.deepEqual(
      ranges.map((waits) => [Math.min(...waits), Math.ceil(Math.max(...waits))]),
      [
        [500, 1_000],
        [1_000, 2_000],
        [2_000, 4_000],
      ],
    );
    assert.ok(Math.max(...first) < Math.min(...second));
    assert.ok(Math.max(...second) < Math.min(...third));
  });

  it('let Retry-After lengthen a wait, but never shorten it', () => {
    assert.equal(
      retryWaitMs(1, 2_000, () => 0),
      2_000,
    );
    assert.equal(
      retryWaitMs(3, 100, () => 0),
      2_000,
    );
  });

  const serverDate = 'Thu, 01 Jan 2026 01:00:00 GMT';
  const cases: readonly [string, string | undefined, number | undefined][] = [
    ['2', undefined, 2_000],
    [' 2 ', undefined, 2_000],
    ['0', undefined, 0],
    ['1.5', undefined, 1_500],
    ['61', undefined, 61_000],
    ['3000000', undefined, 3_000_000_000],
    ['9'.repeat(400), undefined, Number.MAX_SAFE_INTEGER],
    ['Thu, 01 Jan 2026 00:00:30 GMT', undefined, 30_000],
    ['Thursday, 01-Jan-26 00:00:30 GMT', undefined, 30_000],
    ['Thu, 01 Jan 2026 01:00:30 GMT', serverDate, 30_000],
    ['Thu, 01 Jan 2026 00:59:00 GMT', serverDate, 0],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 'nonsense', 30_000],
    ['-5', undefined, undefined],
    ['+5', undefined, undefined],
    ['1e9', undefined, undefined],
    ['Infinity', undefined, undefined],
    ['NaN', undefined, undefined],
    ['0x10', undefined, undefined],
    ['5 seconds', undefined, undefined],
    ['soon 9999', undefined, undefined],
    ['', undefined, undefined],
    ['1,2', undefined, undefined],
  ];
  for (const [header, date, expected] of cases) {
    const read = expected === undefined ? 'invalid' : `${expected} ms`;
    it(`interpret Retry-After "${header.slice(0, 40)}"${date ? ` with Date "${date}"` : ''} as ${read}`, () => {
      assert.equal(retryAfterMs(header, date, now), expected);
    });
  }

  it('interpret a date without a time zone as GMT, not as local time', () => {
    const zone = process.env['TZ'];
    process.env['TZ'] = 'America/New_York';
    try {
      assert.equal(new Date(now).getHours(), 19);
      assert.equal(retryAfterMs('Thu Jan  1 00:00:30 2026', undefined, now), 30_000);
      const serverDate = 'Thu Jan  1 01:00:00 2026';
      assert.equal(retryAfterMs('Thu, 01 Jan 2026 01:00:30 GMT', serverDate, now), 30_000);
    } finally {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    }
  });

  it('ignore a missing Retry-After header', () => {
    assert.equal(retryAfterMs(undefined, undefined, now), undefined);
  });

  it(`limit waits to 0.5–60 s, unless Retry-After is longer (seed ${seed})`, () => {
    const text = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.double().map(String),
      fc.integer({ min: 1, max: 400 }).map((digits) => '9'.repeat(digits)),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    );
    const check = (header: string, retry: number, draw: number) => {
      const asked = retryAfterMs(header, undefined, now);
      assert.ok(asked === undefined || (Number.isFinite(asked) && asked >= 0), `${asked}`);
      const wait = retryWaitMs(retry, asked ?? 0, () => draw);
      assert.ok(wait >= 500);
      assert.ok(wait <= MAX_RETRY_AFTER_MS || (asked ?? 0) > MAX_RETRY_AFTER_MS);
    };
    const draw = fc.double({ min: 0, max: 0.999_999, noNaN: true });
    const property = fc.property(text, fc.integer({ min: 1, max: 3 }), draw, check);
    fc.assert(property, { seed, numRuns: 2_000 });
  });
});
