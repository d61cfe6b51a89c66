import assert from 'node:assert/strict';
import { KeyStore } from '../../../src/connection/keyStore.ts';
import { SourceApprovals } from '../../../src/connection/sourceApprovals.ts';
import { Secret } from '../../../src/service/secret.ts';
import { defaultApiKey, defaultProjectId } from '../../emulator/settings.ts';
import { FakeState } from '../../unit/connection/fakes.ts';
import { becomes } from '../../vscode/deadline.ts';
import { SinkEditor } from '../leaks/sinkEditor.ts';
import { eachWithLife } from './life.ts';

/**
 * Keeps the registered chat model provider so that tests can request its models, as VS Code does in
 * every window.
 */
class ChatEditor extends SinkEditor {
  #models: (options: object) => Promise<readonly unknown[]> = () => assert.fail('not registered');
  #exports: Record<string, unknown> | undefined;

  readonly models = () => this.#models({});

  override exports(): Record<string, unknown> {
    this.#exports ??= this.#makeExports();
    return this.#exports;
  }

  #makeExports(): Record<string, unknown> {
    const all = super.exports();
    const nothing = { dispose: () => {} };
    const registerLanguageModelChatProvider = (
      _: string,
      provider: { provideLanguageModelChatInformation(options: object): Promise<unknown[]> },
    ) => {
      this.#models = (options) => provider.provideLanguageModelChatInformation(options);
      return nothing;
    };
    return { ...all, lm: { registerLanguageModelChatProvider, registerTool: () => nothing } };
  }
}

/** Returns the current value of a context key. */
function contextKey(editor: SinkEditor, name: string): unknown {
  const lines = editor.textOf('context key').split('\n');
  const line = lines.findLast((text) => text.startsWith(`["hostedModel.${name}"`));
  return line && JSON.parse(line)[1];
}

describe("a window that hasn't run a command yet", () => {
  const suite = eachWithLife();

  it('turns off the Escape shortcut in case it was left on', async () => {
    const editor = suite.life.editor();
    const window = await suite.opened.start(editor, suite.life.stores);
    assert.equal(contextKey(editor, 'isGenerating'), false);
    await window.close();
  });

  it("forgets the workspace's external source once the user signs out in another window", async () => {
    const { stores, editor: editorOf } = suite.life;
    stores.keyring.values.clear();
    const editor = editorOf();
    const workspaceState = new FakeState();
    workspaceState.values.set('hostedModel.usesExternalSource', true);
    const window = await suite.opened.start(editor, { ...stores, workspaceState });
    await becomes('set up', () => contextKey(editor, 'isSetUp') === true);
    await stores.keyring.window().store('hostedModel.lastSignOut', 'by another window');
    await becomes('signed out', () => contextKey(editor, 'isSetUp') === false);
    assert.equal(contextKey(editor, 'canSignOut'), false);
    assert.equal(workspaceState.values.size, 0);
    await window.close();
  });

  it('stops offering Sign Out after a sign-out in another VS Code profile', async () => {
    const { stores, editor: editorOf } = suite.life;
    stores.keyring.values.clear();
    const approvals = new SourceApprovals(stores.keyring.window(), stores.globalState);
    const declined = new Secret(['source', 'declined'] as const);
    await approvals.remember(new Secret(['source', 'approved'] as const), 'approved');
    await approvals.remember(declined, 'declined');
    const editor = editorOf();
    const window = await suite.opened.start(editor, stores);
    await becomes('shown', () => contextKey(editor, 'canSignOut') === true);
    await new KeyStore(stores.keyring.window(), new FakeState(), assert.fail).delete();
    await becomes('signed out', () => contextKey(editor, 'canSignOut') === false);
    assert.equal(await approvals.decisionFor(declined), 'declined');
    await window.close();
  });

  it("offers models if the folder's .env file is approved", async () => {
    const { stores, emulator } = suite.life;
    stores.keyring.values.clear();
    const open = () => {
      const editor = suite.life.editor(new ChatEditor()) as ChatEditor;
      for (const name of ['projectId', 'url']) editor.userSettings.delete(name);
      const values = { API_KEY: defaultApiKey, PROJECT_ID: defaultProjectId, URL: emulator.url };
      const lines = Object.entries(values).map(([name, value]) => `IBM_${name}=${value}`);
      editor.files.set('/work/.env', lines.join('\n'));
      return editor;
    };
    const first = open();
    await suite.opened.open(first, stores, async (run) => {
      await run('refreshToken');
      first.path = '/home/settings.json';
      first.fire('active editor');
      await becomes('looked up', () => contextKey(first, 'isSetUp') === false);
    });
    const second = open();
    const window = await suite.opened.start(second, stores);
    await becomes('shown', () => contextKey(second, 'canSignOut') === true);
    assert.equal((await second.models()).length, 1);
    await window.close();
  });

  it('makes VS Code read the certificates when `src/app.ts` is loaded', async () => {
    const { fetch } = globalThis;
    const fetched: string[] = [];
    globalThis.fetch = (url, init) => {
      fetched.push(String(url));
      return fetch(url, init);
    };
    try {
      const editor = suite.life.editor(new ChatEditor()) as ChatEditor;
      const window = await suite.opened.start(editor, suite.life.stores);
      await becomes('set up', () => contextKey(editor, 'isSetUp') === true);
      assert.deepEqual(fetched, []);
      await editor.models();
      assert.deepEqual(fetched, ['data://localhost/,']);
      await window.close();
    } finally {
      globalThis.fetch = fetch;
    }
  });

  it('applies a settings change even if a command follows immediately', async () => {
    const editor = suite.life.editor();
    const window = await suite.opened.start(editor, suite.life.stores);
    await becomes('set up', () => contextKey(editor, 'isSetUp') === true);
    editor.userSettings.set('projectId', '');
    editor.fire('configuration', { affectsConfiguration: () => true });
    await window.run('showLog');
    await becomes('not set up', () => contextKey(editor, 'isSetUp') === false);
    await window.close();
  });
});
