import assert from 'node:assert/strict';
import { reconnectingFetch } from '../../../src/service/http/reconnectingFetch.ts';
import { gate } from '../../emulator/faults.ts';
import { FakeTime, settled } from '../../unit/service/fixtures.ts';
import { becomes } from '../../vscode/deadline.ts';
import {
  endWorlds,
  failureOf,
  kindOf,
  pathOf,
  startWorld,
  tokenPath,
  type World,
} from './world.ts';

const chat = pathOf('chat', false);

describe('concurrent requests', () => {
  let time: FakeTime;
  beforeEach(() => {
    time = new FakeTime();
  });
  afterEach(async () => {
    time.end();
    await endWorlds();
  });

  it('I19: are sent in order, one at a time, if the limit is 1', async () => {
    const world = await startWorld({ limits: { limit: 1 } });
    const prompts = Array.from({ length: 30 }, (_, index) => `prompt ${index}`);
    await Promise.all(prompts.map((prompt) => world.client.generateText(prompt, {})));
    assert.equal(world.emulator.mostInFlight.inference, 1);
    const sent = world.emulator.requests.filter(({ path }) => path === chat);
    assert.deepEqual(
      sent.map(({ text }) => JSON.parse(text).messages[0].content),
      prompts,
    );
  });

  it('reach the concurrency limit, but never exceed it', async () => {
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

  it('I20: are rejected as `queue-full` when the queue is full', async () => {
    const world = await startWorld({ limits: { limit: 1, queue: 50 } });
    const held = gate();
    world.emulator.faults.next(chat, { hold: held.opened });
    const calls = Promise.all(Array.from({ length: 51 }, () => world.generate()));
    const { kind, details } = await failureOf(world.generate());
    assert.deepEqual([kind, details.limit], ['queue-full', 50]);
    held.open();
    assert.equal((await calls).length, 51);
  });

  it('release their slots during a backoff', async () => {
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

  it('all wait if one response has a Retry-After header', async () => {
    const world = await startWorld({ clock: time, http: { waitMs: () => 1 } });
    world.emulator.faults.next(chat, { status: 429, headers: { 'retry-after': '60' } });
    const retried = Promise.withResolvers<void>();
    const calls = [world.generate({ onRetry: () => retried.resolve() })];
    await retried.promise;
    calls.push(world.generate());
    await time.pass(59_999);
    assert.equal(world.emulator.count(chat), 1);
    await time.pass(1);
    await Promise.all(calls);
    assert.equal(world.emulator.count(chat), 3);
  });

  it('honor Retry-After, even if the call that received the header was canceled', async () => {
    const hasHeaders = Promise.withResolvers<void>();
    const fetch: typeof reconnectingFetch = async (url, init) => {
      const response = await reconnectingFetch(url, init);
      if (response.status === 429) hasHeaders.resolve();
      return response;
    };
    const world = await startWorld({ clock: time, http: { fetch } });
    const headers = { 'retry-after': '60' };
    world.emulator.faults.next(chat, { status: 429, headers, body: 'later', silentAfterBytes: 1 });
    const cancel = new AbortController();
    const canceled = kindOf(world.generate({ signal: cancel.signal }));
    await hasHeaders.promise;
    await settled();
    cancel.abort();
    assert.equal(await canceled, 'cancelled');
    assert.equal(world.limiter.state.resumesInMs, 60_000);
  });

  for (const [what, fault] of [
    ['a response', {}],
    ['a 429', { recording: 27, headers: { 'x-requests-limit-rate': '20' } }],
  ] as const) {
    it(`stay within the rate limit that ${what} reports`, async () => {
      const rate = { requestsPerSecond: 20, namesRequestLimit: true };
      const world = await startWorld({
        ...{ clock: time, emulator: rate, limits: { limit: 8 } },
        http: { waitMs: () => 1 },
      });
      world.emulator.faults.next(chat, fault);
      const calls = [world.generate()];
      await world.emulator.requestCount(chat, 1);
      await becomes('the end of the first request', () => world.limiter.state.inFlight === 0);
      while (calls.length < 8) calls.push(world.generate());
      await sendEach(world, 1, 50);
      await Promise.all(calls);
    });
  }

  it('respect the minimum interval after waiting for the first token', async () => {
    const minIntervalMs = 50;
    const world = await startWorld({ clock: time, limits: { limit: 8, minIntervalMs } });
    const held = gate();
    world.emulator.faults.next(tokenPath, { hold: held.opened });
    const calls = Array.from({ length: 8 }, () => world.generate());
    await world.emulator.requestCount(tokenPath, 1);
    assert.deepEqual(world.limiter.state, { inFlight: 0, waiting: 0, limit: 8 });
    await time.pass(10 * minIntervalMs);
    held.open();
    await world.emulator.requestCount(chat, 1);
    await sendEach(world, 1, minIntervalMs);
    await Promise.all(calls);
  });

  /** Asserts that the waiting requests are sent one by one, at this interval. */
  async function sendEach({ emulator, limiter }: World, alreadySent: number, apartMs: number) {
    await becomes('a waiting request', () => limiter.state.waiting > 0);
    let sent = alreadySent;
    while (limiter.state.waiting > 0) {
      await time.pass(apartMs - 1);
      assert.equal(emulator.count(chat), sent);
      await time.pass(1);
      sent += 1;
      await emulator.requestCount(chat, sent);
    }
    await settled();
    assert.equal(emulator.count(chat), sent);
  }

  it('release their slots while an expired token is being replaced', async () => {
    const world = await startWorld({ clock: time, limits: { limit: 1 } });
    const [first, token] = [gate(), gate()];
    world.emulator.faults.next(chat, { hold: first.opened });
    const calls = [world.generate(), world.generate()];
    await world.emulator.requestCount(chat, 1);
    time.sleep(3_600_000);
    world.emulator.faults.next(tokenPath, { hold: token.opened });
    first.open();
    await world.emulator.requestCount(tokenPath, 2);
    assert.deepEqual(world.limiter.state, { inFlight: 0, waiting: 0, limit: 1 });
    token.open();
    await Promise.all(calls);
    assert.deepEqual([world.emulator.count(tokenPath), world.emulator.count(chat)], [2, 2]);
  });

  it('keep the same limit after the identity service returns a 429', async () => {
    const world = await startWorld({ clock: time, limits: { limit: 8 } });
    world.emulator.faults.next(tokenPath, { status: 429 }, 4);
    assert.equal(await kindOf(world.generate()), 'rate-limited');
    assert.equal(world.limiter.state.limit, 8);
  });
});
