import assert from 'node:assert/strict';
import manifest from '../../../package.json' with { type: 'json' };
import { defaultApiKey } from '../../emulator/settings.ts';
import { FakeKeyring } from '../../unit/connection/fakes.ts';
import { settled } from '../../unit/service/fixtures.ts';
import { becomes } from '../../vscode/deadline.ts';
import { SinkEditor } from '../leaks/sinkEditor.ts';
import { eachWithLife } from './life.ts';

/** Returns the commands that the palette shows because a context key of the extension is true. */
function offeredCommands(editor: SinkEditor): string[] {
  const lines = editor.textOf('context key').split('\n');
  const last = new Map<string, boolean>(
    lines.filter((line) => line.startsWith('["hostedModel.')).map((line) => JSON.parse(line)),
  );
  return manifest.contributes.menus.commandPalette
    .filter(({ when }) => last.get(when))
    .map(({ command }) => command.replace('hostedModel.', ''))
    .sort();
}

describe('the Command Palette', () => {
  const suite = eachWithLife();

  it('omits commands that need credentials if no service is set up', async () => {
    const editor = new SinkEditor();
    const stores = { ...suite.life.stores, keyring: new FakeKeyring() };
    await suite.opened.open(editor, stores, () => settled());
    assert.deepEqual(offeredCommands(editor), []);
  });

  it('offers commands for a stored key until the user signs out', async () => {
    const editor = suite.life.editor();
    await suite.opened.open(editor, suite.life.stores, async (run) => {
      await settled();
      assert.deepEqual(offeredCommands(editor), ['refreshToken', 'showUsage', 'signOut']);
      await run('signOut');
      await settled();
      assert.deepEqual(offeredCommands(editor), []);
    });
  });

  it('offers Sign Out and Show Usage for approved sources, but not declined ones', async () => {
    const editor = new SinkEditor();
    const stores = { ...suite.life.stores, keyring: new FakeKeyring() };
    const answers = [['a-hash', 'declined']];
    stores.globalState.values.set('hostedModel.approvals', answers);
    await suite.opened.open(editor, stores, () => settled());
    assert.deepEqual(offeredCommands(editor), []);
    answers.push(['another-hash', 'approved']);
    await suite.opened.open(editor, stores, async (run) => {
      await settled();
      assert.deepEqual(offeredCommands(editor), ['showUsage', 'signOut']);
      await run('signOut');
      await settled();
      assert.deepEqual(offeredCommands(editor), []);
    });
  });

  it('offers Undo Generation after the first generation, even if it failed', async () => {
    const editor = suite.life.editor();
    suite.life.emulator.settings.apiKeys = [];
    await suite.opened.open(editor, suite.life.stores, (run) => run('generateFromSelection'));
    assert.deepEqual(offeredCommands(editor), [
      'continueGeneration',
      'refreshToken',
      'showUsage',
      'signOut',
      'tryAgain',
      'undoGeneration',
    ]);
  });

  it('offers Show Last Response once text has arrived', async () => {
    const editor = suite.life.editor();
    await suite.opened.open(editor, suite.life.stores, (run) => run('generateFromSelection'));
    assert.deepEqual(offeredCommands(editor), [
      'continueGeneration',
      'refreshToken',
      'showLastResponse',
      'showUsage',
      'signOut',
      'tryAgain',
      'undoGeneration',
    ]);
  });

  it('adds Show Last Response only once', async () => {
    const editor = suite.life.editor();
    await suite.opened.open(editor, suite.life.stores, async (run) => {
      await run('generateFromSelection');
      await run('generateFromSelection');
    });
    const updates = editor.textOf('context key').split('\n');
    const ofResult = updates.filter((line) => line.startsWith('["hostedModel.hasResult"'));
    assert.deepEqual(ofResult, ['["hostedModel.hasResult",true]']);
  });

  for (const chosen of ['', 'zen']) {
    it(`omits Refresh Token before the first command if the service uses no tokens (settings: ${chosen || 'no service'})`, async () => {
      const editor = suite.life.editor();
      editor.userSettings.set('service', chosen);
      const record = suite.life.stores.keyring.values.get('hostedModel.key.ibm') ?? assert.fail();
      suite.life.stores.keyring.values.clear();
      suite.life.stores.keyring.values.set('hostedModel.key.zen', record);
      await suite.opened.open(editor, suite.life.stores, async () => {
        const painted = () => editor.textOf('status text').includes('ready, no token yet');
        await becomes('painted', painted);
      });
      assert.deepEqual(offeredCommands(editor), ['showUsage', 'signOut']);
    });
  }

  it('omits Refresh Token after a generation if the service uses no tokens', async () => {
    const editor = suite.life.editor();
    const { url } = suite.life.emulator;
    editor.userSettings.set('service', 'zen');
    const record = { apiKey: defaultApiKey, authUrl: url, serviceUrl: url };
    suite.life.stores.keyring.values.set('hostedModel.key.zen', JSON.stringify(record));
    await suite.opened.open(editor, suite.life.stores, async (run) => {
      await run('generateFromSelection');
      await settled();
      assert.deepEqual(offeredCommands(editor), [
        'continueGeneration',
        'showLastResponse',
        'showUsage',
        'signOut',
        'tryAgain',
        'undoGeneration',
      ]);
    });
  });
});
