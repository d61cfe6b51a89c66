import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readFrontMatter } from '../../src/templates/frontMatter.ts';
import { readTemplateText } from '../../src/templates/parseTemplate.ts';
import { templateIssueText } from '../../src/templates/templateMessages.ts';
import { fillPrompt, questionsOf } from '../../src/templates/variables.ts';
import { nasty, repeat, seed } from './fuzz.ts';

/**
 * Returns a reference to a template variable. The linter doesn't allow such references in string
 * literals.
 */
const variable = (name: string) => `\${${name}}`;

const context = { insertModes: ['below', 'replace'], operation: 'chat' } as const;
const yaml = fc.constantFrom(
  ...[
    'name: ',
    'model: ',
    'insertMode: below\n',
    'languages: [a, b]\n',
    'parameters:\n',
    '  top_p: 1\n',
  ],
  ...[
    '&a ',
    '*a',
    '<<: ',
    '!!js/function ',
    '- ',
    '? ',
    '{',
    '}',
    '[',
    ']',
    ': ',
    '\n',
    '  ',
    '\t',
    '|\n',
  ],
  ...['__proto__: ', 'x', '1e999', '"', "'", '#', '---\n', '...\n', 'null', '~'],
);
const prompt = fc.constantFrom(
  ...[
    variable('selection'),
    variable('language'),
    variable('input:Why?'),
    '${',
    '}',
    '\\${',
    variable('x'),
    '${selection',
    '\n',
    'a',
  ],
);
const join = (piece: fc.Arbitrary<string>) =>
  fc
    .array(fc.oneof({ weight: 5, arbitrary: piece }, nasty), { maxLength: 14 })
    .map((parts) => parts.join(''));
const isInside = (text: string, { offset, length }: { offset: number; length: number }) =>
  offset >= 0 && length >= 0 && offset + length <= text.length;

describe('template files', () => {
  it(`keep issue positions in bounds and the prompt's selection unchanged (seed ${seed})`, async () => {
    await repeat(
      'template texts',
      [join(yaml), join(prompt), nasty],
      async (head, body, selection) => {
        const text = `---\n${head}\n---\n${body}`;
        const reading = await readTemplateText(text, context);
        for (const issue of reading.issues) {
          assert.ok(isInside(text, issue), JSON.stringify(issue));
          assert.ok(templateIssueText(issue).length > 0);
        }
        const inputs = new Map(
          questionsOf(reading.prompt).map((question) => [question, variable('selection')]),
        );
        const marked = `\u0001${selection.replaceAll('\u0001', '')}\u0001`;
        const filled = fillPrompt(reading.prompt, {
          selection: marked,
          language: variable('x'),
          fileName: '',
          inputs,
        });
        assert.ok(filled.includes(marked));
      },
    );
  });

  it(`yield plain data from the front matter, or an error position inside it (seed ${seed})`, async () => {
    await repeat('front matter', [join(yaml)], (source) => {
      const read = readFrontMatter(source);
      if (!read.ok) return assert.ok(isInside(source, read.span), JSON.stringify(read));
      for (const { keySpan, valueSpan, value } of read.entries) {
        assert.ok(isInside(source, keySpan) && isInside(source, valueSpan));
        assert.notEqual(typeof value, 'function');
      }
      assert.equal(Object.getPrototypeOf({}), Object.prototype);
    });
  });
});
