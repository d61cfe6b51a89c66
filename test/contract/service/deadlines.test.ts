import assert from 'node:assert/strict';
import { type ErrorDetails, isKind, type ServiceError } from '../../../src/service/errors.ts';
import { type Fault, gate } from '../../emulator/faults.ts';
import { startMuteServer } from './muteServer.ts';
import {
  endWorlds,
  failureOf,
  pathOf,
  startWorld,
  tokenPath,
  type World,
  type WorldOptions,
} from './world.ts';

const chat = pathOf('chat', false);
const chatStream = pathOf('chat', true);
const SHORT_MS = 100;
const LONG_MS = 600_000;
const MOST_OVERRUN_MS = 250;
const drip = { oneByteAtATimeMs: 5 };
const longError = { status: 503, body: 'x'.repeat(60_000), ...drip };

const eventsOf = (path: string) =>
  path === chatStream ? { headers: { 'content-type': 'text/event-stream' } } : {};

/** Deadlines that never run out, but for the one under test. */
const patient = { headersMs: LONG_MS, idleMs: LONG_MS };

/** Where the deadline under test is one of every request, a busy machine can miss it here, too. */
async function getToken({ tokenService }: World): Promise<void> {
  while (!tokenService.isLiving) {
    await tokenService.refresh(new AbortController().signal).catch((error: unknown) => {
      if (!isKind(error, 'timeout')) throw error;
    });
  }
}

/** A busy machine may not even connect within a deadline this short: then nothing was sent. */
async function failureOnceConnected(call: () => Promise<unknown>): Promise<ServiceError> {
  for (;;) {
    const failure = await failureOf(call());
    if (failure.details.phase !== 'connect') return failure;
  }
}

