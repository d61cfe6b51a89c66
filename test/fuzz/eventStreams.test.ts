import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ResponseReader } from '../../src/service/api/responseReader.ts';
import { failureInEvent } from '../../src/service/api/watsonxFailure.ts';
import type { Operation } from '../../src/service/apiCapabilities.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { Body } from '../../src/service/http/body.ts';
import { highLimits, never } from '../unit/service/fixtures.ts';
import { nasty, repeat, seed } from './fuzz.ts';

const operations = fc.constantFrom<Operation>('chat', 'generation');
const lineEnds = fc.array(fc.constantFrom('\n', '\r\n', '\r'), { minLength: 1, maxLength: 3 });
const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), {
  maxLength: 6,
});
const cuts = fc.array(fc.nat(4_000), { maxLength: 30 });

/** Encodes the events of one response in the service's format. */
function written(operation: string, parts: readonly string[], ends: readonly string[]): Buffer {
  const event = (text: string, index: number) => {
    const isLast = index === parts.length;
    const json =
      operation === 'chat'
        ? { choices: [{ delta: { content: text }, finish_reason: isLast ? 'stop' : null }] }
        : {
            results: [{ generated_text: text, stop_reason: isLast ? 'eos_token' : 'not_finished' }],
          };
    const end = ends[index % ends.length] ?? '\n';
    return `id: ${index}${end}event: message${end}data: ${JSON.stringify(json)}${end}${end}`;
  };
  return Buffer.from([...parts, ''].map(event).join(''));
}

function cutAt(bytes: Uint8Array, places: readonly number[]): Body {
  const edges = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length];
  edges.sort((one, other) => one - other);
  const pieces = edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
  return new Body(ReadableStream.from(pieces), highLimits, () => {});
}

async function collected(operation: Operation, body: Body) {
  const streamed: string[] = [];
  const reader = new ResponseReader(
    operation,
    { onText: (text) => streamed.push(text) },
    { failureInEvent },
  );
  const generation = await reader.read(body, never);
  return { streamed: streamed.join(''), generation };
}

describe('event streams', () => {
  it(`M02: yield the same text no matter where they are split (seed ${seed})`, async () => {
    await repeat(
      'event streams, split anywhere',
      [operations, texts, lineEnds, cuts],
      async (operation, parts, ends, places) => {
        const bytes = written(operation, parts, ends);
        const { streamed, generation } = await collected(operation, cutAt(bytes, places));
        assert.equal(generation.text, parts.join(''));
        assert.equal(streamed, generation.text);
        assert.equal(generation.stopReason, 'finished');
      },
    );
  });

  const damage = fc.array(
    fc.tuple(
      fc.nat(2_000),
      fc.nat(60),
      fc.oneof(
        fc.uint8Array({ maxLength: 8 }),
        nasty.map((text) => Buffer.from(text)),
        fc.jsonValue().map((json) => Buffer.from(`\ndata: ${JSON.stringify(json)}\n\n`)),
      ),
    ),
    { minLength: 1, maxLength: 4 },
  );

  it(`M02: yield text or a known failure if they are corrupted (seed ${seed})`, async () => {
    await repeat(
      'event streams, corrupted',
      [operations, texts, lineEnds, cuts, damage],
      async (operation, parts, ends, places, damaged) => {
        let bytes: Uint8Array = written(operation, parts, ends);
        for (const [place, gone, added] of damaged) {
          const at = place % (bytes.length + 1);
          bytes = Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + gone)]);
        }
        try {
          const { streamed, generation } = await collected(operation, cutAt(bytes, places));
          assert.equal(streamed, generation.text);
        } catch (error) {
          assert.ok(error instanceof ServiceError, String(error));
          assert.match(
            error.message,
            /^[a-z-]+( \(status \d+(, [\w.-]{1,64})?(, request [\w.-]{1,64})?\))?$/,
          );
        }
      },
    );
  });
});
