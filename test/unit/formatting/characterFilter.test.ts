import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CharacterFilter } from '../../../src/formatting/characterFilter.ts';
import { cutText, run } from './cuts.ts';

describe('plain text', () => {
  type Case = [name: string, text: string, code: string, prose: string];
  const cases: Case[] = [
    ['text, tabs and line feeds stay', 'a\tb\n\u{1D11E}é', 'a\tb\n\u{1D11E}é', 'a\tb\n\u{1D11E}é'],
    ['CRLF, CR and LF are one line end each', 'a\r\nb\rc\nd\r', 'a\nb\nc\nd\n', 'a\nb\nc\nd\n'],
    ['a line feed after CR and NUL is a line end of its own', '\r\0\n', '\n\n', '\n\n'],
    ['D19: NUL, ESC and C1 go', 'a\0b\u001B[31mc\u009Bd\u0085\u007F', 'ab[31mcd', 'ab[31mcd'],
    ['D19: line and paragraph separators become LF', 'a\u2028b\u2029c', 'a\nb\nc', 'a\nb\nc'],
    ['D19: halves of a surrogate pair go', 'a\uD834b\uDD1Ec\uD834', 'abc', 'abc'],
    ['a byte order mark goes', '\uFEFFa\uFEFFb', 'ab', 'ab'],
    [
      'D20: direction overrides and isolates go in code',
      'a\u202Eb\u2066c',
      'abc',
      'a\u202Eb\u2066c',
    ],
    ['D20: direction marks stay in prose', 'ع\u200Fa\u200E', 'عa', 'ع\u200Fa\u200E'],
    ['D21: a family of emoji stays whole', "'👨\u200D👩'", "'👨\u200D👩'", "'👨\u200D👩'"],
    [
      'D21: a Persian word keeps its joiner',
      '"می\u200Cخواهم"',
      '"می\u200Cخواهم"',
      '"می\u200Cخواهم"',
    ],
    ['the selector of an emoji stays', '❤\uFE0F', '❤\uFE0F', '❤\uFE0F'],
    ['D22: tag characters go in code', 'a\u{E0041}b', 'ab', 'a\u{E0041}b'],
    ['D22: variation selectors from 17 go in code', 'a\u{E0100}b', 'ab', 'a\u{E0100}b'],
    ['spaces without width and fillers go in code', 'a\u200B\u3164b', 'ab', 'a\u200B\u3164b'],
    [
      'what has a width or a picture stays',
      '\u2800\u00A0\uE0B0',
      '\u2800\u00A0\uE0B0',
      '\u2800\u00A0\uE0B0',
    ],
    ['D23 J29: snippet syntax stays', `\${CLIPBOARD} $1`, `\${CLIPBOARD} $1`, `\${CLIPBOARD} $1`],
  ];
  for (const [name, text, code, prose] of cases) {
    it(name, () => {
      assert.equal(run(new CharacterFilter(true), [text]), code);
      assert.equal(run(new CharacterFilter(false), [text]), prose);
    });
  }

  it('D19: counts what it took out, whole characters, and no line ends', () => {
    const plainText = new CharacterFilter(true);
    run(plainText, ['\0a\r\n\u2028\u{E0041}\u202E\uD834']);
    assert.equal(plainText.removed, 4);
  });

  it('gives and counts the same however the pieces are cut', () => {
    const units = ['a', '\r', '\n', '\0', '\u2028', '\uD834', '\uDD1E', '\u{1D11E}', '\u{E0041}'];
    fc.assert(
      fc.property(cutText(units), fc.boolean(), ([text, pieces], isCode) => {
        const [whole, cut] = [new CharacterFilter(isCode), new CharacterFilter(isCode)];
        assert.equal(run(cut, pieces), run(whole, [text]));
        assert.equal(cut.removed, whole.removed);
      }),
    );
  });
});
