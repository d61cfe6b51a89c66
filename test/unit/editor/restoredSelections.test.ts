import assert from 'node:assert/strict';
import type { Selected } from '../../../src/editor/restoredSelections.ts';
import type { OffsetRange, TextChange } from '../../../src/editor/textChange.ts';
import { SinkEditor } from '../../contract/leaks/sinkEditor.ts';
import { installEditor } from '../connection/fakeEditor.ts';

type SelectionAfter = typeof import('../../../src/editor/restoredSelections.ts').selectionAfter;
let selectionAfter: SelectionAfter;

/**
 * Applies changes. Returns the changed text, the text that is then selected, and the result of
 * `selectionAfter`.
 */
function afterwards(
  text: string,
  selected: Selected,
  changes: readonly TextChange[],
): { readonly selected: string; readonly text: string } & ReturnType<SelectionAfter> {
  const textOf = ({ start, end }: OffsetRange) => text.slice(start, end);
  const { wanted, grown } = selectionAfter(selected, changes, textOf);
  const changed = changes
    .toSorted((one, other) => other.rangeOffset - one.rangeOffset)
    .reduce(
      (so, { rangeOffset, rangeLength, text: with_ }) =>
        so.slice(0, rangeOffset) + with_ + so.slice(rangeOffset + rangeLength),
      text,
    );
  return { selected: changed.slice(wanted.start, wanted.end), text: changed, wanted, grown };
}

describe('a selection', () => {
  let hooks: ReturnType<typeof installEditor>;
  before(async () => {
    hooks = installEditor(() => new SinkEditor());
    ({ selectionAfter } = await import('../../../src/editor/restoredSelections.ts'));
  });
  after(() => hooks.deregister());

  it('moves past a new line inserted at its position unless `keepsCursor` is set', () => {
    const cursor = { start: 10, end: 10, textEnd: 10 };
    const change = { rangeOffset: 10, rangeLength: 0, text: '\ny' };
    const before = { rangeOffset: 2, rangeLength: 0, text: 'xxxx' };
    const wanted = (...changes: TextChange[]) => afterwards('a'.repeat(20), cursor, changes).wanted;
    assert.deepEqual(wanted(before, { ...change, keepsCursor: true }), { start: 14, end: 14 });
    assert.deepEqual(wanted(before, change), { start: 16, end: 16 });
  });

  for (const lineEnd of ['\n', '\r\n']) {
    const lines = `one${lineEnd}two${lineEnd}`;
    /** The two selected lines, between two other lines. */
    const text = `zero${lineEnd}${lines}three`;
    const start = 4 + lineEnd.length;
    const end = start + lines.length;
    const whole = { start, end, textEnd: end - lineEnd.length };
    /** Returns the change that writes a response below the selected lines. */
    const below = (answer: string, rangeLength = 0): TextChange => ({
      rangeOffset: whole.textEnd,
      rangeLength,
      text: answer === '' ? '' : lineEnd + answer,
    });
    const shownLineEnd = JSON.stringify(lineEnd);

    it(`covers the same lines after a response is inserted below (line ending ${shownLineEnd})`, () => {
      const once = afterwards(text, whole, [below('An answer')]);
      assert.equal(once.selected, lines);
      assert.equal(once.text, `zero${lineEnd}${lines}An answer${lineEnd}three`);
    });

    for (const answer of ['A', 'An answer', 'A longer answer than that', '']) {
      it(`covers the same lines after ${JSON.stringify(answer)} replaces the response below (line ending ${shownLineEnd})`, () => {
        const first = afterwards(text, whole, [below('An answer')]);
        const selected = { ...first.wanted, textEnd: whole.textEnd };
        const again = afterwards(first.text, selected, [
          below(answer, lineEnd.length + 'An answer'.length),
        ]);
        assert.equal(again.selected, lines);
      });
    }

    it(`excludes a response inserted before its final line break (line ending ${shownLineEnd})`, () => {
      const { selected } = afterwards(text, whole, [
        { rangeOffset: whole.textEnd, rangeLength: 0, text: 'An answer' },
      ]);
      assert.equal(selected, `one${lineEnd}two`);
    });

    it(`covers the same text after changes on both sides (line ending ${shownLineEnd})`, () => {
      const { selected } = afterwards(text, whole, [
        { rangeOffset: 0, rangeLength: 4, text: `Instead${lineEnd}` },
        below('An answer'),
        { rangeOffset: text.length, rangeLength: 0, text: `${lineEnd}Another` },
      ]);
      assert.equal(selected, lines);
    });
  }

  it('excludes text inserted at its start or end, unlike selections in VS Code', () => {
    const part = { start: 2, end: 5, textEnd: 5 };
    const { selected, wanted, grown } = afterwards('a bcd e', part, [
      { rangeOffset: 2, rangeLength: 0, text: 'X' },
      { rangeOffset: 5, rangeLength: 0, text: 'YY' },
    ]);
    assert.equal(selected, 'bcd');
    assert.deepEqual(
      [wanted, grown],
      [
        { start: 3, end: 6 },
        { start: 2, end: 8 },
      ],
    );
  });

  it('becomes a cursor at the end of the text that replaces it', () => {
    const { wanted } = afterwards('a bcd e', { start: 2, end: 5, textEnd: 5 }, [
      { rangeOffset: 2, rangeLength: 3, text: 'An answer' },
    ]);
    assert.deepEqual(wanted, { start: 11, end: 11 });
  });
});
