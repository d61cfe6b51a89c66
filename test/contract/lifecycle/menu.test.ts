import assert from 'node:assert/strict';
import { defaultApiKey, defaultProjectId } from '../../emulator/settings.ts';
import { SinkEditor } from '../leaks/sinkEditor.ts';
import { eachWithLife } from './life.ts';

/** Picks the item with the next label in each list. A callback runs right before. */
class PickingEditor extends SinkEditor {
  readonly labels: RegExp[] = [];
  beforePick = () => {};

  override exports(): Record<string, unknown> {
    const exports = super.exports();
    const showQuickPick = async (items: Promise<readonly { readonly label: string }[]>) => {
      const label = this.labels.shift();
      const picked = label && (await items).find((item) => label.test(item.label));
      this.beforePick();
      return picked;
    };
    Object.assign(exports['window'] as object, { showQuickPick });
    return exports;
  }
}

describe('the menu', () => {
  const suite = eachWithLife();
  beforeEach(() => suite.life.stores.keyring.values.clear());

  it('forgets the approval of the folder that it was opened for', async () => {
    const { url } = suite.life.emulator;
    const editor = new PickingEditor();
    const file = `IBM_API_KEY=${defaultApiKey}\nIBM_PROJECT_ID=${defaultProjectId}\nIBM_URL=${url}\n`;
    for (const folder of ['/work', '/other']) {
      editor.addFolder(folder);
      editor.files.set(`${folder}/.env`, file);
    }
    editor.userSettings.set('authUrl', url);
    await suite.opened.open(editor, suite.life.stores, async (run) => {
      const isAsked = async (path: string) => {
        const before = editor.textOf('notification').length;
        editor.path = path;
        await run('refreshToken');
        return editor.textOf('notification').slice(before).includes('Use These Values');
      };
      assert.deepEqual([await isAsked('/work/a.txt'), await isAsked('/other/a.txt')], [true, true]);
      editor.path = '/work/a.txt';
      editor.labels.push(/\.env/, /Forget/);
      editor.beforePick = () => {
        editor.path = '/other/a.txt';
      };
      await run('showMenu');
      assert.deepEqual(
        [await isAsked('/other/a.txt'), await isAsked('/work/a.txt')],
        [false, true],
      );
    });
  });
});
