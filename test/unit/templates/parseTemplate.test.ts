import assert from 'node:assert/strict';
import type { Uri } from 'vscode';
import { entryOf, readTemplateText } from '../../../src/templates/parseTemplate.ts';
import { isBroken } from '../../../src/templates/template.ts';
import { templateIssueText } from '../../../src/templates/templateMessages.ts';

const context = {
  insertModes: ['below', 'after', 'replace', 'newDocument'],
  operation: 'chat',
} as const;
const file = { path: '/x.md' } as Uri;
const read = (text: string) => readTemplateText(text, context);
const entry = async (text: string, fileName = 'x') =>
  entryOf(await read(text), {
    otherName: fileName,
    origin: `.hosted-model/templates/${fileName}.md`,
    file,
  });
const front = (...lines: string[]) => ['---', ...lines, '---', 'Do it.'].join('\n');

describe('a template file', () => {
  it("provides only the template's name and prompt if it has no front matter", async () => {
    assert.deepEqual(await entry('\n\n Explain.\r\nBriefly. \n', 'Short'), {
      name: 'Short',
      prompt: 'Explain.\nBriefly.',
      origin: '.hosted-model/templates/Short.md',
    });
  });

  it('can override settings in its front matter', async () => {
    const text = [
      '---',
      'name: "Explain: briefly" # for me',
      'insertMode: newDocument',
      'model: some/model',
      'languages: [python, go]',
      'parameters:',
      '  temperature: 0.2',
      '  stop_sequences: [END]',
      '---',
      '',
      '# Heading',
      '',
      '---',
      'below a rule',
    ];
    for (const end of ['\n', '\r\n']) {
      assert.deepEqual(await entry(text.join(end)), {
        name: 'Explain: briefly',
        insertMode: 'newDocument',
        modelId: 'some/model',
        languages: ['python', 'go'],
        parameters: { temperature: 0.2, stop_sequences: ['END'] },
        prompt: '# Heading\n\n---\nbelow a rule',
        origin: '.hosted-model/templates/x.md',
      });
    }
  });

  it('can specify a single language instead of a list and can contain keys without values', async () => {
    const found = await entry(front('languages: python', 'insertMode:', 'model: ~'));
    assert.deepEqual(found, {
      name: 'x',
      languages: ['python'],
      prompt: 'Do it.',
      origin: '.hosted-model/templates/x.md',
    });
    const empty = await entry('---\n# nothing\n---\nDo it.');
    assert.deepEqual(isBroken(empty), false);
  });

  /**
   * Contents of template files, each with its issues: the kind, the underlined text, and true if
   * the issue is an error.
   */
  const broken: readonly (readonly [text: string, ...(readonly [string, string, boolean])[]])[] = [
    ['', ['no-prompt', '', true]],
    ['---\nname: a\n---\n \n', ['no-prompt', '', true]],
    ['---\nname: a\nDo it.', ['unclosed-front-matter', '---', true]],
    ['---', ['unclosed-front-matter', '---', true]],
    [`Do \${this}.`, ['unknown-variable', `\${this}`, true]],
    [
      `${front('nmae: a', 'insertMode: replcae')} \${x}`,
      ['unknown-key', 'nmae', false],
      ['unknown-insert-mode', 'replcae', true],
      ['unknown-variable', `\${x}`, true],
    ],
    [front('insertMode: [below]'), ['wrong-type', '[below', true]],
    [front('name: 404'), ['wrong-type', '404', true]],
    [front('model: {a: b}'), ['wrong-type', '{a: b', true]],
    [front('languages: [python, 3]'), ['wrong-type', '[python, 3', true]],
    [front('languages: []'), ['wrong-type', '[', true]],
    [front('parameters: []'), ['wrong-type', '[', true]],
    [front('parameters:', '  temperature: 9'), ['bad-parameter', 'temperature: 9', true]],
    [front('parameters: {"a b": 9}'), ['unknown-parameter', '{"a b": 9', false]],
    [
      front('parameters: { max_tokens: 4000, top_k: 5, temprature: ~ }'),
      ['unknown-parameter', '{ max_tokens: 4000, top_k: 5, temprature: ~', false],
      ['unknown-parameter', '{ max_tokens: 4000, top_k: 5, temprature: ~', false],
    ],
    [front('parameters: hot'), ['wrong-type', 'hot', true]],
    [front('1: a', 'name: b', '0: c'), ['unknown-key', '1', false], ['unknown-key', '0', false]],
    [front('- a', '- b'), ['not-fields', '- a\n- b', true]],
    [front('just text'), ['not-fields', 'just text', true]],
    [front('name: a', 'name: b'), ['bad-front-matter', 'name: b', true]],
    [front('name: a: b'), ['bad-front-matter', ': b', true]],
    [front('name: "a'), ['bad-front-matter', 'a', true]],
    [front('name: !!js/function "x"'), ['bad-front-matter', '!!js/function "x"', true]],
    [front('name: !mine x'), ['bad-front-matter', '!mine x', true]],
    [front('a: &a [x]', 'b: *a'), ['bad-front-matter', 'a', true]],
    [
      front(`a: ${'['.repeat(9)}${']'.repeat(9)}`),
      ['bad-front-matter', `[[[[[${']'.repeat(9)}`, true],
    ],
    [front('name: "a\\u202eb"'), ['bad-name', 'a\\u202eb', true]],
    [front('name: "a\\0b"'), ['bad-name', 'a\\0b', true]],
    [front(`name: ${'n'.repeat(61)}`), ['bad-name', 'n'.repeat(61), true]],
    [front('name: " "'), ['bad-name', ' ', true]],
    ['Do\0it.', ['not-text', '', true]],
    [`Do it${'.'.repeat(65_536)}`, ['too-large', '', true]],
    ['é'.repeat(40_000), ['too-large', '', true]],
    [
      front('__proto__: {name: b}', 'constructor: 1'),
      ['unknown-key', '__proto__', false],
      ['unknown-key', 'constructor', false],
    ],
  ];
  for (const [text, ...expected] of broken) {
    const shown = JSON.stringify(text.slice(0, 60));
    it(`has the issues [${expected.map(([kind]) => kind).join(', ')}]: ${shown}`, async () => {
      const { issues } = await read(text);
      const found = issues.map(({ kind, offset, length, isError }) => [
        kind,
        text.slice(offset, offset + length),
        isError,
      ]);
      assert.deepEqual(found, expected);
      for (const issue of issues) {
        const text = templateIssueText(issue);
        assert.match(text, /^[A-Z].*(\. |, such as ).*\.$/);
        assert.doesNotMatch(text, /undefined|[^\x20-\x7e’“”]/);
        assert.ok(text.length <= 220);
      }
    });
  }

  it('is considered broken if it has an error, but not if it only has a warning', async () => {
    const bad = await entry(front('name: Good Name', 'insertMode: nowhere'));
    assert.ok(isBroken(bad));
    assert.deepEqual(
      [bad.name, bad.issue.kind, bad.file],
      ['Good Name', 'unknown-insert-mode', file],
    );
    assert.equal(isBroken(await entry(front('colour: red'))), false);
  });

  it("is treated as broken if its name isn't a valid template name", async () => {
    const bad = await entry('Do it.', `a\u202eb${'c'.repeat(70)}`);
    assert.ok(isBroken(bad));
    assert.equal(bad.issue.kind, 'bad-name');
    assert.match(bad.name, /^a\?bc{57}…$/);
  });

  it('can set min_new_tokens without max_new_tokens', async () => {
    const both = front('parameters: {min_new_tokens: 2000}');
    const found = await readTemplateText(both, { ...context, operation: 'generation' });
    assert.deepEqual(found.issues, [], 'the settings may contain the maximum');
  });

  it('can have an unknown parameter, which is sent only to the generation operation', async () => {
    const text = front('parameters: {max_tokens: 4000}');
    const { issues } = await read(text);
    assert.deepEqual(issues.map(templateIssueText), [
      'The parameter max_tokens is unknown, so it’s ignored. Correct or remove it.',
    ]);
    assert.equal(isBroken(await entry(text)), false);
    const sent = await readTemplateText(text, { ...context, operation: 'generation' });
    assert.deepEqual(sent.issues, []);
  });

  it("can't change the prototype of its parameters", async () => {
    const text = front('parameters: {__proto__: {polluted: 1}, temperature: 1}');
    const found = await entry(text);
    assert.ok(!isBroken(found));
    assert.deepEqual(found.parameters, { temperature: 1 });
    assert.equal(Object.getPrototypeOf(found.parameters), Object.prototype);
    assert.equal('polluted' in {}, false);
  });
});
