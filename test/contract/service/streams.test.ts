import assert from 'node:assert/strict';
import { isUnreachable } from '../../../src/service/errors.ts';
import type { Fault } from '../../emulator/faults.ts';
import { endWorlds, failureOf, kindOf, pathOf, startWorld, type World } from './world.ts';

const pieces = ['Grüße, ', '日本', ' 🙂', '👨‍👩‍👧', '\n\ttwo\r\nlines', ' "quoted\\"', '\u2028end'];
const text = pieces.join('');
const operations = ['chat', 'generation'] as const;

async function streamed(world: World) {
  const parts: string[] = [];
  const result = await world.generate({ onText: (part) => parts.push(part) });
  return { parts, ...result };
}

/** Returns a fault that replaces the response with these server-sent events. */
const events = (...data: unknown[]): Fault => ({
  headers: { 'content-type': 'text/event-stream' },
  chunks: data.map((each) => ({ bytes: `data: ${JSON.stringify(each)}\n\n` })),
});
const delta = (content: string, finish_reason: string | null = null) => ({
  choices: [{ delta: { content }, finish_reason }],
});
const error = (code: string, status_code: number) => ({
  errors: [{ code, message: '' }],
  status_code,
});

describe('streamed text', () => {
  afterEach(endWorlds);

  for (const operation of operations) {
    for (const newline of ['\n', '\r\n', '\r'] as const) {
      for (const spaceAfterColon of [true, false]) {
        const how = `the line ending ${JSON.stringify(newline)} and ${spaceAfterColon ? 'a' : 'no'} space after the colon`;

        it(`arrives unchanged for ${operation} with ${how}, even if it's split within characters`, async () => {
          const emulator = { newline, spaceAfterColon, answer: () => pieces };
          const world = await startWorld({ operation, emulator });
          const faults: Fault[] = newline === '\r\n' ? [{ oneByteAtATimeMs: 0 }] : [];
          for (const fault of [{}, { chunkSize: 7 }, ...faults]) {
            world.emulator.faults.next(pathOf(operation, true), fault);
            const result = await streamed(world);
            assert.deepEqual([result.text, result.parts], [text, pieces], JSON.stringify(fault));
            assert.deepEqual([result.stopReason, result.usage.outputTokens], ['finished', 7]);
            assert.ok(result.usage.inputTokens > 0);
          }
        });
      }
    }

    it(`matches the text of a non-streaming response for ${operation}`, async () => {
      const world = await startWorld({ operation, emulator: { answer: () => pieces } });
      const whole = await world.generate();
      const { parts: _, ...stream } = await streamed(world);
      assert.deepEqual(stream, whole);
    });

    it(`arrives for ${operation} while the service is still generating`, async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const world = await startWorld({ operation, emulator: { answer: () => ['a', 'b'] } });
      const beforePart = (index: number) => (index === 2 ? promise : undefined);
      world.emulator.faults.next(pathOf(operation, true), { beforePart });
      const parts: string[] = [];
      // The second chunk isn't sent until the client has received the first chunk.
      const onText = (part: string) => {
        parts.push(part);
        resolve();
      };
      assert.equal((await world.generate({ onText })).text, 'ab');
      assert.deepEqual(parts, ['a', 'b']);
    });
  }

  const reasons: readonly [string, string][] = [
    ['eos_token', 'finished'],
    ['stop_sequence', 'finished'],
    ['max_tokens', 'max_tokens'],
    ['token_limit', 'max_tokens'],
    ['time_limit', 'time_limit'],
    ['cancelled', 'cancelled'],
  ];
  for (const [stopReason, expected] of reasons) {
    it(`has the stop reason ${expected} for both operations if the service reports ${stopReason}`, async () => {
      for (const operation of operations) {
        const emulator = { stopReason: stopReason as 'eos_token', answer: () => ['a'] };
        const world = await startWorld({ operation, emulator });
        assert.equal((await streamed(world)).stopReason, expected);
        assert.equal((await world.generate()).stopReason, expected);
      }
    });
  }

  it('D18: is kept even if a later event reports an error', async () => {
    const world = await startWorld();
    const parts: string[] = [];
    const fault = events(delta('partial'), error('rate_limit_reached_requests', 429));
    world.emulator.faults.next(pathOf('chat', true), fault);
    assert.equal(
      await kindOf(world.generate({ onText: (part) => parts.push(part) })),
      'rate-limited',
    );
    assert.deepEqual([parts, world.inferenceCount()], [['partial'], 1]);
  });

  it("isn't affected by events without text", async () => {
    const world = await startWorld();
    const fault = events(
      { choices: [] },
      { choices: [{ finish_reason: null }] },
      delta('a', 'stop'),
    );
    const [first, ...rest] = fault.chunks ?? [];
    const comment = { bytes: ': ping\n\nevent: close\ndata:\n\ndata: [DONE]\n\n' };
    const chunks = [...(first ? [first] : []), comment, ...rest];
    world.emulator.faults.next(pathOf('chat', true), { ...fault, chunks });
    assert.equal((await streamed(world)).text, 'a');
  });

  const incomplete: readonly [string, Fault, string][] = [
    ['ends without a stop reason', events(delta('a')), 'incomplete'],
    ['has no events', events(), 'incomplete'],
    ['ends inside an event', { ...events(), chunks: [{ bytes: 'data: {"cho' }] }, 'incomplete'],
    [
      'has an event with broken JSON',
      { ...events(), chunks: [{ bytes: 'data: {"cho\n\n' }] },
      'unexpected-answer',
    ],
    ['has an event that is null', events(null), 'unexpected-answer'],
    ['has an event that is a list', events([]), 'unexpected-answer'],
    ['has an event that is a string', events('x'), 'unexpected-answer'],
    ['has an event that is a number', events(123), 'unexpected-answer'],
    ['ends with the stop reason "error"', events(delta('', 'error')), 'server-failed'],
    ['is sent as JSON', { json: delta('a', 'stop') }, 'unexpected-answer'],
  ];
  for (const [how, fault, kind] of incomplete) {
    it(`is rejected as ${kind} if the response ${how}`, async () => {
      const world = await startWorld();
      world.emulator.faults.next(pathOf('chat', true), fault);
      assert.equal(await kindOf(streamed(world)), kind);
      assert.equal(world.inferenceCount(), 1);
    });
  }

  it("I15: isn't requested again if the connection breaks after some text has arrived", async () => {
    for (const reset of [true, false]) {
      const world = await startWorld({ emulator: { answer: () => pieces } });
      world.emulator.faults.next(pathOf('chat', true), { cutAfterBytes: 900, reset });
      const error = await failureOf(streamed(world));
      assert.deepEqual([error.kind, isUnreachable(error)], ['connection-lost', false]);
      assert.equal(world.inferenceCount(), 1);
    }
  });
});

