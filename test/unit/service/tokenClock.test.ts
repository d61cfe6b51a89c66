import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TokenService } from '../../../src/service/auth/tokenService.ts';
import { FakeTime, never, seed, settled } from './fixtures.ts';
import { down, MINUTE, underTest } from './tokens.ts';

describe('the token service over time', () => {
  let time: FakeTime;
  beforeEach(() => {
    time = new FakeTime();
  });
  afterEach(() => time.end());

  it("doesn't use a token that expired while the machine slept", async () => {
    const { service, flights, answer, value, start } = underTest(time);
    await start();
    time.sleep(8 * 60 * MINUTE);
    assert.equal(service.state.kind, 'expired');
    const waiting = value();
    await answer();
    assert.deepEqual([await waiting, flights.length], ['token-2', 2]);
  });

  it('refreshes the token in the background after the machine sleeps past the soft threshold', async () => {
    const { flights, value, start } = underTest(time);
    await start();
    time.sleep(50 * MINUTE);
    assert.deepEqual([await value(), flights.length], ['token-1', 2]);
  });

  for (const minutes of [-20, -120]) {
    it(`refreshes once in the background if the clock is set back by ${-minutes} min`, async () => {
      const { flights, answer, value, start } = underTest(time);
      await start();
      time.setWall(minutes * MINUTE);
      assert.equal(await value(), 'token-1');
      await answer();
      for (let call = 0; call < 10; call += 1) {
        assert.equal(await value(), 'token-2');
        await time.pass(MINUTE);
      }
      assert.equal(flights.length, 2);
    });
  }

  it('keeps an API key even if the clock is set back', async () => {
    const { service, flights, value, start } = underTest(time);
    await start({ isApiKey: true });
    time.setWall(-20 * MINUTE);
    assert.equal(service.state.kind, 'valid');
    assert.deepEqual([await value(), flights.length], ['token-1', 1]);
  });

  it('expires a token on time even if the wall clock is set back', async () => {
    const { service, start } = underTest(time);
    await start();
    await time.pass(50 * MINUTE);
    time.setWall(-40 * MINUTE);
    await time.pass(10 * MINUTE);
    assert.equal(service.state.kind, 'expired');
  });

  it('reports when the token expires and when it will be refreshed', async () => {
    const { service, start } = underTest(time);
    const now = time.now();
    await start();
    const expected = {
      kind: 'valid',
      expiresAt: now + 60 * MINUTE,
      refreshesAt: now + 48 * MINUTE,
    };
    assert.deepEqual(service.state, expected);
  });

  it("measures a token's lifetime from the start of the token request", async () => {
    const { service, value, answer } = underTest(time);
    const waiting = value();
    await time.pass(10 * MINUTE);
    await answer();
    await waiting;
    await time.pass(49.5 * MINUTE);
    assert.equal(service.state.kind, 'expired');
  });

  it('returns an expired token only to calls that were waiting for it', async () => {
    const { service, flights, answer, value } = underTest(time);
    const { signal } = new AbortController();
    const waiting = service.get(signal);
    await time.pass(1_200);
    await answer({ expiresIn: 1 });
    const late = await waiting;
    const again = async () => (await service.get(signal, undefined, late)).value;
    assert.deepEqual([await again(), flights.length], ['token-1', 1]);
    const next = value();
    await answer();
    assert.deepEqual([await next, await again(), flights.length], ['token-2', 'token-2', 2]);
  });

  it('replaces a one-hour token that arrives two hours after it was requested', async () => {
    const { service, answer } = underTest(time);
    const { signal } = new AbortController();
    const waiting = service.get(signal);
    await time.pass(2 * 60 * MINUTE);
    await answer({ expiresIn: 3_600 });
    const late = await waiting;
    const next = service.get(signal, undefined, late);
    await answer();
    assert.equal((await next).value, 'token-2');
  });

  it('drops only the given token, not a newer one', async () => {
    const { service, flights, answer, value, start } = underTest(time);
    await start();
    const old = await service.get(never);
    service.drop(old);
    assert.equal(service.state.kind, 'expired');
    const waiting = value();
    await answer();
    await waiting;
    service.drop(old);
    assert.deepEqual([await value(), flights.length], ['token-2', 2]);
  });

  it('refreshes an idle token at most twice until it is used again', async () => {
    const { service, flights, answer, value, start } = underTest(time);
    service.keepFresh();
    assert.equal(flights.length, 0, 'nothing before the first use');
    await start();
    const tick = async () => {
      await time.pass(48 * MINUTE);
      service.keepFresh();
      await answer();
      return flights.length;
    };
    assert.deepEqual([await tick(), await tick(), await tick()], [2, 3, 3]);
    assert.equal(await value(), 'token-3');
    await answer();
    assert.deepEqual([await tick(), await tick(), await tick()], [5, 6, 6]);
  });

  it(`never uses a token past its hard threshold or sends concurrent requests (seed ${seed})`, async () => {
    const step = fc.record({
      passMs: fc.integer({ min: 0, max: 40 * MINUTE }),
      wallMs: fc.constantFrom(0, 0, 0, 3_600_000, -3_600_000),
      fails: fc.boolean(),
    });
    const run = async (steps: { passMs: number; wallMs: number; fails: boolean }[]) => {
      const { service, flights, answer, states } = underTest(time);
      let fetchedAt = Number.NEGATIVE_INFINITY;
      for (const { passMs, wallMs, fails } of steps) {
        await time.pass(passMs);
        time.setWall(wallMs);
        const before = flights.length;
        const wasOpen = states.at(-1) === 'fetching';
        const call = service.get(never).catch(() => undefined);
        if (flights.length > before) {
          assert.ok(!wasOpen);
          const askedAt = time.monotonic();
          await answer(fails ? down : {});
          if (!fails) fetchedAt = askedAt;
        }
        if (await call) assert.ok(time.monotonic() - fetchedAt < 3_570_000);
        await settled();
      }
    };
    const property = fc.asyncProperty(fc.array(step, { maxLength: 20 }), run);
    await fc.assert(property, { seed, numRuns: 100 });
  });

  it('reports why a background refresh failed, even while a valid token remains', async () => {
    const { service, answer, value, start } = underTest(time);
    await start();
    await time.pass(50 * MINUTE);
    await value();
    await answer(down);
    const { state } = service;
    assert.ok(state.kind === 'valid');
    assert.equal(state.refreshError, down);
  });

  it('remembers the previous token after a refresh', async () => {
    const { service, answer, value, start } = underTest(time);
    assert.deepEqual(TokenService.valuesOf(service), []);
    await start();
    assert.deepEqual(TokenService.valuesOf(service), ['token-1']);
    await time.pass(50 * MINUTE);
    await value();
    await answer();
    assert.deepEqual(TokenService.valuesOf(service), ['token-2', 'token-1']);
  });
});
