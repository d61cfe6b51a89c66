import assert from 'node:assert/strict';
import type { EventSourceMessage } from 'eventsource-parser';
import fc from 'fast-check';
import { MAX_EVENT_LENGTH, readEvents } from '../../../../src/service/http/body.ts';
import { kindOf, seed } from '../fixtures.ts';

const texts = ['', 'plain', 'zwölf', '日本', '🙂👨‍👩‍👧', 'a\nb\r\nc', '"\\', '\u0000\u2028', 'x '];

async function* pieces(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function eventsOf(body: AsyncIterable<Uint8Array>): Promise<EventSourceMessage[]> {
  const events: EventSourceMessage[] = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

async function textsOf(body: AsyncIterable<Uint8Array>): Promise<string[]> {
  return (await eventsOf(body)).map(({ data }) => JSON.parse(data).text);
}

function written(lineEnd: string, space: string): Buffer {
  const block = (text: string, index: number) =>
    `id:${space}${index}${lineEnd}event:${space}message${lineEnd}data:${space}${JSON.stringify({ text })}${lineEnd}${lineEnd}`;
  return Buffer.from(texts.map(block).join(''));
}

describe('server-sent events', () => {
  for (const [name, lineEnd] of [
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ] as const) {
    for (const space of [' ', '']) {
      const bytes = written(lineEnd, space);
      const how = `${name} and ${space ? 'a' : 'no'} space after the colon`;

      it(`are read correctly if split at any of ${bytes.length + 1} positions, with ${how}`, async () => {
        for (let cut = 0; cut <= bytes.length; cut += 1) {
          const read = await textsOf(pieces(bytes.subarray(0, cut), bytes.subarray(cut)));
          assert.deepEqual(read, texts, `cut at ${cut}`);
        }
      });

      it(`are read correctly if they arrive byte by byte, with ${how}`, async () => {
        const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
        assert.deepEqual(await textsOf(pieces(...single)), texts);
      });
    }
  }

  it(`are read correctly with random splits and mixed line endings (seed ${seed})`, async () => {
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    const cuts = fc.array(fc.nat(2_000), { maxLength: 40 });
    const run = async (expected: string[], ends: string[], at: number[]) => {
      const parts = expected.map((text, index) => {
        const end = ends[index % ends.length] ?? '\n';
        return `data: ${JSON.stringify({ text })}${end}${end}`;
      });
      const bytes = Buffer.from(parts.join(''));
      const edges = [0, ...at.map((cut) => cut % (bytes.length + 1)), bytes.length];
      edges.sort((a, b) => a - b);
      const chunks = edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
      assert.deepEqual(await textsOf(pieces(...chunks)), expected);
    };
    const unit = fc.constantFrom(...'aé日🙂\u200d\n\r"\\\u0000\u2028: ');
    const anyTexts = fc.array(fc.string({ unit }), { maxLength: 8 });
    const ends = fc.array(lineEnd, { minLength: 1, maxLength: 3 });
    await fc.assert(fc.asyncProperty(anyTexts, ends, cuts, run), { seed, numRuns: 500 });
  });

  const cases: readonly [string, string, EventSourceMessage[]][] = [
    [
      'join several data lines',
      'data: a\ndata: b\n\n',
      [{ event: undefined, id: undefined, data: 'a\nb' }],
    ],
    [
      'keep their name',
      'event: close\ndata: {}\n\n',
      [{ event: 'close', id: undefined, data: '{}' }],
    ],
    [
      'are read without comments and unknown fields',
      ': hi\nx: y\ndata: a\n\n',
      [{ event: undefined, id: undefined, data: 'a' }],
    ],
    [
      'are read correctly after a byte order mark',
      '\ufeffdata: a\n\n',
      [{ event: undefined, id: undefined, data: 'a' }],
    ],
    ...['\n', '\r\n', '\r'].map((end): [string, string, EventSourceMessage[]] => [
      `may end with ${JSON.stringify(end)} instead of a blank line`,
      `data: a${end}`,
      [{ event: undefined, id: undefined, data: 'a' }],
    ]),
    [
      'omit an incomplete line at the end',
      'data: a\n\ndata: {"tex',
      [{ event: undefined, id: undefined, data: 'a' }],
    ],
    ["aren't found in an empty stream", '', []],
  ];
  for (const [rule, text, expected] of cases) {
    it(rule, async () => assert.deepEqual(await eventsOf(pieces(Buffer.from(text))), expected));
  }

  it('are limited to 1 MiB each, with or without line breaks', async () => {
    const line = (length: number) => Buffer.from(`data: ${'x'.repeat(length)}`);
    const most = MAX_EVENT_LENGTH - 10;
    const [event] = await eventsOf(pieces(line(most), Buffer.from('\n\n')));
    assert.equal(event?.data.length, most);
    const half = Buffer.from('x'.repeat(MAX_EVENT_LENGTH / 2 + 1));
    assert.equal(await kindOf(eventsOf(pieces(line(0), half, half))), 'too-large');
    const lines = Buffer.from('data: xxxxxxxxx\n'.repeat(60_000));
    assert.equal(await kindOf(eventsOf(pieces(lines, lines))), 'too-large');
  });

  it('may exceed 1 MiB in total, even if they arrive in one chunk', async () => {
    const many = Buffer.from(`data: ${'x'.repeat(990)}\n\n`.repeat(2_000));
    assert.equal((await eventsOf(pieces(many))).length, 2_000);
  });

  it('end with an error if reading the body fails', async () => {
    async function* broken() {
      yield Buffer.from('data: a\n\n');
      throw new RangeError('cut');
    }
    await assert.rejects(eventsOf(broken()), RangeError);
  });
});
