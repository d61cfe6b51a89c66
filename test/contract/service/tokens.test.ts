import assert from 'node:assert/strict';
import type { Generation } from '../../../src/service/api/responseReader.ts';
import type { ErrorKind } from '../../../src/service/errors.ts';
import { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import type { Fault } from '../../emulator/faults.ts';
import {
  endWorlds,
  failureOf,
  kindOf,
  modelId,
  SetClock,
  startWorld,
  tokenPath,
  type World,
  type WorldOptions,
} from './world.ts';

const CALLS = 100;
const IN_FLIGHT = 10;
const HOUR_MS = 3_600_000;

/** Makes `CALLS` concurrent calls. @returns the number of calls that failed */
async function callAll(world: World): Promise<number> {
  const calls = Array.from({ length: CALLS }, () => world.generate());
  const results: PromiseSettledResult<Generation>[] = await Promise.allSettled(calls);
  return results.filter(({ status }) => status === 'rejected').length;
}

const start = (options: WorldOptions = {}) =>
  startWorld({ limits: { limit: IN_FLIGHT, queue: CALLS }, ...options });

describe(`${CALLS} parallel calls`, () => {
  afterEach(endWorlds);

  it('H13: make 1 token request, and 1 more after the token is revoked', async () => {
    const world = await start();
    assert.equal(await callAll(world), 0);
    assert.equal(world.emulator.count(tokenPath), 1);
    world.emulator.revokeTokens();
    assert.equal(await callAll(world), 0);
    assert.equal(world.emulator.count(tokenPath), 2);
  });

  it('share one token request if the service rejects their token', async () => {
    const world = await start({ limits: { limit: CALLS, queue: CALLS } });
    await world.generate();
    world.emulator.revokeTokens('not valid');
    assert.equal(await callAll(world), 0);
    assert.equal(world.emulator.count(tokenPath), 2);
  });

  it('make 2 token requests if the first one fails with a 503', async () => {
    const world = await start();
    world.emulator.faults.next(tokenPath, { status: 503 });
    assert.equal(await callAll(world), 0);
    assert.equal(world.emulator.count(tokenPath), 2);
  });

  for (const hours of [2, -2]) {
    const where = hours > 0 ? 'ahead' : 'behind';

    it(`H09: share one token request if the server clock is two hours ${where}`, async () => {
      const clock = new SetClock();
      const emulator = { now: clock.now, clockOffsetSeconds: hours * 3_600 };
      const world = await start({ clock, emulator });
      assert.equal(await callAll(world), 0);
      const { state } = world.tokenService;
      assert.ok(state.kind === 'valid');
      // The service reports whole seconds, so the result can be off by up to 1 s.
      const aheadMs = state.clockAheadMs ?? 0;
      assert.ok(Math.abs(aheadMs + hours * HOUR_MS) <= 1_000, `${aheadMs} ms ahead`);
      assert.equal(world.emulator.count(tokenPath), 1);
    });
  }

  it('H17: make 1 token request in total if the key is rejected', async () => {
    const world = await start({ credentials: { apiKey: 'unknown-key' } });
    assert.equal(await callAll(world), CALLS);
    assert.equal(world.emulator.count(tokenPath), 1);
    assert.equal(world.inferenceCount(), 0);
    assert.deepEqual(world.limiter.state, { inFlight: 0, waiting: 0, limit: IN_FLIGHT });
  });
});

describe('100 calls with an expired token', () => {
  afterEach(endWorlds);

  const faults: readonly [string, Fault, ErrorKind, number][] = [
    ['returns only 503s', { status: 503 }, 'server-failed', 4],
    ['breaks every connection', { resetBeforeHeaders: true }, 'connection-lost', 1],
  ];
  for (const [what, fault, kind, attempts] of faults) {
    it(`H16: fail with the same error if the identity service ${what} (token requests: ${attempts})`, async () => {
      const clock = new SetClock();
      const world = await startWorld({ clock, limits: { limit: 3, queue: 100 } });
      await world.generate();
      clock.pass(HOUR_MS);
      const end = world.emulator.faults.always(tokenPath, fault);
      const calls = Array.from({ length: 100 }, () => failureOf(world.generate()));
      const errors = await Promise.all(calls);
      assert.deepEqual(
        new Set(errors.map((error) => `${error.kind} ${error.details.attempts}`)),
        new Set([`${kind} ${attempts}`]),
      );
      assert.deepEqual(
        [world.emulator.count(tokenPath), world.inferenceCount()],
        [1 + attempts, 1],
      );
      assert.deepEqual(world.limiter.state, { inFlight: 0, waiting: 0, limit: 3 });
      end();
      await world.generate();
    });
  }
});

describe('a token that expires before it arrives', () => {
  let runtime: ServiceRuntime | undefined;
  afterEach(async () => {
    runtime?.dispose();
    await endWorlds();
  });

  /**
   * Starts a world whose token has already expired when the client receives it.
   * @param isExpiredThere true if the token has also expired according to the service's clock
   */
  async function startLate(isExpiredThere: boolean) {
    const clock = new SetClock();
    const now = isExpiredThere ? clock.now : () => 0;
    const world = await startWorld({ emulator: { tokenLifeSeconds: 1, now } });
    const beforePart = async () => clock.pass(1_200);
    world.emulator.faults.always(tokenPath, { beforePart });
    runtime = new ServiceRuntime({ clock });
    const limits = { limit: 1, queue: 50, minIntervalMs: 0 };
    const client = runtime.client(world.credentials, { modelId, operation: 'chat', limits });
    const counts = () => [world.emulator.count(tokenPath), world.inferenceCount()];
    return { generate: () => client.generateText('Hi', {}), counts };
  }

  it('is used anyway, since the service decides whether the token is valid', async () => {
    const { generate, counts } = await startLate(false);
    assert.notEqual((await generate()).text, '');
    assert.deepEqual(counts(), [1, 1]);
  });

  it('is replaced only once if the service rejects every token', async () => {
    const { generate, counts } = await startLate(true);
    assert.equal(await kindOf(generate()), 'unauthorized');
    assert.deepEqual(counts(), [2, 2]);
  });
});

describe('a token', () => {
  afterEach(endWorlds);

  it('is reused for consecutive calls', async () => {
    const world = await startWorld();
    for (let call = 0; call < 20; call += 1) await world.generate();
    assert.equal(world.emulator.count(tokenPath), 1);
  });

  it('is refreshed in the background, without delaying a call', async () => {
    const clock = new SetClock();
    const world = await startWorld({ clock });
    await world.generate();
    clock.pass(0.91 * HOUR_MS);
    const { promise, resolve } = Promise.withResolvers<void>();
    world.emulator.faults.next(tokenPath, { hold: promise });
    await world.generate();
    await world.emulator.requestCount(tokenPath, 2);
    await world.generate();
    assert.equal(world.emulator.count(tokenPath), 2);
    resolve();
    const bearers = world.emulator.requests.flatMap(({ headers }) => headers.authorization ?? []);
    assert.equal(new Set(bearers).size, 1);
  });

  it('H30: is refreshed, but no refresh token is sent or stored', async () => {
    const world = await startWorld();
    const json = { access_token: 'a'.repeat(32), refresh_token: 'refresh-canary', expires_in: 1 };
    world.emulator.faults.always(tokenPath, { json });
    await world.generate().catch(() => {});
    await world.tokenService.refresh(new AbortController().signal);
    for (const { text, rawHeaders } of world.emulator.requests) {
      assert.ok(!`${text}${rawHeaders}`.includes('refresh'));
    }
    assert.ok(!JSON.stringify(world.tokenService.state).includes('refresh-canary'));
  });
});
