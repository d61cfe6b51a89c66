import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type TextChange, TrackedRange } from '../../../src/document/trackedRange.ts';

const insert = (rangeOffset: number, text: string): TextChange => ({
  rangeOffset,
  rangeLength: 0,
  text,
});
const remove = (rangeOffset: number, rangeLength: number): TextChange => ({
  rangeOffset,
  rangeLength,
  text: '',
});

/** Ten characters of ours, at 10. */
function written(): TrackedRange {
  const own = new TrackedRange({ start: 10, end: 10 });
  own.grow(own.changeFor('0123456789'));
  return own;
}

describe('own text', () => {
  const cases: [name: string, change: TextChange, pieces: number[][], end: number | 'broken'][] = [
    ['typing before it shifts it', insert(3, 'xy'), [[12, 22]], 22],
    ['typing right before it shifts it', insert(10, 'xy'), [[12, 22]], 22],
    [
      'typing inside it divides it',
      insert(15, 'xy'),
      [
        [10, 15],
        [17, 22],
      ],
      22,
    ],
    ['typing right at its end stays behind it', insert(20, 'xy'), [[10, 20]], 20],
    ['typing behind it changes nothing', insert(30, 'xy'), [[10, 20]], 20],
    ['deleting before it shifts it', remove(0, 10), [[0, 10]], 10],
    ['deleting inside it makes it shorter', remove(12, 3), [[10, 17]], 17],
    ['deleting over its start breaks it', remove(8, 4), [[8, 16]], 'broken'],
    ['deleting over its end breaks it', remove(18, 4), [[10, 18]], 'broken'],
    ['deleting all of it breaks it', remove(10, 10), [], 'broken'],
  ];
  for (const [name, change, pieces, end] of cases) {
    it(name, () => {
      const own = written();
      own.follow(change);
      assert.deepEqual(
        own.pieces.map((piece) => [piece.start, piece.end]),
        pieces,
      );
      assert.equal(own.isBroken ? 'broken' : own.range.end, end);
    });
  }

  it('typing at an empty place, where nothing is written yet, shifts it', () => {
    const own = new TrackedRange({ start: 10, end: 10 });
    own.follow(insert(10, 'xy'));
    assert.deepEqual(own.range, { start: 12, end: 12 });
    assert.equal(own.isBroken, false);
  });

  it('an answer that belongs behind this one leaves it in front', () => {
    const own = new TrackedRange({ start: 10, end: 10 });
    own.follow(insert(10, 'xy'), { belongsBehind: true });
    assert.deepEqual(own.range, { start: 10, end: 10 });
  });

  it('a selection that somebody edits is not replaced', () => {
    const own = new TrackedRange({ start: 10, end: 20 });
    own.follow(insert(15, 'x'));
    assert.equal(own.isBroken, true);
  });

  it('what stands behind the place is ours, too, and stays behind what comes next', () => {
    const own = new TrackedRange({ start: 10, end: 10 });
    own.grow(own.changeFor('ab\n'), 1);
    assert.equal(own.range.end, 12);
    own.grow(own.changeFor('cd'));
    assert.deepEqual([own.range.end, own.pieces], [14, [{ start: 10, end: 15 }]]);
  });

  describe('begins again', () => {
    it('in place of what was written', () => {
      const own = written();
      own.follow(insert(0, 'xx'));
      assert.equal(
        own.rewind(() => false),
        true,
      );
      assert.deepEqual(own.changeFor('new'), { rangeOffset: 12, rangeLength: 10, text: 'new' });
    });

    it('where it was, once all of it is undone', () => {
      const own = written();
      own.follow({ rangeOffset: 10, rangeLength: 10, text: 'old' });
      own.follow(insert(0, 'x'));
      assert.equal(
        own.rewind(({ start, end }) => start === 11 && end === 14),
        true,
      );
      assert.deepEqual(own.changeFor('new'), { rangeOffset: 11, rangeLength: 3, text: 'new' });
    });

    it('not over what somebody wrote in its place', () => {
      const own = written();
      own.follow({ rangeOffset: 10, rangeLength: 10, text: 'mine' });
      assert.equal(
        own.rewind(() => false),
        false,
      );
    });

    it('not over what somebody wrote inside it', () => {
      const own = written();
      own.follow(insert(15, 'mine'));
      assert.equal(
        own.rewind(() => true),
        false,
      );
    });
  });

  it('what an undo or redo brings back is not ours, and nothing is written behind it', () => {
    const own = written();
    own.follow(remove(15, 5));
    assert.equal(own.isBroken, false);
    own.follow(insert(15, '56789'), { isUndoRedo: true });
    assert.deepEqual([own.pieces, own.isBroken], [[{ start: 10, end: 15 }], true]);
  });

  it('goes on where an undo or redo brings something back inside it, or before anything is written', () => {
    const own = written();
    own.follow(remove(12, 3));
    own.follow(insert(12, '234'), { isUndoRedo: true });
    assert.deepEqual([own.range.end, own.isBroken], [20, false]);
    const empty = new TrackedRange({ start: 10, end: 10 });
    empty.follow(insert(10, 'xy'), { isUndoRedo: true });
    assert.deepEqual([empty.range.end, empty.isBroken], [12, false]);
  });

  it('begins again nowhere once all of it was undone and redone', () => {
    const own = written();
    own.follow(remove(10, 10), { isUndoRedo: true });
    own.follow(insert(10, '0123456789'), { isUndoRedo: true });
    assert.equal(
      own.rewind(() => true),
      false,
    );
    assert.deepEqual(own.pieces, []);
  });

  it('knows which characters are its own, whatever others do', () => {
    const edit = fc.record({
      at: fc.nat(60),
      length: fc.nat(6),
      text: fc.string({ maxLength: 4, unit: fc.constantFrom('u', 'v') }),
    });
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 30 }), (edits) => {
        let document = 'u'.repeat(20);
        const own = new TrackedRange({ start: 10, end: 10 });
        const apply = ({ rangeOffset, rangeLength, text }: TextChange) => {
          document =
            document.slice(0, rangeOffset) + text + document.slice(rangeOffset + rangeLength);
        };
        for (const [index, { at, length, text }] of edits.entries()) {
          if (!own.isBroken) {
            const ours = own.changeFor(String.fromCodePoint(0x41 + (index % 26)));
            apply(ours);
            own.grow(ours);
          }
          const rangeOffset = Math.min(at, document.length);
          const rangeLength = Math.min(length, document.length - rangeOffset);
          apply({ rangeOffset, rangeLength, text });
          own.follow({ rangeOffset, rangeLength, text });
        }
        let others = '';
        let from = 0;
        for (const { start, end } of own.pieces) {
          assert.match(document.slice(start, end), /^[A-Z]+$/);
          others += document.slice(from, start);
          from = end;
        }
        assert.doesNotMatch(others + document.slice(from), /[A-Z]/);
      }),
      { numRuns: 1_000 },
    );
  });
});
