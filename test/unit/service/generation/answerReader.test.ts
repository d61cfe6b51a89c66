import assert from 'node:assert/strict';
import { ServiceError } from '../../../../src/service/errors.ts';
import { readChat } from '../../../../src/service/generation/answerChunk.ts';
import { AnswerReader, readAnswerStream } from '../../../../src/service/generation/answerReader.ts';
import { Body } from '../../../../src/service/http/body.ts';
import { kindOf, never } from '../fixtures.ts';

const reset = new ServiceError('connection-lost');
const text = (content: string) => `data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`;
const stop = 'data: {"choices":[{"delta":{"content":""},"finish_reason":"stop"}]}\n\n';

/** A body of these events; an error is what reading it fails with. */
function body(...events: (string | ServiceError)[]): Body {
  async function* bytes() {
    for (const event of events) {
      if (event instanceof ServiceError) throw event;
      yield Buffer.from(event);
    }
  }
  return new Body(ReadableStream.from(bytes()), 1_000_000, 1_000_000, () => {});
}

async function collect(signal: AbortSignal, ...events: (string | ServiceError)[]) {
  const collected = new AnswerReader(() => {});
  await readAnswerStream(body(...events), readChat, collected, signal);
  return collected.finish();
}

describe('collecting a stream', () => {
  it('is complete once the service has said why it stopped, however the connection ends', async () => {
    const { text: whole, stopReason } = await collect(never, text('a'), text('b'), stop, reset);
    assert.deepEqual([whole, stopReason], ['ab', 'finished']);
  });

  it('fails as the connection does before that', async () => {
    assert.equal(await kindOf(collect(never, text('a'), reset)), 'connection-lost');
    assert.equal(await kindOf(collect(never, text('a'))), 'incomplete');
  });

  it('is cancelled where its user cancelled, though it was complete', async () => {
    assert.equal(await kindOf(collect(AbortSignal.abort(), stop, reset)), 'connection-lost');
  });

  for (const silent of [
    'data: {}\n\n',
    ': comment\n\n',
    'event: close\ndata: bye\n\n',
    'data:\n\n',
  ]) {
    it(`passes over ${JSON.stringify(silent)}`, async () => {
      assert.equal((await collect(never, text('a'), silent, text('b'), stop)).text, 'ab');
    });
  }

  for (const nonsense of [
    '"usage":{"prompt_tokens":-1}',
    '"usage":null',
    '"system":{"warnings":null}',
  ]) {
    it(`does not lose an answer to ${nonsense}`, async () => {
      const usage = `data: {"choices":[],${nonsense}}\n\n`;
      assert.equal((await collect(never, text('a'), stop, usage)).text, 'a');
    });
  }
});
