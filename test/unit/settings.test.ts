import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Disposable, WorkspaceFolder } from 'vscode';
import manifest from '../../package.json' with { type: 'json' };
import type { Settings, SourceSettings } from '../../src/config/settings.ts';
import { services } from '../../src/service/builtInServices.ts';
import { MODEL_ID } from '../../src/service/modelId.ts';
import { MODEL_NAME } from '../../src/service/statedModels.ts';
import { settingsIn } from '../settingsIn.ts';
import { FakeEditor, installEditor } from './connection/fakeEditor.ts';

interface ChangeEvent {
  readonly affectsConfiguration: (section: string) => boolean;
}

describe('writing a parameter', () => {
  let editor = new FakeEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new FakeEditor();
    editor.userSettings.set('parameters', { temperature: 1, max_new_tokens: 5 });
  });

  const write = async () => {
    const { targetOfParameter, writeParameter } = await import('../../src/config/configuration.ts');
    const [folder] = editor.folders as WorkspaceFolder[];
    await writeParameter('max_new_tokens', 9, targetOfParameter('max_new_tokens', folder?.uri));
  };

  it('preserves the other parameters', async () => {
    await write();
    const written = { temperature: 1, max_new_tokens: 9 };
    assert.deepEqual(editor.userSettings.get('parameters'), written);
  });

  it('changes the folder settings only if they contain the parameter', async () => {
    editor.addFolder('/work');
    const ofFolder = new Map<string, unknown>([['parameters', { top_p: 1 }]]);
    editor.settingsByFolder.set('/work', ofFolder);
    await write();
    assert.equal(editor.folderSettings.has('parameters'), false);
    editor.userSettings.clear();
    ofFolder.set('parameters', { top_p: 1, max_new_tokens: 5 });
    await write();
    assert.deepEqual(editor.folderSettings.get('parameters'), { top_p: 1, max_new_tokens: 9 });
    assert.equal(editor.userSettings.has('parameters'), false);
  });

  it('replaces a value that isn’t an object', async () => {
    for (const value of ['max', ['max'], null]) {
      editor.userSettings.set('parameters', value);
      await write();
      assert.deepEqual(editor.userSettings.get('parameters'), { max_new_tokens: 9 });
    }
  });
});

describe('settings change events', () => {
  let hooks: ReturnType<typeof installEditor>;
  let fire: (event: ChangeEvent) => void;
  let eventCount: number;
  let subscription: Disposable;
  before(() => {
    class EditorWithEvents extends FakeEditor {
      override exports(): Record<string, unknown> {
        const onDidChangeConfiguration = (listener: typeof fire) => {
          fire = listener;
          return { dispose: () => {} };
        };
        const from = (...all: Disposable[]) => ({
          dispose: () => {
            for (const one of all) one.dispose();
          },
        });
        return {
          ...super.exports(),
          workspace: { onDidChangeConfiguration },
          Disposable: { from },
        };
      }
    }
    hooks = installEditor(() => new EditorWithEvents());
  });
  after(() => hooks.deregister());
  beforeEach(async () => {
    const { onDidChangeSettings } = await import('../../src/config/configuration.ts');
    mock.timers.enable({ apis: ['setTimeout'] });
    eventCount = 0;
    subscription = onDidChangeSettings(() => {
      eventCount += 1;
    });
  });
  afterEach(() => mock.timers.reset());
  const change = (times: number) => {
    for (let changed = 0; changed < times; changed += 1) {
      fire({ affectsConfiguration: (section) => section === 'hostedModel' });
    }
  };

  it('are combined into one event 100 ms after the first change', () => {
    change(1_000);
    mock.timers.tick(99);
    change(1_000);
    assert.equal(eventCount, 0);
    mock.timers.tick(1);
    assert.equal(eventCount, 1);
    mock.timers.tick(1_000);
    assert.equal(eventCount, 1);
  });

  it('fire at most ten times a second, and once after the last change', () => {
    for (let ms = 0; ms < 1_000; ms += 1) {
      change(3);
      mock.timers.tick(1);
    }
    assert.equal(eventCount, 10);
    change(1);
    mock.timers.tick(100);
    assert.equal(eventCount, 11);
  });

  it("don't fire for other extensions' settings", () => {
    fire({ affectsConfiguration: () => false });
    mock.timers.tick(1_000);
    assert.equal(eventCount, 0);
  });

  it("don't fire after the listener is disposed of", () => {
    change(2);
    subscription.dispose();
    mock.timers.tick(1_000);
    assert.equal(eventCount, 0);
  });
});

