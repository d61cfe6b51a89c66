import assert from 'node:assert/strict';
import { hardenedFetch } from '../../../src/service/http/hardenedFetch.ts';
import { fetchToken } from '../../../src/service/token/identity.ts';
import type { Fault } from '../../emulator/faults.ts';
import { startMuteServer } from './muteServer.ts';
import { endWorlds, failureOf, pathOf, startWorld, tokenPath, type World } from './world.ts';

const MOST_MS = 50;
const chat = pathOf('chat', false);
const chatStream = pathOf('chat', true);
const longError = { status: 503, body: 'x'.repeat(60_000) };
const drip = { oneByteAtATimeMs: 5 };
const token = { access_token: 'a'.repeat(32), expires_in: 3_600 };
const never = new AbortController().signal;

interface Stage {
  readonly name: string;
  readonly path: string;
  /** Where the call gets stuck. */
  readonly fault: Fault;
  /** Stuck in the body: the client has seen the headers when it is cancelled. */
  readonly hasHeaders?: boolean;
}

const body = { hasHeaders: true };
const stages: readonly Stage[] = [
  { name: 'the token request', path: tokenPath, fault: { neverAnswers: true } },
  { name: 'the token answer', path: tokenPath, fault: { silentAfterBytes: 9 }, ...body },
  { name: 'the headers', path: chat, fault: { neverAnswers: true } },
  { name: 'the headers of a stream', path: chatStream, fault: { neverAnswers: true } },
  { name: 'the answer', path: chat, fault: { silentAfterBytes: 9 }, ...body },
  { name: 'the stream', path: chatStream, fault: { silentAfterBytes: 700 }, ...body },
  { name: 'an error', path: chat, fault: { ...longError, silentAfterBytes: 9 }, ...body },
  { name: 'an error that drips', path: chat, fault: { ...longError, ...drip }, ...body },
];

/** The way to the service, and a promise of its next answer, whatever that is. */
function observed() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const fetch: typeof hardenedFetch = (url, init) => hardenedFetch(url, init).finally(resolve);
  return { fetch, answered: promise };
}

describe('cancel', function () {
  // A busy machine may stall the whole process for longer.
  this.retries(2);
  const took: string[] = [];
  let worst = 0;
  const noteTime = (name: string, ms: number) => {
    worst = Math.max(worst, ms);
    took.push(`${name} ${ms.toFixed(1)}`);
    assert.ok(ms <= MOST_MS, `${name}: ${ms.toFixed(1)} ms`);
  };
  /** One more request shows that none was sent before it. */
  const sendsNothingSince = async ({ emulator, http, credentials }: World, sent: number) => {
    await fetchToken(http, credentials, never);
    assert.equal(emulator.requests.length, sent + 1);
  };
  afterEach(endWorlds);
  after(() => console.log(`      ms to settle: ${took.join(', ')}; most ${worst.toFixed(1)}`));

  for (const { name, path, fault, hasHeaders } of stages) {
    it(`I09: in ${name} settles within ${MOST_MS} ms and sends nothing more`, async () => {
      const { fetch, answered } = observed();
      const world = await startWorld({ http: { fetch }, limits: { limit: 1 } });
      world.emulator.faults.next(tokenPath, path === tokenPath ? fault : { json: token });
      if (path !== tokenPath) world.emulator.faults.next(path, fault);
      const cancel = new AbortController();
      const onText = path === chatStream ? { onText: () => {} } : {};
      const call = failureOf(world.generate({ signal: cancel.signal, ...onText }));
      const request = await world.emulator.requestCount(path, 1);
      if (hasHeaders) await answered;
      await new Promise((resolve) => setImmediate(resolve));
      const sent = world.emulator.requests.length;
      const start = performance.now();
      cancel.abort();
      assert.equal((await call).kind, 'cancelled');
      noteTime(name, performance.now() - start);
      await world.emulator.disconnected(request);
      assert.deepEqual(world.limiter.state, { inFlight: 0, waiting: 0, limit: 1 });
      await sendsNothingSince(world, sent);
    });
  }

  it(`I09: in the connection settles within ${MOST_MS} ms and sends nothing more`, async () => {
    const heard = Promise.withResolvers<void>();
    const mute = await startMuteServer(() => heard.resolve());
    try {
      const { url } = mute;
      const approved = { auth: url, service: url };
      const world = await startWorld({ credentials: { authUrl: url, serviceUrl: url, approved } });
      const cancel = new AbortController();
      const call = failureOf(world.generate({ signal: cancel.signal }));
      await heard.promise;
      const start = performance.now();
      cancel.abort();
      assert.equal((await call).kind, 'cancelled');
      noteTime('the connection', performance.now() - start);
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(mute.connections, 1);
    } finally {
      await mute.close();
    }
  });

  it(`I09: in the queue settles within ${MOST_MS} ms and sends nothing more`, async () => {
    const world = await startWorld({ limits: { limit: 1 } });
    await world.tokenService.refresh(never);
    const slot = await world.limiter.acquire(never);
    const cancel = new AbortController();
    const call = failureOf(world.generate({ signal: cancel.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(world.limiter.state.waiting, 1);
    const start = performance.now();
    cancel.abort();
    assert.equal((await call).kind, 'cancelled');
    noteTime('the queue', performance.now() - start);
    slot.release('ok');
    await sendsNothingSince(world, 1);
  });

  it(`I09: in the wait for a retry settles within ${MOST_MS} ms and sends nothing more`, async () => {
    const world = await startWorld({ http: { waitMs: () => 60_000 } });
    world.emulator.faults.next(chat, { status: 503 });
    const cancel = new AbortController();
    let start = 0;
    const onRetry = () => {
      setImmediate(() => {
        start = performance.now();
        cancel.abort();
      });
    };
    const { kind } = await failureOf(world.generate({ signal: cancel.signal, onRetry }));
    noteTime('retry wait', performance.now() - start);
    assert.equal(kind, 'cancelled');
    await sendsNothingSince(world, 2);
  });

  it('I09: as the first text arrives keeps that text and asks for no more', async () => {
    const world = await startWorld({ emulator: { tokenDelayMs: 30 } });
    const cancel = new AbortController();
    const parts: string[] = [];
    const onText = (part: string) => {
      parts.push(part);
      cancel.abort();
    };
    const { kind, details } = await failureOf(world.generate({ signal: cancel.signal, onText }));
    assert.deepEqual([kind, parts.length], ['cancelled', 1]);
    assert.equal(details.attempts, 1, 'says that it was sent, and cost something');
    await world.emulator.disconnected(await world.emulator.requestCount(chatStream, 1));
    assert.equal(world.inferenceCount(), 1);
  });

  it('before the call sends nothing', async () => {
    const world = await startWorld();
    const { kind, details } = await failureOf(world.generate({ signal: AbortSignal.abort() }));
    assert.deepEqual([kind, world.emulator.requests.length], ['cancelled', 0]);
    assert.ok(!details.attempts);
  });

  it('of one call leaves the others their token', async () => {
    const world = await startWorld();
    const held = Promise.withResolvers<void>();
    world.emulator.faults.next(tokenPath, { hold: held.promise });
    const cancel = new AbortController();
    const cancelled = failureOf(world.generate({ signal: cancel.signal }));
    const others = Promise.all([world.generate(), world.generate()]);
    await world.emulator.requestCount(tokenPath, 1);
    cancel.abort();
    assert.equal((await cancelled).kind, 'cancelled');
    held.resolve();
    assert.equal((await others).length, 2);
    assert.equal(world.emulator.count(tokenPath), 1);
  });
});
