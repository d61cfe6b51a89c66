import assert from 'node:assert/strict';
import type { TextDocument, Uri, WorkspaceFolder } from 'vscode';
import { insertModeIds, isInsertModeId } from '../../../src/editor/insertMode.ts';
import { builtInTemplates } from '../../../src/templates/builtIn.ts';
import { isBroken, type TemplateEntry } from '../../../src/templates/template.ts';
import { needsSelection, promptIssues, questionsOf } from '../../../src/templates/variables.ts';
import { FakeEditor, installEditor } from '../connection/fakeEditor.ts';

const scopeOf = (...user: unknown[]) => ({
  folder: null,
  insertModes: insertModeIds,
  operation: 'chat' as const,
  templates: { user, remote: [], workspace: [], folder: [] },
});

describe('templates in the settings', () => {
  const editor = new FakeEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());

  const read = async (...templates: unknown[]) => {
    const { readTemplates } = await import('../../../src/templates/templateSources.ts');
    const entries = await readTemplates(scopeOf(...templates));
    return entries.filter(({ origin }) => origin !== 'built-in');
  };
  const brief = (entry: TemplateEntry) => [entry.name, isBroken(entry) ? entry.issue.kind : 'good'];

  it('have their names and prompts trimmed and unknown keys removed', async () => {
    const given = {
      name: ' Ask ',
      prompt: ' Ask:\r\n\r\nx ',
      insertMode: 'above',
      model: 'a/b',
      languages: 'go',
      parameters: { top_k: 3 },
      colour: 'red',
    };
    assert.deepEqual(await read(given), [
      {
        name: 'Ask',
        prompt: 'Ask:\n\nx',
        insertMode: 'above',
        modelId: 'a/b',
        languages: ['go'],
        parameters: { top_k: 3 },
        origin: 'user settings',
      },
    ]);
  });

  it('are listed with their issues, even if values have the wrong type', async () => {
    const entries = await read(
      null,
      'text',
      [],
      { name: 'No prompt' },
      { prompt: 'no name' },
      { name: 1, prompt: 'x' },
      { name: 'a\u202eb', prompt: `\${x}` },
      { name: 'Mode', prompt: 'x', insertMode: 'replce', languages: [] },
      { name: 'Hot', prompt: 'x', parameters: { temperature: 9 } },
      JSON.parse('{"name": "Proto", "prompt": "x", "__proto__": {"insertMode": "below"}}'),
    );
    assert.deepEqual(entries.map(brief), [
      ['#1', 'no-prompt'],
      ['#2', 'no-prompt'],
      ['#3', 'no-prompt'],
      ['No prompt', 'no-prompt'],
      ['#5', 'bad-name'],
      ['#6', 'wrong-type'],
      ['a?b', 'unknown-variable'],
      ['Mode', 'unknown-insert-mode'],
      ['Hot', 'bad-parameter'],
      ['Proto', 'good'],
    ]);
  });

  it('replace built-in templates with the same name', async () => {
    const { readTemplates } = await import('../../../src/templates/templateSources.ts');
    const scope = scopeOf({ name: 'EXPLAIN', prompt: 'Mine.' }, { name: 'Fix', prompt: `\${x}` });
    const entries = await readTemplates(scope);
    assert.deepEqual(
      entries.map(({ name, origin }) => `${name} (${origin})`),
      [
        ...['Document', 'Test', 'Rewrite', 'Translate', 'Summarize'].map((n) => `${n} (built-in)`),
        'EXPLAIN (user settings)',
        'Fix (user settings)',
      ],
    );
  });
});

describe('templates in several settings files', () => {
  let editor = new FakeEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new FakeEditor();
    const named = (name: string) => ({ name, prompt: `${name}.` });
    editor.userSettings.set('templates', ['Mine', 'Both', 'Fix'].map(named));
    editor.folderSettings.set('templates', ['Theirs', 'both', 'Test'].map(named));
  });

  const read = async () => {
    const { readSettings } = await import('../../../src/config/settings.ts');
    const { readTemplates } = await import('../../../src/templates/templateSources.ts');
    const entries = await readTemplates({ ...scopeOf(), ...readSettings() });
    return entries
      .filter(({ origin }) => origin !== 'built-in')
      .map(({ name, origin, hides }) => [name, origin, hides]);
  };

  it('are merged, with narrower scopes overriding wider ones', async () => {
    assert.deepEqual(await read(), [
      ['Mine', 'user settings', undefined],
      ['Fix', 'user settings', undefined],
      ['Theirs', 'workspace settings', undefined],
      ['both', 'workspace settings', 'user'],
      ['Test', 'workspace settings', 'built-in'],
    ]);
  });

  it('are read only from the user settings in an untrusted workspace', async () => {
    editor.isTrusted = false;
    assert.deepEqual(
      (await read()).map(([name]) => name),
      ['Mine', 'Both', 'Fix'],
    );
  });
});

describe('template files', () => {
  const editor = new FakeEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());

  it("aren't read in an untrusted workspace", async () => {
    const { readTemplates } = await import('../../../src/templates/templateSources.ts');
    const { isTemplateFile } = await import('../../../src/templates/templatePath.ts');
    editor.addFolder('/work');
    editor.files.set('/work/.hosted-model', 'a file where a folder should be');
    const [folder = null] = editor.folders as unknown as WorkspaceFolder[];
    const uri = { path: '/work/.hosted-model/templates/x.md' } as Uri;
    for (const [isTrusted, found] of [
      [true, 1],
      [false, 0],
    ] as const) {
      editor.isTrusted = isTrusted;
      const entries = await readTemplates({ ...scopeOf(), folder });
      assert.equal(entries.filter(({ origin }) => origin !== 'built-in').length, found);
      assert.equal(isTemplateFile({ uri } as TextDocument), isTrusted);
    }
  });
});

describe('a folder for template files', () => {
  let editor = new FakeEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new FakeEditor();
    editor.addFolder('/work');
  });

  const issues = async () => {
    const { readTemplates } = await import('../../../src/templates/templateSources.ts');
    const [folder = null] = editor.folders as unknown as WorkspaceFolder[];
    const entries = await readTemplates({ ...scopeOf(), folder });
    return entries.filter(isBroken).map(({ issue }) => issue.kind);
  };

  it("doesn't have to exist", async () => {
    assert.deepEqual(await issues(), []);
  });

  it("is listed as unreadable if VS Code isn't allowed to access it", async () => {
    editor.statError = Object.assign(new Error('denied'), { code: 'NoPermissions' });
    assert.deepEqual(await issues(), ['unreadable']);
  });

  for (const code of ['Unavailable', 'Unknown', 'FileNotADirectory']) {
    it(`isn't listed if its file system reports the error ${code}`, async () => {
      editor.statError = Object.assign(new Error('no answer'), { code });
      assert.deepEqual(await issues(), []);
    });
  }
});

describe('the built-in templates', () => {
  it('are valid, use the selection, and have a known insert mode', () => {
    assert.deepEqual(
      builtInTemplates.map(({ name }) => name),
      ['Explain', 'Document', 'Test', 'Fix', 'Rewrite', 'Translate', 'Summarize'],
    );
    for (const entry of builtInTemplates) {
      assert.deepEqual(promptIssues(entry.prompt), []);
      assert.ok(needsSelection(entry), entry.name);
      assert.ok(isInsertModeId(entry.insertMode), entry.name);
      assert.equal(questionsOf(entry.prompt).length, entry.name === 'Translate' ? 1 : 0);
    }
  });
});