describe('the deadline', function () {
  // A busy machine may stall the whole process for longer.
  this.retries(2);
  afterEach(endWorlds);

  type Phase = NonNullable<ErrorDetails['phase']>;
  const cases: readonly [string, Phase, string, Fault, WorldOptions][] = [
    [
      'no headers',
      'headers',
      chat,
      { neverAnswers: true },
      { http: { ...patient, headersMs: SHORT_MS } },
    ],
    [
      'no headers of a stream',
      'headers',
      chatStream,
      { neverAnswers: true },
      { http: { ...patient, headersMs: SHORT_MS } },
    ],
    [
      'no headers of a token',
      'headers',
      tokenPath,
      { neverAnswers: true },
      { http: { ...patient, headersMs: SHORT_MS } },
    ],
    [
      'a silent answer',
      'idle',
      chat,
      { silentAfterBytes: 10 },
      { http: { ...patient, idleMs: SHORT_MS } },
    ],
    [
      'a silent stream',
      'idle',
      chatStream,
      { silentAfterBytes: 600 },
      { http: { ...patient, idleMs: SHORT_MS } },
    ],
    [
      'a silent token',
      'idle',
      tokenPath,
      { silentAfterBytes: 10 },
      { http: { ...patient, idleMs: SHORT_MS } },
    ],
    [
      'no answer at all',
      'total',
      chat,
      { neverAnswers: true },
      { http: patient, deadlineMs: SHORT_MS },
    ],
    ['a stream that drips', 'total', chatStream, drip, { http: patient, deadlineMs: SHORT_MS }],
    ['an answer that drips', 'total', chat, drip, { http: patient, deadlineMs: SHORT_MS }],
    ['an error that drips', 'total', chat, longError, { http: patient, deadlineMs: SHORT_MS }],
    [
      'a silent error',
      'total',
      chat,
      { ...longError, silentAfterBytes: 5 },
      { http: patient, deadlineMs: SHORT_MS },
    ],
  ];
  for (const [what, phase, path, fault, options] of cases) {
    it(`I13: ends ${what} (${phase}), closes the connection and sends nothing again`, async () => {
      const world = await startWorld(options);
      // Only the call under test meets the short deadline, whoever else needs the machine.
      if (path !== tokenPath) await getToken(world);
      world.emulator.faults.next(path, fault);
      const { kind, details } = await failureOnceConnected(() =>
        world.generate(path === chatStream ? { onText: () => {} } : {}),
      );
      assert.deepEqual([kind, details.phase], ['timeout', phase]);
      const request = await world.emulator.requestCount(path, 1);
      await world.emulator.disconnected(request);
      assert.equal(world.emulator.count(path), 1);
    });
  }

  const overrunOf = async (call: Promise<unknown>, phase: Phase) => {
    const startedAt = performance.now();
    const { kind, details } = await failureOf(call);
    assert.deepEqual([kind, details.phase], ['timeout', phase]);
    return performance.now() - startedAt - SHORT_MS;
  };
  const drips: readonly [string, Phase, string, WorldOptions][] = [
    ['D03: a token that drips', 'total', tokenPath, { tokenDeadlineMs: SHORT_MS }],
    ['D03: an answer that drips', 'total', chat, { deadlineMs: SHORT_MS }],
    ['D03: a stream that drips', 'total', chatStream, { deadlineMs: SHORT_MS }],
  ];
  for (const [what, phase, path, options] of drips) {
    it(`${what} for ever is overrun by ${MOST_OVERRUN_MS} ms at the most`, async () => {
      const world = await startWorld({ http: patient, ...options });
      if (path !== tokenPath) await world.tokenService.refresh(new AbortController().signal);
      world.emulator.faults.next(path, { oversizedBytes: 60_000, ...drip, ...eventsOf(path) });
      const call = world.generate(path === chatStream ? { onText: () => {} } : {});
      const overrunMs = await overrunOf(call, phase);
      assert.ok(overrunMs <= MOST_OVERRUN_MS, `${overrunMs.toFixed()} ms`);
    });
  }

  it(`D04: headers that drip for ever are overrun by ${MOST_OVERRUN_MS} ms at the most`, async () => {
    const drops = new Set<NodeJS.Timeout>();
    const server = await startMuteServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-long: ');
      const drop = setInterval(() => socket.write('x'), 5);
      drops.add(drop);
      socket.on('close', () => clearInterval(drop));
    });
    try {
      const serviceUrl = server.url.replace('https:', 'http:');
      const world = await startWorld({
        http: { ...patient, headersMs: SHORT_MS },
        credentials: (auth) => ({ serviceUrl, approved: { auth, service: serviceUrl } }),
      });
      await world.tokenService.refresh(new AbortController().signal);
      const overrunMs = await overrunOf(world.generate(), 'headers');
      assert.ok(overrunMs <= MOST_OVERRUN_MS, `${overrunMs.toFixed()} ms`);
      assert.equal(server.connections, 1);
    } finally {
      for (const drop of drops) clearInterval(drop);
      await server.close();
    }
  });

  it('spans all attempts: a wait that would outlast it is not begun', async () => {
    const world = await startWorld({ http: { waitMs: () => 1_000 }, deadlineMs: 900 });
    world.emulator.faults.always(chat, { status: 503 });
    const { kind, details } = await failureOf(world.generate());
    assert.deepEqual([kind, details.attempts], ['server-failed', 1]);
  });

  it('spans the attempts from the first one on, not the wait for its turn', async () => {
    const deadlineMs = 500;
    const limits = { limit: 1, minIntervalMs: 150 };
    const world = await startWorld({ limits, deadlineMs });
    const calls = Array.from({ length: 8 }, () => world.generate());
    const startedAt = performance.now();
    const ends = await Promise.allSettled(calls);
    assert.ok(performance.now() - startedAt > 2 * deadlineMs, 'the last ones wait for longer');
    assert.deepEqual(new Set(ends.map(({ status }) => status)), new Set(['fulfilled']));
  });

  it('spans the wait for the turn of a second attempt', async () => {
    const world = await startWorld({ limits: { limit: 1 }, deadlineMs: SHORT_MS });
    const never = new AbortController().signal;
    await world.tokenService.refresh(never);
    const held = gate();
    world.emulator.faults.next(chat, { status: 503, hold: held.opened });
    const failure = failureOf(world.generate());
    await world.emulator.requestCount(chat, 1);
    const others = world.limiter.acquire(never, true);
    held.open();
    const { kind, details } = await failure;
    assert.deepEqual([kind, details.phase, details.attempts], ['timeout', 'total', 1]);
    (await others).release('ok');
    assert.deepEqual(world.limiter.state, { inFlight: 0, waiting: 0, limit: 1 });
  });

  it('does not end a stream that is slow but alive', async () => {
    const world = await startWorld({
      http: { headersMs: 2_000, idleMs: 2_000 },
      emulator: { answer: () => ['a', 'b', 'c'], tokenDelayMs: 20 },
    });
    assert.equal((await world.generate({ onText: () => {} })).text, 'abc');
  });
});
