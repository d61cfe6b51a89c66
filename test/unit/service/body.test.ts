import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { boundedBody, readText } from '../../../src/service/body.ts';
import { kindOf } from './fixtures.ts';

const MB = 1_000_000;
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a body', () => {
  it('is a text whose characters were cut, and destroyed at its end', async () => {
    const stream = new PassThrough();
    const text = readText(boundedBody(stream, MB, MB));
    for (const byte of Buffer.from('zwölf 🙂')) stream.write(Uint8Array.of(byte));
    stream.end();
    assert.equal(await text, 'zwölf 🙂');
    assert.equal(stream.destroyed, true);
  });

  it('that closes before its end is no text', async () => {
    const stream = new PassThrough();
    const text = kindOf(readText(boundedBody(stream, MB, MB)));
    stream.write('half');
    stream.destroy();
    assert.equal(await text, 'connection-lost');
  });

  it('that was gone before anybody read it fails at once, as it failed', async () => {
    const closed = new PassThrough().destroy();
    assert.equal(await kindOf(readText(boundedBody(closed, MB, MB))), 'connection-lost');
    const failed = new PassThrough().on('error', () => {});
    failed.destroy(new RangeError('cut'));
    await assert.rejects(readText(boundedBody(failed, MB, MB)), RangeError);
  });

  it('ends with what its reader throws, who gets nothing more', async () => {
    const stream = new PassThrough();
    let pieces = 0;
    const read = boundedBody(
      stream,
      MB,
      MB,
    )(() => {
      pieces += 1;
      throw new RangeError('enough');
    });
    stream.write('a');
    stream.write('b');
    await assert.rejects(read, RangeError);
    assert.deepEqual([pieces, stream.destroyed], [1, true]);
  });

  it('leaves no timer behind, however it ends', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
    // The test's own timer starts once it waits.
    await turn();
    const before = timers();
    for (const end of [
      (stream: PassThrough) => stream.end('whole'),
      (stream: PassThrough) => stream.destroy(),
      (stream: PassThrough) => stream.destroy(new RangeError('cut')),
      (stream: PassThrough) => stream.end('too long'),
    ]) {
      const stream = new PassThrough();
      const done = readText(boundedBody(stream, 5, MB)).catch(() => {});
      end(stream);
      await done;
      await turn();
      assert.equal(timers(), before);
    }
  });
});
