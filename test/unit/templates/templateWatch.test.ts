import assert from 'node:assert/strict';
import { FakeEditor, installEditor } from '../credentials/fakeEditor.ts';

describe('the part for template files', () => {
  const editor = new FakeEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());

  it('is loaded with the first template file, and tried again if that failed', async () => {
    const { registerTemplateFiles } = await import('../../../src/templates/templateWatch.ts');
    editor.addFolder('/a');
    let tries = 0;
    registerTemplateFiles(async () => {
      tries += 1;
      if (tries === 1) throw new Error('not there');
      return { dispose: () => {} };
    });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    for (const [path, expected] of [
      ['/a/readme.md', 0],
      ['/a/b/.hosted-model/templates/x.md', 0],
      ['/a/.hosted-model/templates/x.txt', 0],
      ['/a/.hosted-model/templates/x.md', 1],
      ['/a/.hosted-model/templates/y.md', 2],
      ['/a/.hosted-model/templates/z.md', 2],
    ] as const) {
      editor.open(path);
      await turn();
      assert.equal(tries, expected, path);
    }
  });
});
