import assert from 'node:assert/strict';
import { ResponseInDocument, type ResponseState } from '../../../src/editor/responseInDocument.ts';
import { FakeDocument } from './fakeDocument.ts';

const EVENTS = ['append', 'end', 'lose', 'withdraw', 'restart'] as const;
type Event = (typeof EVENTS)[number];

/** For each state: the events that lead to it, and the next state for each of `EVENTS`. */
const ROWS: readonly [
  state: ResponseState,
  way: readonly Event[],
  after: readonly ResponseState[],
][] = [
  ['waiting', [], ['writing', 'done', 'lost', 'undone', 'waiting']],
  ['writing', ['append'], ['writing', 'done', 'losing', 'undone', 'waiting']],
  ['done', ['append', 'end'], ['writing', 'done', 'lost', 'undone', 'waiting']],
  ['losing', ['append', 'lose'], ['losing', 'lost', 'losing', 'undone', 'waiting']],
  ['lost', ['lose'], ['losing', 'lost', 'lost', 'undone', 'waiting']],
  ['undone', ['withdraw'], ['undone', 'undone', 'undone', 'undone', 'waiting']],
];

function rangeAfter(events: readonly Event[]): ResponseInDocument {
  const range = new ResponseInDocument(new FakeDocument('prompt'), {
    start: 6,
    end: 6,
    lead: '\n',
    tail: '',
  });
  for (const event of events) {
    // Don't wait: this resolves only once the text is written, and nothing writes it here.
    if (event === 'end') void range.end();
    else range[event]('text');
  }
  return range;
}

describe('a response in a document', () => {
  for (const [state, way, after] of ROWS) {
    for (const [index, event] of EVENTS.entries()) {
      it(`goes from ${state} to ${after[index]} on ${event}`, () => {
        assert.equal(rangeAfter(way).state, state);
        assert.equal(rangeAfter([...way, event]).state, after[index]);
      });
    }

    it(`has the flags of the state ${state}`, () => {
      const range = rangeAfter(way);
      assert.equal(range.isStreaming, ['writing', 'losing'].includes(state));
      assert.equal(range.isPlaced, ['waiting', 'undone'].includes(state));
      assert.equal(range.isPending, ['writing', 'done'].includes(state));
    });
  }

  it('is lost on a restart if the user typed inside it', () => {
    const range = rangeAfter(['append']);
    const next = range.next();
    assert.ok(next);
    range.own.grow(next);
    range.own.follow({ rangeOffset: 8, rangeLength: 0, text: '*' });
    range.restart();
    assert.equal(range.state, 'lost');
  });
});
