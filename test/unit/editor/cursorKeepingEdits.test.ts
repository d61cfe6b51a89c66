import assert from 'node:assert/strict';
import {
  joinedChanges,
  type ReportedChange,
  splitAtLineBreak,
  splitReplacement,
} from '../../../src/editor/cursorKeepingEdits.ts';
import { isSame, type TextChange } from '../../../src/editor/textChange.ts';

const insertionOf = (rangeOffset: number, text: string): TextChange => ({
  rangeOffset,
  rangeLength: 0,
  text,
});

/** Applies changes to `before`. Returns the new text, and the changes as VS Code reports them. */
function applied(before: string, changes: readonly TextChange[]): [string, ReportedChange[]] {
  const lineStart = (offset: number) => before.lastIndexOf('\n', offset - 1) + 1;
  const positionOf = (offset: number) => ({
    line: before.slice(0, offset).split('\n').length - 1,
    character: offset - lineStart(offset),
  });
  let text = before;
  const reported = changes.map((change) => {
    const { rangeOffset, rangeLength } = change;
    const end = rangeOffset + rangeLength;
    text = text.slice(0, rangeOffset) + change.text + text.slice(end);
    return { ...change, range: { start: positionOf(rangeOffset), end: positionOf(end) } };
  });
  return [text, reported];
}

describe('a replacement', () => {
  const [before, after] = ['an old text', 'a new text'];
  const replacement = { rangeOffset: 1, rangeLength: 5, text: ' new' };

  it('has the same effect when the insertion is split', () => {
    assert.equal(applied(before, splitReplacement(replacement))[0], after);
  });

  for (const [what, from, changes, whole] of [
    ['the edit or a redo', before, splitReplacement(replacement), replacement],
    [
      'an undo',
      after,
      [insertionOf(5, 'n old'), { rangeOffset: 1, rangeLength: 4, text: '' }],
      { rangeOffset: 1, rangeLength: 4, text: 'n old' },
    ],
  ] as const) {
    it(`is recognized if the event for ${what} reports it in parts`, () => {
      const [, reported] = applied(from, changes);
      assert.deepEqual(
        joinedChanges(reported, '\n', []).map((change) => isSame(change, whole)),
        [true],
      );
    });
  }

  it("isn't inferred from trimmed whitespace next to an insertion that wasn't split", () => {
    const insertion = insertionOf(0, 'one\n');
    const trimmed = { rangeOffset: 0, rangeLength: 4, text: '' };
    const [, reported] = applied('    X', [trimmed, insertion]);
    assert.deepEqual(joinedChanges(reported, '\n', [insertion]), reported);
  });

  it("isn't inferred from changes that aren't adjacent", () => {
    const changes = [insertionOf(6, 'x'), { rangeOffset: 1, rangeLength: 4, text: '' }];
    const [, reported] = applied(before, changes);
    assert.deepEqual(joinedChanges(reported, '\n', []), reported);
  });
});

describe('an insertion before a line break', () => {
  for (const lineEnd of ['\n', '\r\n']) {
    const title = JSON.stringify(lineEnd);
    const before = `one${lineEnd}two`;
    const after = `one${lineEnd}new${lineEnd}two`;
    const { length } = lineEnd;
    const insertion = insertionOf(3, `${lineEnd}new`);
    const deletion = { rangeOffset: 3, rangeLength: length + 3, text: '' };

    it(`has the same effect whether it's made all at once or in parts: ${title}`, () => {
      assert.equal(applied(before, splitAtLineBreak(insertion, lineEnd))[0], after);
    });

    for (const [what, from, changes, simple] of [
      ['the edit', before, splitAtLineBreak(insertion, lineEnd), insertion],
      [
        'an undo',
        after,
        [
          { rangeOffset: 6 + length, rangeLength: length, text: '' },
          { rangeOffset: 3, rangeLength: 3 + length, text: lineEnd },
        ],
        deletion,
      ],
      [
        'an undo of merged edits',
        after,
        [{ rangeOffset: 3, rangeLength: 3 + 2 * length, text: lineEnd }],
        deletion,
      ],
      [
        'a redo of merged edits',
        before,
        [{ rangeOffset: 3, rangeLength: length, text: `${lineEnd}new${lineEnd}` }],
        insertion,
      ],
    ] as const) {
      it(`is recognized in the event for ${what}: ${title}`, () => {
        const [, reported] = applied(from, changes);
        assert.deepEqual(joinedChanges(reported, lineEnd, []), [simple]);
      });
    }
  }

  for (const [what, before, changes] of [
    [
      'a replacement of other text',
      'a; b',
      [insertionOf(3, '\n'), { rangeOffset: 2, rangeLength: 1, text: '\n  ' }],
    ],
    ['a replacement of lines', 'a\nb\n', [{ rangeOffset: 0, rangeLength: 2, text: 'c\n' }]],
    ['two insertions', 'ab', [insertionOf(2, '\n'), insertionOf(1, '\n')]],
  ] as const) {
    it(`isn't mistaken for ${what}`, () => {
      const [, reported] = applied(before, changes);
      assert.deepEqual(joinedChanges(reported, '\n', []), reported);
    });
  }

  it("isn't inferred from a change that was never split", () => {
    const change = { rangeOffset: 1, rangeLength: 1, text: 'b\n' };
    const [, reported] = applied('a\nc', [change]);
    assert.deepEqual(joinedChanges(reported, '\n', [change]), reported);
  });
});
