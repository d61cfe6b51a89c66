import assert from 'node:assert/strict';
import { ResponseInDocument } from '../../../src/editor/responseInDocument.ts';
import { FakeDocument } from './fakeDocument.ts';

type Event = 'append' | 'end' | 'lose' | 'withdraw' | 'restart';
const FLAGS = ['isStreaming', 'isPending', 'isPlaced'] as const;
type Flag = (typeof FLAGS)[number];

function responseAfter(events: readonly Event[]): ResponseInDocument {
  const response = new ResponseInDocument(new FakeDocument('prompt'), {
    start: 6,
    end: 6,
    lead: '\n',
    tail: '',
  });
  for (const event of events) {
    // Don't wait, because the promise resolves only when the text is written, and nothing writes it
    // here.
    if (event === 'end') void response.end();
    else response[event]('text');
  }
  return response;
}

describe('a response in a document', () => {
  for (const [what, events, expected] of [
    ['has no text yet', [], ['isPlaced']],
    ['receives text', ['append'], ['isStreaming', 'isPending']],
    ['has ended', ['append', 'end'], ['isPending']],
    ['has ended twice', ['append', 'end', 'end'], ['isPending']],
    ['has ended without text', ['end'], ['isPlaced']],
    ['is continued', ['append', 'end', 'append'], ['isStreaming', 'isPending']],
    ['is lost before its first text', ['lose'], []],
    ['is lost while it streams', ['append', 'lose'], ['isStreaming']],
    ['is lost, and receives more text', ['append', 'lose', 'append'], ['isStreaming']],
    ['is lost, and then ends', ['append', 'lose', 'end'], []],
    ['is lost after its end', ['append', 'end', 'lose'], []],
    ['is lost, ends, and is continued', ['lose', 'end', 'append'], ['isStreaming']],
    ['is undone before its first text', ['withdraw'], ['isPlaced']],
    ['is undone while it streams', ['append', 'withdraw'], ['isPlaced']],
    ['is undone after its end', ['append', 'end', 'withdraw'], ['isPlaced']],
    ['is lost, and then undone', ['append', 'lose', 'withdraw'], ['isPlaced']],
    ['is undone, and receives more text', ['withdraw', 'append'], ['isPlaced']],
    ['is undone, and then ends', ['append', 'withdraw', 'end'], ['isPlaced']],
    ['is undone, and then lost', ['withdraw', 'lose'], ['isPlaced']],
    ['is undone twice', ['append', 'withdraw', 'withdraw'], ['isPlaced']],
    ['restarts while it streams', ['append', 'restart'], ['isPlaced']],
    ['restarts after its end', ['append', 'end', 'restart'], ['isPlaced']],
    ['restarts after it was lost', ['append', 'lose', 'restart'], ['isPlaced']],
    [
      'restarts after it was lost, and receives text',
      ['lose', 'restart', 'append'],
      ['isStreaming', 'isPending'],
    ],
    [
      'restarts after it was undone, and receives text',
      ['withdraw', 'restart', 'append'],
      ['isStreaming', 'isPending'],
    ],
  ] as const satisfies readonly (readonly [string, readonly Event[], readonly Flag[]])[]) {
    const flags = expected.map((flag) => flag.slice(2).toLowerCase()).join(' and ');
    it(`is ${flags || 'neither streaming, pending, nor placed'} if it ${what}`, () => {
      const response = responseAfter(events);
      assert.deepEqual(
        FLAGS.filter((flag) => response[flag]),
        expected,
      );
    });
  }

  it('loses its place after a restart if the user typed inside its text', () => {
    const response = responseAfter(['append']);
    const next = response.next();
    assert.ok(next);
    response.own.grow(next);
    response.own.follow({ rangeOffset: 8, rangeLength: 0, text: '*' });
    response.restart();
    assert.equal(response.isPlaced, false);
  });
});
