import assert from 'node:assert/strict';
import { defaultApiKey, defaultProjectId } from '../../emulator/settings.ts';
import { becomes } from '../../vscode/deadline.ts';
import { SinkEditor } from '../leaks/sinkEditor.ts';
import { acme, eachWithLife } from './life.ts';

const MODELS_PATH = '/ml/v1/foundation_model_specs';

/**
 * In each list that is shown, picks the item that matches the next label in `labels`. Calls
 * `beforePick` just before each pick.
 */
class PickingEditor extends SinkEditor {
  readonly labels: RegExp[] = [];
  beforePick = () => {};

  override exports(): Record<string, unknown> {
    const exports = super.exports();
    const showQuickPick = async (items: Promise<readonly { readonly label: string }[]>) => {
      this.sink('quick pick', await items);
      const label = this.labels.shift();
      const picked = label && (await items).find((item) => label.test(item.label));
      this.beforePick();
      return picked;
    };
    Object.assign(exports['window'] as object, { showQuickPick });
    return exports;
  }
}

const tooltip = (editor: SinkEditor) => editor.tooltips.at(-1)?.given ?? '';

describe('the menu', () => {
  const suite = eachWithLife();
  beforeEach(() => suite.life.stores.keyring.values.clear());

  it('offers to review a source that is waiting for approval', async () => {
    const { url } = suite.life.emulator;
    const editor = new PickingEditor();
    const file = `IBM_API_KEY=${defaultApiKey}\nIBM_PROJECT_ID=${defaultProjectId}\nIBM_URL=${url}\n`;
    editor.addFolder('/work');
    editor.files.set('/work/.env', file);
    editor.userSettings.set('authUrl', url);
    editor.path = '/work/a.txt';
    editor.labels.push(/Review and Approve/);
    await suite.opened.open(editor, suite.life.stores, (run) => run('showMenu'));
    assert.match(
      editor.textOf('quick pick'),
      /^\[\{"label":"Setup"[^}]*\},\{"label":"[^"]*Review and Approve/,
    );
    assert.match(editor.textOf('notification'), /Use These Values/);
  });

  it('forgets the decision for the folder that was active when it opened', async () => {
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

  it('doesn’t offer to switch to the service that is already in use', async () => {
    const { url } = suite.life.emulator;
    const editor = new PickingEditor();
    editor.addFolder('/work');
    editor.userSettings.set('services', [acme]);
    editor.files.set('/work/.env', `ACME_API_KEY=${defaultApiKey}\nACME_URL=${url}\n`);
    await suite.opened.open(editor, suite.life.stores, async (run) => {
      await run('refreshToken');
      await run('showMenu');
    });
    assert.match(editor.textOf('quick pick'), /"description":"in use"/);
    assert.doesNotMatch(editor.textOf('quick pick'), /for Selections/);
  });

  /** Stores keys for IBM and ACME, and returns an editor whose settings select IBM. */
  const editorWithBoth = () => {
    const { emulator, stores } = suite.life;
    const { url } = emulator;
    const own = { apiKey: defaultApiKey, authUrl: url, serviceUrl: url };
    const added = { ...own, apiKey: 'key-of-acme', definition: JSON.stringify(acme) };
    stores.keyring.values.set('hostedModel.key.ibm', JSON.stringify(own));
    stores.keyring.values.set('hostedModel.key.acme', JSON.stringify(added));
    const editor = new PickingEditor();
    suite.life.editor(editor).userSettings.set('services', [acme]).set('service', 'ibm');
    return editor;
  };

  it('offers to refresh the token only if the service uses tokens', async () => {
    for (const [service, isOffered] of [
      ['ibm', true],
      ['acme', false],
    ] as const) {
      const editor = editorWithBoth();
      editor.userSettings.set('service', service);
      await suite.opened.open(editor, suite.life.stores, (run) => run('showMenu'));
      assert.match(editor.textOf('quick pick'), /Diagnose Connection/);
      assert.equal(/Refresh Token/.test(editor.textOf('quick pick')), isOffered, service);
    }
  });

  it('offers to show the last response and the usage only if they exist', async () => {
    const editor = suite.life.editor(editorWithBoth());
    const offered = () =>
      ['Show Last Response', 'Show Usage'].filter((label) =>
        editor.textOf('quick pick').includes(label),
      );
    await suite.opened.open(editor, suite.life.stores, async (run) => {
      await run('showMenu');
      assert.deepEqual(offered(), []);
      await run('generateFromSelection');
      await becomes('counted', () => tooltip(editor).includes('Today’s usage'));
      await run('showMenu');
      assert.deepEqual(offered(), ['Show Last Response', 'Show Usage']);
    });
  });

  it('offers to use an unselected service that is already set up', async () => {
    const editor = editorWithBoth();
    suite.life.stores.keyring.values.delete('hostedModel.key.ibm');
    await suite.opened.open(editor, suite.life.stores, (run) => run('showMenu'));
    assert.match(editor.textOf('quick pick'), /Use ACME for Selections/);
    assert.doesNotMatch(editor.textOf('quick pick'), /Select a service/);
  });

  describe('with two services set up', () => {
    /** Picks ACME in the menu, and returns the notifications and the written settings. */
    const switchToAcme = async (
      beforePick = () => {},
      broken: SinkEditor['broken'] = undefined,
    ) => {
      const editor = editorWithBoth();
      editor.broken = broken;
      editor.labels.push(/Use ACME for Selections/);
      editor.beforePick = beforePick;
      await suite.opened.open(editor, suite.life.stores, (run) => run('showMenu'));
      return { notification: editor.textOf('notification'), settings: editor.textOf('settings') };
    };

    it('switches to the picked service', async () => {
      const { notification, settings } = await switchToAcme();
      assert.match(notification, /^ACME is now used for selections\.$/m);
      assert.match(settings, /^service\nacme$/m);
    });

    it('reports a failed switch if the picked service is no longer set up', async () => {
      const { values } = suite.life.stores.keyring;
      const { notification, settings } = await switchToAcme(() =>
        values.delete('hostedModel.key.acme'),
      );
      assert.match(notification, /^Couldn’t switch to ACME, because it’s no longer set up\.$/m);
      assert.equal(settings, '');
    });

    it('reports that it couldn’t write the settings, and offers to retry', async () => {
      const { notification } = await switchToAcme(undefined, 'settings file');
      assert.match(notification, /^Couldn’t write your settings\. /m);
      assert.match(notification, /"Retry"/);
      assert.doesNotMatch(notification, /now used/);
    });
  });
});

describe('Select Model for a service in a .env file', () => {
  const suite = eachWithLife();
  beforeEach(() => suite.life.stores.keyring.values.clear());

  it('saves the model for the folder that was active when the command started', async () => {
    const { url } = suite.life.emulator;
    const editor = new SinkEditor();
    for (const folder of ['/work', '/other']) editor.addFolder(folder);
    editor.userSettings.set('services', [{ ...acme, models: [{ id: 'acme/small' }] }]);
    editor.files.set('/work/.env', `ACME_API_KEY=${defaultApiKey}\nACME_URL=${url}\n`);
    editor.modelToPick = 'acme/small';
    await suite.opened.open(editor, suite.life.stores, async (run) => {
      await run('refreshToken');
      // Switches to a document in the other folder while the `.env` file is being read.
      Object.defineProperty(editor, 'beforeFiles', {
        get: async () => {
          editor.path = '/other/b.txt';
        },
      });
      await run('selectModel');
    });
    assert.match(editor.textOf('settings'), /^modelId\nacme\/small$/m);
    assert.deepEqual(editor.scopes, ['/work']);
  });
});

describe('a deployment', () => {
  const suite = eachWithLife();

  it('replaces the model ID in the tooltip, the menu, and the usage data', async () => {
    const editor = suite.life.editor();
    editor.userSettings.set('deploymentId', 'emulator-deployment').set('modelId', 'maker/unused');
    suite.life.emulator.settings.deploymentIds = ['emulator-deployment'];
    await suite.opened.open(editor, suite.life.stores, async (run) => {
      const isShown = () => tooltip(editor).includes('Model: the deployment’s own');
      await becomes('painted', isShown);
      await run('generateFromSelection');
      await becomes('painted', () => isShown() && tooltip(editor).includes('Today’s usage'));
      await run('showMenu');
    });
    const usage = editor.textOf('counter files');
    assert.match(usage, /"model":"deployment"/);
    assert.doesNotMatch(usage, /emulator-deployment/);
    assert.match(
      editor.textOf('quick pick'),
      /Select Model[^}]*"description":"the deployment’s own model"/,
    );
    const shown = [editor.textOf('tooltip'), usage, editor.textOf('quick pick')].join();
    assert.doesNotMatch(shown, /maker\/unused/);
  });

  it('doesn’t appear in the tooltip if the service’s API doesn’t support deployments', async () => {
    const editor = suite.life.editor();
    editor.userSettings
      .set('services', [acme])
      .set('service', 'acme')
      .set('deploymentId', 'emulator-deployment');
    await suite.opened.open(editor, suite.life.stores, async () => {
      await becomes('painted', () => tooltip(editor).includes('Model: acme/large'));
      assert.doesNotMatch(tooltip(editor), /deployment/i);
    });
  });

  it('isn’t included in requests for model information', async () => {
    const editor = suite.life.editor();
    editor.userSettings.set('deploymentId', 'emulator-deployment');
    suite.life.emulator.settings.deploymentIds = ['emulator-deployment'];
    await suite.opened.open(editor, suite.life.stores, (run) => run('generateFromSelection'));
    const lookups = suite.life.emulator.requests.filter(({ path }) => path === MODELS_PATH);
    assert.equal(lookups.length, 1, 'opens a network connection while the token is requested');
    assert.doesNotMatch(String(lookups[0]?.query), /emulator-deployment/);
  });

  describe('in Select Model', () => {
    let editor: SinkEditor;
    const selectModel = () =>
      suite.opened.open(editor, suite.life.stores, (run) => run('selectModel'));
    beforeEach(() => {
      editor = suite.life.editor();
      editor.userSettings.set('deploymentId', 'emulator-deployment');
    });

    it('shows a message instead of a model list if no other service is set up', async () => {
      await selectModel();
      const expected = /^Your deployment has its own model, so you can’t select one\.$/m;
      assert.match(editor.textOf('notification'), expected);
      assert.equal(editor.textOf('quick pick'), '');
      assert.equal(suite.life.emulator.count(MODELS_PATH), 0);
    });

    it("hides its own service's models, but not those of other services", async () => {
      const { url } = suite.life.emulator;
      const models = [{ id: 'acme/large' }];
      const entry = { ...acme, url, models };
      editor.userSettings.set('services', [entry]).set('service', 'ibm');
      const record = { apiKey: 'key-of-acme', definition: JSON.stringify(entry) };
      suite.life.stores.keyring.values.set(
        'hostedModel.key.acme',
        JSON.stringify({ ...record, authUrl: url, serviceUrl: url }),
      );
      editor.modelToPick = 'acme/large';
      await selectModel();
      const list = editor.textOf('quick pick');
      const hint =
        'Your deployment has its own model. To switch to another service, select one of that service’s models.';
      assert.ok(list.includes(hint), list);
      assert.doesNotMatch(list, /granite|IBM/);
      assert.match(editor.textOf('settings'), /^service\nacme\nmodelId\nacme\/large$/m);
    });
  });
});
