import assert from 'node:assert/strict';
import fc from 'fast-check';
import { tokenLifetime } from '../../src/service/auth/token.ts';
import { readTokenResponse } from '../../src/service/auth/tokenResponse.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { nasty, repeat, seed } from './fuzz.ts';

const CANARY = 'c4nary-token_0123456789';
const normal = {
  access_token: CANARY,
  refresh_token: 'not_supported',
  token_type: 'Bearer',
  expires_in: 3_600,
  expiration: 1_800_003_600,
  scope: 'ibm openid',
};

const value = fc.oneof(
  nasty,
  fc.jsonValue(),
  fc.double(),
  fc.constantFrom(0, -1, 1, 86_401, 2 ** 53, 1e308, true, null, 'bearer', 'mac', '3600', CANARY),
);
const field = fc.constantFrom(...Object.keys(normal), '__proto__', 'constructor', 'x');
const changes = fc.array(fc.tuple(field, value), { maxLength: 4 });
/**
 * A change to a response's text: the offset, the number of removed characters, and the inserted
 * text.
 */
const damage = fc.option(fc.tuple(fc.nat(300), fc.nat(30), nasty), { freq: 3 });
const date = fc.option(
  fc.oneof(
    nasty,
    fc.date({ noInvalidDate: true }).map((day) => day.toUTCString()),
  ),
  { nil: undefined },
);

describe('token responses', () => {
  it(`M01: yield a token valid for at most a day, or are rejected (seed ${seed})`, async () => {
    await repeat('token responses', [changes, damage, date], (changed, damaged, serverDate) => {
      const whole = JSON.stringify({ ...normal, ...Object.fromEntries(changed) });
      const text = damaged
        ? whole.slice(0, damaged[0]) + damaged[2] + whole.slice(damaged[0] + damaged[1])
        : whole;
      try {
        const answer = readTokenResponse(text, serverDate);
        assert.match(answer.value, /^[A-Za-z0-9._~+/=-]{16,8192}$/);
        assert.ok(new Headers({ authorization: `Bearer ${answer.value}` }));
        for (const random of [0, 1]) {
          const { lifeMs, softMs, hardMs } = tokenLifetime(answer, random);
          assert.ok(lifeMs > 0 && lifeMs <= 86_400_000, `life ${lifeMs}`);
          assert.ok(softMs > 0 && softMs <= hardMs && hardMs < lifeMs, `${softMs} ${hardMs}`);
        }
      } catch (error) {
        assert.ok(error instanceof ServiceError && error.kind === 'token-unusable', String(error));
        assert.equal(error.message, 'token-unusable');
      }
      assert.equal(Object.getPrototypeOf({}), Object.prototype);
      assert.equal(Reflect.get({}, 'x'), undefined);
    });
  });
});
