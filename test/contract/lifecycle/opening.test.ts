import assert from 'node:assert/strict';
import { activeResources } from '../../activeResources.ts';
import { gate } from '../../emulator/faults.ts';
import { defaultApiKey, defaultProjectId } from '../../emulator/settings.ts';
import { FakeKeyring, settled } from '../../unit/connection/fakes.ts';
import { becomes } from '../../vscode/deadline.ts';
import { SinkEditor } from '../leaks/sinkEditor.ts';
import { type OpenWindow, type Stores, type Windows, windows } from '../leaks/window.ts';
import { pathOf, tokenPath } from '../service/world.ts';
import { acme, type Life, startLife } from './life.ts';

const COMMANDS = ['generateFromSelection', 'refreshToken', 'showMenu', 'diagnose', 'signOut'];
/** Matches the kinds of items and listeners that a window holds only after a successful start. */
const EXTENSION_PARTS = /status item|configuration|window state|trust|opened document/;

describe('a newly opened window', () => {
  let opened: Windows;
  let life: Life;
  let started: OpenWindow[];
  before(() => {
    opened = windows(new SinkEditor());
  });
  after(() => opened.end());
  beforeEach(() => {
    started = [];
  });
  afterEach(() => life.emulator.close());

  const start = async (editor: SinkEditor, stores: Stores) => {
    const window = await opened.start(editor, stores);
    started.push(window);
    return window;
  };
  const closeAll = async () => {
    for (const window of started.splice(0).reverse()) await window.close();
  };
  /** Closes all windows before the result is reported, because open windows capture the output. */
  const closing = (test: () => Promise<void>) => async () => {
    try {
      await test();
    } finally {
      await closeAll();
    }
  };

  it(
    "K01: doesn't send a request, read a secret, or start a timer",
    closing(async () => {
      life = await startLife();
      const { emulator, stores } = life;
      await start(life.editor(), stores);
      await closeAll();
      const [editor, before] = [life.editor(), activeResources('Timeout')];
      await start(editor, stores);
      await becomes('painted', () => editor.textOf('status text').includes('ready, no token yet'));
      // The count can be lower than before, because timers from earlier tests can expire in the
      // meantime.
      assert.ok(activeResources('Timeout') <= before, 'the window has no timers');
      assert.deepEqual([emulator.openConnections, emulator.requests.length], [0, 0]);
      assert.equal(stores.keyring.reads, 0);
    }),
  );

  it(
    'never shows Set Up if a service is set up',
    closing(async () => {
      life = await startLife();
      const editor = life.editor();
      await start(editor, life.stores);
      await becomes('painted', () => editor.textOf('status text').includes('ready, no token yet'));
      assert.doesNotMatch(editor.textOf('status text'), /Set Up/);
    }),
  );

  it(
    'shows a neutral status item while secret storage isn’t responding',
    closing(async () => {
      life = await startLife();
      class SilentKeyring extends FakeKeyring {
        override window() {
          return super.window({ keys: () => new Promise<string[]>(() => {}) });
        }
      }
      const editor = life.editor();
      await start(editor, { ...life.stores, keyring: new SilentKeyring() });
      await settled();
      assert.match(editor.textOf('status text'), /^\$\(key\) Hosted Model$/m);
      assert.doesNotMatch(editor.textOf('status text'), /Set Up/);
    }),
  );

  class BrokenKeyring extends FakeKeyring {
    override window() {
      const fail = () => {
        throw new Error('no secrets');
      };
      return super.window({ onDidChange: fail });
    }
  }
  const brokenPart = (part: SinkEditor['broken']) => (editor: SinkEditor) => {
    editor.broken = part;
    return new FakeKeyring();
  };
  const failed = (part: string) => new RegExp(`couldn’t start: ${part} failed with Error`);
  const breaks: Readonly<
    Record<string, readonly [breakIt: (editor: SinkEditor) => FakeKeyring, logged: RegExp]>
  > = {
    'secret storage': [() => new BrokenKeyring(), failed('the key store')],
    'the status bar': [brokenPart('status bar'), failed('the status item')],
    'listening to the window': [brokenPart('windows'), failed('watching the window')],
    'registering a command': [
      (editor) => {
        editor.takenCommand = 'hostedModel.selectModel';
        return new FakeKeyring();
      },
      /couldn’t start: another extension already uses one of the command names/,
    ],
  };
  for (const [what, [breakIt, logged]] of Object.entries(breaks)) {
    it(
      `K02: shows the startup error each time a command runs if ${what} throws`,
      closing(async () => {
        life = await startLife();
        const editor = life.editor();
        const keyring = breakIt(editor);
        const window = await start(editor, { ...life.stores, keyring });
        for (const [index, command] of COMMANDS.entries()) {
          await window.run(command);
          const notifications = editor.sunk.get('notification') ?? [];
          assert.equal(
            notifications.filter((text) => text.includes('Couldn’t start')).length,
            index + 1,
          );
        }
        assert.match(editor.textOf('log'), logged);
        assert.equal(life.emulator.requests.length, 0);
        const mayStay = editor.broken === 'windows' ? { 'status item': 1 } : {};
        const heldKinds = Object.keys(editor.heldCounts).filter((one) => !(one in mayStay));
        assert.doesNotMatch(heldKinds.join(), EXTENSION_PARTS, 'no part is left half-created');
        await closeAll();
        assert.deepEqual(editor.heldCounts, mayStay);
        assert.equal(life.stores.keyring.listeners.size + keyring.listeners.size, 0);
      }),
    );
  }

  it(
    'retries loading its code each time a command runs, until loading succeeds',
    closing(async () => {
      life = await startLife();
      const { emulator, stores } = life;
      const editor = life.editor();
      const window = await start(editor, stores);
      const listeners = editor.heldCounts;
      editor.broken = 'tabs';
      for (const count of [1, 2]) {
        await window.run('refreshToken');
        const notifications = editor.sunk.get('notification') ?? [];
        assert.equal(notifications.filter((text) => text.includes('Couldn’t load')).length, count);
        assert.deepEqual(editor.heldCounts, listeners);
      }
      assert.match(editor.textOf('log'), /couldn’t load the commands: Error$/m);
      editor.broken = undefined;
      await window.run('refreshToken');
      assert.equal(emulator.count(tokenPath), 1);
    }),
  );

  it(
    'K13: shares its key and sign-outs, but not its token, with other windows',
    closing(async () => {
      life = await startLife();
      const { emulator, stores } = life;
      const [one, other] = [await start(life.editor(), stores), await start(life.editor(), stores)];
      await Promise.all([one.run('refreshToken'), other.run('refreshToken')]);
      assert.equal(emulator.count(tokenPath), 2);
      const stored = [...stores.keyring.values.keys(), ...stores.globalState.keys()];
      assert.ok(stored.every((name) => name.startsWith('hostedModel.')));
      assert.doesNotMatch(
        JSON.stringify([...stores.keyring.values]),
        new RegExp(emulator.tokensIssued.join('|')),
      );
      await one.run('signOut');
      await other.run('refreshToken');
      assert.equal(emulator.count(tokenPath), 2);
    }),
  );

  it(
    'A20: cancels calls that use .env credentials when another window signs out',
    closing(async () => {
      life = await startLife();
      const { emulator, stores } = life;
      stores.keyring.values.clear();
      const editor = life.editor();
      const settings = { API_KEY: defaultApiKey, PROJECT_ID: defaultProjectId, URL: emulator.url };
      const lines = Object.entries(settings).map(([name, value]) => `IBM_${name}=${value}`);
      editor.files.set('/work/.env', lines.join('\n'));
      const [one, other] = [await start(life.editor(), stores), await start(editor, stores)];
      const chat = pathOf('chat', true);
      const held = gate();
      emulator.faults.next(chat, { hold: held.opened });
      const generating = other.run('generateFromSelection');
      await becomes('sent', () => emulator.count(chat) === 1);
      await one.run('signOut');
      await generating;
      held.open();
      assert.doesNotMatch(editor.textOf('notification'), /in time/, 'canceled, not timed out');
      editor.button = 'Do Not Use';
      await other.run('refreshToken');
      assert.equal(editor.textOf('notification').match(/Use the API key/g)?.length, 2);
      assert.deepEqual([emulator.count(tokenPath), emulator.count(chat)], [1, 1]);
    }),
  );

  it(
    'keeps its token when another window stores a key for a different service',
    closing(async () => {
      life = await startLife();
      const { emulator, stores } = life;
      const editor = life.editor();
      const window = await start(editor, stores);
      await window.run('refreshToken');
      // Selecting a service without a stored key doesn't count as signing out.
      editor.userSettings.set('service', 'zen');
      const record = stores.keyring.values.get('hostedModel.key.ibm') ?? assert.fail();
      await stores.keyring.window().store('hostedModel.key.cpd', record);
      await settled();
      editor.userSettings.set('service', 'ibm');
      await window.run('generateFromSelection');
      assert.equal(emulator.count(tokenPath), 1);
    }),
  );

  it(
    'shows the only service with a stored key as ready, without reading the key',
    closing(async () => {
      life = await startLife();
      const [editor, { keyring }] = [life.editor(), life.stores];
      const record = keyring.values.get('hostedModel.key.ibm') ?? assert.fail();
      keyring.values.delete('hostedModel.key.ibm');
      keyring.values.set('hostedModel.key.cpd', record);
      await start(editor, life.stores);
      await becomes('painted', () => editor.textOf('status text').includes('ready, no token yet'));
      assert.equal(keyring.reads, 0);
    }),
  );

  for (const chosen of ['', 'acme']) {
    it(
      `ignores the stored key of a service whose entry was deleted (settings: ${chosen || 'no service'})`,
      closing(async () => {
        life = await startLife();
        const [editor, { keyring }] = [life.editor(), life.stores];
        const record = keyring.values.get('hostedModel.key.ibm') ?? assert.fail();
        if (chosen === '') keyring.values.delete('hostedModel.key.ibm');
        keyring.values.set('hostedModel.key.acme', record);
        editor.userSettings.set('service', chosen);
        await start(editor, life.stores);
        await becomes('looked at', () => editor.textOf('context key').includes('isSetUp'));
        assert.doesNotMatch(editor.textOf('context key'), /isSetUp",true/);
        assert.equal(keyring.reads, 0);
      }),
    );
  }

  it(
    "doesn't send or report anything if it is closed while loading",
    closing(async () => {
      life = await startLife();
      const { emulator, stores } = life;
      for (const command of ['refreshToken', 'selectModel', 'generateFromSelection']) {
        const editor = life.editor();
        const window = await opened.start(editor, stores);
        const running = window.run(command);
        await window.close();
        await running;
        assert.equal(editor.textOf('notification'), '', command);
        assert.doesNotMatch(editor.textOf('log'), /error|Error/, command);
      }
      assert.equal(emulator.requests.length, 0);
    }),
  );

  it(
    'shows the space ID from the settings before the first command',
    closing(async () => {
      life = await startLife();
      const editor = life.editor();
      editor.userSettings.set('spaceId', 'space-of-the-user');
      await start(editor, life.stores);
      await becomes('painted', () => /^Space: space-of-the-user/m.test(editor.textOf('tooltip')));
      assert.doesNotMatch(editor.textOf('tooltip'), /Project: /);
    }),
  );

  for (const [what, services] of [
    ['missing', []],
    ['invalid', [{ word: 'acme', api: 'openai' }]],
  ] as const) {
    it(
      `doesn't show another service's values if the selected service's entry is ${what}`,
      closing(async () => {
        life = await startLife();
        const editor = life.editor();
        editor.userSettings.set('service', 'acme').set('services', services);
        await start(editor, life.stores);
        await becomes('painted', () => editor.textOf('tooltip').includes('not set up'));
        assert.doesNotMatch(editor.textOf('tooltip'), /^(Identity service|Project|Model): /m);
      }),
    );
  }

  it(
    'shows “not set” only for a missing project or key',
    closing(async () => {
      life = await startLife();
      const editor = life.editor();
      const window = await start(editor, life.stores);
      const tooltip = () => editor.tooltips.at(-1)?.given ?? '';
      const change = (projectId: string) => {
        editor.userSettings.set('projectId', projectId);
        editor.fire('configuration', { affectsConfiguration: () => true });
      };
      change('');
      await becomes('painted', () => tooltip().includes('Project: not set'));
      assert.doesNotMatch(editor.textOf('tooltip'), /API key/);
      change(defaultProjectId);
      await window.run('signOut');
      await becomes('signed out', () => /^API key: not set/m.test(tooltip()));
      assert.doesNotMatch(tooltip(), /(Service|Project): not set/);
    }),
  );

  for (const [authentication, lines] of [
    [
      { kind: 'clientCredentials', tokenUrl: 'https://id.example/token' },
      ['Client secret: not set'],
    ],
    [{ kind: 'none' }, []],
  ] as const) {
    it(
      `shows only the required secrets as “not set” (${authentication.kind})`,
      closing(async () => {
        life = await startLife();
        const editor = life.editor();
        editor.userSettings.set('service', 'acme').set('services', [{ ...acme, authentication }]);
        await start(editor, life.stores);
        await becomes('painted', () => editor.textOf('tooltip').includes('not set up'));
        assert.deepEqual(editor.textOf('tooltip').match(/^.*: not set(?= *$)/gm) ?? [], lines);
      }),
    );
  }

  it(
    'doesn’t show a model until an external source has been read',
    closing(async () => {
      life = await startLife();
      const editor = life.editor();
      editor.userSettings.delete('url');
      life.stores.workspaceState.values.set('hostedModel.usesExternalSource', true);
      await start(editor, life.stores);
      const tooltip = () => editor.tooltips.at(-1)?.given ?? '';
      await becomes('painted', () => tooltip().includes('Credentials: not read yet'));
      assert.doesNotMatch(tooltip(), /^Model: /m);
    }),
  );

  it(
    'shows the folder’s project instead of the deployment in user settings',
    closing(async () => {
      life = await startLife();
      const editor = life.editor();
      editor.userSettings.set('deploymentId', 'deployment-of-the-user');
      editor.folderSettings.set('projectId', 'project-of-the-folder');
      await start(editor, life.stores);
      const ofFolder = /^Project: project-of-the-folder/m;
      await becomes('painted', () => ofFolder.test(editor.textOf('tooltip')));
      assert.doesNotMatch(editor.textOf('tooltip'), /Deployment: /);
    }),
  );
});
