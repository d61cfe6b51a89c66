import assert from 'node:assert/strict';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import type { ErrorKind } from '../../../src/service/errors.ts';
import type { Fault } from '../../emulator/faults.ts';
import { FakeTime } from '../../unit/service/fixtures.ts';
import { becomes } from '../../vscode/deadline.ts';
import { WatchedFetch } from './watchedFetch.ts';
import { endWorlds, failureOf, kindOf, pathOf, startWorld, tokenPath } from './world.ts';

const chat = pathOf('chat', false);
const chatStream = pathOf('chat', true);
const json = { 'content-type': 'application/json' };
const eventStream = { 'content-type': 'text/event-stream' };
const token = { access_token: 'a'.repeat(32), token_type: 'Bearer', expires_in: 3_600 };
const text = { choices: [{ message: { content: 'text' }, finish_reason: 'stop' }] };
const zipped = (value: unknown): Fault => ({
  headers: { ...json, 'content-encoding': 'gzip' },
  body: gzipSync(JSON.stringify(value)),
});
const bytes = (body: string): Fault => ({ headers: json, body });
const mebibyte = 1_048_576;
const MOST_TOKEN_BYTES = 65_536;
const MOST_ANSWER_BYTES = 8 * mebibyte;
const MOST_STREAM_BYTES = 64 * mebibyte;
/** Maximum time for reading the rest of a response, in milliseconds. */
const REST_MS = 1_000;
/**
 * Exceeds the response limit by several chunks so that the test fails if decompression continues
 * past the limit.
 */
