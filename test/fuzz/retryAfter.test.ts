import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  MAX_RETRY_AFTER_MS,
  retryAfterMs,
  retryWaitMs,
} from '../../src/service/http/retryRules.ts';
import { nasty, repeat, seed } from './fuzz.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const day = fc
  .date({ min: new Date(now - 1e10), max: new Date(now + 1e10), noInvalidDate: true })
  .map((date) => date.toUTCString());
const header = fc.oneof(
  nasty,
  day,
  fc.double().map(String),
  fc.nat(120).map(String),
  fc.nat(120).map((seconds) => new Date(now + seconds * 1_000).toUTCString()),
  fc.bigInt().map(String),
  fc.tuple(fc.nat(99), nasty).map(([seconds, text]) => `${seconds}${text}`),
);
const draw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('Retry-After', () => {
  it(`M06: leads to a wait of 0.5 to 60 s, unless it requests a longer wait (seed ${seed})`, async () => {
    await repeat(
      'Retry-After',
      [
        header,
        fc.option(fc.oneof(day, nasty), { nil: undefined }),
        fc.integer({ min: 1, max: 3 }),
        draw,
      ],
      (retryAfter, serverDate, retry, random) => {
        const asked = retryAfterMs(retryAfter, serverDate, now);
        if (asked !== undefined) assert.ok(Number.isFinite(asked) && asked >= 0, `${asked}`);
        if ((asked ?? 0) > MAX_RETRY_AFTER_MS) return;
        const wait = retryWaitMs(retry, asked ?? 0, () => random);
        assert.ok(wait >= 500 && wait <= 60_000 && wait >= (asked ?? 0), `${wait}`);
      },
    );
  });
});