describe('the values in the settings', () => {
  let editor = new FakeEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());

  /**
   * For each field, the setting values to test, each with the value that the field should have.
   * Include a value of the wrong type. For a number, also include a fraction and a value beyond
   * each limit.
   */
  const cases: Readonly<
    Record<
      Exclude<keyof Settings, keyof SourceSettings>,
      readonly (readonly [setting: string, value: unknown, field: unknown])[]
    >
  > = {
    credentialSource: [
      ['credentialSource', 'envFile', 'envFile'],
      ['credentialSource', undefined, 'auto'],
      ['credentialSource', 7, 'invalid'],
    ],
    modelId: [
      ['modelId', 'maker/own', 'maker/own'],
      ['modelId', 7, services[0].defaultModelId],
    ],
    isModelSet: [
      ['modelId', 'maker/own', true],
      ['modelId', 'a b', false],
      ['modelId', 7, false],
    ],
    invalidModelId: [
      ['modelId', 'maker/own', ''],
      ['modelId', 'a b', 'a b'],
      ['modelId', 7, ''],
    ],
    overridingModelId: [
      ['modelId', 'maker/own', ''],
      ['modelId', 7, ''],
    ],
    operation: [
      ['operation', 'generation', 'generation'],
      ['operation', 'embedding', 'chat'],
      ['operation', 7, 'chat'],
    ],
    parameters: [
      ['parameters', { top_p: 1 }, { top_p: 1 }],
      ['parameters', ['top_p'], {}],
    ],
    insertMode: [
      ['insertMode', 'above', 'above'],
      ['insertMode', 7, 'below'],
    ],
    limits: [
      ['maxConcurrentRequests', 2.4, { limit: 2, minIntervalMs: 0, queue: 50 }],
      ['maxConcurrentRequests', 0, { limit: 1, minIntervalMs: 0, queue: 50 }],
      ['maxConcurrentRequests', 9, { limit: 8, minIntervalMs: 0, queue: 50 }],
      ['maxConcurrentRequests', '8', { limit: 1, minIntervalMs: 0, queue: 50 }],
      ['minRequestInterval', 99.6, { limit: 1, minIntervalMs: 100, queue: 50 }],
      ['minRequestInterval', -1, { limit: 1, minIntervalMs: 0, queue: 50 }],
      ['minRequestInterval', 60_001, { limit: 1, minIntervalMs: 60_000, queue: 50 }],
      ['minRequestInterval', '100', { limit: 1, minIntervalMs: 0, queue: 50 }],
    ],
    offersTool: [
      ['offerTool', true, true],
      ['offerTool', 'true', false],
    ],
    dailyTokenBudget: [
      ['dailyTokenBudget', 0.4, 1],
      ['dailyTokenBudget', 1e13, 1e12],
      ['dailyTokenBudget', -1, 'invalid'],
      ['dailyTokenBudget', '100', 'invalid'],
    ],
    templates: [
      ['templates', [7], { user: [7], remote: [], workspace: [], folder: [] }],
      ['templates', 'Review', { user: [], remote: [], workspace: [], folder: [] }],
    ],
  };
  for (const [field, values] of Object.entries(cases)) {
    it(`are validated: ${field}`, async () => {
      const { readSettings } = await import('../../src/config/settings.ts');
      for (const [setting, value, expected] of values) {
        editor = new FakeEditor();
        editor.userSettings.set(setting, value);
        const settings = readSettings();
        const message = `${setting}: ${JSON.stringify(value)}`;
        assert.deepEqual(settings[field as keyof Settings], expected, message);
      }
    });
  }
});

