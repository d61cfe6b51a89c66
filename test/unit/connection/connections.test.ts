import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import type { Uri, WorkspaceFolder } from 'vscode';
import type { App } from '../../../src/commands/commandTypes.ts';
import type { Obstacle } from '../../../src/connection/activeConnection.ts';
import type { Connections } from '../../../src/connection/connections.ts';
import { KeyStore, type StorageIssue } from '../../../src/connection/keyStore.ts';
import { SourceApprovals } from '../../../src/connection/sourceApprovals.ts';
import { services } from '../../../src/service/builtInServices.ts';
import { Connection } from '../../../src/service/connection.ts';
import { Secret } from '../../../src/service/secret.ts';
import type { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import { FakeEditor, installEditor } from './fakeEditor.ts';
import { FakeKeyring, FakeState, settled } from './fakes.ts';

const IDENTITY = 'https://identity.example';
const SERVICE = 'https://service.example';
const EVIL = 'https://evil.example';
/** The label of the first service in setup. */
const IBM = 'IBM watsonx.ai';
const SAVE = '$(save) Save Without Testing';
const envFile = (url = EVIL, key = 'key-in-the-file') =>
  `VENDOR_API_KEY=${key}\nVENDOR_PROJECT_ID=project-in-the-file\nVENDOR_URL=${url}\n`;

const secretsIn = (connection: Connection | undefined) =>
  connection && Connection.credentials(connection);

function otherKeysOf(connection: Connection | undefined): string[] {
  return (secretsIn(connection)?.otherKeys ?? []).map(({ apiKey }) => apiKey);
}

describe('Connections', () => {
  let editor = new FakeEditor();
  let keys: KeyStore;
  let storageIssues: StorageIssue[];
  let connections: Connections;
  /** Requests the connection for a file, as a generation does. */
  let forFile: (path: string) => Promise<Connection | undefined>;
  let environment: Record<string, string>;
  let keyring: FakeKeyring;
  let beforeSecrets: Promise<void>;
  let beforeList: Promise<void>;
  let asked: string[];
  let service: Pick<ServiceRuntime, 'test' | 'isRejected' | 'forgetRejection' | 'forgetTokens'>;
  /** A log of the current connection: its folder and stored key after each change. */
  let shown: string[];
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(async () => {
    environment = {};
    editor = new FakeEditor();
    editor.addFolder('/work');
    editor.activeFile = '/work/a.txt';
    editor.userSettings.set('authUrl', IDENTITY);
    keyring = new FakeKeyring();
    storageIssues = [];
    beforeSecrets = Promise.resolve();
    beforeList = Promise.resolve();
    asked = [];
    shown = [];
    service = {
      test: async () => {},
      isRejected: () => false,
      forgetRejection: () => {},
      forgetTokens: () => {},
    };
    const get = async (name: string) => {
      asked.push(`get ${name}`);
      const value = keyring.values.get(name);
      await beforeSecrets;
      return value;
    };
    const list = async () => {
      asked.push('list');
      await beforeList;
      return [...keyring.values.keys()];
    };
    const secrets = keyring.window({ get, keys: list });
    keys = new KeyStore(secrets, new FakeState(), (what) => storageIssues.push(what));
    const { Connections } = await import('../../../src/connection/connections.ts');
    const { activeFolder } = await import('../../../src/connection/folders.ts');
    forFile = (path) => connections.for(activeFolder({ scheme: 'file', path } as Uri));
    const { runSetUp } = await import('../../../src/connection/setUp/setUp.ts');
    // Looks up each function when it's called, because tests replace functions of `service`.
    const runtime = new Proxy({} as ServiceRuntime, {
      get: (_, name) => Reflect.get(service, name),
    });
    connections = new Connections({
      keys,
      approvals: new SourceApprovals(secrets, new FakeState()),
      workspaceState: new FakeState(),
      environment,
      runtime,
      runSetUp: (reason) => runSetUp({ keys, runtime }, reason),
      inBackground: (work) => void work.catch(assert.ifError),
    });
    connections.onDidChange(() => {
      if (!connections.current) return;
      const { folder, record } = connections.current.found;
      const text = `${folder.path} ${record ? Secret.open(record).apiKey : 'no key'}`;
      if (text !== shown.at(-1)) shown.push(text);
    });
  });

  afterEach(() => connections.dispose());

  const storeKey = async () => {
    editor.userSettings.set('url', SERVICE);
    editor.userSettings.set('projectId', 'my-project');
    await keys.write({ apiKey: 'my-key', authUrl: IDENTITY, serviceUrl: SERVICE }, 'ibm');
    await settled();
  };
  const storeKeyAndFile = async () => {
    await storeKey();
    editor.files.set('/work/.env', envFile());
  };
  const setEnvironment = () => {
    environment['VENDOR_API_KEY'] = 'key-of-the-environment';
    environment['VENDOR_PROJECT_ID'] = 'p';
    environment['VENDOR_URL'] = EVIL;
  };
  const use = 'Use These Values';
  const reject = 'Do Not Use';

  describe('with several services', () => {
    const GATEWAY = 'https://llm.acme.example/v1';
    const entry = {
      ...{ word: 'acme', url: GATEWAY, api: 'openai', defaultModel: 'coder' },
      authentication: { kind: 'apiKey' },
    };
    const storeBoth = async () => {
      await storeKey();
      editor.userSettings.set('services', [entry]);
      const approved = { authUrl: GATEWAY, serviceUrl: GATEWAY };
      const definition = JSON.stringify(entry);
      await keys.write({ apiKey: 'key-of-acme', ...approved, definition }, 'acme');
      await settled();
    };
    const all = async () => {
      const found = await connections.all();
      return found.map((one) => [one.service.word, one.serviceUrl, secretsIn(one)?.apiKey]);
    };
    const own = ['ibm', SERVICE, 'my-key'];
    const added = ['acme', GATEWAY, 'key-of-acme'];

    it('returns no connections if `credentialSource` has an invalid value', async () => {
      await storeBoth();
      editor.userSettings.set('credentialSource', 'envfile');
      assert.deepEqual(await all(), []);
    });

    it('never mixes up the addresses, keys, and models of two services', async () => {
      await storeBoth();
      assert.deepEqual(await all(), [own, added]);
      const [first, second] = await connections.all();
      assert.equal(second?.modelId, 'coder');
      assert.deepEqual([otherKeysOf(first), otherKeysOf(second)], [['key-of-acme'], ['my-key']]);
    });

    it("E15: doesn't send a key from a .env file to any of them", async () => {
      await storeBoth();
      editor.files.set('/work/.env', 'IBM_API_KEY=key-in-the-file\n');
      editor.addFolder('/other');
      assert.deepEqual((await connections.all()).map(otherKeysOf), [
        ['key-of-acme', 'key-in-the-file'],
        ['my-key', 'key-in-the-file'],
      ]);
    });

    it('keeps both connections in use if a .env file contains another key', async () => {
      const { isStillUsed } = await import('../../../src/diagnose/connectionLookup.ts');
      await storeBoth();
      editor.files.set('/work/.env', 'IBM_API_KEY=key-in-the-file\n');
      editor.addFolder('/other');
      for (const one of await connections.all()) {
        assert.ok(await isStillUsed(one, () => connections.all()));
      }
    });

    it("stops using a connection once the folder's settings select another source", async () => {
      const { isStillUsed, lookUpFor } = await import('../../../src/diagnose/connectionLookup.ts');
      await storeKey();
      editor.addFolder('/other');
      const folder = editor.folders[1] as unknown as WorkspaceFolder;
      const [connection] = await connections.all();
      assert.ok(connection);
      assert.equal(await isStillUsed(connection, lookUpFor({ connections }, folder)), true);
      editor.folderSettings.set('credentialSource', 'envFile');
      assert.equal(await isStillUsed(connection, lookUpFor({ connections }, folder)), false);
    });

    it('treats a connection as unused if the lookup takes 10 s', async () => {
      const { isStillUsed } = await import('../../../src/diagnose/connectionLookup.ts');
      await storeKey();
      const [connection] = await connections.all();
      assert.ok(connection);
      for (const [ms, isUsed] of [
        [9_999, true],
        [10_000, false],
      ] as const) {
        mock.timers.enable({ apis: ['setTimeout'] });
        // The source file imports promise-based timers by name. Without this call, it would use the
        // real timers.
        syncBuiltinESMExports();
        try {
          const lookup = Promise.withResolvers<readonly Connection[]>();
          const answer = isStillUsed(connection, () => lookup.promise);
          mock.timers.tick(ms);
          await settled();
          lookup.resolve([connection]);
          assert.equal(await answer, isUsed);
        } finally {
          mock.timers.reset();
          syncBuiltinESMExports();
        }
      }
    });

    it("doesn't search PATH for an unused service's program", async () => {
      await storeKey();
      const command = {
        ...{ word: 'acme', url: GATEWAY, api: 'openai', defaultModel: 'coder' },
        authentication: { kind: 'command', command: ['print-token'] },
      };
      editor.userSettings.set('services', [command]);
      const definition = JSON.stringify(command);
      await keys.write({ apiKey: '', authUrl: GATEWAY, serviceUrl: GATEWAY, definition }, 'acme');
      const { mock: stat } = mock.method(fs, 'stat');
      const searches = () =>
        stat.calls.filter(({ arguments: [path] }) => String(path).endsWith('print-token')).length;
      assert.equal((await connections.peek()).choice.kind, 'ready');
      assert.equal(searches(), 0);
      await connections.all();
      assert.ok(searches() > 0);
      stat.restore();
    });

    it("returns one connection with the stored key and another with the .env file's key", async () => {
      await storeBoth();
      editor.files.set('/work/.env', `ACME_API_KEY=key-in-the-file\nACME_URL=${GATEWAY}\n`);
      editor.userSettings.set('credentialSource', 'envFile');
      const required = connections.for();
      await (await editor.modalPrompt()).answer(use);
      await required;
      assert.deepEqual(await all(), [['acme', GATEWAY, 'key-in-the-file'], own]);
    });

    it("doesn't return a connection for chat if the selected source can't be used", async () => {
      await storeBoth();
      const inUse = async () => (await connections.inChat())?.service.word;
      assert.equal(await inUse(), 'ibm');
      editor.files.set('/work/.env', 'IBM_API_KEY=key-in-the-file\n');
      editor.userSettings.set('credentialSource', 'envFile');
      assert.equal(await inUse(), undefined);
      assert.deepEqual(await all(), [added]);
    });

    it("switches the service for selections without losing either service's project or address", async () => {
      await storeBoth();
      editor.userSettings.set('service', 'ibm');
      const [, gateway] = await connections.all();
      assert.ok(gateway);
      assert.equal(await connections.useForSelections(gateway.service, 'large'), true);
      const { modelId, service: used } = (await connections.for()) ?? assert.fail();
      assert.deepEqual([used.word, modelId], ['acme', 'large']);
      assert.deepEqual(await all(), [added, own]);

      editor.userSettings.set('projectId', '');
      assert.equal(await connections.useForSelections(services[0]), true);
      const back = await connections.for();
      assert.deepEqual([back?.serviceUrl, back?.projectId], [SERVICE, 'my-project']);
      assert.deepEqual(await all(), [own, added]);
    });

    const overrides = 'A workspace or remote setting overrides its model.';
    for (const [what, ofFolder, picked, more] of [
      ['the picked model', 'ibm/granite-of-the-team', 'large', ` ${overrides}`],
      ['the default model', 'ibm/granite-of-the-team', undefined, ` ${overrides}`],
      ['nothing', 'large', 'large', ''],
      ['nothing, because the ID is invalid', '[x](command:x)', undefined, ''],
    ] as const) {
      it(`reports whether the folder settings override the new service's model (overridden: ${what})`, async () => {
        await storeBoth();
        editor.userSettings.set('service', 'ibm');
        editor.folderSettings.set('modelId', ofFolder);
        const [, gateway] = await connections.all();
        assert.ok(gateway);
        const [work = null] = editor.folders as WorkspaceFolder[];
        const { switchSelections } = await import('../../../src/commands/serviceSwitch.ts');
        await switchSelections({ connections } as App, work, gateway.service, picked);
        assert.deepEqual(editor.messages, [`acme is now used for selections.${more}`]);
      });
    }

    it("reports a switch to a deployment, but doesn't warn about the folder's model", async () => {
      await storeBoth();
      const approved = { authUrl: IDENTITY, serviceUrl: SERVICE };
      const deployment = { projectId: 'my-deployment', resource: 'deployment' } as const;
      await keys.write({ apiKey: 'my-key', ...approved, ...deployment }, 'ibm');
      editor.userSettings.set('service', 'acme');
      editor.folderSettings.set('modelId', 'ibm/granite-of-the-team');
      const [work = null] = editor.folders as WorkspaceFolder[];
      const { switchSelections } = await import('../../../src/commands/serviceSwitch.ts');
      await switchSelections({ connections } as App, work, services[0]);
      assert.equal(editor.userSettings.get('deploymentId'), 'my-deployment');
      assert.deepEqual(editor.messages, [`${services[0].name} is now used for selections.`]);
    });

    for (const [button, messages] of [
      ['Use Other Sources', ['acme is now used for selections.']],
      [undefined, []],
    ] as const) {
      it(`asks before switching from a .env file to another service: ${button ?? 'closed'}`, async () => {
        await storeBoth();
        editor.userSettings.set('service', 'ibm');
        editor.folderSettings.set('credentialSource', 'envFile');
        editor.files.set('/work/.env', envFile().replaceAll('VENDOR', 'IBM'));
        const before = connections.for();
        await (await editor.modalPrompt()).answer(use);
        assert.equal((await before)?.source, 'envFile');
        const [, gateway] = await connections.all();
        assert.ok(gateway);
        const [work = null] = editor.folders as WorkspaceFolder[];
        const { switchSelections } = await import('../../../src/commands/serviceSwitch.ts');
        const switched = switchSelections({ connections } as App, work, gateway.service);
        const question = await editor.modalPrompt();
        assert.match(question.text, /selects the \.env file in work, which can’t be used/);
        await question.answer(button);
        await switched;
        assert.deepEqual(editor.messages, messages);
        const { choice } = await connections.peek();
        const used = choice.kind === 'ready' ? choice.connection.service.word : choice.kind;
        assert.equal(used, button ? 'acme' : 'ibm');
      });
    }

    const fixed = {
      ...{ word: 'acme', url: GATEWAY, api: 'watsonx', defaultModel: 'coder' },
      authentication: { kind: 'none' },
    };
    for (const [what, word, record] of [
      ['a service', 'cpd', { account: 'me', apiKey: 'my-key', authUrl: EVIL, serviceUrl: EVIL }],
      [
        'a service with a fixed URL',
        'acme',
        {
          ...{ apiKey: '', authUrl: GATEWAY, serviceUrl: GATEWAY },
          definition: JSON.stringify(fixed),
        },
      ],
    ] as const) {
      it(`never uses the wrong service's project if a switch to ${what} fails`, async () => {
        await storeKey();
        editor.userSettings.set('services', [fixed]).set('service', 'ibm');
        await keys.write({ ...record, projectId: 'project-of-the-other' }, word);
        const [, other] = await connections.all();
        assert.equal(other?.service.word, word);
        const write = editor.userSettings.set;
        for (let writes = 0, isDone = false; !isDone; writes += 1) {
          let left = writes;
          editor.userSettings.set = (name, value) => {
            if (left === 0) throw new Error('The settings can’t be written.');
            left -= 1;
            return write.call(editor.userSettings, name, value);
          };
          isDone = await connections.useForSelections(other.service).then(Boolean, () => false);
          editor.userSettings.set = write;
          const { choice } = await connections.peek();
          if (choice.kind === 'ready') {
            const { service: used, projectId } = choice.connection;
            const own = used.word === 'ibm' ? 'my-project' : 'project-of-the-other';
            assert.equal(projectId, own, `after ${writes} writes`);
          }
          editor.userSettings.set('service', 'ibm').set('url', SERVICE).set('authUrl', IDENTITY);
          editor.userSettings.set('projectId', 'my-project');
        }
      });
    }

    it("sets up a second service without changing the first service's identity address", async () => {
      await storeKey();
      editor.typed.push('key-of-the-gateway');
      editor.picks.push('IBM watsonx.ai model gateway', 'Frankfurt', SAVE);
      assert.equal(await connections.setUp(), true);
      const usedFor = async () => {
        const { choice } = await connections.peek();
        assert.ok(choice.kind === 'ready', choice.kind);
        return [choice.connection.service.word, choice.connection.authUrl];
      };
      assert.deepEqual(await usedFor(), ['ibm_gateway', 'https://iam.cloud.ibm.com']);

      assert.equal(await connections.useForSelections(services[0]), true);
      assert.deepEqual(await usedFor(), ['ibm', IDENTITY]);
    });

    it('omits a service whose entry has changed since the user approved the service', async () => {
      await storeBoth();
      editor.userSettings.set('services', [{ ...entry, url: EVIL }]);
      assert.deepEqual(await all(), [own]);
    });

    it('omits a service whose key was deleted', async () => {
      await storeBoth();
      await keys.remove('acme');
      assert.deepEqual(await all(), [own]);
      editor.userSettings.set('service', 'acme');
      assert.equal((await connections.peek()).choice.kind, 'missing');
    });
  });

  it('B24: prompts once for concurrent commands', async () => {
    editor.files.set('/work/.env', envFile());
    const all = Promise.all(Array.from({ length: 10 }, () => connections.for()));
    await (await editor.modalPrompt()).answer(use);
    for (const credentials of await all) assert.equal(credentials?.serviceUrl, EVIL);
    assert.equal(editor.modalCount, 1);
  });

  it('reads secret storage only once for each generation after the first', async () => {
    await storeKey();
    await connections.for();
    asked = [];
    await connections.for();
    assert.deepEqual(asked, ['get hostedModel.key.ibm']);
  });

  it("uses only the editor’s key in chat, and doesn't ask the user", async () => {
    await storeKey();
    editor.files.set('/work/.env', envFile());
    setEnvironment();
    const look = async () => {
      const [connection] = await connections.all();
      return [connection?.source, secretsIn(connection)?.apiKey, otherKeysOf(connection).sort()];
    };
    const others = ['key-in-the-file', 'key-of-the-environment'];
    assert.deepEqual(await look(), ['editor', 'my-key', others]);
    editor.addFolder('/other');
    editor.files.set('/other/.env', envFile(EVIL, 'key-in-another-file'));
    const all = ['key-in-another-file', ...others];
    assert.deepEqual(await look(), ['editor', 'my-key', all], 'an agent can read every folder');
    assert.equal(editor.modalCount, 0);
  });

  it('E12: never sends the keys of unused sources', async () => {
    await storeKey();
    editor.files.set('/work/.env', envFile());
    setEnvironment();
    const others = async () => {
      const { choice } = await connections.peek();
      assert.ok(choice.kind === 'ready');
      return [choice.connection.source, ...otherKeysOf(choice.connection).sort()];
    };
    assert.deepEqual(await others(), ['editor', 'key-in-the-file', 'key-of-the-environment']);
    const using = connections.useSource('envFile');
    await (await editor.modalPrompt()).answer(use);
    assert.equal(await using, true);
    assert.deepEqual(await others(), ['envFile', 'key-of-the-environment', 'my-key']);
  });

  const imperfect: Readonly<Record<string, string>> = {
    'is in quotes': envFile(EVIL, '"key-in-the-file"'),
    'has a comment after it': envFile(EVIL, 'key-in-the-file # of the team'),
    'follows the word Bearer': envFile(EVIL, 'Bearer key-in-the-file'),
    'comes with an invalid address': envFile('llm.evil.example'),
    'is the only value': 'VENDOR_API_KEY=key-in-the-file\n',
    'has the same name as an earlier key': `${envFile(EVIL, 'key-of-the-first-line')}VENDOR_API_KEY=key-in-the-file\n`,
    'belongs to a second set of names': `${envFile(EVIL, 'key-of-the-first-set')}WATSONX_API_KEY=key-in-the-file\n`,
    'belongs to an incomplete set of another service': `${envFile(EVIL, 'key-of-the-first-set')}CPD_API_KEY=key-in-the-file\n`,
  };
  for (const [what, text] of Object.entries(imperfect)) {
    it(`E15: doesn't send a key from a .env file, even if the key ${what}`, async () => {
      await storeKey();
      editor.files.set('/work/.env', text);
      const { choice } = await connections.peek();
      assert.ok(choice.kind === 'ready');
      assert.ok(otherKeysOf(choice.connection).includes('key-in-the-file'));
      editor.addFolder('/other');
      const [ofChat] = await connections.all();
      assert.ok(otherKeysOf(ofChat).includes('key-in-the-file'), 'an agent can read every folder');
    });
  }

  it('B24: returns undefined to all concurrent commands without opening setup if the user declines', async () => {
    editor.files.set('/work/.env', envFile());
    const all = Promise.all(Array.from({ length: 10 }, () => connections.for()));
    await (await editor.modalPrompt()).answer(reject);
    assert.deepEqual(new Set(await all), new Set([undefined]));
    assert.deepEqual([editor.modalCount, editor.inputCount], [1, 0]);
  });

  it('mentions the declined source when the next command opens setup', async () => {
    editor.files.set('/work/.env', envFile());
    const declined = connections.for();
    await (await editor.modalPrompt()).answer(reject);
    await declined;
    assert.equal(await connections.for(), undefined);
    assert.match(
      editor.prompts.join(),
      /URL\. Nothing was sent\. You declined or imported the \.env file in work\. To be asked again/,
    );
  });

  describe('with Ask Again, after the user declined both sources', () => {
    beforeEach(async () => {
      editor.files.set('/work/.env', envFile());
      setEnvironment();
      editor.pressed = 'Ask Again';
      const declined = connections.for();
      await (await editor.modalPrompt()).answer(reject);
      await (await editor.modalPrompt()).answer(reject);
      assert.equal(await declined, undefined);
    });

    it('prompts about both sources again, and uses the one that the user approves', async () => {
      await (await editor.modalPrompt()).answer(reject);
      await (await editor.modalPrompt()).answer(use);
      await settled();
      assert.equal(connections.active?.source, 'environment');
      assert.equal(editor.messages.at(-1), 'Hosted Model is ready. Try again.');
      assert.deepEqual([editor.modalCount, editor.inputCount], [4, 0]);
    });

    it('keeps the decisions if the user closes the prompt', async () => {
      await (await editor.modalPrompt()).answer();
      await settled();
      const { found } = await connections.peek();
      assert.deepEqual(
        found.external.map(({ decision }) => decision),
        ['declined', 'declined'],
      );
      assert.equal(editor.modalCount, 3);
    });
  });

  it('prompts again on the next command if the user closes the prompt', async () => {
    editor.files.set('/work/.env', envFile());
    for (const round of [1, 2]) {
      const required = connections.for();
      const question = await editor.modalPrompt();
      assert.equal(question.buttons[0], reject, 'Enter declines');
      await question.answer();
      assert.equal(await required, undefined);
      assert.deepEqual([editor.modalCount, editor.inputCount], [round, 0]);
    }
  });

  it("B24: doesn't prompt when files, settings, or folders change", async () => {
    await storeKey();
    for (let round = 0; round < 50; round += 1) {
      editor.files.set('/work/.env', envFile(`${EVIL}/${round}`));
      editor.folderSettings.set('projectId', `project-${round}`);
      editor.addFolder(`/other${round}`);
      await connections.peek();
    }
    assert.deepEqual([editor.modalCount, editor.inputCount], [0, 0]);
  });

  it('A08 A10: binds the key only to the hosts shown in the prompt', async () => {
    await storeKey();
    editor.userSettings.set('url', EVIL);
    const required = connections.for();
    const question = await editor.modalPrompt();
    assert.match(question.detail, /evil\.example/);
    editor.userSettings.set('url', 'https://third.example');
    await question.answer('Use New Hosts');
    assert.equal((await keys.read('ibm'))?.serviceUrl, EVIL);
    const again = await editor.modalPrompt();
    assert.match(again.detail, /went to evil\.example\nand would now go to third\.example/);
    await again.answer();
    assert.equal(await required, undefined);
  });

  it('A09: continues with the saved hosts if the user keeps them', async () => {
    await storeKey();
    editor.userSettings.set('url', EVIL);
    const required = connections.for();
    await (await editor.modalPrompt()).answer('Keep Saved Hosts');
    assert.equal((await required)?.serviceUrl, SERVICE);
    assert.equal(editor.userSettings.get('url'), SERVICE);
  });

  it("A05: keeps setup open if the new key can't be stored", async () => {
    await storeKey();
    keyring.values.set = () => {
      throw new Error('no keyring');
    };
    editor.picks.push(SAVE);
    const given = { apiKey: 'another-key-0123456789', projectId: 'my-project', url: SERVICE };
    const setUp = connections.setUp({ imported: { ...given, service: services[0] } });
    await (await editor.modalPrompt()).answer('Replace');
    assert.equal(await setUp, false);
    assert.deepEqual(storageIssues, ['rejects-key']);
    assert.deepEqual(editor.messages, [], 'no message that the setup is done');
    assert.equal(editor.inputCount, 2, 'the last step is shown again');
    assert.equal((await keys.read('ibm'))?.apiKey, 'my-key');
  });

  it('replaces a rejected key without asking for confirmation', async () => {
    await storeKey();
    service.isRejected = () => true;
    editor.typed.push('another-key-that-is-long', 'my-project');
    editor.picks.push(IBM, SERVICE, SAVE);
    assert.equal(await connections.setUp(), true);
    assert.equal((await keys.read('ibm'))?.apiKey, 'another-key-that-is-long');
  });

  it('saves the new project even if the user keeps the stored key', async () => {
    await storeKey();
    editor.typed.push('another-key-that-is-long', 'other-project');
    editor.picks.push(IBM, SERVICE, SAVE, SAVE);
    const setUp = connections.setUp();
    await (await editor.modalPrompt()).answer('Keep Stored Value');
    assert.equal(await setUp, true);
    assert.equal((await keys.read('ibm'))?.apiKey, 'my-key');
    assert.equal(editor.userSettings.get('projectId'), 'other-project');
  });

  it('offers to generate text after setup if no command is waiting', async () => {
    let generations = 0;
    const { commands } = await import('vscode');
    commands.registerCommand('hostedModel.generateFromSelection', async () => {
      generations += 1;
    });
    editor.pressed = 'Generate from selection';
    const setUp = async (start: () => Promise<unknown>) => {
      editor.typed.push('key-0123456789abcdef', 'my-project');
      editor.picks.push(IBM, 'Frankfurt', SAVE);
      await start();
      await settled();
      return generations;
    };
    assert.equal(
      await setUp(() => connections.for()),
      0,
      'the waiting command continues automatically',
    );
    await keys.delete();
    assert.equal(await setUp(() => connections.setUp()), 1);
    await keys.delete();
    editor.activeFile = undefined;
    assert.equal(
      await setUp(() => connections.setUp()),
      1,
      'without a document, there is nothing to generate from',
    );
  });

  it('A05: keeps the old hosts if storing the new ones fails', async () => {
    await storeKey();
    editor.userSettings.set('url', EVIL);
    keyring.values.set = () => {
      throw new Error('no keyring');
    };
    const required = connections.for();
    await (await editor.modalPrompt()).answer('Use New Hosts');
    assert.equal(await required, undefined);
    assert.equal(editor.modalCount, 1);
    assert.equal((await keys.read('ibm'))?.serviceUrl, SERVICE);
  });

  it("A12: doesn't bind new hosts to a key that changed during the prompt", async () => {
    await storeKey();
    editor.userSettings.set('url', EVIL);
    const required = connections.for();
    const question = await editor.modalPrompt();
    await keys.write({ apiKey: 'another-key', authUrl: IDENTITY, serviceUrl: SERVICE }, 'ibm');
    await question.answer('Use New Hosts');
    assert.equal((await keys.read('ibm'))?.serviceUrl, SERVICE);
    await (await editor.modalPrompt()).answer();
    assert.equal(await required, undefined);
  });

  it('A12: asks before replacing a key that another window stored during setup', async () => {
    const other = { apiKey: 'key-of-the-other-window', authUrl: IDENTITY, serviceUrl: SERVICE };
    editor.beforeInput = (answer) => {
      if (answer === SAVE) keyring.values.set('hostedModel.key.ibm', JSON.stringify(other));
    };
    editor.typed.push('another-key-that-is-long', 'my-project');
    editor.picks.push(IBM, 'Frankfurt', SAVE);
    const saved = connections.setUp();
    await (await editor.modalPrompt()).answer('Keep Stored Value');
    assert.equal(await saved, false);
    assert.equal((await keys.read('ibm'))?.apiKey, 'key-of-the-other-window');
  });

  it("A17: doesn't restore the key if the user signs out during setup", async () => {
    await storeKey();
    editor.beforeUpdate = (name) => {
      editor.beforeUpdate = () => {};
      assert.equal(name, 'projectId');
      void connections.signOut();
    };
    editor.typed.push('', 'other-project');
    editor.picks.push(IBM, SERVICE, SAVE);
    assert.equal(await connections.setUp(), false);
    assert.equal(await keys.read('ibm'), undefined);
    assert.match(editor.messages.join(), /The stored value changed/);
    assert.deepEqual(storageIssues, []);
  });

  it('keeps the values entered in setup if saving the settings fails', async () => {
    await storeKey();
    editor.beforeUpdate = () => {
      editor.beforeUpdate = () => {};
      throw new Error('unsaved changes');
    };
    editor.typed.push('another-key-that-is-long', 'other-project');
    editor.picks.push(IBM, SERVICE, SAVE, SAVE);
    const saved = connections.setUp();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await (await editor.modalPrompt()).answer('Replace');
    }
    assert.equal(await saved, true);
    assert.equal((await keys.read('ibm'))?.apiKey, 'another-key-that-is-long');
    assert.equal(editor.userSettings.get('projectId'), 'other-project');
  });

  it("A05: saves nothing from setup if the new key can't be stored", async () => {
    await storeKey();
    keyring.values.set = () => {
      throw new Error('no keyring');
    };
    editor.typed.push('another-key-that-is-long', 'other-project');
    editor.picks.push(IBM, EVIL, SAVE);
    const saved = connections.setUp();
    await (await editor.modalPrompt()).answer('Replace');
    assert.equal(await saved, false);
    const connection = await connections.for();
    assert.deepEqual(
      [secretsIn(connection)?.apiKey, connection?.projectId, connection?.serviceUrl],
      ['my-key', 'my-project', SERVICE],
    );
  });

  it("A05: keeps the current source if a new service's key can't be stored", async () => {
    const source = async () => (await connections.for())?.source;
    editor.files.set('/work/.env', envFile());
    const first = source();
    await (await editor.modalPrompt()).answer(use);
    assert.equal(await first, 'envFile');
    keyring.values.set = () => {
      throw new Error('no keyring');
    };
    editor.picks.push('$(add) Add a Service...', 'OpenAI-Compatible', 'API Key', SAVE, 'model-1');
    editor.typed.push('https://llm.acme.example', 'key-of-acme-0123456789');
    assert.equal(await connections.setUp(), false);
    assert.equal(await source(), 'envFile');
    assert.equal(editor.userSettings.get('services'), undefined);
  });

  for (const [what, change] of Object.entries({
    'the identity address': () => editor.userSettings.set('authUrl', 'https://other.example'),
    'the service address in the file': () =>
      editor.files.set('/work/.env', envFile('https://third.example')),
    'the key in the file': () => editor.files.set('/work/.env', envFile(EVIL, 'another-key')),
  })) {
    it(`B08: prompts again if ${what} changes while the prompt is open`, async () => {
      editor.files.set('/work/.env', envFile());
      const required = connections.for();
      const question = await editor.modalPrompt();
      change();
      await question.answer(use);
      assert.equal(editor.modalCount, 2);
      await (await editor.modalPrompt()).answer();
      assert.equal(await required, undefined);
    });
  }

  it("B08: doesn't use a .env file whose folder becomes untrusted while the prompt is open", async () => {
    editor.files.set('/work/.env', envFile());
    const required = connections.for();
    const question = await editor.modalPrompt();
    editor.isTrusted = false;
    await question.answer(use);
    assert.equal(await required, undefined);
  });

  it('B09: treats only the values shown in the prompt as declined', async () => {
    editor.files.set('/work/.env', envFile());
    const required = connections.for();
    const question = await editor.modalPrompt();
    editor.files.set('/work/.env', envFile(SERVICE));
    await question.answer(reject);
    await (await editor.modalPrompt()).answer(use);
    assert.equal((await required)?.serviceUrl, SERVICE);
  });

  it('returns a connection as soon as an invalid address is fixed', async () => {
    await storeKey();
    editor.userSettings.set('url', 'http://service.example');
    assert.equal(await connections.for(), undefined);
    editor.userSettings.set('url', SERVICE);
    assert.equal((await connections.for())?.serviceUrl, SERVICE);
    editor.userSettings.set('authUrl', 'http://identity.example');
    editor.picks.push(IBM);
    assert.equal(await connections.setUp(), false);
  });

  it("B14: uses the document's folder, even if the active editor belongs to another folder", async () => {
    editor.addFolder('/evil');
    editor.files.set('/evil/.env', envFile());
    editor.files.set('/work/.env', envFile(SERVICE));
    editor.activeFile = '/evil/b.txt';
    const required = forFile('/work/a.txt');
    const question = await editor.modalPrompt();
    assert.match(question.detail, /Folder: \/work\n/);
    await question.answer(use);
    assert.equal((await required)?.serviceUrl, SERVICE);
    void connections.for();
    assert.match((await editor.modalPrompt()).detail, /Folder: \/evil\n/);
  });

  it("B14: doesn't use the active folder for a file outside the workspace", async () => {
    editor.addFolder('/evil');
    editor.files.set('/evil/.env', envFile());
    editor.files.set('/work/.env', envFile(SERVICE));
    const first = connections.for();
    const question = await editor.modalPrompt();
    // This call waits in the queue. Before it starts, the user switches to a folder with its own
    // source.
    void forFile('/home/me/private.txt');
    editor.activeFile = '/evil/b.txt';
    await question.answer(use);
    await first;
    await assert.rejects(editor.modalPrompt(), 'no prompt about the active folder');
  });

  it('B14: prompts separately for concurrent commands in two folders', async () => {
    editor.addFolder('/evil');
    editor.files.set('/evil/.env', envFile());
    editor.files.set('/work/.env', envFile());
    const mine = connections.for();
    editor.activeFile = '/evil/b.txt';
    const others = connections.for();
    await (await editor.modalPrompt()).answer(use);
    assert.equal((await mine)?.serviceUrl, EVIL);
    await (await editor.modalPrompt()).answer();
    assert.equal(await others, undefined);
    assert.equal(editor.modalCount, 2);
  });

  it("B17: doesn't read a 10 MB .env file", async () => {
    editor.files.set('/work/.env', envFile().padEnd(10_000_000, '#'));
    const { found } = await connections.peek();
    assert.deepEqual(found.external[0]?.text, { kind: 'unread', why: 'too-large' });
    assert.equal(editor.reads, 0);
  });

  describe('with an unreadable .env file and an approved environment', () => {
    const useEnvironment = async () => {
      setEnvironment();
      const required = connections.for();
      await (await editor.modalPrompt()).answer(use);
      assert.equal((await required)?.source, 'environment');
    };
    const faults: [what: string, reason: string, make: () => void][] = [
      [
        'with a NUL byte',
        'it isn’t UTF-8 text',
        () => editor.files.set('/work/.env', `${envFile()}\0`),
      ],
      [
        'larger than 64 KB',
        'it’s larger than 64 KB',
        () => editor.files.set('/work/.env', envFile().padEnd(70_000, '#')),
      ],
      [
        'that the file system denies access to',
        'it can’t be read',
        () => {
          editor.statError = Object.assign(new Error('denied'), { code: 'NoPermissions' });
        },
      ],
    ];
    for (const [what, reason, make] of faults) {
      it(`explains why no source can be used: a .env file ${what}`, async () => {
        await useEnvironment();
        make();
        editor.messages.length = 0;
        assert.equal(await connections.for(), undefined);
        const [message = ''] = editor.messages;
        assert.ok(message.includes(`the .env file in work (${reason})`), message);
        assert.match(message, /the environment \(not used until the \.env file is fixed\)/);
      });
    }
  });

  it("doesn't read secrets or files just because a .env file has changed", async () => {
    await storeKeyAndFile();
    asked.length = 0;
    editor.watched('change', '/work/.env');
    await settled();
    assert.deepEqual([connections.current, asked, editor.reads], [undefined, [], 0]);
  });

  describe('with an approved .env file that can no longer be used', () => {
    const complete = envFile();
    const required = async () => {
      editor.messages.length = 0;
      assert.equal(await connections.for(), undefined);
      await settled();
    };
    beforeEach(async () => {
      editor.files.set('/work/.env', complete);
      const approved = connections.for();
      await (await editor.modalPrompt()).answer(use);
      assert.equal((await approved)?.source, 'envFile');
    });

    const faults: [what: string, text: string, message: string][] = [
      [
        'with quotes around the key',
        complete.replace('key-in-the-file', '"key-in-the-file"'),
        'The .env file in work can’t be used: VENDOR_API_KEY on line 1 has quotes around its value. Nothing was sent. Fix and save the file.',
      ],
      [
        'with spaces around the key',
        complete.replace('=', '= '),
        'The .env file in work can’t be used: VENDOR_API_KEY on line 1 has spaces around its value. Nothing was sent. Fix and save the file.',
      ],
      [
        'with an endpoint path in the address',
        complete.replace(EVIL, `${EVIL}/ml/v1/text/chat`),
        'The .env file in work can’t be used: VENDOR_URL on line 3 includes an endpoint path. Nothing was sent. Fix and save the file.',
      ],
      [
        'with a key that is set twice and an address in quotes',
        `VENDOR_API_KEY=another-key\n${complete.replace(EVIL, `"${EVIL}"`)}`,
        'The .env file in work can’t be used: VENDOR_API_KEY on line 2 conflicts with another value for the same setting, and VENDOR_URL on line 4 has quotes around its value. Nothing was sent. Fix and save the file.',
      ],
      [
        'without the project',
        complete.replace(/VENDOR_PROJECT_ID.*\n/, ''),
        'The .env file in work lacks VENDOR_PROJECT_ID. All values must come from the same source. Nothing was sent.',
      ],
    ];
    for (const [what, text, message] of faults) {
      it(`shows what to fix in a file ${what}, and doesn't open setup`, async () => {
        editor.files.set('/work/.env', text);
        setEnvironment();
        await required();
        assert.deepEqual(
          [editor.messages, editor.inputCount, editor.modalCount],
          [[message], 0, 1],
        );
        assert.equal(connections.obstacle, 'missing');
      });
    }

    it('stops reporting missing values once the file is complete, even without approval', async () => {
      editor.files.set('/work/.env', complete.replace(/VENDOR_PROJECT_ID.*\n/, ''));
      setEnvironment();
      await required();
      editor.files.set(
        '/work/.env',
        complete.replace(/(VENDOR_PROJECT_ID=).*/, '$1another-project'),
      );
      assert.match((await connections.peekWithProgress()).choice.kind, /^ask-/);
      assert.equal(connections.obstacle, 'none');
    });

    it('uses the file as soon as it is fixed and saved', async () => {
      editor.files.set('/work/.env', complete.replace('=', '= '));
      assert.equal((await connections.peekWithProgress()).choice.kind, 'missing');
      let changes = 0;
      connections.onDidChange(() => (changes += 1));
      editor.save('/work/.env', complete);
      await settled();
      assert.equal(connections.active?.source, 'envFile');
      assert.ok(changes > 0);
    });

    for (const event of ['create', 'change', 'delete'] as const) {
      it(`uses the file after another program fixes it (file event: ${event})`, async () => {
        editor.files.set('/work/.env', complete.replace('=', '= '));
        assert.equal((await connections.peekWithProgress()).choice.kind, 'missing');
        editor.files.set('/work/.env', complete);
        editor.watched(event, '/work/packages/.env');
        await settled();
        assert.equal(connections.current?.choice.kind, 'missing');
        editor.watched(event, '/work/.env');
        await settled();
        assert.equal(connections.active?.source, 'envFile');
      });
    }

    it('opens the file or setup, depending on which button the user clicks', async () => {
      editor.files.set('/work/.env', complete.replace('=', '= '));
      const { commands } = await import('vscode');
      let setUps = 0;
      commands.registerCommand('hostedModel.setUp', () => (setUps += 1));
      editor.pressed = 'Open .env';
      await required();
      assert.deepEqual([editor.shownDocuments, setUps], [['/work/.env'], 0]);
      editor.pressed = 'Set Up...';
      await required();
      assert.deepEqual([editor.shownDocuments, setUps], [['/work/.env'], 1]);
    });
  });

  describe('with unsaved changes in the .env file', () => {
    let saves: number;
    const CPD_FILE = 'CPD_API_KEY=my-key-that-is-long\n';
    const unsaved = 'The .env file in work has unsaved changes';
    const openUnsaved = (text: string) => {
      saves = 0;
      const save = async () => (saves += 1);
      const uri = { toString: () => 'file:///work/.env' };
      editor.openDocuments.push({ uri, isDirty: true, getText: () => text, save });
      editor.pressed = 'Save';
    };

    for (const [what, inFile, source] of [
      ['lacks settings', 'VENDOR_API_KEY=my-key-that-is-long\n', undefined],
      ['is empty', '', undefined],
      ['is selected by the settings but lacks settings', 'VENDOR_API_KEY=my-key\n', 'envFile'],
    ] as const) {
      it(`offers to save the file if it ${what}`, async () => {
        editor.files.set('/work/.env', inFile);
        if (source) editor.folderSettings.set('credentialSource', source);
        openUnsaved(envFile());
        assert.equal(await connections.for(), undefined);
        assert.deepEqual(editor.messages, [
          `${unsaved}. Nothing was sent. Save the file, then try again.`,
        ]);
        assert.equal(saves, 1);
        assert.deepEqual(editor.prompts, [], 'setup stays closed');
      });
    }

    it('mentions unsaved changes in the approval dialog', async () => {
      editor.files.set('/work/.env', envFile());
      openUnsaved(envFile(EVIL, 'another-key-in-the-file'));
      const waiting = connections.for();
      const { detail, answer } = await editor.modalPrompt();
      assert.match(
        detail,
        /^The \.env file has unsaved changes\. They aren’t used until you save the file\.\n/,
      );
      await answer(use);
      assert.ok(await waiting);
    });

    it('mentions them in the import dialog', async () => {
      await storeKeyAndFile();
      openUnsaved(envFile(EVIL, 'another-key-in-the-file'));
      const saved = connections.changeKey();
      const { detail, answer } = await editor.modalPrompt();
      assert.match(
        detail,
        /^The \.env file has unsaved changes\. To import them, save the file first\.\n/,
      );
      await answer(undefined);
      assert.equal(await saved, false);
    });

    it("doesn't mention them in the approval dialog for the environment", async () => {
      setEnvironment();
      openUnsaved('DEBUG=1\n');
      const waiting = connections.for();
      const { detail, answer } = await editor.modalPrompt();
      assert.doesNotMatch(detail, /unsaved/);
      await answer(use);
      assert.ok(await waiting);
    });

    it("doesn't offer to save values that the user has declined", async () => {
      editor.files.set('/work/.env', envFile());
      openUnsaved(`${envFile()}# a comment\n`);
      const waiting = connections.for();
      await (await editor.modalPrompt()).answer(reject);
      await waiting;
      assert.doesNotMatch(editor.messages.join(), new RegExp(unsaved));
    });

    it('offers to save the file if only its saved values were declined', async () => {
      editor.files.set('/work/.env', envFile());
      const waiting = connections.for();
      await (await editor.modalPrompt()).answer(reject);
      await waiting;
      openUnsaved(envFile(EVIL, 'another-key-in-the-file'));
      await connections.for();
      assert.match(editor.messages.at(-1) ?? '', new RegExp(unsaved));
    });

    it("doesn't offer to save a declined file whose key was deleted", async () => {
      editor.files.set('/work/.env', envFile());
      const waiting = connections.for();
      await (await editor.modalPrompt()).answer(reject);
      await waiting;
      openUnsaved(envFile().replace(/VENDOR_API_KEY=.*\n/, ''));
      await connections.for();
      assert.doesNotMatch(editor.messages.join(), new RegExp(unsaved));
    });

    it('offers to save the file if the saved version is too large', async () => {
      editor.files.set('/work/.env', `${envFile()}${'#'.repeat(70_000)}`);
      openUnsaved(envFile());
      await connections.for();
      assert.match(editor.messages.at(-1) ?? '', new RegExp(unsaved));
    });

    it("doesn't offer to save the file if the only missing value is the project setting", async () => {
      await storeKey();
      editor.userSettings.delete('projectId');
      openUnsaved(envFile());
      await connections.for();
      assert.doesNotMatch(editor.messages.join(), new RegExp(unsaved));
    });

    for (const [what, text, source] of [
      ['contain no settings for a service', 'DEBUG=1\n', undefined],
      ["aren't used, because the settings select the editor", envFile(), 'editor'],
      ['are for a different service than the one in the settings', CPD_FILE, undefined],
    ] as const) {
      it(`opens setup if the changes ${what}`, async () => {
        if (source) editor.folderSettings.set('credentialSource', source);
        if (text === CPD_FILE) editor.userSettings.set('service', 'ibm');
        openUnsaved(text);
        await connections.for();
        assert.doesNotMatch(editor.messages.join(), new RegExp(unsaved));
        assert.equal(saves, 0);
        assert.notDeepEqual(editor.prompts, []);
      });
    }
  });

  it("doesn't read a saved .env file before credentials are needed", async () => {
    editor.save('/work/.env', envFile());
    await settled();
    assert.equal(editor.reads, 0);
  });

  it("doesn't read the active folder's .env file until credentials are needed", async () => {
    editor.files.set('/work/.env', envFile());
    editor.fire('active editor');
    await settled();
    assert.equal(editor.reads, 0);
    editor.activeFile = '/home/me/private.txt';
    await connections.peekWithProgress();
    editor.activeFile = '/work/a.txt';
    editor.fire('active editor');
    await settled();
    assert.equal(editor.reads, 1);
  });

  it('switches to the new folder when the only folder is replaced', async () => {
    editor.activeFile = undefined;
    await connections.peekWithProgress();
    editor.folders = [];
    editor.addFolder('/other');
    editor.fire('folders');
    await settled();
    assert.equal(connections.current?.found.folder.path, '/other');
  });

  it('fires one change event when a folder is added', async () => {
    await storeKey();
    await connections.for();
    let changes = 0;
    connections.onDidChange(() => {
      changes += 1;
    });
    editor.addFolder('/other');
    editor.fire('folders');
    await settled();
    assert.equal(changes, 1);
  });

  it('reports a missing approval only for the folder whose prompt was closed', async () => {
    editor.addFolder('/other');
    editor.files.set('/other/.env', envFile());
    editor.files.set('/work/.env', envFile(SERVICE));
    const approved = connections.for();
    await (await editor.modalPrompt()).answer(use);
    await approved;
    const obstacles: Obstacle[] = [];
    connections.onDidChange(() => obstacles.push(connections.obstacle));
    const required = forFile('/other/a.txt');
    await (await editor.modalPrompt()).answer();
    assert.equal(await required, undefined);
    assert.equal(connections.obstacle, 'none');
    editor.activeFile = '/other/a.txt';
    editor.fire('active editor');
    await settled();
    assert.equal(obstacles.at(-1), 'approval');
    editor.activeFile = '/work/a.txt';
    editor.fire('active editor');
    await settled();
    assert.equal(obstacles.at(-1), 'none');
  });

  it('reports a missing approval after the .env file changes, but not after a sign-out', async () => {
    editor.files.set('/work/.env', envFile());
    const approved = connections.for();
    await (await editor.modalPrompt()).answer(use);
    await approved;
    await connections.signOut();
    await connections.peekWithProgress();
    assert.equal(connections.current?.choice.kind, 'ask-source');
    assert.equal(connections.obstacle, 'none');
    const approvedAgain = connections.for();
    await (await editor.modalPrompt()).answer(use);
    await approvedAgain;
    editor.save('/work/.env', envFile(EVIL, 'the-next-key'));
    await settled();
    assert.equal(connections.current?.choice.kind, 'ask-source');
    assert.equal(connections.obstacle, 'approval');
    editor.save('/work/.env', envFile());
    await settled();
    assert.equal(connections.obstacle, 'none');
  });

  it('reports a missing approval if the settings name an unapproved address', async () => {
    await storeKey();
    await connections.for();
    editor.userSettings.set('url', EVIL);
    await connections.refresh();
    assert.equal(connections.obstacle, 'approval');
    editor.userSettings.set('url', SERVICE);
    await connections.refresh();
    assert.equal(connections.obstacle, 'none');
  });

  describe('with several lookups', () => {
    const slowly = () => {
      const gate = Promise.withResolvers<void>();
      editor.beforeFiles = gate.promise;
      const looking = connections.peekWithProgress();
      editor.beforeFiles = Promise.resolve();
      const answer = () => {
        gate.resolve();
        return looking;
      };
      return { answer };
    };

    it("doesn't show a late result once a different folder is active", async () => {
      editor.addFolder('/slow');
      editor.activeFile = '/slow/a.txt';
      const slow = slowly();
      editor.activeFile = '/work/a.txt';
      editor.fire('active editor');
      await settled();
      assert.equal((await slow.answer()).found.folder.path, '/slow');
      assert.deepEqual(shown, ['/work no key']);
    });

    it("doesn't show an inactive folder's connection until the folder becomes active", async () => {
      editor.addFolder('/behind');
      const [, behind] = editor.folders;
      await connections.peekWithProgress(behind as WorkspaceFolder | undefined);
      assert.deepEqual(shown, []);
      editor.activeFile = '/behind/a.txt';
      editor.fire('active editor');
      await settled();
      assert.deepEqual(shown, ['/behind no key']);
    });

    it("doesn't replace a newer result with the result of a slow lookup", async () => {
      const slow = slowly();
      await storeKey();
      await connections.peekWithProgress();
      keyring.values.clear();
      await slow.answer();
      assert.deepEqual(shown, ['/work my-key']);
    });

    it("shows a lookup's result while a later lookup is still running", async () => {
      const slow = slowly();
      const later = slowly();
      await slow.answer();
      assert.deepEqual(shown, ['/work no key']);
      await storeKey();
      await later.answer();
      assert.equal(shown.at(-1), '/work my-key');
    });
  });

  it('B08: reads a .env file only once per lookup', async () => {
    editor.files.set('/work/.env', envFile());
    await connections.peek();
    assert.equal(editor.reads, 1);
  });

  it("doesn't read a .env file for a document outside the workspace", async () => {
    editor.files.set('/work/.env', envFile());
    editor.activeFile = '/home/me/private.txt';
    const { found } = await connections.peek();
    assert.deepEqual(found.external[0]?.text, { kind: 'unread', why: 'no-folder' });
  });

  it('uses the user’s project if the folder’s project is empty or a placeholder', async () => {
    await storeKey();
    for (const project of ['your-project-id', '<PROJECT_ID>', '']) {
      editor.folderSettings.set('projectId', project);
      assert.equal((await connections.for())?.projectId, 'my-project');
    }
    assert.equal(editor.modalCount, 0);
  });

  for (const [name, label] of [
    ['projectId', 'project ID'],
    ['spaceId', 'space ID'],
    ['deploymentId', 'deployment ID'],
  ] as const) {
    it(`reports a malformed ${label} in the folder settings instead of returning a connection`, async () => {
      await storeKey();
      editor.folderSettings.set(name, 'a b');
      assert.equal(await connections.for(), undefined);
      const place = 'in the workspace or remote settings can’t be used';
      assert.ok(editor.messages.at(-1)?.includes(`the ${label} ${place}`), editor.messages.at(-1));
      assert.deepEqual([editor.modalCount, editor.inputCount], [0, 0]);
    });
  }

  it('saves the project in the user settings even if the folder has one', async () => {
    await storeKey();
    editor.folderSettings.set('projectId', 'project-of-the-folder');
    editor.typed.push('another-key-that-is-long', 'my-project');
    editor.picks.push(IBM, SERVICE, SAVE);
    const saved = connections.setUp();
    await (await editor.modalPrompt()).answer('Replace');
    assert.equal(await saved, true);
    assert.equal(editor.userSettings.get('projectId'), 'my-project');
  });

  it('opens the settings for Change Project if the folder sets a space ID', async () => {
    await storeKey();
    const { commands } = await import('vscode');
    const queries: unknown[] = [];
    const open = (query: unknown) => queries.push(query);
    const registered = commands.registerCommand('workbench.action.openWorkspaceSettings', open);
    editor.folderSettings.set('spaceId', 'space-of-the-folder');
    assert.equal(await connections.changeProject(), false);
    assert.deepEqual([queries, editor.inputCount], [['hostedModel.spaceId'], 0]);
    registered.dispose();
  });

  it('opens setup for Change Project if the user settings contain the project', async () => {
    await storeKey();
    editor.typed.push('other-project');
    editor.picks.push(SERVICE, SAVE);
    assert.equal(await connections.changeProject(), true);
    assert.equal(editor.userSettings.get('projectId'), 'other-project');
  });

  it('stops using a source once its values have been imported', async () => {
    await storeKey();
    editor.files.set('/work/.env', envFile());
    const using = connections.useSource('envFile');
    await (await editor.modalPrompt()).answer(use);
    await using;
    Object.assign(connections, { setUp: async () => true });
    await connections.importFrom('envFile');
    assert.equal((await connections.peek()).found.external[0]?.decision, 'declined');
    assert.equal(connections.active?.source, 'editor');
    await connections.signOut();
    assert.equal((await connections.peek()).choice.kind, 'missing');
  });

  describe('with an inactive folder', () => {
    let work: WorkspaceFolder | undefined;
    const answerOf = async (folder: number) => {
      const owner = editor.folders[folder] as WorkspaceFolder | undefined;
      return (await connections.peek(owner)).found.external[0]?.decision;
    };
    beforeEach(async () => {
      editor.addFolder('/other');
      editor.files.set('/work/.env', envFile());
      editor.files.set('/other/.env', envFile(SERVICE));
      for (const file of ['/work/a.txt', '/other/a.txt']) {
        editor.activeFile = file;
        const approved = connections.for();
        await (await editor.modalPrompt()).answer(use);
        await approved;
      }
      [work] = editor.folders as WorkspaceFolder[];
    });

    it("forgets the inactive folder's approval without affecting the active folder", async () => {
      await connections.forget('envFile', work);
      assert.deepEqual([await answerOf(0), await answerOf(1)], [undefined, 'approved']);
      assert.equal(shown.at(-1), '/other no key');
    });

    it("stops using the inactive folder's source once its values have been imported", async () => {
      Object.assign(connections, { setUp: async () => true });
      await connections.importFrom('envFile', work);
      assert.deepEqual([await answerOf(0), await answerOf(1)], ['declined', 'approved']);
    });

    it('prompts about the inactive folder when a source is selected for it', async () => {
      editor.files.set('/work/.env', envFile(EVIL, 'another-key'));
      const using = connections.useSource('envFile', work);
      const question = await editor.modalPrompt();
      assert.match(question.detail, /Folder: \/work\n/);
      await question.answer(use);
      assert.equal(await using, true);
    });

    it("doesn't prompt about the active folder when a source is selected for files outside the workspace", async () => {
      editor.folderSettings.set('credentialSource', 'envFile');
      editor.files.set('/other/.env', envFile(SERVICE, 'another-key'));
      const using = connections.useSource('editor', null);
      await assert.rejects(editor.modalPrompt(), 'no prompt about the active folder');
      assert.equal(await using, false);
      assert.equal(editor.inputCount, 1);
    });
  });

  describe('with a stored key and an approved .env file', () => {
    beforeEach(async () => {
      await storeKeyAndFile();
      const using = connections.useSource('envFile');
      await (await editor.modalPrompt()).answer(use);
      assert.equal(await using, true);
    });

    it('treats removing the last key as signing out unless the .env file is in use', async () => {
      const { signOutSignal } = connections;
      await keys.remove('ibm');
      await settled();
      assert.deepEqual([signOutSignal.aborted, connections.active?.source], [false, 'envFile']);
      await storeKey();
      assert.equal(await connections.useSource('editor'), true);
      await keys.remove('ibm');
      await settled();
      assert.equal(signOutSignal.aborted, true);
    });

    it('A17: treats deleting the key in another window as signing out', async () => {
      assert.equal(await connections.useSource('editor'), true);
      const { signOutSignal } = connections;
      keyring.values.delete('hostedModel.key.ibm');
      keyring.announce('hostedModel.key.ibm');
      await settled();
      assert.equal(signOutSignal.aborted, true);
    });

    it('A20: asks for approval again after a sign-out in another VS Code profile', async () => {
      // Profiles share secret storage, but each profile has its own state.
      await new KeyStore(keyring.window(), new FakeState(), assert.fail).delete();
      await settled();
      assert.equal((await connections.peek()).choice.kind, 'ask-source');
    });

    it("A17: cancels requests at sign-out, even if secret storage can't store anything", async () => {
      keyring.values.set = () => assert.fail('Secret storage can’t store anything.');
      const { signOutSignal } = connections;
      await connections.signOut();
      await settled();
      assert.equal(signOutSignal.aborted, true);
    });
  });

  describe('A17: during a sign-out', () => {
    let forgotten: number;
    let signOutSignal: AbortSignal;
    beforeEach(async () => {
      await storeKey();
      forgotten = 0;
      service.forgetTokens = () => {
        forgotten += 1;
      };
      ({ signOutSignal } = connections);
    });

    it('cancels all requests and forgets the tokens without waiting for secret storage', async () => {
      const slow = Promise.withResolvers<void>();
      beforeList = slow.promise;
      const signedOut = connections.signOut();
      assert.deepEqual([signOutSignal.aborted, forgotten], [true, 1]);
      await settled();
      assert.equal(keyring.values.has('hostedModel.key.ibm'), true);
      // Deleting the key also cancels requests that started in the meantime.
      const later = connections.signOutSignal;
      assert.equal(later.aborted, false);
      slow.resolve();
      await signedOut;
      await settled();
      assert.equal(later.aborted, true);
      assert.ok(forgotten > 1);
      assert.equal(keyring.values.has('hostedModel.key.ibm'), false);
    });

    it('cancels requests and forgets tokens even if the key can’t be deleted', async () => {
      const fail = () => assert.fail('Secret storage is read-only.');
      Object.assign(keyring.values, { set: fail, delete: fail });
      await assert.rejects(connections.signOut(), /read-only/);
      assert.equal(signOutSignal.aborted, true);
      assert.ok(forgotten > 0);
    });
  });

  it('A17: repeats a lookup that was running when the user signed out', async () => {
    await storeKey();
    editor.files.set('/work/.env', envFile());
    const slow = Promise.withResolvers<void>();
    editor.beforeFiles = slow.promise;
    const required = connections.for();
    await connections.signOut();
    slow.resolve();
    const question = await editor.modalPrompt();
    assert.match(
      question.text,
      /from the \.env file/,
      'the lookup was repeated and found no stored key',
    );
    await question.answer();
    assert.equal(await required, undefined);
  });

  it("A17: doesn't use a key that was read just before a sign-out", async () => {
    await storeKey();
    const slow = Promise.withResolvers<void>();
    beforeSecrets = slow.promise;
    const required = connections.for();
    await settled();
    keyring.values.clear();
    keyring.announce('hostedModel.lastSignOut');
    slow.resolve();
    assert.equal(await required, undefined);
  });

  it('cancels a running lookup when the window closes', async () => {
    await storeKey();
    const gate = Promise.withResolvers<void>();
    editor.beforeFiles = gate.promise;
    editor.files.set('/work/.env', envFile());
    const waiting = connections.for();
    await settled();
    connections.dispose();
    gate.resolve();
    await assert.rejects(waiting, { kind: 'cancelled' });
    assert.equal(editor.reads, 1);
  });

  it('K14: reads a .env file on another machine through the VS Code API', async () => {
    editor.folders = [];
    editor.addFolder('/work', 'vscode-remote');
    editor.activeScheme = 'vscode-remote';
    editor.files.set('/work/.env', envFile());
    const given = connections.for();
    await (await editor.modalPrompt()).answer(use);
    assert.equal(secretsIn(await given)?.apiKey, 'key-in-the-file');
    assert.ok(editor.reads > 0);
  });

  it('K16: uses the environment as it was when the lookup started', async () => {
    environment['VENDOR_API_KEY'] = 'key-at-first';
    environment['VENDOR_PROJECT_ID'] = 'project-1';
    environment['VENDOR_URL'] = SERVICE;
    const approved = connections.for();
    await (await editor.modalPrompt()).answer(use);
    await approved;
    const gate = Promise.withResolvers<void>();
    editor.beforeFiles = gate.promise;
    const given = connections.for();
    await settled();
    environment['VENDOR_API_KEY'] = 'key-of-another';
    environment['VENDOR_URL'] = EVIL;
    gate.resolve();
    const credentials = secretsIn(await given);
    assert.deepEqual([credentials?.apiKey, credentials?.serviceUrl], ['key-at-first', SERVICE]);
  });

  it("keeps the current source if the user doesn't approve another one", async () => {
    await storeKey();
    editor.files.set('/work/.env', envFile());
    for (const answer of [undefined, reject]) {
      const using = connections.useSource('envFile');
      await (await editor.modalPrompt()).answer(answer);
      assert.equal(await using, false);
      assert.equal((await connections.for())?.serviceUrl, SERVICE);
    }
    assert.equal((await connections.peek()).found.external[0]?.decision, 'declined');
  });

  it("uses the editor's credentials as soon as the selected source is declined", async () => {
    await storeKey();
    editor.files.set('/work/.env', envFile());
    editor.userSettings.set('credentialSource', 'envFile');
    const using = connections.useSource('envFile');
    await (await editor.modalPrompt()).answer(reject);
    assert.equal(await using, false);
    assert.equal(connections.active?.source, 'editor');
  });

  it("prompts before switching to another account if the selected source can't be used", async () => {
    await storeKey();
    editor.files.set('/work/.env', envFile());
    const using = connections.useSource('envFile');
    await (await editor.modalPrompt()).answer(use);
    assert.equal(await using, true);
    editor.files.delete('/work/.env');
    const given = connections.for();
    await (await editor.modalPrompt()).answer();
    assert.equal(await given, undefined);
    const again = connections.for();
    const question = await editor.modalPrompt();
    assert.match(
      question.text,
      /selects the \.env file in work, which can’t be used \(not found\)/,
    );
    await question.answer('Use Other Sources');
    assert.equal((await again)?.serviceUrl, SERVICE);
    assert.equal(editor.folderSettings.get('credentialSource'), 'auto');
    assert.equal(editor.userSettings.get('credentialSource'), undefined);
  });

  describe('with a source in hostedModel.credentialSource', () => {
    const sourceOf = async () => (await connections.for())?.source;

    /**
     * Approves the environment as the source, and prepares the input for a setup that replaces the
     * stored key.
     */
    const useEnvironmentAndType = async () => {
      await storeKey();
      setEnvironment();
      editor.userSettings.set('credentialSource', 'environment');
      const given = sourceOf();
      await (await editor.modalPrompt()).answer(use);
      await given;
      editor.typed.push('another-key-that-is-long', 'my-project');
      editor.picks.push(IBM, SERVICE, SAVE);
      editor.pressed = 'Use New Credentials';
    };

    it('uses the source once the user approves it', async () => {
      await storeKey();
      setEnvironment();
      editor.files.set('/work/.env', 'VENDOR_API_KEY="malformed"\n');
      editor.userSettings.set('credentialSource', 'environment');
      const given = sourceOf();
      await (await editor.modalPrompt()).answer(use);
      assert.equal(await given, 'environment');
      assert.equal(await sourceOf(), 'environment');
      assert.equal(editor.modalCount, 1);
    });

    it('prompts before using a source that is set in the folder settings', async () => {
      await storeKey();
      setEnvironment();
      editor.folderSettings.set('credentialSource', 'environment');
      const given = sourceOf();
      const question = await editor.modalPrompt();
      assert.match(question.detail, /evil\.example/);
      await question.answer();
      assert.equal(await given, undefined);
    });

    it("uses the editor's credentials without prompting again once the source is declined", async () => {
      await storeKey();
      setEnvironment();
      editor.userSettings.set('credentialSource', 'environment');
      const given = sourceOf();
      await (await editor.modalPrompt()).answer(reject);
      assert.equal(await given, 'editor');
      assert.equal(await sourceOf(), 'editor');
      assert.equal(editor.modalCount, 1);
    });

    it('opens setup if the source is the editor and no key is stored', async () => {
      setEnvironment();
      editor.files.set('/work/.env', envFile());
      editor.userSettings.set('credentialSource', 'editor');
      assert.equal(await connections.for(), undefined);
      assert.deepEqual([editor.modalCount, editor.inputCount], [0, 1]);
    });

    it('uses no source if the setting has an invalid value', async () => {
      await storeKey();
      setEnvironment();
      for (const word of ['envfile', 'Editor', '', 7, null, ['editor']]) {
        editor.userSettings.set('credentialSource', word);
        assert.equal(await sourceOf(), undefined, `${word}`);
        assert.equal(await connections.inChat(), undefined, `${word}`);
        assert.match(
          editor.messages.pop() ?? '',
          /^Nothing was sent, because hostedModel\.credentialSource is invalid\./,
        );
      }
      assert.deepEqual([editor.modalCount, editor.inputCount], [0, 0]);
      const { readSetUpStatus } = await import('../../../src/connection/setUpStatus.ts');
      const approvals = new SourceApprovals(keyring.window(), new FakeState());
      const isSetUp = async () =>
        (await readSetUpStatus({ keys, approvals, workspaceState: new FakeState() })).isSetUp;
      assert.equal(await isSetUp(), false);
      editor.userSettings.delete('credentialSource');
      assert.equal(await isSetUp(), true);
    });

    it('replaces an invalid value if the user selects a source', async () => {
      await storeKey();
      editor.folderSettings.set('credentialSource', 'envfile');
      assert.equal(await connections.useSource('auto'), true);
      assert.equal(editor.folderSettings.get('credentialSource'), 'auto');
      assert.equal(await sourceOf(), 'editor');
    });

    it('ignores the folder settings for a file outside the folder', async () => {
      await storeKey();
      setEnvironment();
      editor.folderSettings.set('credentialSource', 'environment');
      editor.activeFile = '/home/me/private.txt';
      assert.equal(await sourceOf(), 'editor');
      editor.userSettings.set('credentialSource', 'environment');
      editor.folderSettings.clear();
      const given = sourceOf();
      await (await editor.modalPrompt()).answer();
      assert.equal(await given, undefined);
    });

    it('resets the user setting to auto if the user clicks Use Other Sources', async () => {
      await storeKey();
      editor.userSettings.set('credentialSource', 'environment');
      const given = sourceOf();
      const question = await editor.modalPrompt();
      assert.match(
        question.detail,
        /to set hostedModel\.credentialSource to “auto” in your user settings/,
      );
      await question.answer('Use Other Sources');
      assert.equal(await given, 'editor');
      assert.equal(editor.userSettings.get('credentialSource'), 'auto');
      assert.equal(editor.folderSettings.has('credentialSource'), false);
    });

    it('reports that another settings file overrides the value saved by Use Other Sources', async () => {
      await storeKey();
      editor.userSettings.set('credentialSource', 'environment');
      editor.overriddenSettings.add('credentialSource');
      const given = sourceOf();
      await (await editor.modalPrompt()).answer('Use Other Sources');
      assert.equal(await given, undefined);
      assert.equal(editor.modalCount, 1);
      assert.match(editor.messages.join(), /hostedModel\.credentialSource was set in/);
    });

    it("doesn't use the source in chat until it is approved", async () => {
      await storeKey();
      setEnvironment();
      editor.userSettings.set('credentialSource', 'environment');
      assert.deepEqual(await connections.all(), []);
      const given = sourceOf();
      await (await editor.modalPrompt()).answer(use);
      await given;
      const [ofChat] = await connections.all();
      assert.equal(ofChat?.source, 'environment');
      editor.addFolder('/other');
      assert.deepEqual(await connections.all(), [], 'not approved for a window with two folders');
      assert.equal(editor.modalCount, 1);
    });

    for (const [what, isRepair] of [
      ['the setup', false],
      ['a key repair', true],
    ] as const) {
      it(`offers to switch to the credentials entered during ${what}`, async () => {
        await useEnvironmentAndType();
        if (isRepair) editor.picks.shift();
        const saved = isRepair ? connections.changeKey() : connections.setUp();
        await (await editor.modalPrompt()).answer('Replace');
        assert.equal(await saved, isRepair);
        assert.match(editor.messages.join(), /environment stays in use/);
        await settled();
        const used = await connections.for();
        assert.equal(secretsIn(used)?.apiKey, 'another-key-that-is-long');
      });
    }

    for (const [answer, isUsed, key] of [
      ['Use New Credentials', true, 'key-in-the-file'],
      [undefined, false, 'key-of-the-environment'],
    ] as const) {
      it(`offers to switch to the credentials imported from a different source (answer: ${answer})`, async () => {
        await useEnvironmentAndType();
        editor.files.set('/work/.env', envFile(SERVICE, 'key-in-the-file'));
        editor.picks.splice(0, 2);
        editor.pressed = answer;
        const saved = connections.importFrom('envFile', undefined, true);
        await (await editor.modalPrompt()).answer('Replace');
        assert.equal(await saved, isUsed);
        assert.match(editor.messages.join(), /environment stays in use/);
        assert.equal(secretsIn(await connections.for())?.apiKey, key);
        const { found } = await connections.peek();
        assert.equal(found.external[0]?.decision, 'declined', 'the import is recorded');
      });
    }

    it("offers to switch after a regular import, but doesn't wait for the answer", async () => {
      await useEnvironmentAndType();
      editor.files.set('/work/.env', envFile(SERVICE, 'key-in-the-file'));
      editor.picks.splice(0, 2);
      const saved = connections.importFrom('envFile');
      await (await editor.modalPrompt()).answer('Replace');
      assert.equal(await saved, true);
      await settled();
      assert.match(editor.messages.join(), /environment stays in use/);
      assert.equal(secretsIn(await connections.for())?.apiKey, 'key-in-the-file');
    });

    it('uses the new credentials in the folder that setup was opened for', async () => {
      await useEnvironmentAndType();
      editor.addFolder('/other');
      const [work] = editor.folders as WorkspaceFolder[];
      const owners: unknown[] = [];
      const useSource = async (_: string, owner?: WorkspaceFolder) => owners.push(owner?.name) > 0;
      Object.assign(connections, { useSource });
      editor.picks.shift();
      const saved = connections.changeKey(work);
      const question = await editor.modalPrompt();
      editor.activeFile = '/other/b.txt';
      await question.answer('Replace');
      assert.deepEqual([await saved, owners], [true, ['work']]);
    });
  });

  describe('with Use Another Source', () => {
    beforeEach(storeKeyAndFile);

    it('saves the source in the folder settings', async () => {
      const using = connections.useSource('envFile');
      await (await editor.modalPrompt()).answer(use);
      assert.equal(await using, true);
      assert.equal(editor.folderSettings.get('credentialSource'), 'envFile');
      assert.equal(editor.userSettings.has('credentialSource'), false);
      assert.equal(await connections.useSource('editor'), true);
      assert.equal((await connections.peek()).choice.kind, 'ready');
      assert.equal(await connections.useSource('auto'), true);
      assert.equal(editor.folderSettings.get('credentialSource'), 'auto');
      const { WorkspaceFolder } = (await import('vscode')).ConfigurationTarget;
      assert.deepEqual(new Set(editor.targets), new Set([WorkspaceFolder]));
    });

    it("saves the source in the workspace settings if the active file isn't in any workspace folder", async () => {
      const [folder] = editor.folders;
      editor.workspaceFile = folder?.uri;
      editor.activeFile = '/home/me/private.txt';
      setEnvironment();
      const using = connections.useSource('environment');
      await (await editor.modalPrompt()).answer(use);
      assert.equal(await using, true);
      assert.equal(editor.folderSettings.get('credentialSource'), 'environment');
      environment['VENDOR_API_KEY'] = '"malformed"';
      const given = connections.for();
      const question = await editor.modalPrompt();
      assert.match(question.detail, /to “auto” in the workspace settings/);
      await question.answer('Use Other Sources');
      assert.equal((await given)?.source, 'editor');
      const { Workspace } = (await import('vscode')).ConfigurationTarget;
      assert.deepEqual(editor.targets, [Workspace, Workspace]);
    });

    it('saves the source in the user settings if no folder is open', async () => {
      editor.folders = [];
      setEnvironment();
      const using = connections.useSource('environment');
      await (await editor.modalPrompt()).answer(use);
      assert.equal(await using, true);
      assert.equal(editor.userSettings.get('credentialSource'), 'environment');
      assert.equal(editor.folderSettings.has('credentialSource'), false);
    });

    it("doesn't save a source that can't be used", async () => {
      editor.files.set('/work/.env', 'VENDOR_API_KEY="malformed"\n');
      assert.equal(await connections.useSource('envFile'), false);
      assert.equal(await connections.useSource('environment'), false);
      assert.equal(editor.folderSettings.size, 0);
      assert.equal(editor.modalCount, 0);
    });

    it('fails with a message if another settings file overrides the setting', async () => {
      editor.overriddenSettings.add('credentialSource');
      assert.equal(await connections.useSource('editor'), false);
      assert.match(editor.messages.join(), /hostedModel\.credentialSource was set in/);
    });
  });

  it('signs out without reading any .env file', async () => {
    await storeKey();
    editor.files.set('/work/.env', envFile());
    await connections.signOut();
    assert.equal(editor.reads, 0);
    assert.deepEqual(await keys.services(), []);
  });

  it('B22: prompts again about a selected .env file that has changed', async () => {
    await storeKey();
    editor.files.set('/work/.env', envFile());
    const using = connections.useSource('envFile');
    const first = await editor.modalPrompt();
    assert.doesNotMatch(first.detail, /Changed/);
    await first.answer(use);
    await using;
    assert.equal((await connections.for())?.serviceUrl, EVIL);
    editor.files.set('/work/.env', envFile('https://third.example'));
    const required = connections.for();
    const second = await editor.modalPrompt();
    assert.match(second.detail, /^Changed since your last decision: service URL\.\n/);
    await second.answer(reject);
    assert.equal((await required)?.serviceUrl, SERVICE);
  });

  it('opens setup at the missing setting, and keeps the stored key', async () => {
    await storeKey();
    editor.userSettings.delete('projectId');
    editor.typed.push('my-project');
    editor.picks.push(SERVICE, SAVE);
    const credentials = secretsIn(await connections.for());
    assert.deepEqual([credentials?.apiKey, credentials?.projectId], ['my-key', 'my-project']);
    assert.deepEqual([editor.inputCount, editor.modalCount], [3, 0]);
  });

  describe('setup for missing settings', () => {
    const needed =
      'Hosted Model needs an API key, a project ID, and a service URL. Nothing was sent.';
    const checked =
      'Sources checked: secret storage and user settings, the .env file in work (not found), and the environment (it has no settings for this service).';
    const required = async () => {
      const connection = await connections.for();
      await settled();
      return connection;
    };

    it('names the missing settings, and lists the checked sources once the user closes it', async () => {
      editor.picks.push(IBM);
      assert.equal(await required(), undefined);
      assert.deepEqual(editor.prompts, [
        needed,
        'API key for IBM watsonx.ai. It’s kept in VS Code’s secret storage.',
      ]);
      assert.deepEqual(editor.messages, [`${needed} ${checked}`]);
    });

    it('names the missing settings even if its first step is an input box', async () => {
      await storeKey();
      editor.userSettings.delete('projectId');
      assert.equal(await required(), undefined);
      assert.deepEqual(editor.prompts, [
        'Hosted Model needs a project ID. Nothing was sent. ID of the project to bill. To find it, open the project and select Manage > General > Details.',
      ]);
      assert.match(
        editor.messages.join(),
        /^Hosted Model needs a project ID\. .* Sources checked: /,
      );
    });

    it('shows only the success message when the user completes it', async () => {
      editor.picks.push(IBM, 'Dallas', SAVE);
      editor.typed.push('my-key', 'my-project');
      assert.ok(await required());
      assert.deepEqual(editor.messages, ['Hosted Model is set up. The key is in secret storage.']);
    });

    it('is followed by a list of the checked sources if a setting is still missing', async () => {
      editor.overriddenSettings.add('projectId');
      editor.picks.push(IBM, 'Dallas', SAVE);
      editor.typed.push('my-key', 'my-project');
      assert.equal(await required(), undefined);
      assert.equal(editor.inputCount, 5, 'the setup runs only once');
      assert.match(
        editor.messages.at(-1) ?? '',
        /^Hosted Model needs a project ID\. .* Sources checked: /,
      );
    });

    describe('if the sources change while it is open', () => {
      /**
       * Requests a connection. When setup opens, makes the change, and then closes setup.
       */
      const requiredAfter = (change: () => void) => {
        Object.assign(connections, {
          setUp: async () => {
            change();
            return false;
          },
        });
        return connections.for();
      };

      it('is followed by a prompt about a new .env file', async () => {
        const given = requiredAfter(() => editor.files.set('/work/.env', envFile()));
        await (await editor.modalPrompt()).answer(use);
        assert.equal((await given)?.source, 'envFile');
        assert.deepEqual(editor.messages, []);
      });

      it('is followed by a list of the current sources', async () => {
        editor.files.set('/work/.env', 'OTHER=value\n');
        await requiredAfter(() => editor.files.delete('/work/.env'));
        assert.deepEqual(editor.messages, [`${needed} ${checked}`]);
      });
    });

    it("doesn't explain why it opened if the user opened it directly", async () => {
      assert.equal(await connections.setUp(), false);
      await connections.setUp({ missing: ['projectId'], isRepair: true });
      assert.deepEqual(editor.messages, []);
      assert.doesNotMatch(editor.prompts.join(), /needs/);
    });
  });

  it('opens setup at the key step so that the user can correct the key', async () => {
    await storeKey();
    await connections.changeKey();
    assert.match(editor.prompts.join(), /^API key for IBM watsonx\.ai/);
  });

  describe('when the user wants to correct the key and the .env file has a different one', () => {
    let saved: Promise<boolean>;
    let question: Awaited<ReturnType<typeof editor.modalPrompt>>;
    beforeEach(async () => {
      await storeKeyAndFile();
      await connections.for();
      saved = connections.changeKey();
      question = await editor.modalPrompt();
      assert.doesNotMatch(question.detail, /key-in-the-file/);
    });

    it("imports the file's key if the user agrees", async () => {
      editor.picks.push(SAVE);
      await question.answer('Import into Secret Storage');
      await (await editor.modalPrompt()).answer('Replace');
      assert.equal(await saved, true);
      assert.equal(secretsIn(await connections.for())?.apiKey, 'key-in-the-file');
      assert.deepEqual(editor.messages, [], 'the caller reports success');
    });

    it('imports the key that the file had when the prompt opened', async () => {
      editor.files.set('/work/.env', envFile(EVIL, 'another-key-in-the-file'));
      editor.picks.push(SAVE);
      await question.answer('Import into Secret Storage');
      await (await editor.modalPrompt()).answer('Replace');
      assert.equal(await saved, true);
      assert.equal((await keys.read('ibm'))?.apiKey, 'key-in-the-file');
    });

    it('opens setup at the key step if the user chooses to enter a key instead', async () => {
      await question.answer('Enter New Values');
      assert.equal(await saved, false);
      assert.match(editor.prompts.join(), /^API key for IBM watsonx\.ai/);
    });

    it('changes nothing if the user closes the prompt', async () => {
      await question.answer(undefined);
      assert.equal(await saved, false);
      assert.deepEqual(editor.prompts, []);
    });
  });

  it("offers to import a key only from the failed command's folder", async () => {
    await storeKeyAndFile();
    editor.addFolder('/other');
    await connections.for();
    const [work, other] = editor.folders as WorkspaceFolder[];
    await connections.changeKey(other);
    assert.match(editor.prompts.join(), /^API key for IBM watsonx\.ai/);
    editor.activeFile = '/other/a.txt';
    await connections.for();
    const saved = connections.changeKey(work);
    await (await editor.modalPrompt()).answer(undefined);
    assert.equal(await saved, false);
  });

  for (const [what, change] of Object.entries({
    'has the same key': () => editor.files.set('/work/.env', envFile(SERVICE, 'my-key')),
    'is excluded by the settings': () => editor.userSettings.set('credentialSource', 'editor'),
    'is incomplete': () => editor.files.set('/work/.env', 'VENDOR_API_KEY=key-in-the-file\n'),
    'was declined': async () => {
      const source = connections.useSource('envFile');
      await (await editor.modalPrompt()).answer(reject);
      await source;
    },
    'is in use': async () => {
      const source = connections.useSource('envFile');
      await (await editor.modalPrompt()).answer(use);
      await source;
    },
  })) {
    it(`doesn't offer to import the key from a .env file that ${what}`, async () => {
      await storeKeyAndFile();
      await change();
      await connections.for();
      await connections.changeKey();
      assert.match(editor.prompts.join(), /^API key for IBM watsonx\.ai/);
    });
  }

  for (const [what, makeUnusable] of Object.entries({
    'was rejected': async () => {
      service.isRejected = (key) => key === 'my-key';
    },
    'is a placeholder': () =>
      keys.write({ apiKey: '<API_KEY>', authUrl: IDENTITY, serviceUrl: SERVICE }, 'ibm'),
    "has hosts that can't be approved": () =>
      keys.write({ apiKey: 'my-key', authUrl: 'http://evil.example', serviceUrl: SERVICE }, 'ibm'),
  })) {
    it(`doesn't offer to keep a stored key that ${what}`, async () => {
      await storeKey();
      await makeUnusable();
      editor.picks.push(IBM);
      editor.typed.push('');
      assert.equal(await connections.setUp(), false);
      assert.match(JSON.stringify(editor.rejections), /Enter a value/);
    });
  }

  describe('with the key pasted into the wrong field during setup', () => {
    const [key, url] = ['a-key-that-was-pasted', 'https://service.example'];
    const rejected = /contains the API key/;
    beforeEach(() => {
      editor.userSettings.set('url', url).set('projectId', 'my-project');
    });

    for (const [what, value] of [
      ['the key', key],
      ['text that contains the key', `my-${key}`],
    ] as const) {
      it(`E16: rejects ${what} as the project ID`, async () => {
        editor.picks.push(IBM);
        editor.typed.push(key, value);
        assert.equal(await connections.setUp(), false);
        assert.match(JSON.stringify(editor.rejections), rejected);
        assert.equal(keyring.values.size, 0);
      });
    }

    it('E16: rejects an address that contains the key', async () => {
      editor.typed.push(key, 'my-project');
      editor.picks.push(IBM, `${url}/${key}`);
      assert.equal(await connections.setUp(), false);
      assert.match(JSON.stringify(editor.rejections), rejected);
      assert.equal(editor.userSettings.get('url'), url);
    });

    for (const [name, value] of [
      ['projectId', key],
      ['modelId', `maker/${key}`],
      ['url', `${url}/${key}`],
      ['authUrl', `https://identity.example/${key}`],
    ] as const) {
      it(`E16: doesn't save or test anything if ${name} in the settings contains the key`, async () => {
        editor.userSettings.set(name, value);
        let tests = 0;
        service.test = async () => {
          tests += 1;
        };
        editor.typed.push(key, `${editor.setting('projectId')}`);
        editor.picks.push(IBM, `${editor.setting('url')}`, '$(beaker) Test and Save', SAVE);
        assert.equal(await connections.setUp(), false);
        assert.match(JSON.stringify(editor.rejections), rejected);
        assert.deepEqual([tests, keyring.values.size], [0, 0]);
      });
    }

    for (const [project, isSaved] of [
      ['projects', true],
      ['project', false],
    ] as const) {
      it(`E16: ${isSaved ? 'accepts' : 'rejects'} the short key "project" with the project ID "${project}"`, async () => {
        editor.userSettings.set('projectId', project);
        editor.typed.push('project', project);
        editor.picks.push(IBM, url, SAVE);
        assert.equal(await connections.setUp(), isSaved);
      });
    }
  });

  describe('with a short key', () => {
    beforeEach(() => {
      editor.userSettings.set('url', SERVICE);
      editor.userSettings.set('projectId', 'my-project');
    });

    for (const key of ['a', 'sk-1234', '0123456789abcde']) {
      it(`stores the key "${key}" without asking for confirmation`, async () => {
        editor.typed.push(key, 'my-project');
        editor.picks.push(IBM, SERVICE, SAVE);
        assert.equal(await connections.setUp(), true);
        assert.equal(secretsIn(await connections.for())?.apiKey, key);
        assert.equal(editor.modalCount, 0);
      });
    }

    it('stores an imported key without asking for confirmation', async () => {
      editor.picks.push(SAVE);
      const given = { apiKey: 'sk-1234', projectId: 'my-project', url: SERVICE };
      const imported = { ...given, service: services[0] };
      assert.equal(await connections.setUp({ imported }), true);
      assert.equal(secretsIn(await connections.for())?.apiKey, 'sk-1234');
      assert.equal(editor.modalCount, 0);
    });
  });
});
