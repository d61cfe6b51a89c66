import assert from 'node:assert/strict';
import type { TokenState } from '../../../src/service/auth/token.ts';
import { TokenService } from '../../../src/service/auth/tokenService.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import { credentials, FakeTime, failureOf, kindOf, never } from './fixtures.ts';
import { MINUTE, underTest } from './tokens.ts';

const HOUR = 60 * MINUTE;
const offline = new ServiceError('unreachable', { code: 'ENOTFOUND' });

describe('the token service over the course of a day', () => {
  let time: FakeTime;
  beforeEach(() => {
    time = new FakeTime();
  });
  afterEach(() => time.end());

  it('H07: never refreshes a 20-second token in the background', async () => {
    const { service, flights, answer, value, start } = underTest(time);
    await start({ expiresIn: 20 });
    for (let second = 0; second < 17; second += 1) {
      await time.pass(1_000);
      service.keepFresh();
      assert.deepEqual([await value(), flights.length], ['token-1', 1]);
    }
    await time.pass(1_000);
    const waiting = value();
    await answer({ expiresIn: 20 });
    assert.deepEqual([await waiting, flights.length], ['token-2', 2]);
  });

  it('H07: waits at least 5 s between background requests', async () => {
    const { service, flights, answer, start } = underTest(time);
    await start();
    const startedAt: number[] = [];
    for (let second = 0; second < 30; second += 1) {
      await time.pass(1_000);
      time.setWall(-HOUR);
      const before = flights.length;
      service.keepFresh();
      await service.get(never);
      if (flights.length > before) startedAt.push(time.monotonic());
      await answer();
    }
    const gaps = startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? 0));
    assert.equal(flights.length, 7);
    assert.ok(Math.min(...gaps) >= 5_000, `${gaps}`);
  });

  it("H10: restarts a token's lifetime if a refresh returns the same token", async () => {
    const { service, flights, answer, value, start } = underTest(time);
    await start({ value: 'the-same' });
    await time.pass(50 * MINUTE);
    assert.deepEqual([await value(), flights.length], ['the-same', 2]);
    await answer({ value: 'the-same' });
    for (let minute = 0; minute < 40; minute += 1) {
      await time.pass(MINUTE);
      service.keepFresh();
      assert.equal(await value(), 'the-same');
    }
    assert.equal(flights.length, 2, 'its lifetime restarts with the second response');
  });

  it("H28: doesn't retry a failed first request in the background", async () => {
    const { service, flights, answer, value } = underTest(time);
    const first = kindOf(value());
    await answer(offline);
    assert.deepEqual([await first, service.state.kind], ['unreachable', 'failed']);
    for (let minute = 0; minute < 60; minute += 1) {
      service.keepFresh();
      await time.pass(MINUTE);
    }
    assert.equal(flights.length, 1);
    const next = value();
    await answer();
    assert.deepEqual([await next, service.state.kind, flights.length], ['token-2', 'valid', 2]);
  });

  it('H28: refreshes only once after the network comes back', async () => {
    const { service, flights, answer, value, start } = underTest(time);
    await start({ expiresIn: 86_400 });
    await time.pass(0.8 * 86_400_000);
    let failed = 0;
    for (let minute = 0; minute < 30; minute += 1) {
      const before = flights.length;
      service.keepFresh();
      const isOffline = minute < 20;
      if (flights.length > before) await answer(isOffline ? offline : {});
      if (isOffline) failed = flights.length - 1;
      await time.pass(MINUTE);
    }
    assert.ok(failed >= 2, `${failed} failed`);
    assert.equal(flights.length, 1 + failed + 1);
    assert.deepEqual(TokenService.valuesOf(service), [`token-${flights.length}`, 'token-1']);
    assert.deepEqual([await value(), service.state.kind], [`token-${flights.length}`, 'valid']);
    assert.equal(flights.length, 1 + failed + 1);
  });

  it('H29: requests no new token during 8 h without calls', async () => {
    const { service, flights, answer, value, start } = underTest(time);
    await start();
    await time.pass(8 * HOUR, 10 * MINUTE);
    assert.deepEqual([flights.length, service.state.kind], [1, 'expired']);
    const waiting = value();
    await answer();
    assert.deepEqual([await waiting, flights.length], ['token-2', 2]);
  });

  it("doesn't refresh an expired token in the background", async () => {
    const { service, flights, answer, value, start } = underTest(time);
    await start();
    time.sleep(24 * HOUR);
    service.keepFresh();
    assert.equal(flights.length, 1, 'an expired token is not kept fresh');
    const waiting = value();
    await answer();
    assert.equal(await waiting, 'token-2');
  });
});

describe("a runtime's token request", () => {
  let time: FakeTime;
  let runtime: ServiceRuntime;
  const settings = {
    modelId: 'model-1',
    operation: 'chat',
    limits: { limit: 3, queue: 50, minIntervalMs: 0 },
  } as const;

  beforeEach(() => {
    time = new FakeTime();
  });
  afterEach(() => {
    runtime.dispose();
    time.end();
  });

  it('H27: times out after 30 s, and is sent again on the next call', async () => {
    let sent = 0;
    const fetch = (_url: unknown, { signal, method }: RequestInit = {}): Promise<Response> => {
      if (method === 'POST') sent += 1;
      return new Promise((_, reject) => {
        signal?.addEventListener?.('abort', () => reject(new Error('aborted')));
      });
    };
    const states: TokenState['kind'][] = [];
    runtime = new ServiceRuntime({
      http: { fetch, clock: time },
      clock: time,
    });
    runtime.tokenService(credentials).onDidChange(({ kind }) => states.push(kind));
    for (const count of [1, 2]) {
      const failure = failureOf(runtime.client(credentials, settings).generateText('Hi', {}));
      await time.pass(29_999);
      assert.equal(states.at(-1), 'fetching');
      await time.pass(1);
      const { kind, details } = await failure;
      assert.deepEqual(
        [kind, details.phase, states.at(-1), sent],
        ['timeout', 'total', 'failed', count],
      );
    }
  });
});
