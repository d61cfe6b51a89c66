import assert from 'node:assert/strict';
import { services } from '../../../src/service/builtInServices.ts';
import { defaultProjectId } from '../../emulator/settings.ts';
import { becomes } from '../../vscode/deadline.ts';
import type { SinkEditor } from '../leaks/sinkEditor.ts';
import { pathOf } from '../service/world.ts';
import { eachWithLife } from './life.ts';

const chatPath = pathOf('chat', true);
const tooltip = (editor: SinkEditor) => editor.tooltips.at(-1)?.given ?? '';

describe('if a notebook in one of several folders is active,', () => {
  const suite = eachWithLife();
  let editor: SinkEditor;
  const setInFolder = (name: string, value: unknown) =>
    editor.settingsByFolder.set('/other', new Map([[name, value]]));
  beforeEach(() => {
    editor = suite.life.editor();
    editor.addFolder('/other');
    editor.workspaceFile = editor.folders[0]?.uri;
    editor.path = '/other/cells.ipynb';
    editor.isNotebookCell = true;
  });

  it("a generation uses the insert mode of the notebook's folder", async () => {
    setInFolder('insertMode', 'clipboard');
    await suite.opened.open(editor, suite.life.stores, (run) => run('generateFromSelection'));
    assert.match(editor.textOf('clipboard'), /^Hello from/);
  });

  it("a generation can use the templates in the settings of the notebook's folder", async () => {
    setInFolder('templates', [{ name: 'Of folder', prompt: `Review this: \${selection}` }]);
    await suite.opened.open(editor, suite.life.stores, (run) =>
      run('generateFromSelection', { template: 'Of folder' }),
    );
    const [request] = suite.life.emulator.requests.filter(({ path }) => path === chatPath);
    assert.match(JSON.stringify(request?.json), /Review this: /);
  });

  it("the tooltip shows the model for the notebook's folder before the first command", async () => {
    setInFolder('modelId', 'maker/of-folder');
    await suite.opened.open(editor, suite.life.stores, () =>
      becomes('painted', () => tooltip(editor).includes('Model: ')),
    );
    assert.match(tooltip(editor), /^Model: maker\/of-folder /m);
  });

  it("Select Model reports that the notebook's folder overrides the selected model", async () => {
    setInFolder('modelId', 'maker/of-folder');
    editor.modelToPick = services[0].defaultModelId;
    await suite.opened.open(editor, suite.life.stores, (run) => run('selectModel'));
    assert.match(editor.textOf('settings'), /^modelId$/m);
    assert.match(editor.textOf('notification'), /overrides the selected model/);
  });

  it("the report contains the settings of the notebook's folder", async () => {
    setInFolder('insertMode', 'clipboard');
    await suite.opened.open(editor, suite.life.stores, (run) => run('diagnose'));
    assert.match(editor.textOf('report'), /^- Insert mode: clipboard$/m);
  });
});

describe('a project that is set in only one of several folders', () => {
  const suite = eachWithLife();
  let editor: SinkEditor;
  beforeEach(() => {
    editor = suite.life.editor();
    editor.addFolder('/other');
    editor.workspaceFile = editor.folders[0]?.uri;
    editor.userSettings.delete('projectId');
    editor.settingsByFolder.set('/other', new Map([['projectId', defaultProjectId]]));
    editor.path = '/other/a.txt';
  });

  for (const path of ['/other/a.txt', '/work/a.txt']) {
    it(`is enough for the tooltip to show “ready” before the first command runs (active document: ${path})`, async () => {
      editor.path = path;
      await suite.opened.open(editor, suite.life.stores, () =>
        becomes('painted', () => tooltip(editor) !== ''),
      );
      assert.match(tooltip(editor), /^Hosted Model: ready, no token yet /);
    });
  }

  it("doesn't apply to the other folders, which need their own projects", async () => {
    editor.path = '/work/a.txt';
    await suite.opened.open(editor, suite.life.stores, async (run) => {
      await run('generateFromSelection');
      await becomes('shown', () => /^Hosted Model: not set up /.test(tooltip(editor)));
      await run('showMenu');
      assert.match(editor.textOf('quick pick'), /"Setup"/);
      editor.settingsByFolder.set('/work', new Map([['projectId', defaultProjectId]]));
      editor.fire('configuration', { affectsConfiguration: () => true });
      await becomes('ready', () => /^Hosted Model: ready, no token yet /.test(tooltip(editor)));
    });
    assert.equal(suite.life.emulator.requests.length, 0);
  });

  it("doesn't prevent the tooltip from showing that the credentials were rejected", async () => {
    suite.life.emulator.settings.apiKeys = [];
    await suite.opened.open(editor, suite.life.stores, async (run) => {
      await run('generateFromSelection');
      await becomes('shown', () => tooltip(editor).includes('credentials rejected'));
    });
  });
});