describe('errors thrown by callbacks', () => {
  afterEach(endWorlds);

  const own = new TypeError('of the caller');
  const fail = () => {
    throw own;
  };

  for (const [what, fault] of [
    ['the first text', {}],
    ['the last text', events(delta('a', 'stop'))],
  ] as const) {
    it(`are rethrown unchanged and don't block the next call (${what})`, async () => {
      const world = await startWorld({ limits: { limit: 1 } });
      const path = pathOf('chat', true);
      world.emulator.faults.next(path, fault);
      await assert.rejects(world.generate({ onText: fail }), (error) => error === own);
      assert.equal(world.inferenceCount(), 1);
      assert.match((await world.generate()).text, /Hello/, 'the only slot is free again');
    });
  }

  it('are rethrown unchanged and prevent a retry (retry callback)', async () => {
    const world = await startWorld();
    world.emulator.faults.always(pathOf('chat', false), { status: 503 });
    await assert.rejects(world.generate({ onRetry: fail }), (error) => error === own);
    await world.client.checkAccess(new AbortController().signal, fail);
    assert.equal(world.inferenceCount(), 2);
  });
});

describe('a stream that ends early', () => {
  afterEach(endWorlds);

  it('D17: still delivers its text, then fails with `incomplete` after one attempt', async () => {
    const world = await startWorld();
    world.emulator.faults.next(pathOf('chat', true), events(delta('a'), delta('b')));
    const parts: string[] = [];
    const { kind, details } = await failureOf(
      world.generate({ onText: (part) => parts.push(part) }),
    );
    const host = new URL(world.emulator.url).host;
    assert.deepEqual([kind, details, parts], ['incomplete', { host, attempts: 1 }, ['a', 'b']]);
  });
});
