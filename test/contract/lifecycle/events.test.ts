import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { defaultApiKey, defaultProjectId } from '../../emulator/settings.ts';
import { FakeEditor } from '../../unit/connection/fakeEditor.ts';
import { FakeKeyring } from '../../unit/connection/fakes.ts';
import { settled } from '../../unit/service/fixtures.ts';
import { becomes } from '../../vscode/deadline.ts';
import { SinkEditor } from '../leaks/sinkEditor.ts';
import { type Windows, windows } from '../leaks/window.ts';
import { pathOf, tokenPath } from '../service/world.ts';
import { type Life, startLife } from './life.ts';

const MINUTE_MS = 60_000;
/** The delay before a settings change is handled, in milliseconds. */
const APART_MS = 100;

/** A keyring whose reads and writes can be delayed. */
class SlowKeyring extends FakeKeyring {
  slowly: Promise<unknown> | undefined;
  beforeStore = async (_name: string) => {};

  override window() {
    const get = async (name: string) => {
      this.reads += 1;
      await this.slowly;
      return this.values.get(name);
    };
    const { store } = super.window();
    const storeLate = async (name: string, value: string) => {
      await this.beforeStore(name);
      await store(name, value);
    };
    return super.window({ get, store: storeLate });
  }
}

/** A keyring that can't delete secrets, and that can't store secrets while it's locked. */
class LockedKeyring extends FakeKeyring {
  isLocked = false;

  override window() {
    const { store } = super.window();
    const fail = async () => {
      throw new Error('locked');
    };
    return super.window({
      delete: fail,
      store: async (name, value) => {
        // Lets the window react to the failed deletion before this write starts.
        await settled();
        await (this.isLocked ? fail() : store(name, value));
      },
    });
  }
}

/** Answers the *Set Up* prompts with prepared input. */
class AnsweringEditor extends SinkEditor {
  #exports: Record<string, unknown> | undefined;

  override exports(): Record<string, unknown> {
    this.#exports ??= this.#makeExports();
    return this.#exports;
  }

  #makeExports(): Record<string, unknown> {
    const { window, ...others } = super.exports();
    const { createInputBox, createQuickPick } = FakeEditor.prototype.exports.call(this)[
      'window'
    ] as Record<string, unknown>;
    return {
      ...others,
      window: Object.assign(window as object, { createInputBox, createQuickPick }),
    };
  }
}

/** Returns the current text of the status item. */
function lastStatus(editor: SinkEditor): string {
  const lines = editor.textOf('status text').split('\n');
  return lines.findLast((line) => line.startsWith('$(')) ?? '';
}

