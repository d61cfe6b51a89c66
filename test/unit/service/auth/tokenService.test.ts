import assert from 'node:assert/strict';
import { TokenService } from '../../../../src/service/auth/tokenService.ts';
import { ServiceError } from '../../../../src/service/errors.ts';
import { FakeTime, failureOf, kindOf, never, tokenAnswer } from '../fixtures.ts';
import { down, MINUTE, rejected, underTest } from '../tokens.ts';

describe('the token service', () => {
  let time: FakeTime;
  beforeEach(() => {
    time = new FakeTime();
  });
  afterEach(() => time.end());

  it('H13: requests one token for all callers on first use', async () => {
    const { service, flights, answer, value, states } = underTest(time);
    assert.deepEqual([flights.length, service.state.kind], [0, 'none']);
    const calls = Promise.all(Array.from({ length: 1_000 }, value));
    await answer();
    assert.deepEqual(new Set(await calls), new Set(['token-1']));
    assert.equal(flights.length, 1);
    assert.deepEqual([states.at(0), states.at(-1)], ['fetching', 'valid']);
  });

  const thresholds: readonly [string, number, number, number][] = [
    ['80% into its lifetime', 0.5, 48, 3_600],
    ['as early as 70% into its lifetime', 0, 42, 3_600],
    ['as late as 90% into its lifetime', 1, 54, 3_600],
    ['80% into a short lifetime', 0.5, 4, 300],
  ];
  for (const [when, random, softMinutes, expiresIn] of thresholds) {
    it(`H01 H14: refreshes the token ${when}, while callers use the old token`, async () => {
      const { flights, answer, value, start } = underTest(time, () => random);
      await start({ expiresIn });
      await time.pass(softMinutes * MINUTE - 1);
      assert.deepEqual([await value(), flights.length], ['token-1', 1]);
      await time.pass(1);
      const all = await Promise.all(Array.from({ length: 1_000 }, value));
      assert.deepEqual([new Set(all), flights.length], [new Set(['token-1']), 2]);
      await answer();
      assert.deepEqual([await value(), flights.length], ['token-2', 2]);
    });
  }

  it("H01: doesn't let callers use a token in its last 30 s", async () => {
    const { service, flights, answer, value, start } = underTest(time);
    await start();
    await time.pass(59.5 * MINUTE - 1);
    assert.equal(await value(), 'token-1');
    await answer(down);
    await time.pass(1);
    assert.equal(service.state.kind, 'expired');
    const waiting = value();
    assert.equal(flights.length, 3);
    await answer();
    assert.equal(await waiting, 'token-3');
  });

  it('H15: returns the valid token while the backoff grows to 5 min', async () => {
    const { flights, answer, value, start, service } = underTest(time);
    await start({ expiresIn: 86_400 });
    await time.pass(0.8 * 86_400_000);
    const waits = [];
    let lastMs = time.monotonic();
    for (let renewal = 0; renewal < 9; renewal += 1) {
      const before = flights.length;
      for (; flights.length === before; await time.pass(1_000)) {
        assert.equal(await value(), 'token-1');
        if (flights.length > before) break;
      }
      waits.push((time.monotonic() - lastMs) / 1_000);
      lastMs = time.monotonic();
      await answer(down);
      assert.equal(service.state.kind, 'valid');
    }
    assert.deepEqual(waits, [0, 5, 10, 20, 40, 80, 160, 300, 300]);
  });

  it('resets the backoff after a successful refresh', async () => {
    const { flights, answer, value, start, service } = underTest(time);
    await start({ expiresIn: 600 });
    await time.pass(480_000);
    for (let failed = 0; failed < 4; failed += 1) {
      await time.pass(failed * 10_000);
      await value();
      await answer(down);
    }
    assert.equal(flights.length, 5);
    const refreshed = service.refresh(never);
    await answer({ expiresIn: 50 });
    await refreshed;
    await time.pass(42_000);
    const before = flights.length;
    await value();
    assert.equal(flights.length, before + 1);
  });

  it('H16: rejects waiting calls after a failure, and retries on the next call', async () => {
    const { flights, answer, value, service } = underTest(time);
    const kinds = [kindOf(value()), kindOf(value())];
    await answer(down);
    assert.deepEqual(await Promise.all(kinds), ['server-failed', 'server-failed']);
    assert.equal(service.state.kind, 'failed');
    const next = value();
    await answer();
    assert.deepEqual([await next, flights.length], ['token-2', 2]);
  });

  it("H16: doesn't repeat a failed request for each waiting call", async () => {
    const { service, flights, answer, value, start } = underTest(time);
    await start({ expiresIn: 600 });
    await time.pass(600_000);
    const before = service.state;
    const first = kindOf(service.get(never, before));
    await answer(down);
    const kinds = [await first];
    // These calls run one after the other, as if the concurrency limit allowed only one at a time.
    for (let call = 1; call < 100; call += 1) kinds.push(await kindOf(service.get(never, before)));
    assert.deepEqual([new Set(kinds), flights.length], [new Set(['server-failed']), 2]);
    const next = value();
    await answer();
    assert.deepEqual([await next, flights.length], ['token-3', 3]);
    assert.equal((await service.get(never, before)).value, 'token-3');
  });

  it('H16: for 5 s, shares a failure with waiting calls, then retries', async () => {
    const { service, flights, answer, start } = underTest(time);
    await start({ expiresIn: 600 });
    await time.pass(600_000);
    const before = service.state;
    const other = kindOf(service.get(never, before));
    await answer(down);
    assert.equal(await other, 'server-failed');
    await time.pass(4_999);
    assert.equal(await kindOf(service.get(never, before)), 'server-failed');
    await time.pass(1);
    const waited = service.get(never, before);
    assert.equal(flights.length, 3);
    await answer();
    assert.equal((await waited).value, 'token-3');
  });

  const pauses: readonly [string, number, number][] = [
    ['ten minutes', 600_000, 600_000],
    ['a year, limited to an hour', 31_536_000_000, 3_600_000],
  ];
  for (const [what, retryAfterMs, keptMs] of pauses) {
    it(`honors a Retry-After header from the identity service: ${what}`, async () => {
      const { service, flights, answer, value, start } = underTest(time);
      const busy = new ServiceError('rate-limited', { status: 429, retryAfterMs });
      await start({ expiresIn: 7_200 });
      await time.pass(96 * MINUTE);
      service.keepFresh();
      await answer(busy);
      for (let passedMs = 0; passedMs < keptMs; passedMs += 60_000) {
        service.keepFresh();
        const isLiving = passedMs < 23.5 * MINUTE;
        if (isLiving) assert.equal(await value(), 'token-1');
        else {
          const { kind, details } = await failureOf(value());
          assert.deepEqual([kind, details.retryAfterMs], ['rate-limited', keptMs - passedMs]);
        }
        assert.equal(flights.length, 2);
        await time.pass(60_000);
      }
      const next = value();
      await answer();
      await next;
      assert.equal(flights.length, 3);
    });
  }

  it('lets the user refresh the token during a Retry-After pause', async () => {
    const { service, flights, answer, value } = underTest(time);
    const first = kindOf(value());
    await answer(new ServiceError('rate-limited', { status: 429, retryAfterMs: 600_000 }));
    assert.deepEqual([await first, await kindOf(value())], ['rate-limited', 'rate-limited']);
    const refreshed = service.refresh(never);
    const meanwhile = value();
    await answer();
    await refreshed;
    assert.deepEqual([await meanwhile, await value(), flights.length], ['token-2', 'token-2', 2]);
  });

  it('counts the time the machine is asleep toward a Retry-After pause', async () => {
    const { answer, value } = underTest(time);
    const first = kindOf(value());
    await answer(new ServiceError('rate-limited', { status: 429, retryAfterMs: 600_000 }));
    assert.equal(await first, 'rate-limited');
    time.sleep(600_000);
    const next = value();
    await answer();
    assert.equal(await next, 'token-2');
  });

  it('H24: cancels only the call whose caller aborts', async () => {
    const { service, flights, answer, value } = underTest(time);
    const leaving = new AbortController();
    const left = kindOf(service.get(leaving.signal));
    const stays = value();
    leaving.abort();
    assert.equal(await left, 'cancelled');
    assert.equal(flights[0]?.signal.aborted, false);
    await answer();
    assert.equal(await stays, 'token-1');
    assert.equal(await kindOf(underTest(time).service.get(AbortSignal.abort())), 'cancelled');
  });

  it('H25: aborts the request once all its callers have aborted', async () => {
    const { service, flights, answer, value } = underTest(time);
    const leaving = new AbortController();
    const left = [1, 2].map(() => kindOf(service.get(leaving.signal)));
    leaving.abort();
    const later = value();
    assert.deepEqual(await Promise.all(left), ['cancelled', 'cancelled']);
    assert.deepEqual([flights.length, flights[0]?.signal.aborted], [2, true]);
    flights[0]?.resolve({ ...tokenAnswer, value: 'late' });
    await answer();
    assert.equal(await later, 'token-2');
  });

  it('reports each state change to its listeners until they are removed', async () => {
    const { service, start } = underTest(time);
    const seen: string[] = [];
    const stop = service.onDidChange(({ kind }) => seen.push(kind));
    await start();
    stop();
    service.drop(await service.get(never));
    assert.deepEqual([seen, service.state.kind], [['fetching', 'valid'], 'expired']);
  });

  it('cancels calls made after its disposal, even if the key was rejected', async () => {
    const { service, answer, value } = underTest(time);
    const rejected = failureOf(value());
    await answer(new ServiceError('key-rejected'));
    assert.equal((await rejected).kind, 'key-rejected');
    service.dispose();
    assert.equal(await kindOf(value()), 'cancelled');
  });

  it('discards a pending response after disposal, and sends no more requests', async () => {
    const { service, flights, states, value } = underTest(time);
    const waiting = failureOf(value());
    const before = states.length;
    service.dispose();
    flights[0]?.resolve(tokenAnswer);
    assert.equal((await waiting).kind, 'cancelled');
    assert.equal(await kindOf(value()), 'cancelled');
    assert.equal(await kindOf(service.refresh(never)), 'cancelled');
    assert.deepEqual(
      [states.length, flights.length, TokenService.valuesOf(service)],
      [before, 1, []],
    );
  });
});

