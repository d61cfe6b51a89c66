import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { OffsetRange, Piece, TextChange } from '../../../src/editor/textChange.ts';
import { TrackedRange } from '../../../src/editor/trackedRange.ts';
import type { Replay } from '../../../src/editor/undoStates.ts';

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

/** Returns a range with ten generated characters at offset 10. */
function written(isOriginal?: (range: OffsetRange) => boolean): TrackedRange {
  const own = new TrackedRange({ start: 10, end: 10 }, isOriginal);
  own.grow(own.changeFor('0123456789'));
  own.conclude({ replay: undefined }, () => true);
  return own;
}

describe('a tracked range', () => {
  const cases: [name: string, change: TextChange, pieces: number[][], end: number | 'broken'][] = [
    ['is shifted by typing before it', insert(3, 'xy'), [[12, 22]], 22],
    ['is shifted by typing right before it', insert(10, 'xy'), [[12, 22]], 22],
    [
      'is split by typing inside it',
      insert(15, 'xy'),
      [
        [10, 15],
        [17, 22],
      ],
      22,
    ],
    ['excludes text typed right at its end', insert(20, 'xy'), [[10, 20]], 20],
    ["isn't changed by typing after it", insert(30, 'xy'), [[10, 20]], 20],
    ['is shifted by deleting before it', remove(0, 10), [[0, 10]], 10],
    ['is shortened by deleting inside it', remove(12, 3), [[10, 17]], 17],
    ['is broken by deleting across its start', remove(8, 4), [[8, 16]], 'broken'],
    ['is broken by deleting across its end', remove(18, 4), [[10, 18]], 'broken'],
    ['is broken by deleting all of it', remove(10, 10), [], 'broken'],
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

  it("isn't broken by a deletion across its start that removes only whitespace from it", () => {
    const own = new TrackedRange({ start: 10, end: 10 });
    own.grow(insert(10, '\n  text'));
    own.follow(remove(8, 5));
    assert.deepEqual([own.isBroken, own.range], [false, { start: 8, end: 12 }]);
    own.follow(remove(4, 6));
    assert.equal(own.isBroken, true);
  });

  it('moves if the user types at its position while it is empty', () => {
    const own = new TrackedRange({ start: 10, end: 10 });
    own.follow(insert(10, 'xy'));
    assert.deepEqual(own.range, { start: 12, end: 12 });
    assert.equal(own.isBroken, false);
  });

  it('stays in front of a response inserted at the same position', () => {
    const own = new TrackedRange({ start: 10, end: 10 });
    own.follow(insert(10, 'xy'), { belongsBehind: true });
    assert.deepEqual(own.range, { start: 10, end: 10 });
  });

  it("is marked as broken by an edit inside a selection that hasn't been replaced yet", () => {
    const own = new TrackedRange({ start: 10, end: 20 });
    own.follow(insert(15, 'x'));
    assert.equal(own.isBroken, true);
  });

  it('puts later additions before its trailing line break', () => {
    const own = new TrackedRange({ start: 10, end: 10 });
    own.grow(own.changeFor('ab\n'), 1);
    assert.equal(own.range.end, 12);
    own.grow(own.changeFor('cd'));
    assert.deepEqual([own.range.end, own.pieces], [14, [{ start: 10, end: 15, text: 'abcd\n' }]]);
  });

  describe('when restarted', () => {
    it('replaces the generated text', () => {
      const own = written();
      own.follow(insert(0, 'xx'));
      assert.equal(own.rewind(), true);
      assert.deepEqual(own.changeFor('new'), { rangeOffset: 12, rangeLength: 10, text: 'new' });
    });

    it('replaces the original text if all generated text was undone', () => {
      const own = written(({ start, end }) => start === 11 && end === 14);
      own.follow({ rangeOffset: 10, rangeLength: 10, text: 'old' });
      own.follow(insert(0, 'x'));
      assert.equal(own.rewind(), true);
      assert.deepEqual(own.changeFor('new'), { rangeOffset: 11, rangeLength: 3, text: 'new' });
    });

    it("doesn't replace text that the user wrote in place of the response", () => {
      const own = written(() => false);
      own.follow({ rangeOffset: 10, rangeLength: 10, text: 'mine' });
      assert.equal(own.rewind(), false);
    });

    it("doesn't replace text that the user typed inside it", () => {
      const own = written();
      own.follow(insert(15, 'mine'));
      assert.equal(own.rewind(), false);
      const later = written();
      assert.equal(later.rewind(), true);
      later.follow(insert(15, 'mine'));
      assert.equal(later.isBroken, true);
    });
  });

  describe('after an undo or redo', () => {
    const everywhere = () => true;
    const normal = { replay: undefined };
    const event = (
      own: TrackedRange,
      change: TextChange,
      replay?: Replay,
      isThere: (piece: Piece) => boolean = everywhere,
    ) => {
      own.follow(change, { replay });
      own.conclude({ replay }, isThere);
    };
    const standing = ({ pieces, isBroken, isUncertain }: TrackedRange) => ({
      pieces: pieces.map(({ start, end, text }) => [start, end, text]),
      isBroken,
      isUncertain,
    });
    const whole = {
      pieces: [[10, 20, '0123456789']],
      isBroken: false,
      isUncertain: false,
    };

    it('recognizes its restored text', () => {
      for (const [first, then] of [
        ['undo', 'redo'],
        [undefined, 'undo'],
      ] as const) {
        const own = written();
        event(own, remove(15, 5), first);
        event(own, remove(12, 3), first);
        event(own, remove(10, 2), first);
        assert.deepEqual(own.pieces, []);
        event(own, insert(10, '01'), then);
        event(own, insert(12, '23456789'), then);
        assert.deepEqual(standing(own), whole);
      }
    });

    it('recognizes its text even if the text before it has changed', () => {
      const own = written();
      own.follow(remove(12, 3));
      own.follow(insert(0, 'xx'));
      own.conclude(normal, everywhere);
      event(own, insert(14, '234'), 'undo');
      assert.deepEqual(standing(own), { ...whole, pieces: [[12, 22, '0123456789']] });
    });

    it("doesn't mistake the user's text for its own", () => {
      const own = written();
      event(own, insert(15, 'mine'));
      event(own, remove(15, 4), 'undo');
      event(own, insert(15, 'mine'), 'redo');
      const pieces = [
        [10, 15, '01234'],
        [19, 24, '56789'],
      ];
      assert.deepEqual(standing(own), { ...whole, pieces });
    });

    it("can't be restarted or continued if it contains unexpected text", () => {
      const own = written();
      event(own, remove(12, 3));
      event(own, insert(12, 'abc'), 'undo', ({ text }) => text !== '0123456789');
      assert.deepEqual([own.isUncertain, own.isBroken, own.rewind()], [true, true, false]);
    });

    it("can't be continued while part of it remains undone", () => {
      const own = written();
      event(own, remove(15, 5), 'undo');
      assert.equal(own.isBroken, true);
      event(own, insert(15, '56789'), 'redo');
      assert.equal(own.isBroken, false);
    });

    it('can be replaced, but not continued, if the undo restored an earlier response', () => {
      const own = written();
      own.rewind();
      own.grow(own.changeFor('next'));
      own.conclude(normal, everywhere);
      event(own, { rangeOffset: 10, rangeLength: 4, text: '0123456789' }, 'undo');
      assert.deepEqual(standing(own), { ...whole, isBroken: true });
      assert.equal(own.rewind(), true);
      assert.deepEqual(own.changeFor('new'), { rangeOffset: 10, rangeLength: 10, text: 'new' });
    });

    it('forgets redo states after one edit, and old undo states after 200', () => {
      const own = written();
      event(own, remove(15, 5), 'undo');
      event(own, insert(0, 'x'));
      event(own, insert(16, '56789'), 'redo');
      assert.equal(own.pieces.length, 1);
      assert.equal(own.isUncertain, false, 'the redo restored other text');
      const old = written();
      event(old, remove(15, 5));
      for (let times = 0; times < 100; times += 1) {
        event(old, insert(15, 'x'));
        event(old, remove(15, 1));
      }
      for (let times = 0; times < 100; times += 1) {
        event(old, insert(15, 'x'), 'undo');
        event(old, remove(15, 1), 'undo');
      }
      event(old, insert(15, '56789'), 'undo');
      assert.equal(old.isUncertain, true);
    });
  });

  it('contains exactly the generated characters after random user edits', () => {
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