describe('an open window', () => {
  let opened: Windows;
  let life: Life;
  let keyring: SlowKeyring;
  before(() => {
    opened = windows(new SinkEditor());
  });
  after(() => opened.end());
  beforeEach(async () => {
    keyring = new SlowKeyring();
    life = await startLife(keyring);
  });
  afterEach(async () => {
    mock.timers.reset();
    syncBuiltinESMExports();
    await life.emulator.close();
  });

  it('H32: keeps its token after 100 change events for an unchanged key', async () => {
    const { emulator, stores } = life;
    await opened.open(life.editor(), stores, async (run) => {
      await run('generateFromSelection');
      for (let event = 0; event < 100; event += 1) keyring.announce('hostedModel.key.ibm');
      await settled();
      await run('generateFromSelection');
    });
    assert.deepEqual([emulator.count(tokenPath), emulator.count(pathOf('chat', true))], [1, 2]);
  });

  it("hides the old token's remaining lifetime after a failed sign-out", async () => {
    const locked = new LockedKeyring();
    for (const [name, value] of keyring.values) locked.values.set(name, value);
    const { emulator } = life;
    const editor = life.editor();
    await opened.open(editor, { ...life.stores, keyring: locked }, async (run) => {
      await run('refreshToken');
      await becomes('shown', () => /\$\(key\) \d+m/.test(lastStatus(editor)));
      locked.isLocked = true;
      await run('signOut');
      await becomes('forgotten', () => lastStatus(editor) === '$(key) Hosted Model');
      locked.isLocked = false;
      emulator.settings.tokenLifeSeconds = 600;
      await run('refreshToken');
      await becomes('the next one', () => /\$\(key\) (9|10)m/.test(lastStatus(editor)));
    });
  });

  it('reuses the token from the connection test, even if a key lookup comes first', async () => {
    const { emulator, stores } = life;
    keyring.values.clear();
    const editor = life.editor(new AnsweringEditor());
    let looks = 0;
    keyring.beforeStore = async (name) => {
      if (name !== 'hostedModel.key.ibm') return;
      // Makes the window look for the key before the key is stored.
      editor.fire('window state');
      for (let turn = 0; turn < 10; turn += 1) await settled();
      looks += 1;
    };
    editor.typed.push(defaultApiKey, defaultProjectId);
    editor.picks.push('IBM watsonx.ai', emulator.url, '$(beaker) Test and Save');
    await opened.open(editor, stores, (run) => run('generateFromSelection'));
    assert.equal(looks, 1);
    assert.deepEqual(
      emulator.requests.map(({ path }) => path),
      [tokenPath, '/ml/v1/text/tokenization', pathOf('chat', true)],
    );
  });

  it("shows the new key's usage in the tooltip after each key change", async () => {
    const { stores } = life;
    const editor = life.editor();
    const first = keyring.values.get('hostedModel.key.ibm') ?? '';
    const use = (record: string) => {
      keyring.values.set('hostedModel.key.ibm', record);
      keyring.announce('hostedModel.key.ibm');
    };
    const shows = (usage: RegExp) =>
      becomes(`${usage} shown`, () => usage.test(editor.tooltips.at(-1)?.given ?? ''));
    await opened.open(editor, stores, async (run) => {
      await run('generateFromSelection');
      await shows(/Today’s usage with this API key in all windows: 1 request, /);
      use(JSON.stringify({ ...JSON.parse(first), apiKey: 'another-key-0123456789' }));
      await shows(/Today’s usage with this API key in all windows: 0 requests, 0 tokens/);
      use(first);
      await shows(/Today’s usage with this API key in all windows: 1 request, /);
    });
    assert.doesNotMatch(editor.textOf('tooltip'), /session/i);
  });

  it("doesn't include token refreshes in the tooltip's request count", async () => {
    const editor = life.editor();
    await opened.open(editor, life.stores, async (run) => {
      await run('refreshToken');
      await run('generateFromSelection');
      const usage = /Today’s usage with this API key in all windows: 1 request, /;
      await becomes('shown', () => usage.test(editor.tooltips.at(-1)?.given ?? ''));
    });
  });

  it('H29: waits for focus before it refreshes the token', async () => {
    const { emulator, stores } = life;
    mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
    const editor = life.editor();
    await opened.open(editor, stores, async (run) => {
      await run('refreshToken');
      editor.isFocused = false;
      // After 57 minutes, the token is due for a refresh, but can still be used.
      mock.timers.tick(57 * MINUTE_MS);
      for (let event = 0; event < 100; event += 1) {
        editor.fire('window state');
        await settled();
      }
      assert.equal(emulator.count(tokenPath), 1);
      editor.isFocused = true;
      editor.fire('window state');
      await becomes('renewed', () => emulator.count(tokenPath) === 2);
    });
  });

  it(`K10: applies settings changes at most once every ${APART_MS} ms`, async () => {
    const editor = life.editor();
    const event = { affectsConfiguration: () => true };
    await opened.open(editor, life.stores, async () => {
      await settled();
      mock.timers.enable({ apis: ['setTimeout'] });
      const pass = async (ms: number) => {
        mock.timers.tick(ms);
        await settled();
      };
      // The window sets this context key whenever it handles a change.
      const handled = () =>
        editor.textOf('context key').match(/"hostedModel\.isSetUp"/g)?.length ?? 0;
      const before = handled();
      for (let changes = 0; changes < 3; changes += 1) {
        for (let count = 0; count < 1_000; count += 1) editor.fire('configuration', event);
        await pass(APART_MS - 1);
        assert.equal(handled() - before, changes);
        await pass(1);
        assert.equal(handled() - before, changes + 1);
      }
      // A single change afterward still takes effect.
      const shown = editor.textOf('status text').length;
      editor.userSettings.set('projectId', '');
      editor.fire('configuration', event);
      await pass(APART_MS);
      const isShown = () => /Set Up/.test(editor.textOf('status text').slice(shown));
      for (let turn = 0; turn < 100 && !isShown(); turn += 1) await pass(1);
      assert.ok(isShown());
    });
  });

  it('K12: waits until slow secret storage responds or the user cancels', async () => {
    const { emulator, stores } = life;
    const editor = life.editor();
    await opened.open(editor, stores, async (run) => {
      // Loads all the code before the timers are mocked.
      await run('refreshToken');
      const slow = Promise.withResolvers<void>();
      keyring.slowly = slow.promise;
      mock.timers.enable({ apis: ['setTimeout'] });
      const given = run('refreshToken');
      await settled();
      mock.timers.tick(4_999);
      await settled();
      assert.match(editor.textOf('progress'), /Reading the credentials/);
      editor.fire('cancel button');
      await given;
      assert.equal(emulator.count(tokenPath), 1);
      mock.timers.reset();
      const waiting = run('refreshToken');
      await settled();
      slow.resolve();
      await waiting;
      assert.equal(emulator.count(tokenPath), 2);
    });
  });

  for (const command of ['selectModel', 'showMenu']) {
    it(`K12: shows cancelable progress while ${command} waits for secret storage`, async () => {
      const { stores } = life;
      const editor = life.editor();
      await opened.open(editor, stores, async (run) => {
        await run('showLog');
        await import('../../../src/connection/connections.ts');
        keyring.slowly = Promise.withResolvers<void>().promise;
        mock.timers.enable({ apis: ['setTimeout'] });
        const given = run(command);
        await settled();
        await settled();
        mock.timers.tick(4_999);
        await settled();
        assert.match(editor.textOf('progress'), /Reading the credentials/);
        editor.fire('cancel button');
        assert.equal(await given, undefined);
        assert.equal(editor.textOf('notification'), '');
      });
    });
  }

  it("K12: reports a failed check if secret storage doesn't respond within 10 s", async () => {
    const { emulator, stores } = life;
    const editor = life.editor();
    await opened.open(editor, stores, async (run) => {
      await run('showLog');
      await import('../../../src/connection/connections.ts');
      keyring.slowly = Promise.withResolvers<void>().promise;
      mock.timers.enable({ apis: ['setTimeout'] });
      // The extension imports promise-based timers by name. Without this call, it would use the
      // real timers.
      syncBuiltinESMExports();
      const given = run('diagnose');
      await settled();
      await settled();
      mock.timers.tick(9_999);
      await settled();
      assert.match(editor.textOf('quick pick'), /Settings: checking/);
      assert.doesNotMatch(editor.textOf('quick pick'), /Settings: failed/);
      mock.timers.tick(1);
      await settled();
      assert.equal(await given, undefined);
      assert.match(editor.textOf('quick pick'), /keyring.*Check Again|Check Again.*keyring/s);
      assert.match(editor.textOf('report'), /^Settings: failed/m);
      assert.deepEqual([emulator.requests.length, editor.textOf('notification')], [0, '']);
    });
  });

  for (const [what, status, code] of [
    ['denies access', 403, 'forbidden'],
    ['lacks the model', 404, 'model_not_supported'],
  ] as const) {
    it(`doesn't diagnose a failure if the service ${what} and sends Retry-After`, async () => {
      const { emulator, stores } = life;
      const rejection = { status, json: { errors: [{ code, message: '' }] } };
      emulator.faults.next(pathOf('chat', true), rejection);
      await opened.open(life.editor(), stores, async (run) => {
        await run('generateFromSelection');
        const looked = emulator.requests.length;
        emulator.faults.next(pathOf('chat', true), {
          ...rejection,
          headers: { 'content-type': 'application/json', 'retry-after': '30' },
        });
        await run('generateFromSelection');
        assert.equal(emulator.requests.length, looked + 1);
      });
    });
  }
});
