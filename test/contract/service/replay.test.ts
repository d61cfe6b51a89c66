import assert from 'node:assert/strict';
import { gate } from '../../emulator/faults.ts';
import { endWorlds, failureOf, pathOf, startWorld, tokenPath, type World } from './world.ts';

const chat = pathOf('chat', false);
const chatStream = pathOf('chat', true);
const expired = { recording: 25 };

/** Starts a world, and gets a token before the test's first call. */
async function warm(): Promise<World> {
  const world = await startWorld({ limits: { limit: 8 } });
  await world.tokenService.refresh(new AbortController().signal);
  return world;
}

const streamOf = (...data: unknown[]) => ({
  headers: { 'content-type': 'text/event-stream' },
  body: data.map((each) => `data: ${JSON.stringify(each)}\n\n`).join(''),
});
const expiredEvent = {
  errors: [{ code: 'authentication_token_expired', message: '' }],
  status_code: 401,
};

describe('a stale token', () => {
  afterEach(endWorlds);

  for (const streams of [false, true]) {
    for (const state of ['expired', 'not valid'] as const) {
      it(`H19: is replaced once, and no retry is reported (${state}${streams ? ', stream' : ''})`, async () => {
        const world = await warm();
        world.emulator.revokeTokens(state);
        const retries: unknown[] = [];
        const onText = streams ? { onText: () => {} } : {};
        const { text } = await world.generate({ ...onText, onRetry: (each) => retries.push(each) });
        assert.match(text, /haiku/);
        assert.deepEqual([world.inferenceCount(), retries.length], [2, 0]);
        assert.equal(world.emulator.count(tokenPath), 2);
        const bearers = world.emulator.requests.flatMap(
          ({ headers }) => headers.authorization ?? [],
        );
        const issued = world.emulator.tokensIssued.map((token) => `Bearer ${token}`);
        assert.deepEqual(bearers, issued);
      });
    }
  }

  it('H20: makes the call fail with `unauthorized` if the new token is also rejected', async () => {
    const world = await warm();
    world.emulator.faults.always(chat, expired);
    const { kind, details } = await failureOf(world.generate());
    assert.deepEqual(
      [kind, details.code, details.attempts],
      ['unauthorized', 'authentication_token_expired', 2],
    );
    assert.deepEqual([world.inferenceCount(), world.emulator.count(tokenPath)], [2, 2]);
  });

  it('H21: causes 1 refresh and 8 replays for 8 parallel calls', async () => {
    const world = await warm();
    world.emulator.revokeTokens();
    const held = gate();
    world.emulator.faults.next(chat, { hold: held.opened }, 8);
    const calls = Promise.all(Array.from({ length: 8 }, () => world.generate()));
    await world.emulator.requestCount(chat, 8);
    held.open();
    assert.equal((await calls).length, 8);
    assert.deepEqual([world.inferenceCount(), world.emulator.count(tokenPath)], [16, 2]);
  });

  it("isn't replaced again if a slower call with that token fails", async () => {
    const world = await warm();
    world.emulator.revokeTokens();
    const held = gate();
    world.emulator.faults.next(chat, { hold: held.opened });
    const slow = world.generate();
    await world.emulator.requestCount(chat, 1);
    await world.generate();
    held.open();
    await slow;
    assert.equal(world.emulator.count(tokenPath), 2);
  });

  it('H23: makes the call fail with `unauthorized` if some text has already arrived', async () => {
    const world = await warm();
    const first = { choices: [{ delta: { content: 'partial' }, finish_reason: null }] };
    world.emulator.faults.next(chatStream, streamOf(first, expiredEvent));
    const parts: string[] = [];
    const { kind } = await failureOf(world.generate({ onText: (part) => parts.push(part) }));
    assert.deepEqual([kind, parts, world.inferenceCount()], ['unauthorized', ['partial'], 1]);
  });

  it('is replaced if the stream reports it as expired before sending any text', async () => {
    const world = await warm();
    world.emulator.faults.next(chatStream, streamOf(expiredEvent));
    assert.match((await world.generate({ onText: () => {} })).text, /haiku/);
    assert.deepEqual([world.inferenceCount(), world.emulator.count(tokenPath)], [2, 2]);
  });

  const busy = { status: 503 };
  const sequences: readonly [string, readonly object[], boolean][] = [
    ['401 503 503 503 200', [expired, busy, busy, busy], true],
    ['503 503 503 401 200', [busy, busy, busy, expired], true],
    ['503 401 503 503 200', [busy, expired, busy, busy], true],
    ['401 503 503 503 503', [expired, busy, busy, busy, busy, busy], false],
    ['503 503 503 401 503', [busy, busy, busy, expired, busy, busy], false],
    ['503 503 503 401 401', [busy, busy, busy, expired, expired, busy], false],
  ];
  for (const [name, faults, succeeds] of sequences) {
    it(`never causes more than 5 requests per call: ${name}`, async () => {
      const world = await warm();
      for (const fault of faults) world.emulator.faults.next(chat, fault);
      const call = world.generate();
      if (succeeds) assert.match((await call).text, /haiku/);
      else assert.equal((await failureOf(call)).details.attempts, 5);
      assert.equal(world.inferenceCount(), 5);
    });
  }

  it("I16: isn't used for a retry if there's a newer token", async () => {
    const world = await warm();
    const held = gate();
    world.emulator.faults.next(chat, { ...busy, hold: held.opened });
    const call = world.generate();
    await world.emulator.requestCount(chat, 1);
    await world.tokenService.refresh(new AbortController().signal);
    held.open();
    await call;
    const bearers = world.emulator.requests.flatMap(({ headers }) => headers.authorization ?? []);
    assert.deepEqual(
      bearers,
      world.emulator.tokensIssued.map((token) => `Bearer ${token}`),
    );
  });
});
