import assert from 'node:assert/strict';
import type { Uri } from 'vscode';
import type * as GitRisk from '../../../src/connection/gitRisk.ts';
import { FakeEditor, installEditor } from '../connection/fakeEditor.ts';
import { Listeners, untracked, withApi } from './fakeGit.ts';

class GitEditor extends FakeEditor {
  extension: unknown;
  readonly extensionsChanged = new Listeners();

  override exports(): Record<string, unknown> {
    const getExtension = (id: string) => (id === 'vscode.git' ? this.extension : undefined);
    const { event: onDidChange } = this.extensionsChanged;
    return { ...super.exports(), extensions: { getExtension, onDidChange } };
  }
}

const file = { fsPath: '/work/app/.env' } as Uri;
const disabled = () => {
  throw new Error('Git model not found');
};
const withRepository = (repository: object | null) => withApi({ getRepository: () => repository });

describe('Git integration', () => {
  let editor = new GitEditor();
  let hooks: ReturnType<typeof installEditor>;
  let gitRisk: typeof GitRisk.gitRisk;
  let onDidChangeRepositories: typeof GitRisk.onDidChangeRepositories;

  before(async () => {
    hooks = installEditor(() => editor);
    ({ gitRisk, onDidChangeRepositories } = await import('../../../src/connection/gitRisk.ts'));
  });
  after(() => hooks.deregister());

  describe("a file's Git risk", () => {
    beforeEach(() => {
      editor = new GitEditor();
    });

    it('is “not-ignored” if Git neither tracks nor ignores the file', async () => {
      editor.extension = withRepository(untracked);
      assert.equal(await gitRisk(file), 'not-ignored');
    });

    it('is “tracked” if Git tracks the file', async () => {
      const asked: unknown[] = [];
      const getObjectDetails = async (...given: unknown[]) => void asked.push(given);
      editor.extension = withRepository({ ...untracked, getObjectDetails });
      assert.equal(await gitRisk(file), 'tracked');
      assert.deepEqual(asked, [['', file.fsPath]]);
    });

    it('is undefined if Git ignores the file', async () => {
      const checkIgnore = async (paths: string[]) => new Set(paths);
      editor.extension = withRepository({ ...untracked, checkIgnore });
      assert.equal(await gitRisk(file), undefined);
    });

    const broken = () => Promise.reject(new Error('git failed'));
    for (const [name, extension] of [
      ['the Git extension is missing, as in a remote window', undefined],
      ['the Git extension can’t be activated', { activate: broken }],
      ['Git is disabled or not installed', { activate: async () => ({ getAPI: disabled }) }],
      ["the file isn't in an open repository", withRepository(null)],
      ['the index can’t be read', withRepository({ ...untracked, getObjectDetails: broken })],
      ['the ignore rules can’t be read', withRepository({ ...untracked, checkIgnore: broken })],
    ] as const) {
      it(`is undefined if ${name}`, async () => {
        editor.extension = extension;
        assert.equal(await gitRisk(file), undefined);
      });
    }
  });

  describe('a repository listener', () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    /** Returns a fake of the Git extension's API, and the listeners for both of its events. */
    const withEvents = () => {
      const listeners = new Listeners();
      const { event } = listeners;
      return { listeners, api: { onDidOpenRepository: event, onDidCloseRepository: event } };
    };

    it('is called when the Git extension starts and when repositories open or close', async () => {
      const { listeners, api } = withEvents();
      editor.extension = withApi(api);
      let calls = 0;
      const listening = onDidChangeRepositories(() => {
        calls += 1;
      });
      await turn();
      assert.equal(calls, 1);
      for (const fire of listeners) fire();
      assert.equal(calls, 3);
      listening.dispose();
      assert.equal(listeners.size, 0);
    });

    it("isn't added if it is disposed of before the Git extension starts", async () => {
      const { listeners, api } = withEvents();
      for (const extension of [withApi(api), undefined]) {
        editor.extension = extension;
        onDidChangeRepositories(() => assert.fail()).dispose();
        await turn();
        assert.equal(listeners.size, 0);
      }
    });

    it('is called for repository changes only while Git is enabled', async () => {
      const { listeners, api } = withEvents();
      const changed = new Listeners();
      const git = { enabled: false, onDidChangeEnablement: changed.event, getAPI: disabled };
      editor.extension = { activate: async () => git };
      let calls = 0;
      const listening = onDidChangeRepositories(() => {
        calls += 1;
      });
      await turn();
      assert.equal(listeners.size, 0);
      for (const enabled of [true, false, true]) {
        calls = 0;
        Object.assign(git, { enabled, getAPI: enabled ? () => api : disabled });
        changed.fire();
        await turn();
        assert.equal(calls, 1);
        listeners.fire();
        assert.deepEqual([calls, listeners.size], enabled ? [3, 2] : [1, 0]);
      }
      listening.dispose();
      assert.deepEqual([listeners.size, changed.size, editor.extensionsChanged.size], [0, 0, 0]);
    });

    it('is added only once when the Git extension becomes available', async () => {
      const { listeners, api } = withEvents();
      editor.extension = undefined;
      let calls = 0;
      const listening = onDidChangeRepositories(() => {
        calls += 1;
      });
      editor.extensionsChanged.fire();
      await turn();
      assert.equal(calls, 0);
      editor.extension = { activate: () => Promise.reject(new Error('git failed')) };
      editor.extensionsChanged.fire();
      await turn();
      editor.extension = withApi(api);
      editor.extensionsChanged.fire();
      editor.extensionsChanged.fire();
      await turn();
      assert.equal(listeners.size, 2);
      calls = 0;
      listeners.fire();
      assert.equal(calls, 2);
      listening.dispose();
      assert.deepEqual([listeners.size, editor.extensionsChanged.size], [0, 0]);
    });
  });
});