describe('a rejected key', () => {
  let time: FakeTime;
  beforeEach(() => {
    time = new FakeTime();
  });
  afterEach(() => time.end());

  it("H17: isn't sent again until the user refreshes the token", async () => {
    const { service, flights, answer, value } = underTest(time);
    const first = kindOf(value());
    await answer(rejected);
    assert.equal(await first, 'key-rejected');
    for (let call = 0; call < 100; call += 1) {
      assert.equal(await kindOf(value()), 'key-rejected');
      service.keepFresh();
      await time.pass(10 * MINUTE);
    }
    assert.equal(flights.length, 1);
    const refreshed = service.refresh(never);
    await answer();
    await refreshed;
    assert.deepEqual([await value(), flights.length], ['token-2', 2]);
  });

  it('stays rejected after a token is dropped or a refresh is canceled', async () => {
    const { service, flights, answer, value, start } = underTest(time);
    await start();
    await time.pass(48 * MINUTE);
    const token = await service.get(never);
    await answer(rejected);
    assert.equal(await value(), 'token-1', 'the valid token is still used');
    service.drop(token);
    assert.equal(await kindOf(value()), 'key-rejected');
    const leaving = new AbortController();
    const left = kindOf(service.refresh(leaving.signal));
    leaving.abort();
    assert.equal(await left, 'cancelled');
    assert.equal(await kindOf(value()), 'key-rejected');
    assert.deepEqual([service.state.kind, flights.length], ['rejected', 3]);
  });
});
