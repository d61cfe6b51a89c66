import assert from 'node:assert/strict';
import type { Uri } from 'vscode';
import { FakeEditor, installEditor } from '../connection/fakeEditor.ts';

describe('a template file', () => {
  const editor = new FakeEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());

  it('is a Markdown file directly in the template folder of a workspace folder', async () => {
    const { isTemplateFile } = await import('../../../src/templates/templatePath.ts');
    editor.addFolder('/a');
    for (const [path, expected] of [
      ['/a/readme.md', false],
      ['/a/b/.hosted-model/templates/x.md', false],
      ['/a/.hosted-model/templates/b/x.md', false],
      ['/a/.hosted-model/templates/x.txt', false],
      ['/a/.hosted-model/templates/x.md', true],
    ] as const) {
      const uri = { path, scheme: 'file' } as Uri;
      assert.equal(isTemplateFile({ uri }), expected, path);
    }
  });
});
