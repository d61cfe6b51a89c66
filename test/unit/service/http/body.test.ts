import assert from 'node:assert/strict';
import { ServiceError } from '../../../../src/service/errors.ts';
import { Body, type BodyLimits } from '../../../../src/service/http/body.ts';
import { activeResources } from '../../../activeResources.ts';
import { highLimits, kindOf } from '../fixtures.ts';

const MB = 1_000_000;

/** A stream that the test controls. */
function source() {
  let isCancelled = false;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start: (own) => {
      controller = own;
    },
  });
  return {
    body: (own: Partial<BodyLimits> = {}) =>
      new Body(stream, { ...highLimits, ...own }, () => {
        isCancelled = true;
        controller?.error(new RangeError('hung up'));
      }),
    write: (text: string) => controller?.enqueue(Buffer.from(text)),
    end: () => controller?.close(),
    fail: (error: Error) => controller?.error(error),
    isCancelled: () => isCancelled,
  };
}

async function firstOf(body: Body): Promise<string> {
  for await (const bytes of body) return Buffer.from(bytes).toString();
  return '';
}

describe('reading a response body', () => {
  it('decodes its text, even if a character is split across chunks', async () => {
    const { body, end } = source();
    const text = body().text();
    const bytes = Buffer.from('zwölf 🙂');
    const single = ReadableStream.from(Array.from(bytes, (byte) => Uint8Array.of(byte)));
    end();
    assert.equal(await text, '');
    assert.equal(await new Body(single, highLimits, () => {}).text(), 'zwölf 🙂');
    assert.equal(await new Body(null, highLimits, () => {}).text(), '');
  });

  it('fails if the connection is lost', async () => {
    const { body, write, fail } = source();
    const text = body().text();
    write('half');
    fail(new RangeError('cut'));
    await assert.rejects(text, RangeError);
  });

  it('closes the connection if the body is too large or too slow', async () => {
    const long = source();
    long.write('too long');
    assert.equal(await kindOf(long.body({ maxBytes: 5 }).text()), 'too-large');
    const late = source();
    const isLate = new ServiceError('timeout', { phase: 'start' });
    await assert.rejects(late.body({ startLeftMs: () => 1, idleMs: 1 }).text(), isLate);
    const silent = source();
    silent.write('start');
    const isSilent = new ServiceError('timeout', { phase: 'idle' });
    await assert.rejects(silent.body({ idleMs: 1 }).text(), isSilent);
    const all = [long, late, silent];
    assert.deepEqual(
      all.map(({ isCancelled }) => isCancelled()),
      [true, true, true],
    );
  });

  it('can continue to the end after one reader stops early', async () => {
    const { body: make, write, end, isCancelled } = source();
    const body = make();
    write('first');
    write('second');
    assert.equal(await firstOf(body), 'first');
    const rest = body.readRest(MB);
    end();
    await rest;
    assert.deepEqual([isCancelled(), await body.text()], [false, '']);
  });

  it('closes the connection if the unread remainder takes too long to arrive', async () => {
    const { body: make, write, isCancelled } = source();
    const body = make();
    write('first');
    assert.equal(await firstOf(body), 'first');
    await body.readRest(1);
    assert.equal(isCancelled(), true);
  });

  it('ignores failures while discarding the unread remainder', async () => {
    const long = source();
    const broken = source();
    long.write('too long');
    broken.fail(new RangeError('cut'));
    for (const { body } of [long, broken]) await body({ maxBytes: 5 }).readRest(MB);
    assert.equal(long.isCancelled(), true);
  });

  it('clears its timers whether the body is complete, broken, or too large', async () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    // Mocha's timer starts once the test waits, so wait before counting timers.
    await turn();
    const before = activeResources('Timeout');
    for (const finish of [
      ({ end }: ReturnType<typeof source>) => end(),
      ({ fail }: ReturnType<typeof source>) => fail(new RangeError('cut')),
      ({ write }: ReturnType<typeof source>) => write('too long'),
    ]) {
      const each = source();
      const body = each.body({ maxBytes: 5 });
      finish(each);
      await body.text().catch(() => {});
      await body.readRest(MB);
      await turn();
      assert.equal(activeResources('Timeout'), before);
    }
  });
});
