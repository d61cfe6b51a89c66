import assert from 'node:assert/strict';
import type { TemplateEntry } from '../../../src/templates/template.ts';
import { errorOf } from '../../../src/templates/templateMessages.ts';
import { FakeEditor, installEditor } from '../connection/fakeEditor.ts';

const hooks = installEditor(() => new FakeEditor());
const { templateItems } = await import('../../../src/templates/templatePicker.ts');
hooks.deregister();

const template = (name: string, more: Partial<TemplateEntry & { languages: string[] }> = {}) => ({
  name,
  prompt: `Prompt of ${name}`,
  origin: 'settings',
  ...more,
});
const broken: TemplateEntry = {
  name: 'Broken',
  origin: '.hosted-model/templates/Broken.md',
  issue: errorOf({ kind: 'no-prompt' }),
  file: undefined,
};
const labels = (entries: readonly TemplateEntry[], languageId = 'python', ...used: string[]) =>
  templateItems(entries, { languageId, lastUsed: used, hasSelection: true }).map((line) =>
    line.entry ? line.label : `-- ${line.label}`,
  );

const use = { languageId: 'go', lastUsed: [], hasSelection: true };

describe('the list of templates', () => {
  const builtIn = ['Explain', 'Document'].map((name) => template(name, { origin: 'built-in' }));
  const own = [template('zebra'), template('Apple'), template('Go only', { languages: ['go'] })];
  const all = [broken, ...builtIn, ...own];

  it('contains custom, built-in, other-language, and broken templates, in that order', () => {
    assert.deepEqual(labels(all), [
      'Apple',
      'zebra',
      'Explain',
      'Document',
      '-- Other languages',
      'Go only',
      '-- With errors',
      '$(warning) Broken',
    ]);
    assert.deepEqual(labels(all, 'go').slice(0, 3), ['Apple', 'Go only', 'zebra']);
  });

  it('starts with recently used templates, even if their stored names differ in case', () => {
    assert.deepEqual(labels(all, 'python', 'gone', 'DOCUMENT', 'zebra').slice(0, 4), [
      'Document',
      'zebra',
      'Apple',
      'Explain',
    ]);
  });

  it("shows each template's origin and either its prompt or what's wrong with it", () => {
    const lines = templateItems([broken, template('A', { origin: 'built-in' })], use);
    const [first, , last] = lines;
    assert.deepEqual([first?.description, first?.detail], ['built-in', 'Prompt of A']);
    assert.equal(last?.description, '.hosted-model/templates/Broken.md');
    assert.match(last?.detail ?? '', /^The prompt is missing\./);
  });

  it('shows the language, replaces other variables with ellipses, and shows escaped variables as plain text', () => {
    const prompt = `Translate \${selection} from \${language} to \${input:Which language?}, not \\\${this}. Use \${input:Style?}.\nMore`;
    const [item] = templateItems([template('A', { prompt })], use);
    assert.equal(item?.detail, `Translate … from go to …, not \${this}. Use …`);
  });

  it('shows which kind of template a workspace template overrides', () => {
    const entries = [
      template('A', { origin: 'workspace settings', hides: 'user' }),
      template('B', { origin: '.hosted-model/templates/b.md', hides: 'built-in' }),
    ];
    const lines = templateItems(entries, use);
    assert.deepEqual(
      lines.map(({ description }) => description),
      [
        'workspace settings · overrides the template in the user settings',
        '.hosted-model/templates/b.md · overrides the built-in template',
      ],
    );
  });

  it('marks the templates that need selected text, but only if nothing is selected', () => {
    const prompt = `Explain \${selection}`;
    const entries = [
      template('A', { prompt }),
      template('B', { prompt, hides: 'user' }),
      template('C'),
    ];
    const shown = (hasSelection: boolean) =>
      templateItems(entries, { ...use, hasSelection }).map(({ description }) => description);
    assert.deepEqual(shown(false), [
      'settings · needs selected text',
      'settings · overrides the template in the user settings · needs selected text',
      'settings',
    ]);
    assert.deepEqual(shown(true), [
      'settings',
      'settings · overrides the template in the user settings',
      'settings',
    ]);
  });

  it('shows names, origins, and prompts as single lines of plain text', () => {
    const hostile = {
      name: '$(trash) a\u202eb',
      prompt: `$(trash)\u0007${'x'.repeat(1_000_000)}\nsecond`,
      origin: 'x\ny',
    };
    const [line] = templateItems([hostile], use);
    assert.deepEqual([line?.label, line?.description], ['$ (trash) a b', 'x y']);
    assert.match(line?.detail ?? '', /^\$ \(trash\) x{109}…$/);
  });
});
