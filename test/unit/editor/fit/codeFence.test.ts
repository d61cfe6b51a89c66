import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CodeFence } from '../../../../src/editor/fit/codeFence.ts';
import { cutText, run } from './cuts.ts';

describe('code fence', () => {
  const cases: [name: string, text: string, want: string][] = [
    ['one around the whole answer goes', '```js\ncode\n```', 'code'],
    ['so does one of tildes', '~~~\ncode\n~~~', 'code'],
    ['so does a longer one, with an info string', '````ts title="a.ts" {1}\na\nb\n````', 'a\nb'],
    ['blank lines before and after it go, too', '\n \n```\ncode\n```\n\n', 'code'],
    ['blank lines inside it stay', '```\n\na\n\n\n```', '\na\n\n'],
    ['blanks after the closing fence go', '```\na\n``` \t', 'a'],
    ['a closing fence may be longer', '```\na\n`````', 'a'],
    ['a fence with nothing in it gives nothing', '```js\n```', ''],
    ['one that is never closed stays off', '```js\na\nb\n', 'a\nb\n'],
    ['a shorter fence inside stays', '````\n```js\na\n```\n````', '```js\na\n```'],
    ['a fence of the other kind inside stays', '```\n~~~\na\n~~~\n```', '~~~\na\n~~~'],
    ['a fence with an info string closes nothing', '```\na\n```js\nb\n```', 'a\n```js\nb'],
    ['a deep fence inside stays', '```py\n"""\n    ```\n"""\n```', '"""\n    ```\n"""'],
    ['a closing fence may be indented by three', '```\na\n   ```', 'a'],
    ['the lines lose the indentation of the fence', '  ```\n  a\n    b\n c\n  ```', 'a\n  b\nc'],
    ['a fence may be as deep as the prompt', '\t\t```\n\t\ta\n\t\t\tb\n\t\t```', 'a\n\tb'],
    ['text after the fence stays, without half a fence', '```js\na\n```\n\nSo.', 'a\n\nSo.'],
    ['further fences after that stay', '```\na\n```\n\nor\n```\nb\n```', 'a\n\nor\n```\nb\n```'],
    [
      'a fence in a doc comment stays, and the outer one goes',
      '```elixir\n@doc """\nAdds.\n\n```\niex> 1\n```\n"""\ndef a, do: 1\n```\n',
      '@doc """\nAdds.\n\n```\niex> 1\n```\n"""\ndef a, do: 1',
    ],
    [
      'a fence inside that is followed by a blank line stays',
      '```\n"""\n```\na\n```\n\nb\n"""\n```',
      '"""\n```\na\n```\n\nb\n"""',
    ],
    [
      'a fence with an info string inside stays whole',
      '  ```markdown\n  # x\n  ```js\n  a\n  ```\n\n  b\n  ```',
      '# x\n```js\na\n```\n\nb',
    ],
    ['a fence after other text stays', 'Here:\n```js\na\n```', 'Here:\n```js\na\n```'],
    ['a fence in a list stays', '- ```js\n  a\n  ```', '- ```js\n  a\n  ```'],
    ['code between backticks is no fence', '```a```\nb', '```a```\nb'],
    ['two backticks are no fence', '``\na\n``', '``\na\n``'],
    ['backticks before the end of the answer stay', 'a``', 'a``'],
    ['what could have become a fence stays', '``', '``'],
    ['what could have become a closing fence stays', '```\na\n``', 'a\n``'],
    [
      'a first line without an end is no fence',
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

  it('writes each character as soon as it cannot belong to a fence', () => {
    const codeFence = new CodeFence();
    const written = Array.from('```js\nab\n`c\n```\n', (character) => codeFence.add(character));
    assert.deepEqual(written.filter(Boolean), ['a', 'b', '\n`c']);
  });

  describe('that opens a continuation', () => {
    type Case = [name: string, before: string, after: string, want: string];
    const continued: Case[] = [
      ['goes from the middle of a line', '```ts\nconst b', '```ts\n = 2;\n```', 'const b = 2;'],
      ['goes after blank lines', '```ts\nf(', '\n\n``` ts\na)\n```\n', 'f(a)'],
      ['goes without an info string', '```\na\n', '```\nb\n```', 'a\nb'],
      ['goes where the answer had none', 'a =', '```js\n 1;\n```', 'a = 1;'],
      ['goes behind one that was cut', '```t', '```ts\na\n```', 'a'],
      ['goes with the one that closes before it', '```js\na\n```\n', '```js\nb\n```', 'a\nb'],
      ['goes with one that may close before it', '```js\na\n```', '```js\nb\n```', 'a\nb'],
      ['is the closing one if nothing follows', '```js\na\n', '```\n', 'a'],
      ['is the closing one if a blank line follows', '```js\na\n', '```\n\nSo.', 'a\n\nSo.'],
      [
        'stays if it closes an inner one',
        '```\n"""\n```js\na\n',
        '```\n"""',
        '"""\n```js\na\n```\n"""',
      ],
      ['stays if it is none', '```js\n`', '``a``` +\nb\n```', '```a``` +\nb'],
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

    it('alone is left out: whatever else is continued anywhere gives the same', () => {
      const units = ['a', '`', '``', '~', '\n', ' '];
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

  it('leaves nothing after an end', () => {
    fc.assert(
      fc.property(cutText(['a', '`', '```', '~~~', '\n', ' ']), ([, pieces]) => {
        const codeFence = new CodeFence();
        run(codeFence, pieces);
        assert.equal(codeFence.end(), '');
      }),
    );
  });

  it('gives the same however the pieces are cut', () => {
    const units = ['a', '`', '```', '````', '~~~', '\n', '\n', ' ', '\t', '    ', 'x'.repeat(99)];
    fc.assert(
      fc.property(cutText(units), ([text, pieces]) => {
        assert.equal(run(new CodeFence(), pieces), run(new CodeFence(), [text]));
      }),
      { numRuns: 1_000 },
    );
  });
});
