import assert from 'node:assert/strict';
import { defaultApiKey } from '../../emulator/settings.ts';
import { settled } from '../../unit/service/fixtures.ts';
import { becomes } from '../../vscode/deadline.ts';
import { SinkEditor } from '../leaks/sinkEditor.ts';

import { acme, eachWithLife } from './life.ts';

describe('a service that isn’t selected in the settings', () => {
  const suite = eachWithLife();
  beforeEach(() => suite.life.stores.keyring.values.clear());

  const sources = {
    'a stored key': (editor: SinkEditor) => {
      const { url } = suite.life.emulator;
      editor.userSettings.set('url', url);
      const definition = JSON.stringify(acme);
      const record = { apiKey: defaultApiKey, authUrl: url, serviceUrl: url, definition };
      suite.life.stores.keyring.values.set('hostedModel.key.acme', JSON.stringify(record));
    },
    'a .env file': (editor: SinkEditor) => {
      const file = `ACME_API_KEY=${defaultApiKey}\nACME_URL=${suite.life.emulator.url}\n`;
      editor.files.set('/work/.env', file);
    },
  };

  for (const [name, store] of Object.entries(sources)) {
    it(`is found through ${name} and shown in the tooltip and the report`, async () => {
      const editor = new SinkEditor();
      editor.addFolder('/work');
      editor.userSettings.set('services', [acme]);
      store(editor);
      await suite.opened.open(editor, suite.life.stores, async (run) => {
        await run('refreshToken');
        await run('diagnose');
        const tooltip = () => editor.tooltips.at(-1)?.given ?? '';
        await becomes('painted', () => tooltip().includes('Model: acme/large'));
      });
      assert.match(editor.textOf('report'), /Service: user-defined \(zenApiKey, openai\)/);
      assert.match(editor.textOf('report'), /Model: the default in the service’s entry/);
    });
  }

  it('causes a warning if the model ID in the settings is invalid', async () => {
    const editor = new SinkEditor();
    editor.userSettings.set('services', [acme]);
    editor.userSettings.set('modelId', 'acme/large 2');
    editor.userSettings.set('insertMode', 'clipboard');
    sources['a stored key'](editor);
    await suite.opened.open(editor, suite.life.stores, (run) => run('generateFromSelection'));
    assert.match(editor.textOf('notification'), /The model ID in the settings is invalid/);
  });

  it("is found through a stored key, but the key isn't read", async () => {
    const editor = new SinkEditor();
    editor.userSettings.set('services', [acme]);
    sources['a stored key'](editor);
    await suite.opened.open(editor, suite.life.stores, async () => {
      const tooltip = () => editor.tooltips.at(-1)?.given ?? '';
      await becomes('painted', () => tooltip().includes('Model: acme/large'));
    });
    assert.equal(suite.life.stores.keyring.reads, 0);
  });

  it('needs a service URL before Select Model can list its models', async () => {
    const editor = new SinkEditor();
    editor.userSettings.set('services', [acme]);
    sources['a stored key'](editor);
    editor.userSettings.delete('url');
    await suite.opened.open(editor, suite.life.stores, async (run) => {
      await run('selectModel');
      await settled();
    });
    assert.doesNotMatch(editor.textOf('quick pick'), /Dallas/);
    assert.match(editor.textOf('notification'), /needs a service URL/);
  });
});

describe('Select Model for a service whose model list needs a token', () => {
  const suite = eachWithLife();

  it("reports that an API key is needed, and doesn't offer the service's regions", async () => {
    suite.life.stores.keyring.values.clear();
    const editor = new SinkEditor();
    editor.userSettings.set('service', 'ibm_gateway');
    await suite.opened.open(editor, suite.life.stores, async (run) => {
      await run('selectModel');
      await settled();
    });
    assert.doesNotMatch(editor.textOf('quick pick'), /No service URL is set/);
    assert.match(editor.textOf('notification'), /needs an API key/);
  });
});
