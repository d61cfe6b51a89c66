import assert from 'node:assert/strict';
import fc from 'fast-check';
import { clockAhead, tokenLifetime } from '../../../../src/service/auth/token.ts';
import { readTokenResponse } from '../../../../src/service/auth/tokenResponse.ts';
import { ServiceError } from '../../../../src/service/errors.ts';
import { seed } from '../fixtures.ts';

const date = 'Thu, 01 Jan 2026 00:00:00 GMT';
const serverSeconds = Date.parse(date) / 1_000;
const token = 'abcdefghijklmnop';

function lifeOf(fields: object, serverDate: string | undefined = date): number {
  const answer = readTokenResponse(JSON.stringify({ access_token: token, ...fields }), serverDate);
  return tokenLifetime(answer, 0.5).lifeMs / 1_000;
}

describe('the lifetime of a token', () => {
  const lives: readonly [string, object, number][] = [
    ['is expires_in', { expires_in: 3_600 }, 3_600],
    ['H04: is expires_in if it is a string of digits', { expires_in: '3600' }, 3_600],
    ['H06: is 300 s if the response has neither expires_in nor expiration', {}, 300],
    ['is 300 s if expires_in is 0', { expires_in: 0 }, 300],
    ['is 300 s if expires_in is negative', { expires_in: -1 }, 300],
    ['is 300 s if expires_in is "soon"', { expires_in: 'soon' }, 300],
    ['is 300 s if expires_in is null', { expires_in: null }, 300],
    ['is 300 s if expires_in is an object', { expires_in: {} }, 300],
    ['H03 H08: is at most a day', { expires_in: 10_000_000_000 }, 86_400],
    ['is at most a day even if expires_in is a string', { expires_in: '99999999999999' }, 86_400],
    ['is expiration minus the server time', { expiration: serverSeconds + 900 }, 900],
    [
      'H02: is based on expiration if that is earlier than expires_in',
      { expires_in: 3_600, expiration: serverSeconds + 100 },
      100,
    ],
    [
      'is based on expires_in if that is earlier than expiration',
      { expires_in: 100, expiration: serverSeconds + 3_600 },
      100,
    ],
    [
      'H03: ignores an expiration in milliseconds',
      { expires_in: 3_600, expiration: (serverSeconds + 3_600) * 1_000 },
      3_600,
    ],
    ['ignores an expiration in the past', { expires_in: 3_600, expiration: 1 }, 3_600],
    ['H03: ignores an expiration of 2^53', { expires_in: 3_600, expiration: 2 ** 53 }, 3_600],
  ];
  for (const [rule, fields, seconds] of lives) {
    it(rule, () => assert.equal(lifeOf(fields), seconds));
  }

  it("doesn't depend on the expiration field if the server time is unknown", () => {
    for (const expiration of [1_000, 99_000_000_000]) {
      assert.equal(lifeOf({ expires_in: 3_600, expiration }, ''), 3_600);
      assert.equal(lifeOf({ expires_in: 3_600, expiration }, 'no date'), 3_600);
    }
  });

  it('H01: has a soft threshold at 70–90% and a hard threshold near its end', () => {
    const of = (seconds: number, random: number) => {
      const answer = { value: token, expiration: undefined, serverNow: undefined };
      return tokenLifetime({ ...answer, expiresIn: seconds }, random);
    };
    assert.deepEqual(of(3_600, 0.5), {
      lifeMs: 3_600_000,
      softMs: 2_880_000,
      hardMs: 3_570_000,
    });
    assert.equal(of(3_600, 0).softMs, 2_520_000);
    assert.equal(Math.round(of(3_600, 1).softMs), 3_240_000);
    assert.equal(of(100, 0.5).hardMs, 90_000);
    assert.deepEqual(of(20, 0.5), { lifeMs: 20_000, softMs: 18_000, hardMs: 18_000 });
  });

  it(`stays within its limits for random responses (seed ${seed})`, () => {
    const value = fc.oneof(
      fc.double({ noNaN: true }),
      fc.integer(),
      fc.integer().map(String),
      fc.string(),
      fc.constant(null),
    );
    const check = (expiresIn: unknown, expiration: unknown, random: number) => {
      const fields = { access_token: token, expires_in: expiresIn, expiration };
      const life = tokenLifetime(readTokenResponse(JSON.stringify(fields), date), random);
      assert.ok(life.lifeMs > 0 && life.lifeMs <= 86_400_000, `${life.lifeMs}`);
      assert.ok(life.softMs <= life.hardMs && life.hardMs < life.lifeMs);
    };
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(fc.property(value, value, random, check), { seed, numRuns: 1_000 });
  });
});

describe('a token response', () => {
  const usable = ['a'.repeat(16), 'a'.repeat(8_192), 'eyJhbGciOiJ9.eyJzdWIiOjF9.AZ-_~+/=='];
  const unusable: readonly unknown[] = [
    'a'.repeat(15),
    'a'.repeat(8_193),
    'a'.repeat(20_000),
    '',
    ' '.repeat(20),
    `${'a'.repeat(16)}\r\nX-Evil: 1`,
    `${'a'.repeat(16)}\u0000`,
    `${'a'.repeat(16)}é`,
    '<JWT with iat and exp>',
    1_234_567_890_123_456,
    { value: 'a'.repeat(16) },
    null,
    undefined,
  ];
  const read = (json: unknown) => () => readTokenResponse(JSON.stringify(json), date);
  const isUnusable = (error: unknown) =>
    error instanceof ServiceError && error.kind === 'token-unusable';

  it('D11 D12: is rejected unless its token consists of 16 to 8,192 valid header characters', () => {
    for (const access_token of usable) assert.equal(read({ access_token })().value, access_token);
    for (const access_token of unusable) assert.throws(read({ access_token }), isUnusable);
  });

  it("D13: is rejected if its token type isn't Bearer", () => {
    for (const token_type of ['Bearer', 'bearer', undefined]) {
      assert.equal(read({ access_token: token, token_type })().value, token);
    }
    for (const token_type of ['mac', '', 1, null]) {
      assert.throws(read({ access_token: token, token_type }), isUnusable);
    }
  });

  it('must be a JSON object, and its refresh token is ignored', () => {
    for (const json of [null, [], 'x', 123]) assert.throws(read(json), isUnusable);
    assert.throws(() => readTokenResponse('{"access_token":', date), isUnusable);
    const answer = read({ access_token: token, refresh_token: 'not_supported' })();
    assert.ok(!JSON.stringify(answer).includes('not_supported'));
  });
});

describe('the offset of the local clock', () => {
  const serverNow = serverSeconds * 1_000;
  const cases: readonly [string, number, number, number | undefined, number | undefined][] = [
    ['is unknown if the response has no time', 0, 1, undefined, undefined],
    [
      'is zero if the request overlaps the second that the server time names',
      -10,
      10,
      serverNow,
      0,
    ],
    ['is zero within the second that the server time names', 900, 950, serverNow, 0],
    ['is zero if a slow response spans the server time', -30_000, 30_000, serverNow, 0],
    [
      'is measured from the end of the second that the server time names',
      61_000,
      62_000,
      serverNow,
      60_000,
    ],
    ['is negative if the local clock is behind', -70_000, -60_000, serverNow, -60_000],
  ];
  for (const [what, start, end, now, expected] of cases) {
    it(what, () => {
      assert.equal(clockAhead(serverNow + start, serverNow + end, now), expected);
    });
  }
});
