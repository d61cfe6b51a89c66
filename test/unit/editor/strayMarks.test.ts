import assert from 'node:assert/strict';
import fc from 'fast-check';
import { StrayMarks } from '../../../src/editor/strayMarks.ts';
import { cutText, run } from './cuts.ts';

describe('stray marks', () => {
  const family = '👨\u200D👩\u200D👧';
  const cases: [name: string, text: string, want: string][] = [
    ['D21: a family of emoji stays whole', `'${family}'`, `'${family}'`],
    ['D21: a Persian word keeps its joiner', '"می\u200Cخواهم"', '"می\u200Cخواهم"'],
    [
      'a selector of an emoji or a keycap stays',
      '❤\uFE0F\u200D🔥 1\uFE0F⃣',
      '❤\uFE0F\u200D🔥 1\uFE0F⃣',
    ],
    ['a joiner in a name goes', 'na\u200Dme\u200C', 'name'],
    ['a joiner at the beginning or the end goes', '\u200Dé\u200D', 'é'],
    [
      'a joiner between letters that need none goes',
      'é\u200Dé \u0436\u200C\u0436',
      'éé \u0436\u0436',
    ],
    ['a Hindi word keeps its joiner', '"क्\u200Dष"', '"क्\u200Dष"'],
    ['a skin colour is part of an emoji', '👩🏽\u200D💻', '👩🏽\u200D💻'],
    ['no emoji is joined to a name', 'a\u200D🔥 1\u200D🔥 a\uFE0F\u200D🔥', 'a🔥 1🔥 a🔥'],
    ['a selector in a name goes', 'isAdmin\uFE00 é\uFE0F a1\uFE0F', 'isAdmin é a1'],
    ['a selector of an ideograph stays', '"葛\uFE00、\uFE00"', '"葛\uFE00、\uFE00"'],
    ['a selector at the end of the text stays with its emoji', '❤\uFE0F', '❤\uFE0F'],
    ['a run of joiners goes', 'é\u200C\u200D\u200Cé', 'éé'],
    ['of a run of selectors only the first stays', '❤\uFE0F\uFE0F\uFE0E', '❤\uFE0F'],
    ['a selector after a blank goes', ' \uFE01\n\uFE01', ' \n'],
  ];
  for (const [name, text, want] of cases) {
    it(name, () => {
      const strayMarks = new StrayMarks();
      assert.equal(run(strayMarks, [text]), want);
      assert.equal(strayMarks.removed, text.length - want.length);
    });
  }

  // None of two UTF-16 units: those are never cut here.
  const units = [
    'a',
    'é',
    '1',
    '❤',
    'م',
    '葛',
    '\u20E3',
    '\u200C',
    '\u200D',
    '\uFE0F',
    '\uFE00',
    ' ',
  ];
  it('gives and counts the same however the pieces are cut', () => {
    fc.assert(
      fc.property(cutText(units), ([text, pieces]) => {
        const [whole, cut] = [new StrayMarks(), new StrayMarks()];
        assert.equal(run(cut, pieces), run(whole, [text]));
        assert.equal(cut.removed, whole.removed);
      }),
    );
  });
});
