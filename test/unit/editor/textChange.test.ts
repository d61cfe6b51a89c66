import assert from 'node:assert/strict';
import {
  joinedAtLineBreaks,
  splitAtLineBreak,
  type TextChange,
} from '../../../src/editor/textChange.ts';

const insertionOf = (rangeOffset: number, text: string): TextChange => ({
  rangeOffset,
  rangeLength: 0,
  text,
});

describe('an insertion before a line break', () => {
  for (const lineEnd of ['\n', '\r\n']) {
    const insertion = insertionOf(3, `${lineEnd}new`);

    it(`has the same effect after it is split: ${JSON.stringify(lineEnd)}`, () => {
      let text = `one${lineEnd}two`;
      for (const { rangeOffset, rangeLength, text: added } of splitAtLineBreak(insertion, lineEnd))
        text = text.slice(0, rangeOffset) + added + text.slice(rangeOffset + rangeLength);
      assert.equal(text, `one${lineEnd}new${lineEnd}two`);
    });

    it(`is recognized by its parts, in an event with other changes: ${JSON.stringify(lineEnd)}`, () => {
      const [above, below] = [insertionOf(0, lineEnd), insertionOf(20, 'x')];
      const changes = [below, ...splitAtLineBreak(insertion, lineEnd), above];
      assert.deepEqual(joinedAtLineBreaks(changes, lineEnd), [below, insertion, above]);
    });
  }

  for (const [what, changes] of Object.entries({
    'two cursors that insert line breaks': [insertionOf(4, '\n'), insertionOf(3, '\n')],
    'a replacement without a line break': [
      insertionOf(4, '\n'),
      { rangeOffset: 3, rangeLength: 1, text: 'x' },
    ],
    'a replacement elsewhere': [
      insertionOf(5, '\n'),
      { rangeOffset: 3, rangeLength: 1, text: '\nx' },
    ],
  })) {
    it(`isn't mistaken for ${what}`, () => {
      assert.deepEqual(joinedAtLineBreaks(changes, '\n'), changes);
    });
  }
});
