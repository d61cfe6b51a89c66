import assert from 'node:assert/strict';
import { defaultApiKey, defaultProjectId } from '../../emulator/settings.ts';
import { becomes } from '../../vscode/deadline.ts';
import { SinkEditor } from '../leaks/sinkEditor.ts';
import { eachWithLife } from './life.ts';

describe('the reason for using a credential source', () => {
  const suite = eachWithLife();
  beforeEach(() => suite.life.stores.keyring.values.clear());

  it('is shown in the tooltip, the menu, and a diagnosis', async () => {
    const editor = new SinkEditor();
    editor.addFolder('/work');
    const { url } = suite.life.emulator;
    editor.files.set(
      '/work/.env',
      `IBM_API_KEY=${defaultApiKey}\nIBM_PROJECT_ID=${defaultProjectId}\nIBM_URL=${url}\n`,
    );
    editor.userSettings.set('authUrl', url);
    const reason =
      'Credentials come from the .env file in work, because secret storage and user settings have no usable API key.';
    const tooltip = () => (editor.tooltips.at(-1)?.given ?? '').split('\n');
    await suite.opened.open(editor, suite.life.stores, async (run) => {
      await run('refreshToken');
      await becomes('painted', () => tooltip()[1]?.trim() === reason);
      await run('showMenu');
      await run('diagnose');
    });
    assert.ok(editor.textOf('quick pick').includes(`"prompt":"${reason}"`));
    assert.ok(editor.textOf('quick pick').includes(`"description":"${reason}"`));
    // The user may share the report, so it doesn't name the folder.
    assert.match(
      editor.textOf('report'),
      /^Settings: passed\. Credentials come from a \.env file, because secret storage and user settings have no usable API key\./m,
    );
  });
});
