import assert from 'node:assert/strict';
import { systemClock } from '../../../src/service/clock.ts';
import { gate } from '../../emulator/faults.ts';
import { endWorlds, failureOf, kindOf, pathOf, startWorld, tokenPath } from './world.ts';

const chat = pathOf('chat', false);

describe('requests in flight', () => {
  afterEach(endWorlds);

  it('I19: are strictly one with the limit 1, in the order of the calls', async () => {
    const world = await startWorld({ limits: { limit: 1 } });
    world.emulator.faults.always(chat, { delayHeadersMs: 1 });
    const prompts = Array.from({ length: 30 }, (_, index) => `prompt ${index}`);
    await Promise.all(prompts.map((prompt) => world.client.generateText(prompt, {})));
    assert.equal(world.emulator.mostInFlight.inference, 1);
    const sent = world.emulator.requests.filter(({ path }) => path === chat);
    assert.deepEqual(
      sent.map(({ text }) => JSON.parse(text).messages[0].content),
      prompts,
    );
  });

  it('are never more than the limit, and reach it', async () => {
    const world = await startWorld({ limits: { limit: 4 } });
    const held = gate();
    world.emulator.faults.next(chat, { hold: held.opened }, 4);
    const calls = Promise.all(Array.from({ length: 20 }, () => world.generate()));
    await world.emulator.requestCount(chat, 4);
    assert.deepEqual(world.limiter.state, { inFlight: 4, waiting: 16, limit: 4 });
    held.open();
    await calls;
    assert.equal(world.emulator.mostInFlight.inference, 4);
  });

  it('I20: are refused politely beyond the queue', async () => {
    const world = await startWorld({ limits: { limit: 1, queue: 50 } });
    const held = gate();
    world.emulator.faults.next(chat, { hold: held.opened });
    const calls = Promise.all(Array.from({ length: 51 }, () => world.generate()));
    const { kind, details } = await failureOf(world.generate());
    assert.deepEqual([kind, details.limit], ['queue-full', 50]);
    held.open();
    assert.equal((await calls).length, 51);
  });

  it('give their slot to others while they wait to be sent again', async () => {
    const { promise: mayRetry, resolve: retryNow } = Promise.withResolvers<void>();
    const world = await startWorld({ limits: { limit: 1 }, http: { waitMs: () => 60_000 } });
    world.emulator.faults.next(chat, { status: 503 });
    const cancel = new AbortController();
    const waiting = kindOf(world.generate({ signal: cancel.signal, onRetry: () => retryNow() }));
    await mayRetry;
    assert.match((await world.generate()).text, /haiku/);
    assert.equal(world.limiter.state.inFlight, 0);
    cancel.abort();
    assert.equal(await waiting, 'cancelled');
  });

  it('pause for everybody as long as one was told to', async () => {
    const world = await startWorld();
    const fault = { status: 429, headers: { 'retry-after': '1' } };
    await world.generate();
    world.emulator.faults.next(chat, fault);
    const told = world.generate();
    const toldAt = await world.emulator.requestCount(chat, 2);
    await new Promise<void>((resolve) => {
      const look = () => (world.limiter.state.inFlight === 0 ? resolve() : setImmediate(look));
      look();
    });
    await Promise.all([told, world.generate()]);
    const later = world.emulator.requests.slice(3);
    assert.equal(later.length, 2);
    for (const { atMs } of later) assert.ok(atMs - toldAt.atMs >= 990, `${atMs - toldAt.atMs}`);
  });

  for (const [what, fault] of [
    ['an answer', {}],
    ['a refusal', { recording: 27, headers: { 'x-requests-limit-rate': '20' } }],
  ] as const) {
    it(`keep the rate that ${what} named`, async () => {
      const rate = { requestsPerSecond: 20, namesRequestLimit: true };
      const world = await startWorld({ emulator: rate, limits: { limit: 8 } });
      world.emulator.faults.next(chat, fault);
      await world.generate();
      const before = world.emulator.count(chat);
      const startMs = performance.now();
      await Promise.all(Array.from({ length: 11 }, () => world.generate()));
      const sent = world.emulator.requests.filter(({ path }) => path === chat).slice(before);
      const tookMs = (sent.at(-1)?.atMs ?? 0) - startMs;
      assert.ok(tookMs >= 10 * 50, `${tookMs} ms`);
      assert.equal(sent.length, 11);
    });
  }

  it('keep their interval from one to the next sent, however long the first token takes', async () => {
    const [calls, tokenMs, minIntervalMs] = [8, 300, 50];
    const world = await startWorld({ limits: { limit: calls, minIntervalMs } });
    world.emulator.faults.next(tokenPath, { delayHeadersMs: tokenMs });
    const all = Promise.all(Array.from({ length: calls }, () => world.generate()));
    const { atMs } = await world.emulator.requestCount(tokenPath, 1);
    assert.deepEqual(world.limiter.state, { inFlight: 0, waiting: 0, limit: calls });
    await all;
    const sent = world.emulator.requests.filter(({ path }) => path === chat);
    const times = sent.map((request) => request.atMs - atMs - tokenMs);
    // Timers run up to a millisecond early.
    const early = times.filter((ms, index) => ms < index * minIntervalMs - 2);
    assert.deepEqual(early, [], times.join());
  });

  it('leave their slot to others where the token died in the queue', async () => {
    let lead = 0;
    const monotonic = () => performance.now() + lead;
    const clock = { ...systemClock, now: () => Date.now() + lead, monotonic };
    const world = await startWorld({ clock, limits: { limit: 1 } });
    const [first, token] = [gate(), gate()];
    world.emulator.faults.next(chat, { hold: first.opened });
    const calls = [world.generate(), world.generate()];
    await world.emulator.requestCount(chat, 1);
    lead = 3_600_000;
    world.emulator.faults.next(tokenPath, { hold: token.opened });
    first.open();
    await world.emulator.requestCount(tokenPath, 2);
    assert.deepEqual(world.limiter.state, { inFlight: 0, waiting: 0, limit: 1 });
    token.open();
    await Promise.all(calls);
    assert.deepEqual([world.emulator.count(tokenPath), world.emulator.count(chat)], [2, 2]);
  });

  it('do not become fewer because the identity service throttles', async () => {
    const world = await startWorld({ limits: { limit: 8 } });
    world.emulator.faults.next(tokenPath, { status: 429 }, 4);
    assert.equal(await kindOf(world.generate()), 'rate-limited');
    assert.equal(world.limiter.state.limit, 8);
  });
});