const unpacked = Buffer.alloc(MOST_ANSWER_BYTES + 4 * mebibyte);
/** Compressed bodies of at most 13 KB. They exceed the limit only after decompression. */
const bombs: readonly [string, Buffer][] = [
  ['gzip', gzipSync(unpacked)],
  ['deflate', deflateSync(unpacked)],
  ['br', brotliCompressSync(unpacked, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
];

describe('unusable responses:', () => {
  afterEach(endWorlds);

  /**
   * The name of each fault, the fault itself, and the kinds of failure that it causes in a token
   * request and in a generation.
   */
  const hostile: readonly [string, Fault, ErrorKind, ErrorKind][] = [
    [
      'D09: an HTML page',
      { headers: { 'content-type': 'text/html' }, body: '<html>log in</html>' },
      'unexpected-answer',
      'unexpected-answer',
    ],
    ['HTML labeled as JSON', bytes('<html>'), 'token-unusable', 'unexpected-answer'],
    [
      'JSON without a content type',
      { body: JSON.stringify(text) },
      'unexpected-answer',
      'unexpected-answer',
    ],
    ['malformed JSON', bytes('{"choices":[{'), 'token-unusable', 'unexpected-answer'],
    ['an empty body', bytes(''), 'token-unusable', 'unexpected-answer'],
    ['D15: a 204', { status: 204 }, 'unexpected-answer', 'unexpected-answer'],
    ['D15: a 999', { status: 999, body: 'blocked' }, 'unexpected-answer', 'unexpected-answer'],
    ...['null', '[]', '"x"', '123', '{}'].map((body): [string, Fault, ErrorKind, ErrorKind] => [
      body,
      bytes(body),
      'token-unusable',
      'unexpected-answer',
    ]),
    [
      'a compressed response',
      zipped({ ...token, ...text }),
      'unexpected-answer',
      'unexpected-answer',
    ],
    [
      'D14: a 200 with an error object',
      { json: { error: { code: 'x' } } },
      'token-unusable',
      'unexpected-answer',
    ],
    [
      'D15: a 206 with half a body',
      { ...bytes('{"access_token":"aaaa'), status: 206 },
      'token-unusable',
      'unexpected-answer',
    ],
    [
      'plain JSON labeled as Brotli',
      { headers: { ...json, 'content-encoding': 'br' }, body: '{}' },
      'unexpected-answer',
      'unexpected-answer',
    ],
    [
      'a body cut off by a FIN',
      { ...bytes(JSON.stringify({ ...token, ...text })), cutAfterBytes: 20 },
      'connection-lost',
      'connection-lost',
    ],
    [
      'a body cut off by an RST',
      { ...bytes(JSON.stringify({ ...token, ...text })), cutAfterBytes: 20, reset: true },
      'connection-lost',
      'connection-lost',
    ],
    [
      'D08: a chunked body that is cut off',
      {
        headers: json,
        chunks: [{ bytes: JSON.stringify({ ...token, ...text }) }],
        cutAfterBytes: 20,
      },
      'connection-lost',
      'connection-lost',
    ],
    ['an SSH banner', { raw: 'SSH-2.0-x\r\n' }, 'connection-lost', 'connection-lost'],
    ['an immediately closed connection', { raw: '' }, 'connection-lost', 'connection-lost'],
    ['a 9 MiB body', { oversizedBytes: 9 * mebibyte }, 'too-large', 'too-large'],
    [
      'a 200 kB header',
      { headers: { 'x-long': 'x'.repeat(200_000) } },
      'connection-lost',
      'connection-lost',
    ],
  ];

  for (const [what, fault, forToken, forText] of hostile) {
    it(`${what} instead of a token makes the call fail with \`${forToken}\` after one request`, async () => {
      const world = await startWorld();
      world.emulator.faults.next(tokenPath, fault);
      assert.equal(await kindOf(world.generate()), forToken);
      assert.deepEqual([world.emulator.count(tokenPath), world.inferenceCount()], [1, 0]);
      await world.generate();
    });

    it(`${what} instead of text makes the call fail with \`${forText}\` after one request`, async () => {
      const world = await startWorld();
      world.emulator.faults.next(chat, fault);
      assert.equal(await kindOf(world.generate()), forText);
      assert.equal(world.inferenceCount(), 1);
      await world.generate();
    });
  }
});

describe('compressed and interim responses:', () => {
  afterEach(endWorlds);

  for (const [encoding, bomb] of bombs) {
    it(`D01: a ${encoding} decompression bomb is rejected at most 1 MiB past the size limit`, async () => {
      for (const [path, most] of [
        [tokenPath, MOST_TOKEN_BYTES],
        [chat, MOST_ANSWER_BYTES],
        [chatStream, MOST_STREAM_BYTES],
      ] as const) {
        // Stops the clock so that only the size limit can make the client stop reading.
        const time = new FakeTime();
        try {
          const watched = new WatchedFetch();
          const world = await startWorld({ http: { fetch: watched.fetch } });
          const type = path === chatStream ? eventStream : json;
          const options = path === chatStream ? { onText: () => {} } : {};
          world.emulator.faults.next(path, {
            headers: { ...type, 'content-encoding': encoding },
            body: bomb,
          });
          assert.equal(await kindOf(world.generate(options)), 'unexpected-answer');
          await becomes('the end of the reading', () => watched.ended(path) === 1);
          assert.ok(watched.bytes(path) <= most + mebibyte, `${watched.bytes(path)} bytes`);
          assert.equal(world.emulator.count(path), 1);
        } finally {
          time.end();
        }
      }
    });
  }

  it('D01: a decompression bomb without a content-encoding header makes the call fail with `unexpected-answer`', async () => {
    const world = await startWorld();
    for (const [, body] of bombs) {
      world.emulator.faults.next(chat, { headers: json, body });
      assert.equal(await kindOf(world.generate()), 'unexpected-answer');
    }
  });

  for (const [early, isPassedOver] of [
    // fetch treats a 100 response as invalid HTTP, because it never sends `Expect: 100-continue`.
    ['100 Continue', false],
    ['103 Early Hints\r\nlink: </x>; rel=preload', true],
  ] as const) {
    it(`D15: a ${early.slice(0, 3)} before the response ${isPassedOver ? 'is ignored' : 'makes the request fail'}`, async () => {
      const world = await startWorld();
      const body = JSON.stringify(text);
      const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
      const raw = `HTTP/1.1 ${early}\r\n\r\n${head}\r\n\r\n${body}`;
      world.emulator.faults.next(chat, { raw });
      if (isPassedOver) assert.equal((await world.generate()).text, 'text');
      else assert.equal(await kindOf(world.generate()), 'connection-lost');
      assert.equal(world.inferenceCount(), 1);
    });
  }
});

describe('size limits:', () => {
  afterEach(endWorlds);

  const comment = { bytes: Buffer.from(`: ${'x'.repeat(mebibyte)}\n`) };
  const undeclared = { oversizedBytes: 1_024 * mebibyte, headers: { 'content-length': '' } };
  const cases: readonly [string, string, Fault, number][] = [
    [
      'an oversized token response',
      tokenPath,
      { oversizedBytes: MOST_TOKEN_BYTES + 1 },
      MOST_TOKEN_BYTES,
    ],
    ['an oversized response', chat, { oversizedBytes: 64 * mebibyte }, MOST_ANSWER_BYTES],
    [
      'D02: a response that declares 1 GiB',
      chat,
      { oversizedBytes: 1_024 * mebibyte },
      MOST_ANSWER_BYTES,
    ],
    ['D02: a response of undeclared length', chat, undeclared, MOST_ANSWER_BYTES],
    ['D02: a token response of undeclared length', tokenPath, undeclared, MOST_TOKEN_BYTES],
    [
      'a stream of nothing but comments',
      chatStream,
      { headers: eventStream, chunks: Array(70).fill(comment) },
      MOST_STREAM_BYTES,
    ],
  ];
  for (const [what, path, fault, limit] of cases) {
    it(`${what} is rejected after ${limit} bytes, and the rest isn't read`, async () => {
      const watched = new WatchedFetch();
      const world = await startWorld({ http: { fetch: watched.fetch } });
      world.emulator.faults.next(path, fault);
      const { kind, details } = await failureOf(
        world.generate(path === chatStream ? { onText: () => {} } : {}),
      );
      assert.deepEqual([kind, details.limit], ['too-large', limit]);
      await becomes('the end of the reading', () => watched.ended(path) === 1);
      const more = watched.bytes(path) - limit;
      assert.ok(more > 0 && more <= mebibyte, `read ${more} bytes past the limit`);
    });
  }

  it(`D06: an unfinished event is rejected after ${mebibyte} bytes, even if the stream stalls`, async () => {
    const time = new FakeTime();
    try {
      const watched = new WatchedFetch();
      const world = await startWorld({ clock: time, http: { fetch: watched.fetch } });
      const unfinishedEvent = 'x'.repeat(mebibyte + 1);
      world.emulator.faults.next(chatStream, {
        headers: eventStream,
        body: `${unfinishedEvent}\n\n`,
        silentAfterBytes: unfinishedEvent.length,
      });
      const failure = failureOf(world.generate({ onText: () => {} }));
      const request = await world.emulator.requestCount(chatStream, 1);
      await becomes(
        'the bytes to be read',
        () => watched.bytes(chatStream) === unfinishedEvent.length,
      );
      await time.pass(REST_MS);
      const { kind, details } = await failure;
      assert.deepEqual([kind, details.limit], ['too-large', mebibyte]);
      await world.emulator.disconnected(request);
    } finally {
      time.end();
    }
  });

  it('D02: only the status of an error response over 64 KiB is reported', async () => {
    const watched = new WatchedFetch();
    const world = await startWorld({ http: { fetch: watched.fetch } });
    const body = JSON.stringify({
      errors: [{ code: 'token_quota_reached', message: 'x'.repeat(99_999) }],
    });
    world.emulator.faults.next(chat, { status: 403, headers: json, body });
    const { kind, details: known } = await failureOf(world.generate());
    assert.deepEqual([kind, known.status, known.code], ['intercepted', 403, undefined]);
    await becomes('the end of the reading', () => watched.ended(chat) === 1);
  });

  it("a request body over 4 MiB isn't sent", async () => {
    const world = await startWorld();
    const prompt = 'x'.repeat(4 * mebibyte);
    const { kind, details } = await failureOf(world.client.generateText(prompt, {}));
    assert.deepEqual([kind, details.limit], ['too-large', 4 * mebibyte]);
    assert.equal(world.inferenceCount(), 0);
  });
});
