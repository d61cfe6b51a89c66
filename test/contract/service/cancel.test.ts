import assert from 'node:assert/strict';
import { fetchToken } from '../../../src/service/auth/identityService.ts';
import { gate } from '../../emulator/faults.ts';
import { FakeTime, never, settled } from '../../unit/service/fixtures.ts';
import { cancelPhases } from './cancelPhases.ts';
import { endWorlds, failureOf, pathOf, startWorld, streamedPiece, tokenPath } from './world.ts';

const chatStream = pathOf('chat', true);
/** Longer than any deadline or backoff in a call. */
const LONG_MS = 600_000;

describe('a canceled call', () => {
  let time: FakeTime;
  beforeEach(() => {
    time = new FakeTime();
  });
  afterEach(async () => {
    time.end();
    await endWorlds();
  });

  for (const { name, begin, waitMs = 0 } of cancelPhases) {
    it(`I09: ends ${waitMs ? `within ${waitMs} ms` : 'immediately'}, even during ${name}, and doesn't send more requests`, async () => {
      const { world, request, cancel, kind, release } = await begin();
      const { emulator, limiter, http, credentials } = world;
      await settled();
      const sent = emulator.requests.length;
      const ended: string[] = [];
      void kind.then((one) => ended.push(one));
      // The clock is stopped, so only cancel() can end the stuck call.
      cancel();
      await (waitMs ? time.pass(waitMs) : settled());
      assert.deepEqual(ended, ['cancelled']);
      if (request) await emulator.disconnected(request);
      await release?.();
      assert.equal(limiter.state.inFlight + limiter.state.waiting, 0, 'no slot is lost');
      await time.pass(LONG_MS);
      // If the canceled call had sent more requests, they would have arrived before this request.
      await fetchToken(http, credentials, never);
      assert.equal(emulator.requests.length, sent + 1);
    });
  }

  it('I09: keeps the text that arrived before the cancellation', async () => {
    const world = await startWorld();
    const body = streamedPiece('first');
    world.emulator.faults.next(chatStream, {
      headers: { 'content-type': 'text/event-stream' },
      body: `${body}: the end\n\n`,
      silentAfterBytes: body.length,
    });
    const cancel = new AbortController();
    const parts: string[] = [];
    const onText = (part: string) => {
      parts.push(part);
      cancel.abort();
    };
    const { kind, details } = await failureOf(world.generate({ signal: cancel.signal, onText }));
    assert.deepEqual([kind, parts], ['cancelled', ['first']]);
    assert.equal(
      details.attempts,
      1,
      'reports that the request was sent, since it may have a cost',
    );
    await world.emulator.disconnected(await world.emulator.requestCount(chatStream, 1));
    assert.equal(world.inferenceCount(), 1);
  });

  it("doesn't send a request if it was canceled before it started", async () => {
    const world = await startWorld();
    const { kind, details } = await failureOf(world.generate({ signal: AbortSignal.abort() }));
    assert.deepEqual([kind, world.emulator.requests.length], ['cancelled', 0]);
    assert.ok(!details.attempts);
  });

  it("doesn't report usage for an attempt that received a 401", async () => {
    const world = await startWorld();
    const { emulator } = world;
    await world.tokenService.refresh(never);
    emulator.revokeTokens();
    const held = gate();
    emulator.faults.next(tokenPath, { hold: held.opened });
    const cancel = new AbortController();
    const usages: unknown[] = [];
    const onUsage = (usage: unknown) => usages.push(usage);
    const cancelled = failureOf(world.generate({ signal: cancel.signal, onUsage }));
    await emulator.requestCount(tokenPath, 2);
    cancel.abort();
    const { kind, details } = await cancelled;
    held.open();
    assert.deepEqual([kind, details.attempts, usages], ['cancelled', 0, []]);
    assert.equal(world.inferenceCount(), 1);
  });

  it("doesn't abort a token request that other calls are waiting for", async () => {
    const world = await startWorld();
    const held = gate();
    world.emulator.faults.next(tokenPath, { hold: held.opened });
    const cancel = new AbortController();
    const cancelled = failureOf(world.generate({ signal: cancel.signal }));
    const others = Promise.all([world.generate(), world.generate()]);
    await world.emulator.requestCount(tokenPath, 1);
    cancel.abort();
    assert.equal((await cancelled).kind, 'cancelled');
    held.open();
    assert.equal((await others).length, 2);
    assert.equal(world.emulator.count(tokenPath), 1);
  });
});
