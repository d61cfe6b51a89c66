import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import {
  type ErrorDetails,
  isUnreachable,
  type ServiceError,
} from '../../../src/service/errors.ts';
import { type Fault, gate } from '../../emulator/faults.ts';
import { FakeTime, never } from '../../unit/service/fixtures.ts';
import { becomes } from '../../vscode/deadline.ts';
import { startMuteServer } from './muteServer.ts';
import { WatchedFetch } from './watchedFetch.ts';
import { endWorlds, failureOf, pathOf, startWorld, tokenPath, type WorldOptions } from './world.ts';

type Phase = NonNullable<ErrorDetails['phase']>;

const chat = pathOf('chat', false);
const chatStream = pathOf('chat', true);
const DEADLINE_MS = 120_000;
const LONG_MS = 600_000;
const eventStream = { 'content-type': 'text/event-stream' };
const event = (delta: object) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`;
/** A stream that sends only this text and then stalls. */
const stalledAfter = (text: string): Fault => ({
  headers: eventStream,
  body: `${text}: more`,
  silentAfterBytes: text.length,
});

describe('deadlines:', () => {
  const closers: (() => Promise<void>)[] = [];
  let time: FakeTime;
  beforeEach(() => {
    time = new FakeTime();
  });
  afterEach(async () => {
    time.end();
    await endWorlds();
    for (const close of closers.splice(0)) await close();
  });

  /** Starts a world, and gets a token in advance unless `path` is the path of token requests. */
  async function start(path: string, { http, ...options }: WorldOptions) {
    const watched = new WatchedFetch();
    const world = await startWorld({
      clock: time,
      // Only the deadline under test can expire.
      ...{ deadlineMs: LONG_MS, tokenDeadlineMs: LONG_MS, ...options },
      http: { startMs: LONG_MS, idleMs: LONG_MS, waitMs: () => 1, ...http, fetch: watched.fetch },
    });
    if (path !== tokenPath) await world.tokenService.refresh(never);
    const call = () => failureOf(world.generate(path === chatStream ? { onText: () => {} } : {}));
    return { ...world, watched, call };
  }

  /** Asserts that a call ends after exactly this number of milliseconds. */
  async function endsAfter(ms: number, phase: Phase, call: Promise<ServiceError>) {
    const ended: string[] = [];
    void call.then(({ kind, details }) => ended.push(`${kind} ${details.phase}`));
    await time.pass(ms - 1);
    assert.deepEqual(ended, [], 'ended too soon');
    await time.pass(1);
    assert.deepEqual(ended, [`timeout ${phase}`]);
  }

  it("the service isn't marked as unreachable if a waiting retry times out", async () => {
    const { call, emulator } = await start(chat, { deadlineMs: DEADLINE_MS, limits: { limit: 2 } });
    const held = gate();
    emulator.faults.next(chat, { hold: held.opened });
    const first = call();
    await emulator.requestCount(chat, 1);
    // The 429 lowers the limit to 1, so the retry waits for the first call.
    emulator.faults.next(chat, { status: 429 });
    const second = call();
    await emulator.requestCount(chat, 2);
    await becomes('queued', () => emulator.inFlight.inference === 1);
    await time.pass(DEADLINE_MS);
    const failures = await Promise.all([first, second]);
    assert.deepEqual(
      failures.map(({ kind, details }) => [kind, details.status]),
      [
        ['timeout', undefined],
        ['timeout', 429],
      ],
    );
    assert.deepEqual(failures.map(isUnreachable), [true, false]);
    held.open();
  });

  const silences: readonly [string, Phase, string, Fault, WorldOptions][] = [
    [
      'a wait for headers',
      'start',
      chat,
      { neverAnswers: true },
      { http: { startMs: DEADLINE_MS } },
    ],
    [
      "a wait for a stream's headers",
      'start',
      chatStream,
      { neverAnswers: true },
      { http: { startMs: DEADLINE_MS } },
    ],
    [
      'a wait for the headers of a token response',
      'start',
      tokenPath,
      { neverAnswers: true },
      { http: { startMs: DEADLINE_MS } },
    ],
    [
      'a wait for the first part of a stream',
      'start',
      chatStream,
      stalledAfter(''),
      { http: { startMs: DEADLINE_MS, idleMs: 1 } },
    ],
    [
      'a wait for the first text in a stream',
      'start',
      chatStream,
      stalledAfter(`: wait\n\n${event({ role: 'assistant' })}`),
      { http: { startMs: DEADLINE_MS, idleMs: 1 } },
    ],
    [
      'a stalled response',
      'idle',
      chat,
      { silentAfterBytes: 10 },
      { http: { idleMs: DEADLINE_MS } },
    ],
    [
      'a stalled stream',
      'idle',
      chatStream,
      stalledAfter(event({ content: 'a' })),
      { http: { idleMs: DEADLINE_MS } },
    ],
    [
      'a stalled token response',
      'idle',
      tokenPath,
      { silentAfterBytes: 10 },
      { http: { idleMs: DEADLINE_MS } },
    ],
    ['an unanswered request', 'total', chat, { neverAnswers: true }, { deadlineMs: DEADLINE_MS }],
    [
      'a stalled error response',
      'total',
      chat,
      { status: 503, body: 'x'.repeat(60_000), silentAfterBytes: 5 },
      { deadlineMs: DEADLINE_MS },
    ],
  ];
  for (const [what, phase, path, fault, options] of silences) {
    it(`I13: ${what} (${phase}) is aborted without a retry, and the connection is closed`, async () => {
      const { emulator, watched, ...world } = await start(path, options);
      emulator.faults.next(path, fault);
      const call = world.call();
      const request = await emulator.requestCount(path, 1);
      const { neverAnswers = false, silentAfterBytes = 0 } = fault;
      await becomes('the headers', () => neverAnswers || watched.heads(path) > 0);
      await becomes('the bytes to be read', () => watched.bytes(path) === silentAfterBytes);
      await endsAfter(DEADLINE_MS, phase, call);
      assert.equal(isUnreachable(await call), neverAnswers);
      await emulator.disconnected(request);
      assert.equal(emulator.count(path), 1);
    });
  }

  const drips: readonly [string, string, Fault, WorldOptions][] = [
    ['a token response', tokenPath, {}, { tokenDeadlineMs: DEADLINE_MS }],
    ['a response', chat, {}, { deadlineMs: DEADLINE_MS }],
    ['a stream', chatStream, { headers: eventStream }, { deadlineMs: DEADLINE_MS }],
    ['an error response', chat, { status: 503 }, { deadlineMs: DEADLINE_MS }],
  ];
  const DROPS = 6;
  const APART_MS = DEADLINE_MS / DROPS;
  for (const [what, path, fault, options] of drips) {
    it(`D03 I13: ${what} that trickles in forever is aborted without a retry`, async () => {
      const { emulator, watched, ...world } = await start(path, {
        ...options,
        http: { idleMs: APART_MS + 1 },
      });
      const drops = Array.from({ length: DROPS }, gate);
      emulator.faults.next(path, {
        oversizedBytes: 60_000,
        ...fault,
        oneByteAtATimeMs: 0,
        beforePart: (index) => drops[index]?.opened ?? new Promise(() => {}),
      });
      const call = world.call();
      const request = await emulator.requestCount(path, 1);
      for (const [index, drop] of drops.entries()) {
        if (index > 0) await time.pass(APART_MS);
        drop.open();
        await becomes('the bytes to be read', () => watched.bytes(path) === index + 1);
      }
      await endsAfter(APART_MS, 'total', call);
      assert.equal(isUnreachable(await call), false);
      await emulator.disconnected(request);
      assert.equal(emulator.count(path), 1);
    });
  }

  it('D04: a response whose headers never end is aborted without a retry', async () => {
    const connected = Promise.withResolvers<Socket>();
    let asked = 0;
    const server = await startMuteServer((socket) => {
      asked += 1;
      connected.resolve(socket);
    });
    closers.push(server.close);
    const serviceUrl = server.url.replace('https:', 'http:');
    const { call: begin } = await start(chat, {
      http: { startMs: DEADLINE_MS },
      credentials: (auth) => ({ serviceUrl, approved: { auth, service: serviceUrl } }),
    });
    const call = begin();
    const socket = await connected.promise;
    const closed = once(socket, 'close');
    socket.write('HTTP/1.1 200 OK\r\nx-long: ');
    for (let drop = 1; drop < DROPS; drop += 1) {
      socket.write('x');
      await time.pass(APART_MS);
    }
    await endsAfter(APART_MS, 'start', call);
    await closed;
    assert.equal(asked, 1);
  });

  it("headers don't extend the deadline for the start of a response", async () => {
    const { emulator, watched, call } = await start(chatStream, {
      http: { startMs: DEADLINE_MS, idleMs: 1 },
    });
    const held = gate();
    emulator.faults.next(chatStream, {
      headers: eventStream,
      hold: held.opened,
      silentAfterBytes: 0,
    });
    const failure = call();
    await emulator.requestCount(chatStream, 1);
    await time.pass(DEADLINE_MS / 2);
    held.open();
    await becomes('the headers', () => watched.heads(chatStream) === 1);
    await endsAfter(DEADLINE_MS / 2, 'start', failure);
  });

  it("a keep-alive comment doesn't extend the deadline for the start of a response", async () => {
    const { emulator, watched, call } = await start(chatStream, {
      http: { startMs: DEADLINE_MS, idleMs: 1 },
    });
    const keepAlive = ': wait\n\n';
    const held = gate();
    emulator.faults.next(chatStream, {
      ...stalledAfter(keepAlive),
      beforePart: () => held.opened,
    });
    const failure = call();
    await emulator.requestCount(chatStream, 1);
    await becomes('the headers', () => watched.heads(chatStream) === 1);
    await time.pass(DEADLINE_MS / 2);
    held.open();
    await becomes('the bytes to be read', () => watched.bytes(chatStream) === keepAlive.length);
    await endsAfter(DEADLINE_MS / 2, 'start', failure);
  });

  it('the idle timeout also applies to an error response whose body never arrives', async () => {
    const { emulator, watched, call } = await start(chat, { http: { idleMs: DEADLINE_MS } });
    emulator.faults.next(chat, { status: 400, body: 'x', silentAfterBytes: 0 });
    const failure = call();
    await emulator.requestCount(chat, 1);
    await becomes('the headers', () => watched.heads(chat) === 1);
    await time.pass(DEADLINE_MS);
    assert.equal((await failure).details.status, 400);
  });

  it('a call fails immediately if the next backoff would exceed its deadline', async () => {
    const { emulator, call } = await start(chat, {
      http: { waitMs: () => DEADLINE_MS },
      deadlineMs: DEADLINE_MS,
    });
    emulator.faults.always(chat, { status: 503 });
    const { kind, details } = await call();
    assert.deepEqual([kind, details.attempts], ['server-failed', 1]);
  });

  it("a call's deadline is measured from its first attempt", async () => {
    const minIntervalMs = DEADLINE_MS / 2;
    const { emulator, limiter, generate } = await start(chat, {
      limits: { limit: 1, minIntervalMs },
      deadlineMs: DEADLINE_MS,
    });
    const calls = Array.from({ length: 5 }, () => generate());
    for (let sent = 1; sent <= calls.length; sent += 1) {
      await emulator.requestCount(chat, sent);
      await becomes('the end of the request', () => limiter.state.inFlight === 0);
      await time.pass(minIntervalMs);
    }
    await Promise.all(calls);
  });

  it("a call's deadline isn't extended while a retry waits for a slot", async () => {
    const { emulator, limiter, call } = await start(chat, {
      limits: { limit: 1 },
      deadlineMs: DEADLINE_MS,
    });
    const held = gate();
    emulator.faults.next(chat, { status: 503, hold: held.opened });
    const failure = call();
    await emulator.requestCount(chat, 1);
    const other = limiter.acquire(never, true);
    held.open();
    const slot = await other;
    // The retry is due, but no slot is free.
    await time.pass(1);
    assert.deepEqual(limiter.state, { inFlight: 1, waiting: 1, limit: 1 });
    await endsAfter(DEADLINE_MS - 1, 'total', failure);
    assert.equal((await failure).details.attempts, 1);
    slot.release('ok');
    assert.deepEqual(limiter.state, { inFlight: 0, waiting: 0, limit: 1 });
  });

  it("a slow stream isn't aborted as long as data keeps arriving", async () => {
    const startMs = 90_000;
    const idleMs = 30_000;
    const { emulator, watched, generate } = await start(chatStream, {
      http: { startMs, idleMs },
      emulator: { answer: () => ['a', 'b', 'c'] },
    });
    const [head, ...events] = [gate(), gate(), gate(), gate()];
    emulator.faults.next(chatStream, {
      hold: head?.opened,
      beforePart: (index) => events[index]?.opened,
    });
    const call = generate({ onText: () => {} });
    await emulator.requestCount(chatStream, 1);
    await time.pass(startMs / 2);
    head?.open();
    await becomes('the headers', () => watched.heads(chatStream) === 1);
    for (const [index, event] of events.entries()) {
      const before = watched.bytes(chatStream);
      await time.pass((index === 0 ? startMs / 2 : idleMs) - 1);
      event.open();
      await becomes('the bytes to be read', () => watched.bytes(chatStream) > before);
    }
    assert.equal((await call).text, 'abc');
  });
});
