import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TextFit } from '../../src/editor/textFit.ts';
import { type TextChange, TrackedRange } from '../../src/editor/trackedRange.ts';

describe('text fit', () => {
  const fitted = (pieces: readonly string[], lineEnd = '\n', indentation = '') => {
    const textFit = new TextFit(lineEnd, indentation);
    return pieces.map((piece) => textFit.add(piece)).join('') + textFit.end();
  };

  const cases: [
    name: string,
    pieces: string[],
    lineEnd: string,
    indentation: string,
    want: string,
  ][] = [
    ['plain text stays', ['a b'], '\n', '    ', 'a b'],
    ['every later line gets the indentation', ['a\nb\nc'], '\n', '  ', 'a\n  b\n  c'],
    ['blank lines get none', ['a\n\nb\n'], '\n', '\t', 'a\n\n\tb\n'],
    [
      'CRLF, CR and LF become the line end of the document',
      ['a\r\nb\rc\nd'],
      '\r\n',
      '',
      'a\r\nb\r\nc\r\nd',
    ],
    ['a CR and LF in two pieces are one line end', ['a\r', '\nb'], '\n', '', 'a\nb'],
    ['a CR at the very end is a line end', ['a\r'], '\n', '', 'a\n'],
    [
      'its own indentation is kept below that of the place',
      ['if x:\n    y'],
      '\n',
      '  ',
      'if x:\n      y',
    ],
  ];
  for (const [name, pieces, lineEnd, indentation, want] of cases) {
    it(name, () => assert.equal(fitted(pieces, lineEnd, indentation), want));
  }

  it('gives the same text however the pieces are cut', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\r', '\n', ' ', '𝄞'), maxLength: 30 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(30)), (whole, cuts) => {
        const at = [
          ...new Set([0, ...cuts.filter((cut) => cut < whole.length), whole.length]),
        ].sort((a, b) => a - b);
        const pieces = at.slice(1).map((end, index) => whole.slice(at[index], end));
        assert.equal(fitted(pieces, '\r\n', '\t'), fitted([whole], '\r\n', '\t'));
      }),
    );
  });
});

describe('tracked range', () => {
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

  const cases: [name: string, change: TextChange, start: number, end: number, broken: boolean][] = [
    ['typing before it shifts it', insert(3, 'xy'), 12, 22, false],
    ['typing right before it shifts it', insert(10, 'xy'), 12, 22, false],
    ['typing inside it makes it longer', insert(15, 'xy'), 10, 22, false],
    ['typing right at its end stays outside', insert(20, 'xy'), 10, 20, false],
    ['typing after it changes nothing', insert(30, 'xy'), 10, 20, false],
    ['deleting before it shifts it', remove(0, 10), 0, 10, false],
    ['deleting inside it makes it shorter', remove(12, 3), 10, 17, false],
    ['deleting over its start breaks it', remove(8, 4), 10, 16, true],
    ['deleting over its end breaks it', remove(18, 4), 10, 16, true],
    ['deleting all of it breaks it', remove(10, 10), 10, 10, true],
  ];
  for (const [name, change, start, end, broken] of cases) {
    it(name, () => {
      const range = new TrackedRange(10, 20);
      range.follow(change);
      if (!broken) assert.deepEqual([range.start, range.end], [start, end]);
      assert.equal(range.broken, broken);
    });
  }

  it('typing at an empty range, where nothing is written yet, shifts it', () => {
    const range = new TrackedRange(10, 10);
    range.follow(insert(10, 'xy'));
    assert.deepEqual([range.start, range.end, range.broken], [12, 12, false]);
  });

  it('keeps hold of its text through any edits that do not break it', () => {
    const edit = fc.record({
      at: fc.nat(60),
      length: fc.nat(6),
      text: fc.string({ maxLength: 4, unit: fc.constantFrom('u', 'v') }),
    });
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 30 }), (edits) => {
        let document = 'u'.repeat(20);
        const range = new TrackedRange(10, 10);
        for (const [index, { at, length, text }] of edits.entries()) {
          const ours = String.fromCodePoint(0x41 + (index % 26));
          document = document.slice(0, range.end) + ours + document.slice(range.end);
          range.grow(insert(range.end, ours));
          const rangeOffset = Math.min(at, document.length);
          const rangeLength = Math.min(length, document.length - rangeOffset);
          range.follow({ rangeOffset, rangeLength, text });
          document =
            document.slice(0, rangeOffset) + text + document.slice(rangeOffset + rangeLength);
          if (range.broken) return;
        }
        const outside = document.slice(0, range.start) + document.slice(range.end);
        assert.doesNotMatch(outside, /[A-Z]/);
      }),
    );
  });
});
