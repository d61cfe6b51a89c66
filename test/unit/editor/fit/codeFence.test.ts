import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CodeFence } from '../../../../src/editor/fit/codeFence.ts';
import { openFence } from '../../../../src/editor/fit/fenceLines.ts';
import { cutText, run } from './cuts.ts';

describe('a code fence', () => {
  const cases: [name: string, text: string, want: string][] = [
    ['is removed around the whole response', '```js\ncode\n```', 'code'],
    ['is removed if it consists of tildes', '~~~\ncode\n~~~', 'code'],
    [
      'is removed if it consists of four backticks and an info string',
      '````ts title="a.ts" {1}\na\nb\n````',
      'a\nb',
    ],
    [
      'is removed together with the blank lines before and after it',
      '\n \n```\ncode\n```\n\n',
      'code',
    ],
    ['keeps blank lines inside', '```\n\na\n\n\n```', '\na\n\n'],
    ['is removed together with the spaces and tabs after it', '```\na\n``` \t', 'a'],
    ['can have a longer closing line', '```\na\n`````', 'a'],
    ['can be empty', '```js\n```', ''],
    ['is removed even if it is never closed', '```js\na\nb\n', 'a\nb\n'],
    ['keeps a shorter inner fence', '````\n```js\na\n```\n````', '```js\na\n```'],
    ['keeps an inner fence of tildes', '```\n~~~\na\n~~~\n```', '~~~\na\n~~~'],
    ["isn't closed by a line with an info string", '```\na\n```js\nb\n```', 'a\n```js\nb'],
    ['keeps a deeply indented inner fence', '```py\n"""\n    ```\n"""\n```', '"""\n    ```\n"""'],
    ['can have a closing line that is indented by three spaces', '```\na\n   ```', 'a'],
    [
      'is removed together with its indentation on all lines',
      '  ```\n  a\n    b\n c\n  ```',
      'a\n  b\nc',
    ],
    ['is removed even if it is indented with tabs', '\t\t```\n\t\ta\n\t\t\tb\n\t\t```', 'a\n\tb'],
    ...[
      'Here is the function.',
      'Here is the C# method:',
      'Certainly! 😊\n\nHere’s `a = {}`, as requested: ',
      'Returns a.\n\n**TypeScript version:**',
      '### Solution',
      '这是代码：',
    ].map((text): [string, string, string] => [
      `is removed together with the introduction ${JSON.stringify(text)}`,
      `${text}\n\n\`\`\` js\na\n\`\`\``,
      'a',
    ]),
    ...[
      'So.',
      'It sets `a = {}`.\n\n- b\n```js\nc\n```\n',
      '**Explanation:**\nb',
      '## Usage\n\n`b`',
      'Do you want `b`?',
      `${'So it is '.repeat(50)}=`,
    ].map((text): [string, string, string] => [
      `is removed together with the explanation ${JSON.stringify(text)}`,
      `\`\`\`js\na\n\`\`\`\n \n${text}`,
      'a',
    ]),
    ...['SQL = {}', 'b.\nSo.', 'b();\n\n```js\nc\n```', 'Set b\nSo.'].map(
      (text): [string, string, string] => [
        `keeps ${JSON.stringify(text)} after it`,
        `\`\`\`js\na\n\`\`\`\n\n${text}`,
        `a\n\n${text}`,
      ],
    ),
    ...[
      'Returns a.\n\n```js\na\n```\n\nFails if b.',
      'Set a = {};\nHere:\n```js\na\n```',
      'Here it is.\n\n',
      'Here it is:\na\n\nb',
      `Here${' is'.repeat(99)}:\n\`\`\`\na\n\`\`\``,
    ].map((text): [string, string, string] => [
      `isn't removed from ${JSON.stringify(text)}`,
      text,
      text,
    ]),
    ['is removed together with an introduction even if nothing follows', 'Here:\n```js', ''],
    [
      'is removed only at the start of the response',
      '```\na\n```\n\nor\n```\nb\n```',
      'a\n\nor\n```\nb\n```',
    ],
    [
      'keeps an inner fence in a doc comment',
      '```elixir\n@doc """\nAdds.\n\n```\niex> 1\n```\n"""\ndef a, do: 1\n```\n',
      '@doc """\nAdds.\n\n```\niex> 1\n```\n"""\ndef a, do: 1',
    ],
    [
      'keeps an inner fence that is followed by a blank line',
      '```\n"""\n```\na\n```\n\nb\n"""\n```',
      '"""\n```\na\n```\n\nb\n"""',
    ],
    [
      'keeps an inner fence with an info string',
      '  ```markdown\n  # x\n  ```js\n  a\n  ```\n\n  b\n  ```',
      '# x\n```js\na\n```\n\nb',
    ],
    [
      'keeps a deeply indented inner fence that is followed by a blank line',
      '```ts\n    ```js\n\n```\n\na\n```',
      '    ```js\n\n```\n\na',
    ],
    ['is kept in a list', '- ```js\n  a\n  ```', '- ```js\n  a\n  ```'],
    ["isn't recognized in inline code with three backticks", '```a```\nb', '```a```\nb'],
    ['needs more than two backticks', '``\na\n``', '``\na\n``'],
    ["isn't recognized in backticks at the end of the response", 'a``', 'a``'],
    ["isn't removed if its opening line is incomplete", '``', '``'],
    ['keeps an incomplete closing line', '```\na\n``', 'a\n``'],
    [
      "isn't recognized in a very long first line",
      `\`\`\`${'a'.repeat(300)}\nb`,
      `\`\`\`${'a'.repeat(300)}\nb`,
    ],
  ];
  for (const [name, text, want] of cases) {
    it(name, () => {
      assert.equal(run(new CodeFence(), [text]), want);
      assert.equal(run(new CodeFence(), text), want);
    });
  }

  for (const [text, leftOut] of [
    ['Here:\n```\na\n```', 'text'],
    ['```\na\n```\n\nSo.', 'text'],
    ['```\na\n```\n\nOr:\n\n```\nb\n```', 'code'],
    ['Here:\na', undefined],
    ['\n```\na\n```\n\n', undefined],
    ['```\na\n```\n\nb', undefined],
  ] as const) {
    it(`causes ${leftOut ?? 'nothing'} to be left out of ${JSON.stringify(text)}`, () => {
      const codeFence = new CodeFence();
      run(codeFence, text);
      assert.equal(codeFence.leftOut, leftOut);
    });
  }

  it('is removed from prose only if the response starts with it', () => {
    const text = '```\na\n```\n\nSo.';
    for (const [given, want] of [
      [text, 'a\n\nSo.'],
      [`Here:\n${text}`, `Here:\n${text}`],
    ] as const) {
      assert.equal(run(new CodeFence({ isCode: false }), given), want);
    }
  });

  it('is removed along with a partial explanation if the response is canceled', () => {
    for (const [first, rest] of [
      ['```\na\n```\n\nThis', ''],
      ['```\na', '\n```\n\nThis'],
    ] as const) {
      const codeFence = new CodeFence();
      let text = codeFence.add(first);
      codeFence.expectReopenedFence();
      text += codeFence.add(rest) + codeFence.end({ isComplete: false });
      assert.equal(text, 'a');
    }
  });

  it("isn't expected after a first line that starts with an uppercase keyword", () => {
    assert.equal(new CodeFence().add('SELECT a FROM b'), 'SELECT a FROM b');
  });

  it('is removed along with a partial introduction if the response is canceled', () => {
    for (const text of ['Here is the', 'Here it is:\n\n', 'Here it is:\n``']) {
      const codeFence = new CodeFence();
      assert.equal(codeFence.add(text), '');
      assert.equal(codeFence.end({ isComplete: false }), '');
    }
  });

  it('is held back, but the code inside it is returned', () => {
    const codeFence = new CodeFence();
    const written = Array.from('```js\nab\n`c\n```\n', (character) => codeFence.add(character));
    assert.deepEqual(written.filter(Boolean), ['a', 'b', '\n`c']);
  });

  describe('at the start of a continuation', () => {
    type Case = [name: string, before: string, after: string, want: string];
    const continued: Case[] = [
      ['is removed in the middle of a line', '```ts\nconst b', '```ts\n = 2;\n```', 'const b = 2;'],
      ['is removed after blank lines', '```ts\nf(', '\n\n``` ts\na)\n```\n', 'f(a)'],
      ['is removed even without an info string', '```\na\n', '```\nb\n```', 'a\nb'],
      ['is removed even if the response began without a fence', 'a =', '```js\n 1;\n```', 'a = 1;'],
      ['is removed after a truncated fence', '```t', '```ts\na\n```', 'a'],
      [
        'is removed together with a closing line before it',
        '```js\na\n```\n',
        '```js\nb\n```',
        'a\nb',
      ],
      [
        'is removed together with a closing line that has no line break',
        '```js\na\n```',
        '```js\nb\n```',
        'a\nb',
      ],
      ['is treated as the closing line if nothing follows', '```js\na\n', '```\n', 'a'],
      ['is treated as the closing line if a blank line follows', '```js\na\n', '```\n\nSo.', 'a'],
      ['is removed after an introduction', 'Here is the code:', '```js\na\n```', 'a'],
      ['is removed after an explanation', '```js\na\n```\n\nOr:\n', '```js\nb\n```', 'a'],
      [
        'is removed after an introduction in the continuation',
        '```js\na +\n',
        'Sure! Here is the rest:\n\n```js\nb\n```',
        'a +\nb',
      ],
      [
        'is removed in the middle of a line after an introduction',
        '```js\nf(',
        'Here is the rest:\n```\na)\n```',
        'f(a)',
      ],
      ['is removed after part of an explanation', '```js\na\n```\n\nOr', '```js\nb\n```', 'a'],
      [
        'is kept if it closes an inner fence',
        '```\n"""\n```js\na\n',
        '```\n"""',
        '"""\n```js\na\n```\n"""',
      ],
      [
        'is removed after an unfinished line of code',
        'Console.Write("a"',
        '```csharp\n);\nf();\n```',
        'Console.Write("a");\nf();',
      ],
      ['is removed after prose', 'Returns a.\n', '```js\na\n```', 'Returns a.\na'],
      ['is kept if it is inline code', '```js\n`', '``a``` +\nb\n```', '```a``` +\nb'],
    ];
    for (const [name, before, after, want] of continued) {
      it(name, () => {
        for (const pieces of [[after], [...after]]) {
          const codeFence = new CodeFence();
          let written = codeFence.add(before);
          codeFence.expectReopenedFence();
          written += run(codeFence, pieces);
          assert.equal(written, want);
        }
      });
    }

    it('is recognized only if it has at least three backticks or tildes', () => {
      const units = ['a', '`', '``', '~', '\n', ' ', 'It.\n'];
      fc.assert(
        fc.property(fc.constantFrom('', '```\n'), cutText(units), (before, [text, pieces]) => {
          fc.pre(!/(?:`|~){3}/.test(text));
          const codeFence = new CodeFence();
          let written = codeFence.add(before);
          for (const piece of pieces) {
            codeFence.expectReopenedFence();
            written += codeFence.add(piece);
          }
          assert.equal(written + codeFence.end(), run(new CodeFence(), [before + text]));
        }),
        { numRuns: 1_000 },
      );
    });
  });

  it('returns no text on a second call to end()', () => {
    fc.assert(
      fc.property(cutText(['a', '`', '```', '~~~', '\n', ' ']), ([, pieces]) => {
        const codeFence = new CodeFence();
        run(codeFence, pieces);
        assert.equal(codeFence.end(), '');
      }),
    );
  });

  it('is recognized no matter how the text is split into chunks', () => {
    const units = [
      ...['a', '`', '```', '````', '~~~', '```js\n', '\n', '\n', ' ', '\t', '    '],
      ...['x'.repeat(99), ' '.repeat(201), 'It is', '.', 'Here:\n', '## ', '**'],
    ];
    fc.assert(
      fc.property(cutText(units), ([text, pieces]) => {
        assert.equal(run(new CodeFence(), pieces), run(new CodeFence(), [text]));
      }),
      { numRuns: 2_000 },
    );
  });

  for (const [text, marks] of [
    ['a', undefined],
    ['```js\na', '```'],
    ['```js\na\n```', undefined],
    ['1. a\n\n   ```js\n   b', '```'],
    ['```js\r\na\r\n```\r\nb', undefined],
    ['- a\n  ```js\n  b\n    ```\nc', undefined],
    ['```js\na\n    ```', '```'],
    ['~~~\n```\n', '~~~'],
    ['````markdown\n```js\na\n```\n', '````'],
    ['```a``` is inline', undefined],
  ] as const) {
    it(`${marks ? 'is' : "isn't"} open at the end of ${JSON.stringify(text)}`, () => {
      assert.equal(openFence(text)?.marks, marks);
    });
  }
});