describe('the model setting', () => {
  let editor = new FakeEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new FakeEditor();
  });
  const modelIn = async (folderId: string) => {
    const { readSettings } = await import('../../src/config/settings.ts');
    editor.userSettings.set('modelId', 'maker/own');
    editor.folderSettings.set('modelId', folderId);
    const { modelId, overridingModelId } = readSettings();
    return [modelId, overridingModelId];
  };

  it('is used unchanged if it is a valid ID', async () => {
    for (const id of ['maker/large-2', 'hf.co/Maker/x:Q4_K_M', 'maker/large@20250219', 'www']) {
      assert.deepEqual(await modelIn(id), [id, id]);
    }
  });

  it("F14: isn't used if it is an invalid ID, such as a link", async () => {
    for (const id of [
      ...['[Click](command:workbench.action.quit)', 'https://h0stile.example/x', '$(zap) x'],
      ...['www.h0stile.example', 'WWW.h0stile.example', 'maker/www.x', 'me@h0stile.example'],
      ...['a`b', 'a b', 'a\nb', '<b>', 'x'.repeat(1_000)],
    ]) {
      assert.deepEqual(await modelIn(id), [services[0].defaultModelId, ''], id);
    }
  });

  it('is used even if it names the default model of a different service', async () => {
    const { readSettings, withStoredService } = await import('../../src/config/settings.ts');
    const authentication = {
      kind: 'clientCredentials',
      tokenUrl: 'https://login.acme.example/token',
    };
    const acme = {
      word: 'acme',
      name: 'ACME',
      authentication,
      api: 'openai',
      defaultModel: 'gpt-4o',
    };
    editor.userSettings.set('services', [acme]);
    const modelId = () => withStoredService(readSettings(), ['acme']).modelId;
    assert.equal(modelId(), 'gpt-4o');
    editor.userSettings.set('modelId', services[0].defaultModelId);
    assert.equal(modelId(), services[0].defaultModelId);
  });

  it('is used for any service if it is in the folder settings', async () => {
    const { readSettings, settingsFor } = await import('../../src/config/settings.ts');
    editor.userSettings.set('modelId', 'maker/own');
    const [, other] = services;
    assert.ok(other);
    const modelOfOther = () => settingsFor(other, readSettings()).modelId;
    assert.equal(modelOfOther(), other.defaultModelId);
    editor.folderSettings.set('modelId', 'maker/own');
    assert.equal(modelOfOther(), 'maker/own');
    // In Restricted Mode, VS Code doesn't apply the folder's value.
    editor.isTrusted = false;
    assert.equal(modelOfOther(), other.defaultModelId);
  });

  it('is validated by package.json against the same pattern that the code uses', () => {
    const settings = settingsIn<{ readonly type: string; readonly pattern?: string }>(manifest);
    const { pattern = '' } = settings['hostedModel.modelId'] ?? {};
    assert.equal(pattern, `^$|${MODEL_ID.source}`);
  });
});

describe('the models of an added service', () => {
  it('have the same ID and name patterns in package.json as in the code', () => {
    const { models } =
      manifest.contributes.configuration.flatMap(({ properties }) =>
        'hostedModel.services' in properties
          ? [properties['hostedModel.services'].items.properties]
          : [],
      )[0] ?? {};
    const { id, name } = models?.items.properties ?? {};
    assert.deepEqual(
      [new RegExp(id?.pattern ?? '').source, new RegExp(name?.pattern ?? '').source],
      [MODEL_ID.source, MODEL_NAME.source],
    );
  });
});
