import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CharacterFilter } from '../../../../src/editor/fit/characterFilter.ts';
import { cutText, run } from './cuts.ts';

/** Scotland's flag, which contains tag characters. */
const SCOTLAND = '\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}';

describe('the character filter', () => {
  type Case = [name: string, text: string, code: string, prose: string];
  const cases: Case[] = [
    [
      'keeps text, tabs, and line feeds',
      'a\tb\n\u{1D11E}é',
      'a\tb\n\u{1D11E}é',
      'a\tb\n\u{1D11E}é',
    ],
    [
      'converts CRLF, CR, and LF to one line break each',
      'a\r\nb\rc\nd\r',
      'a\nb\nc\nd\n',
      'a\nb\nc\nd\n',
    ],
    ['treats a line feed after CR and NUL as a separate line break', '\r\0\n', '\n\n', '\n\n'],
    [
      'D19: removes NUL, ESC, and C1 characters',
      'a\0b\u001B[31mc\u009Bd\u0085\u007F',
      'ab[31mcd',
      'ab[31mcd',
    ],
    ['D19: converts line and paragraph separators to LF', 'a\u2028b\u2029c', 'a\nb\nc', 'a\nb\nc'],
    ['D19: removes unpaired surrogates', 'a\uD834b\uDD1Ec\uD834', 'abc', 'abc'],
    ['removes byte order marks', '\uFEFFa\uFEFFb', 'ab', 'ab'],
    ['D20: removes direction overrides', 'a\u202Eb\u202Dc', 'abc', 'abc'],
    ['D20: removes embeddings and isolates in code', 'a\u202Bb\u2066c', 'abc', 'a\u202Bb\u2066c'],
    ['D20: keeps direction marks only in prose', 'ع\u200Fa\u200E', 'عa', 'ع\u200Fa\u200E'],
    ['D21: keeps a family emoji in one piece', "'👨\u200D👩'", "'👨\u200D👩'", "'👨\u200D👩'"],
    [
      'D21: keeps the joiner in a Persian word',
      '"می\u200Cخواهم"',
      '"می\u200Cخواهم"',
      '"می\u200Cخواهم"',
    ],
    ["keeps an emoji's variation selector", '❤\uFE0F', '❤\uFE0F', '❤\uFE0F'],
    ['D22: removes tag characters', 'a\u{E0041}b\u{E0001}', 'ab', 'ab'],
    ['D22: keeps the tag characters in a flag', SCOTLAND, SCOTLAND, SCOTLAND],
    [
      "D22: removes tag characters that don't form a flag",
      `\u{1F3F4}\u{E0072}\u{E006D}\u{E007F}${SCOTLAND.slice(0, 6)}`,
      '\u{1F3F4}\u{1F3F4}',
      '\u{1F3F4}\u{1F3F4}',
    ],
    ['D22: removes variation selectors from 17 up in code', 'a\u{E0100}b', 'ab', 'a\u{E0100}b'],
    ['removes zero-width spaces and fillers in code', 'a\u200B\u3164b', 'ab', 'a\u200B\u3164b'],
    [
      'keeps characters with a width or a glyph',
      '\u2800\u00A0\uE0B0',
      '\u2800\u00A0\uE0B0',
      '\u2800\u00A0\uE0B0',
    ],
    ['D23 J29: keeps snippet syntax', `\${CLIPBOARD} $1`, `\${CLIPBOARD} $1`, `\${CLIPBOARD} $1`],
  ];
  for (const [name, text, code, prose] of cases) {
    it(name, () => {
      assert.equal(run(new CharacterFilter('typescript'), [text]), code);
      assert.equal(run(new CharacterFilter('markdown'), [text]), prose);
    });
  }

  for (const languageId of ['chatagent', 'instructions', 'prompt', 'skill']) {
    it(`D25: removes invisible characters outside emoji in ${languageId} documents`, () => {
      const seen = `Run\tit 👨\u200D👩 ⚠\uFE0F 👍🏽 ❤\uFE0F\u200D🔥 1\uFE0F\u20E3 ${SCOTLAND} ع\n`;
      const unseen =
        '\u200B\u200C\u200D\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2060\u2066\u2067\u2068' +
        '\u2069\u00AD\u180E\u3164\uFE00\uFE0F\u200D\uFEFF\u{E0001}\u{E0041}\u{E0100}';
      const filter = new CharacterFilter(languageId);
      assert.equal(run(filter, [...`${unseen}${seen}a${unseen}`]), `${seen}a`);
      assert.deepEqual([filter.removed, filter.kept], [2 * [...unseen].length, 0]);
    });
  }

  it('D26: counts the invisible characters that it keeps in prose, excluding those in emoji', () => {
    const filter = new CharacterFilter('markdown');
    const text = `می\u200Cخواهم \u2067x\u2069 \u200Ba ⚠\uFE0F 1\uFE0F\u20E3 👨\u200D👩 ${SCOTLAND}`;
    assert.equal(run(filter, [text]), text);
    assert.deepEqual([filter.removed, filter.kept], [0, 4]);
  });

  it('D19: counts each removed character once, even if it is a surrogate pair', () => {
    const plainText = new CharacterFilter('typescript');
    run(plainText, ['\0a\r\n\u2028\u{E0041}\u202E\uD834']);
    assert.equal(plainText.removed, 4);
  });

  it('produces the same result no matter how the text is split into chunks', () => {
    const units = [
      ...['a', '1', '\r', '\n', '\0', '\u2028', '\uD834', '\uDD1E', '\u{1D11E}', '\u{E0041}'],
      ...[
        '👨',
        '❤',
        '🏽',
        '\u200D',
        '\uFE0F',
        '\u20E3',
        '\u200B',
        '\u{1F3F4}',
        '\u{E0067}',
        SCOTLAND,
      ],
    ];
    const languages = fc.constantFrom('typescript', 'markdown', 'skill');
    fc.assert(
      fc.property(cutText(units), languages, ([text, pieces], language) => {
        const [whole, cut] = [new CharacterFilter(language), new CharacterFilter(language)];
        assert.equal(run(cut, pieces), run(whole, [text]));
        assert.deepEqual([cut.removed, cut.kept], [whole.removed, whole.kept]);
      }),
      { numRuns: 2_000 },
    );
  });
});
