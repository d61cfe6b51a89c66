import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ResponseFitOptions, TextFit } from '../../../../src/editor/fit/textFit.ts';
import { cutText, run } from './cuts.ts';

const code: ResponseFitOptions = { indentation: '', languageId: 'typescript' };

describe('TextFit', () => {
  const cases: [name: string, options: Partial<ResponseFitOptions>, text: string, want: string][] =
    [
      ['converts all line breaks to LF', {}, 'a\r\nb\rc\nd\u2028e', 'a\nb\nc\nd\ne'],
      ['removes a fence around code', {}, '```ts\r\na\r\n```\r\n', 'a'],
      ['removes text around a fence', {}, 'Here it is:\n\n```ts\na\n```\n\nSo.', 'a'],
      ['removes a fence around LaTeX', { languageId: 'latex' }, '```latex\na\n```', 'a'],
      ['keeps a fence in Markdown', { languageId: 'markdown' }, '```ts\na\n```', '```ts\na\n```'],
      [
        'keeps a fence in plain text',
        { languageId: 'plaintext' },
        '```ts\na\n```',
        '```ts\na\n```',
      ],
      ['treats an unknown language as code', { languageId: 'unheard-of' }, '```\na\n```', 'a'],
      ['recognizes a fence with invisible characters', {}, '\uFEFF```\na\n``\u200B`', 'a'],
      [
        'removes trailing line breaks if the text is inserted',
        { isInserted: true },
        'a\n\nb\n \r\n',
        'a\n\nb',
      ],
      [
        'removes blank lines before the text if it starts a line',
        { indentation: '  ', leadingLineBreaks: 0 },
        '\n \r\n  a\n  b',
        'a\n  b',
      ],
      [
        'keeps one blank line before the text if it starts a paragraph',
        { indentation: '  ', languageId: 'markdown', leadingLineBreaks: 1 },
        '\n \n\n  a\nb',
        '\n  a\n  b',
      ],
      [
        "doesn't add a blank line before the text",
        { languageId: 'markdown', leadingLineBreaks: 1 },
        'a\n\nb',
        'a\n\nb',
      ],
      [
        'removes empty lines before a diff, but not its first context line',
        { languageId: 'diff', leadingLineBreaks: 0 },
        '\n\n \n\n a',
        ' \n\n a',
      ],
      [
        'keeps line breaks before the text if it continues a line',
        { indentation: '  ' },
        '\na\nb',
        '\n  a\n  b',
      ],
      ['keeps trailing line breaks if the text is not inserted', {}, 'a\n\nb\n', 'a\n\nb\n'],
      ['keeps joiners in prose', { languageId: 'markdown' }, 'a\u200Db', 'a\u200Db'],
      [
        "doesn't double the indentation of code in a fence",
        { indentation: '    ' },
        '```py\n    if x:\n        y\n```',
        'if x:\n        y',
      ],
      [
        "doesn't double the indentation of a fence that is indented like the insertion point",
        { indentation: '    ' },
        '    ```py\n    if x:\n        y\n    ```',
        'if x:\n        y',
      ],
      [
        'indents a fence and its code in Markdown',
        { indentation: '  ', languageId: 'markdown' },
        '```ts\nif (x) {\n  y\n```',
        '```ts\n  if (x) {\n    y\n  ```',
      ],
    ];
  for (const [name, options, text, want] of cases) {
    it(name, () => assert.equal(run(new TextFit({ ...code, ...options }), [text]), want));
  }

  it('D19: counts all removed characters', () => {
    const textFit = new TextFit(code);
    run(textFit, ['\0a\u202Eb\u200B', 'c\uD834', '\n']);
    assert.equal(textFit.removed, 4);
  });

  for (const [text, isEmpty] of [
    ['', true],
    ['\n \n', true],
    ['```ts\n```\n', true],
    ['\0', true],
    ['\n```\na', false],
    ['\u00A0', false],
    ['\n\u3000', false],
  ] as const) {
    it(`returns ${isEmpty ? 'no text' : 'text'} for ${JSON.stringify(text)}`, () => {
      for (const isInserted of [true, false]) {
        const textFit = new TextFit({ ...code, isInserted, leadingLineBreaks: 0 });
        assert.equal(run(textFit, [text]) === '', isEmpty);
        assert.equal(textFit.isEmpty, isEmpty);
      }
    });
  }

  it('counts removed characters separately for each continuation', () => {
    const textFit = new TextFit(code);
    textFit.add('\0a\0');
    textFit.continue();
    run(textFit, ['b\0']);
    assert.equal(textFit.removed, 1);
  });

  it('never returns part of a code fence that arrives character by character', () => {
    const textFit = new TextFit(code);
    const written = Array.from('\n```ts\na\n\n  b\n```\n\n', (unit) => textFit.add(unit));
    assert.doesNotMatch(written.join(''), /`/);
  });

  describe('with a truncated response', () => {
    const continued = (answer: readonly string[], given: Partial<ResponseFitOptions> = {}) => {
      const textFit = new TextFit({ ...code, ...given });
      let written = '';
      for (const piece of answer) {
        textFit.continue();
        written += textFit.add(piece);
      }
      return written + textFit.end();
    };

    const cut: [name: string, answer: string[], want: string][] = [
      ['recognizes a closing fence that was split', ['```ts\na\n``', '`'], 'a'],
      ['recognizes an opening fence that was split', ['``', '`ts\na\n```'], 'a'],
      ['rejoins an emoji that was split', ["'👨\u200D", "👩'"], "'👨\u200D👩'"],
      ['rejoins a surrogate pair that was split', ["'\uD834", "\uDD1E'"], "'\u{1D11E}'"],
      ['rejoins a line break that was split', ['a\r', '\nb'], 'a\nb'],
      [
        'removes a fence at the start of a continuation',
        ['```ts\nconst a = 1;\nconst b', '```ts\n = 2;\n```'],
        'const a = 1;\nconst b = 2;',
      ],
    ];
    for (const [name, answer, want] of cut) {
      it(name, () => assert.equal(continued(answer), want));
    }

    it('keeps a line break at the end of the truncated text', () => {
      assert.equal(continued(['a\n', 'b\n'], { isInserted: true }), 'a\nb');
    });

    it('keeps line breaks at the start of a continuation if text precedes them', () => {
      const answer = ['\n', '\na', '\n\nb'];
      assert.equal(continued(answer, { leadingLineBreaks: 0, indentation: '  ' }), 'a\n\n  b');
    });

    it('indents all lines to match the insertion point', () => {
      const answer = ['```ts\nif (x) {\r', '\n  y', '();\n', '  z();\n}\n``', '`\n'];
      const want = 'if (x) {\n\t  y();\n\t  z();\n\t}';
      assert.equal(continued(answer, { indentation: '\t' }), want);
    });
  });

  it('keeps all whitespace in a diff', () => {
    const diff = '@@ -1,3 +1,2 @@\n a\n \n-b\n';
    assert.equal(run(new TextFit({ indentation: ' ', languageId: 'diff' }), [diff]), diff);
  });

  const options = fc.record({
    indentation: fc.constantFrom('', '  ', '    ', '\t', '\t  '),
    firstIndentation: fc.constantFrom('', '  '),
    hasIndentedPrompt: fc.boolean(),
    step: fc.constantFrom(undefined, '\t', '  ', '    '),
    itemIndentation: fc.constantFrom(undefined, '', '  '),
    languageId: fc.constantFrom('typescript', 'markdown', 'latex', 'diff'),
    isInserted: fc.boolean(),
    leadingLineBreaks: fc.constantFrom(0, 1, Number.POSITIVE_INFINITY),
  } satisfies Record<keyof ResponseFitOptions, fc.Arbitrary<unknown>>);
  const units = [
    ...[
      'a',
      'é',
      ';',
      '{',
      '{\n  ',
      '-',
      '\r',
      '\n',
      '\r\n',
      '\u2028',
      ' ',
      '    ',
      '\t',
      '`',
      '```',
      '```js\n',
    ],
    ...['~~~', '\n```\n', '\0', '\uFEFF', '\u202E', '\u200B', '\u200D', '\uFE0F', '\uD834'],
    ...['\uDD1E', '\u{1D11E}', '\u{E0041}'],
  ];

  it('produces the same result no matter how the text is split into chunks', () => {
    fc.assert(
      fc.property(options, cutText(units), (given, [text, pieces]) => {
        const [whole, cut] = [new TextFit(given), new TextFit(given)];
        assert.equal(run(cut, pieces), run(whole, [text]));
        assert.equal(cut.removed, whole.removed);
      }),
      { numRuns: 2_000 },
    );
  });

  it('produces the same result whether or not a response without fences is truncated and continued', () => {
    const plain = units.filter((unit) => !/[`~]/.test(unit));
    fc.assert(
      fc.property(options, cutText([...plain, '👨', '👩']), (given, [text, pieces]) => {
        const [whole, cut] = [new TextFit(given), new TextFit(given)];
        let written = '';
        let removed = 0;
        for (const piece of pieces) {
          removed += cut.removed;
          cut.continue();
          written += cut.add(piece);
        }
        assert.equal(written + cut.end(), run(whole, [text]));
        assert.equal(removed + cut.removed, whole.removed);
      }),
      { numRuns: 1_000 },
    );
  });

  it('ignores a second call to end()', () => {
    fc.assert(
      fc.property(options, cutText(units), (given, [, pieces]) => {
        const textFit = new TextFit(given);
        run(textFit, pieces);
        const { removed } = textFit;
        assert.equal(textFit.end(), '');
        assert.equal(textFit.removed, removed);
      }),
    );
  });
});
