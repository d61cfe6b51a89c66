import assert from 'node:assert/strict';
import { systemClock } from '../../../src/service/clock.ts';
import type { ErrorKind } from '../../../src/service/errors.ts';
import type { Generation } from '../../../src/service/generation/answerReader.ts';
import type { Fault } from '../../emulator/faults.ts';
import type { EmulatorSettings } from '../../emulator/settings.ts';
import { endWorlds, failureOf, startWorld, tokenPath, type World } from './world.ts';

const CALLS = 1_000;
const HOUR = 3_600;

/** Calls at once, of which the limiter of the test lets 100 through at a time. */
async function callAll(world: World): Promise<{ readonly failed: number; readonly ms: number }> {
  const start = performance.now();
  const calls = Array.from({ length: CALLS }, () => world.generate());
  const results: PromiseSettledResult<Generation>[] = await Promise.allSettled(calls);
  const failed = results.filter(({ status }) => status === 'rejected').length;
  return { failed, ms: performance.now() - start };
}

const start = (emulator: Partial<EmulatorSettings> = {}) =>
  startWorld({ emulator, limits: { limit: 100, queue: CALLS } });

describe(`${CALLS} parallel calls`, () => {
  const figures: string[] = [];
  const note = (what: string, tokenRequests: number, failed: number, ms: number) =>
    figures.push(
      `      ${what.padEnd(36)} ${String(tokenRequests).padStart(14)} ${String(failed).padStart(13)} ${ms.toFixed(0).padStart(6)}`,
    );
  afterEach(endWorlds);
  after(() => {
    const head = `      ${'situation'.padEnd(36)} token requests  failed calls     ms`;
    console.log([head, ...figures].join('\n'));
  });

  it('H13: with no token yet make 1 token request; with all tokens revoked 1 more', async () => {
    const world = await start();
    const cold = await callAll(world);
    note('cold', world.emulator.count(tokenPath), cold.failed, cold.ms);
    assert.deepEqual([world.emulator.count(tokenPath), cold.failed], [1, 0]);

    world.emulator.revokeTokens();
    const revoked = await callAll(world);
    note('all tokens revoked', world.emulator.count(tokenPath) - 1, revoked.failed, revoked.ms);
    assert.deepEqual([world.emulator.count(tokenPath), revoked.failed], [2, 0]);
  });

  it('of which many see the same token die make 1 token request', async () => {
    const world = await startWorld({ limits: { limit: 300, queue: CALLS } });
    await world.generate();
    world.emulator.revokeTokens('not valid');
    const { failed, ms } = await callAll(world);
    note('all tokens revoked, 300 in flight', world.emulator.count(tokenPath) - 1, failed, ms);
    assert.deepEqual([world.emulator.count(tokenPath), failed], [2, 0]);
  });

  it('make 2 token requests where the first one fails with 503', async () => {
    const world = await start();
    world.emulator.faults.next(tokenPath, { status: 503 });
    const { failed, ms } = await callAll(world);
    note('token endpoint fails once with 503', world.emulator.count(tokenPath), failed, ms);
    assert.deepEqual([world.emulator.count(tokenPath), failed], [2, 0]);
  });

  for (const clockOffsetSeconds of [2 * HOUR, -2 * HOUR]) {
    const where = clockOffsetSeconds > 0 ? 'ahead' : 'behind';

    it(`H09: make 1 token request where the server clock is two hours ${where}`, async () => {
      const world = await start({ clockOffsetSeconds });
      const { failed, ms } = await callAll(world);
      const { state } = world.tokenService;
      const aheadMs = state.kind === 'valid' ? (state.clockAheadMs ?? 0) : 0;
      // Whole seconds, less than what the request took.
      assert.ok(Math.abs(aheadMs + clockOffsetSeconds * 1_000) < 10_000, `${aheadMs} ms ahead`);
      note(`server clock two hours ${where}`, world.emulator.count(tokenPath), failed, ms);
      assert.deepEqual([world.emulator.count(tokenPath), failed], [1, 0]);
    });
  }

  it('H17: cost nothing but themselves with a refused key: 1 token request for all', async () => {
    const world = await startWorld({
      credentials: { apiKey: 'unknown-key' },
      limits: { limit: 100, queue: CALLS },
    });
    const { failed, ms } = await callAll(world);
    note('key refused', world.emulator.count(tokenPath), failed, ms);
    assert.deepEqual([world.emulator.count(tokenPath), failed], [1, CALLS]);
    assert.equal(world.inferenceCount(), 0);
    assert.deepEqual(world.limiter.state, { inFlight: 0, waiting: 0, limit: 100 });
  });
});

describe('while the identity service is down', () => {
  afterEach(endWorlds);

  const faults: readonly [string, Fault, ErrorKind, number][] = [
    ['answers 503', { status: 503 }, 'server-failed', 4],
    ['breaks every connection', { resetBeforeHeaders: true }, 'connection-lost', 1],
  ];
  for (const [what, fault, kind, attempts] of faults) {
    it(`H16: and ${what}, 100 calls past the end of their token share ${attempts} requests, one clear error each`, async () => {
      let lead = 0;
      const clock = {
        ...systemClock,
        now: () => Date.now() + lead,
        monotonic: () => performance.now() + lead,
      };
      const world = await startWorld({ clock, limits: { limit: 3, queue: 100 } });
      await world.generate();
      lead = HOUR * 1_000;
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

describe('a token', () => {
  afterEach(endWorlds);

  it('serves calls one after the other', async () => {
    const world = await startWorld();
    for (let call = 0; call < 20; call += 1) await world.generate();
    assert.equal(world.emulator.count(tokenPath), 1);
  });

  it('is renewed in the background of a call, which does not wait for it', async () => {
    let lead = 0;
    const clock = {
      ...systemClock,
      now: () => Date.now() + lead,
      monotonic: () => performance.now() + lead,
    };
    const world = await startWorld({ clock });
    await world.generate();
    lead = 0.91 * HOUR * 1_000;
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

  it('H30: is fetched without its refresh token ever being sent', async () => {
    const world = await startWorld();
    const json = { access_token: 'a'.repeat(32), refresh_token: 'refresh-canary', expires_in: 1 };
    world.emulator.faults.always(tokenPath, { json });
    await world.generate().catch(() => {});
    await world.tokenService.refresh(new AbortController().signal);
    for (const { text, rawHeaders } of world.emulator.requests) {
      assert.ok(!`${text}${rawHeaders}`.includes('refresh'));
    }
    assert.ok(!JSON.stringify(world.tokenService.state).includes('refresh'));
  });
});
