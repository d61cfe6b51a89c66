import assert from 'node:assert/strict';
import manifest from '../../../../package.json' with { type: 'json' };
import type { Connections } from '../../../../src/connection/connections.ts';
import { type KeyRecord, KeyStore } from '../../../../src/connection/keyStore.ts';
import { SourceApprovals } from '../../../../src/connection/sourceApprovals.ts';
import { readServices } from '../../../../src/service/addedServices.ts';
import { programPath } from '../../../../src/service/auth/programPath.ts';
import { serviceFor } from '../../../../src/service/builtInServices.ts';
import type { Credentials } from '../../../../src/service/credentials.ts';
import { ServiceError } from '../../../../src/service/errors.ts';
import type { Service } from '../../../../src/service/service.ts';
import { ServiceRuntime } from '../../../../src/service/serviceRuntime.ts';
import { type Emulator, startEmulator } from '../../../emulator/emulator.ts';
import { defaultApiKey, defaultProjectId } from '../../../emulator/settings.ts';
import { BACK, FakeEditor, installEditor } from '../fakeEditor.ts';
import { FakeKeyring, FakeState } from '../fakes.ts';

type Entry = Readonly<Record<string, unknown>> & { readonly word: string };

const SERVICE = 'https://llm.acme.example/v1';
const OTHER = 'https://other.acme.example/v1';
const base = { word: 'acme', name: 'ACME', url: SERVICE, api: 'openai', defaultModel: 'm' };
const IDENTITY = 'https://login.acme.example';
const oauth: Entry = {
  ...base,
  authentication: {
    ...{ kind: 'clientCredentials', tokenUrl: `${IDENTITY}/token` },
    ...{ scope: 'llm.read', audience: 'llm' },
  },
};
const none: Entry = { ...base, authentication: { kind: 'none' } };
const withSecret: Entry = { ...none, headers: { 'X-Team': { secret: 'team key' } } };
const commandEntry = (...command: readonly string[]): Entry => ({
  ...base,
  authentication: { kind: 'command', command },
});

const CHANGE = '$(link) Change Address or Authentication...';
const HEADERS = '$(list-unordered) Change Headers...';
const ADD_HEADER = '$(add) Add a Header...';
const CREDENTIALS = '$(key) Change Credentials...';
const RENAME = '$(edit) Rename...';
const REMOVE = '$(trash) Remove...';
const SAVE = '$(save) Save Without Testing';
const TEST = '$(beaker) Test and Save';
const OPENAI = 'OpenAI-Compatible';

describe('a service that the user added', () => {
  let editor = new FakeEditor();
  let keyring: FakeKeyring;
  let keys: KeyStore;
  let connections: Connections;
  let runtime: ServiceRuntime;
  let tested: Credentials[];
  /** Called with the credentials that are being tested. Throws an error if the test should fail. */
  let failTest: (credentials: Credentials) => void;
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(async () => {
    editor = new FakeEditor();
    editor.activeFile = '/work/a.txt';
    tested = [];
    failTest = () => {};
    runtime = {
      test: async (credentials: Credentials) => {
        tested.push(credentials);
        failTest(credentials);
      },
      isRejected: () => false,
      forgetRejection() {},
      forgetTokens() {},
    } as unknown as ServiceRuntime;
    await open();
  });
  afterEach(() => connections.dispose());

  const open = async () => {
    keyring = new FakeKeyring();
    const secrets = keyring.window();
    keys = new KeyStore(secrets, new FakeState(), () => {});
    const { Connections } = await import('../../../../src/connection/connections.ts');
    const { runSetUp } = await import('../../../../src/connection/setUp/setUp.ts');
    connections = new Connections({
      ...{ keys, approvals: new SourceApprovals(secrets, new FakeState()), environment: {} },
      ...{ workspaceState: new FakeState(), runtime },
      runSetUp: (reason) => runSetUp({ keys, runtime }, reason),
      inBackground: (work) => void work.catch(assert.ifError),
    });
  };

  const serviceOf = (entry: Entry): Service => {
    const [service] = readServices([entry]).own;
    assert.ok(service);
    return service;
  };

  /** Adds a service to the user settings and stores its record, as setup would. */
  const store = async (entry: Entry, changes: Partial<KeyRecord> = {}) => {
    const service = serviceOf(entry);
    const { word, url, definition } = service;
    editor.userSettings.set('services', [entry]);
    editor.userSettings.set('service', word);
    const record = { apiKey: '', authUrl: service.authUrl || url, serviceUrl: url, definition };
    await keys.write({ ...record, ...changes }, word);
    return service;
  };
  const entries = () => editor.userSettings.get('services') as Record<string, unknown>[];

  it('ends setup with a message about the keyboard shortcut if no document is open', async () => {
    const { key, mac } = manifest.contributes.keybindings[0] ?? assert.fail();
    const keysToPress = process.platform === 'darwin' ? mac : key;
    for (const [file, message] of [
      [undefined, `hosted model is set up. select text and press ${keysToPress}.`],
      ['/work/a.txt', 'hosted model is set up. the key is in secret storage.'],
    ] as const) {
      editor.activeFile = file;
      await store(oauth, { account: 'me', apiKey: 'secret-of-acme' });
      editor.picks.push('ACME', CREDENTIALS, SAVE);
      editor.typed.push('me', '');
      assert.equal(await connections.setUp(), true);
      const [text = ''] = editor.messages.splice(0);
      assert.equal(text.toLowerCase(), message);
      assert.ok(text.length <= 60);
    }
  });

  // When you add a test, answer every prompt. Otherwise, the test times out. Setup ends if it rejects
  // a value. Choose `Replace` if a new key replaces a stored one. Choose `Use Changed Entry` if the
  // stored key is kept or no longer needed.
  describe('whose address or authentication changes', () => {
    it('is tested and stored with its new identity service', async () => {
      await store(oauth, { account: 'me', apiKey: 'secret-of-acme' });
      editor.picks.push('ACME', CHANGE, OPENAI, 'OAuth Client Credentials', TEST);
      const typed = [SERVICE, 'https://sso.acme.example/token', 'me', 'secret-of-sso'];
      editor.typed.push(...typed);
      const done = connections.setUp();
      await (await editor.modalPrompt()).answer('Replace');
      assert.equal(await done, true);
      assert.equal(tested[0]?.approved.auth, 'https://sso.acme.example');
      assert.equal((await keys.read('acme'))?.authUrl, 'https://sso.acme.example');
      assert.equal((await connections.peek()).choice.kind, 'ready');
    });

    it("keeps fields that setup doesn't change", async () => {
      await store(oauth, { account: 'me', apiKey: 'secret-of-acme' });
      editor.picks.push('ACME', CHANGE, OPENAI, 'OAuth Client Credentials', SAVE);
      editor.typed.push(OTHER, `${IDENTITY}/token`, 'me', '');
      const done = connections.setUp();
      await (await editor.modalPrompt()).answer('Use Changed Entry');
      assert.equal(await done, true);
      assert.deepEqual(entries(), [{ ...oauth, url: OTHER }]);
    });

    it('is tested and stored with the program named in the new command', async () => {
      await store(commandEntry('az', 'get'), { program: '/usr/bin/az' });
      editor.picks.push('ACME', CHANGE, OPENAI, 'Command', TEST);
      editor.typed.push(SERVICE, 'node --version');
      assert.equal(await connections.setUp(), true);
      const program = await programPath('node');
      assert.ok(program);
      assert.deepEqual(
        [tested[0]?.program, (await keys.read('acme'))?.program],
        [program, program],
      );
    });

    it("can't send its key in a header that already has a fixed value", async () => {
      const entry = { ...none, headers: { 'x-team': 'blue' } };
      await store(entry);
      const header = 'API Key in a Header';
      editor.picks.push('ACME', CHANGE, OPENAI, header, 'x-team', 'api-key', SAVE);
      editor.typed.push(SERVICE, 'key-of-acme');
      assert.equal(await connections.setUp(), true);
      assert.ok(editor.prompts.some((text) => text?.includes('already has a fixed value')));
      assert.deepEqual(entries()[0]?.['authentication'], { kind: 'apiKey', header: 'api-key' });
    });

    it("can't be saved without a key if the new authentication method needs one", async () => {
      await store(none);
      editor.picks.push('ACME', CHANGE, OPENAI, 'API Key');
      editor.typed.push(SERVICE, '');
      assert.equal(await connections.setUp(), false);
      assert.equal(editor.rejections.filter(Boolean).length, 1);
      assert.deepEqual(entries(), [none]);
    });

    it('keeps quotes and spaces in the arguments of its command', async () => {
      const entry = commandEntry('node', '-p', `"it's" + 'x y'`, '', 'C:\\a b');
      await store(entry, { program: await programPath('node') });
      editor.picks.push('ACME', CHANGE, OPENAI, 'Command', SAVE);
      const { draftOf } = await import('../../../../src/connection/setUp/serviceDraft.ts');
      editor.typed.push(SERVICE, draftOf(serviceOf(entry)).fields.command ?? '');
      assert.equal(await connections.setUp(), true);
      assert.deepEqual(entries(), [entry]);
    });

    it('A08: needs approval before its header secret is sent to another host', async () => {
      await store(withSecret, { headerSecrets: { 'team key': 'key-of-the-team' } });
      editor.picks.push('ACME', CHANGE, OPENAI, 'No Key', TEST);
      editor.typed.push(OTHER, '');
      const done = connections.setUp();
      const question = await editor.modalPrompt();
      assert.match(question.detail, /other\.acme\.example/);
      await question.answer('Do Not Use');
      await done;
      assert.deepEqual([tested, entries()], [[], [withSecret]]);
    });

    it("doesn't need approval if the user enters a new header secret", async () => {
      await store(withSecret, { headerSecrets: { 'team key': 'key-of-the-team' } });
      editor.picks.push('ACME', CHANGE, OPENAI, 'No Key', TEST);
      editor.typed.push(OTHER, 'key-of-the-others');
      assert.equal(await connections.setUp(), true);
      assert.deepEqual(tested[0]?.headerSecrets, { 'team key': 'key-of-the-others' });
      assert.match(editor.prompts.at(-2) ?? '', /^Team key for ACME\. /);
    });
  });

  it("isn't saved if the user closes the model list, and setup explains why", async () => {
    editor.picks.push('$(add) Add a Service...', OPENAI, 'API Key', TEST);
    editor.typed.push(OTHER, 'key-of-acme');
    assert.equal(await connections.setUp(), false);
    assert.match(editor.prompts.at(-1) ?? '', /Nothing is saved until you select a model/);
    assert.equal(editor.userSettings.has('services'), false);
  });

  describe('without a model list at its address', () => {
    const BARE = 'https://llm.acme.example';
    const addresses = () => tested.map(({ serviceUrl }) => serviceUrl);
    beforeEach(() => {
      editor.picks.push('$(add) Add a Service...', OPENAI, 'API Key', TEST);
      editor.typed.push(BARE, 'key-of-acme');
    });

    it('is saved with /v1 in its address if /v1 has a model list', async () => {
      failTest = ({ serviceUrl }) => {
        if (serviceUrl === BARE) throw new ServiceError('no-model-list');
      };
      Object.assign(runtime, { listModels: async () => ({ models: [], hasMore: false }) });
      editor.picks.push('m');
      assert.equal(await connections.setUp(), true);
      assert.deepEqual([addresses(), entries()[0]?.['url']], [[BARE, SERVICE], SERVICE]);
      assert.ok(editor.prompts.at(-1)?.includes(`No models were found at ${SERVICE}.`));
    });

    it("isn't reported to have no models if the list fails to load", async () => {
      const listModels = async () => {
        throw new ServiceError('server-failed');
      };
      Object.assign(runtime, { listModels });
      editor.picks.push('m');
      assert.equal(await connections.setUp(), true);
      assert.ok(!editor.prompts.join('\n').includes('No models were found'));
    });

    it('is saved with its address as typed if the test with /v1 fails', async () => {
      failTest = ({ serviceUrl }) => {
        throw new ServiceError(serviceUrl === BARE ? 'no-model-list' : 'key-rejected');
      };
      editor.picks.push(SAVE, 'm');
      editor.typed.push('other-key-of-acme');
      assert.equal(await connections.setUp(), true);
      assert.deepEqual([addresses(), entries()[0]?.['url']], [[BARE, SERVICE], BARE]);
    });

    it('keeps its address as typed if /v1 has no model list either', async () => {
      failTest = () => {
        throw new ServiceError('no-model-list');
      };
      editor.picks.push('m');
      const done = connections.setUp();
      const question = await editor.modalPrompt();
      assert.match(question.text, /llm\.acme\.example/);
      assert.ok(editor.prompts.at(-1)?.includes(`No models were found at ${BARE}.`));
      await question.answer();
      assert.equal(await done, true);
      assert.deepEqual([addresses(), entries()[0]?.['url']], [[BARE, SERVICE], BARE]);
    });

    it('can be set up with another model if the first one fails', async () => {
      failTest = () => {
        throw new ServiceError('no-model-list');
      };
      const generated: string[] = [];
      const client = (_: Credentials, { modelId }: { readonly modelId: string }) => ({
        generateText: async () => {
          generated.push(modelId);
          if (modelId !== 'm') throw new ServiceError('model-unknown');
        },
      });
      Object.assign(runtime, { client });
      editor.picks.push('wrong-model', TEST, 'm');
      const done = connections.setUp();
      await (await editor.modalPrompt()).answer('Generate One Token');
      await (await editor.modalPrompt()).answer('Generate One Token');
      assert.equal(await done, true);
      assert.deepEqual([generated, entries()[0]?.['defaultModel']], [['wrong-model', 'm'], 'm']);
    });
  });

  describe('with changed headers', () => {
    const headersOfCount = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, 'red']));

    for (const [what, entry, name, problem] of [
      [
        'a second value for the header that contains its key',
        { ...base, authentication: { kind: 'apiKey', header: 'x-api-key' } },
        'X-API-Key',
        /already contains the key/,
      ],
      ['a 21st header', { ...none, headers: headersOfCount(20) }, 'X-20', /at most 20 headers/],
    ] as const) {
      it(`can't have ${what}`, async () => {
        await store(entry, { apiKey: 'key-of-acme' });
        editor.picks.push('ACME', HEADERS, ADD_HEADER);
        editor.typed.push(name);
        assert.equal(await connections.setUp(), false);
        assert.match(JSON.stringify(editor.rejections), problem);
      });
    }

    it("can have a header's value changed even at the 20-header limit", async () => {
      await store({ ...none, headers: headersOfCount(20) });
      editor.picks.push(
        'ACME',
        HEADERS,
        ADD_HEADER,
        'Store in Settings',
        '$(check) Continue',
        SAVE,
      );
      editor.typed.push('x-7', 'blue');
      assert.equal(await connections.setUp(), true);
      const { 'X-7': _, ...others } = headersOfCount(20);
      assert.deepEqual(entries()[0]?.['headers'], { ...others, 'x-7': 'blue' });
    });

    it('can have a secret header with a name of the maximum length', async () => {
      const name = `X-${'a'.repeat(62)}`;
      await store(none);
      editor.picks.push('ACME', HEADERS, ADD_HEADER, 'Store in Secret Storage');
      editor.picks.push('$(check) Continue', SAVE);
      editor.typed.push(name, 'key-of-the-team');
      assert.equal(await connections.setUp(), true);
      assert.deepEqual((await keys.read('acme'))?.headerSecrets, { [name]: 'key-of-the-team' });
    });
  });

  describe('with uppercase letters in its ID', () => {
    const capital = { ...none, word: 'ACME' };

    it('is updated in place', async () => {
      await store(capital);
      editor.picks.push('ACME', CHANGE, OPENAI, 'No Key', SAVE);
      editor.typed.push(OTHER);
      assert.equal(await connections.setUp(), true);
      assert.deepEqual(
        entries().map(({ url }) => url),
        [OTHER],
      );
      assert.equal((await connections.peek()).choice.kind, 'ready');
    });

    it('is removed together with its entry and key', async () => {
      await store(capital);
      editor.picks.push('ACME', REMOVE);
      const done = connections.setUp();
      await (await editor.modalPrompt()).answer('Remove');
      await done;
      assert.equal(entries(), undefined);
      assert.equal(await keys.read('acme'), undefined);
    });
  });

  it('keeps changes that are made to its entry during a rename', async () => {
    await store(none);
    const edited = { ...none, headers: { 'X-Team': 'red' } };
    editor.picks.push('ACME', RENAME);
    // The entry changes while the input box is open.
    const typeLate = () => {
      editor.userSettings.set('services', [edited]);
      return 'Better';
    };
    Object.assign(editor.typed, { shift: typeLate });
    await connections.setUp();
    assert.deepEqual(entries(), [{ ...edited, name: 'Better' }]);
    assert.equal((await connections.peek()).choice.kind, 'unapproved');
  });

  describe('whose record is deleted in another window', () => {
    const signOutElsewhere = () => keyring.window().delete('hostedModel.key.acme');
    const signOutBefore = (wanted: string) => {
      editor.beforeInput = (answer) => {
        if (answer !== wanted) return;
        editor.beforeInput = () => {};
        void signOutElsewhere();
      };
    };

    it('A17: is never saved with its old header secret', async () => {
      const entry = { ...withSecret, authentication: { kind: 'apiKey' } };
      await store(entry, { apiKey: 'old-key', headerSecrets: { 'team key': 'old-team-key' } });
      signOutBefore(TEST);
      editor.picks.push('ACME', CREDENTIALS, TEST, SAVE);
      editor.typed.push('new-key-0123456789', '', 'new-team-key');
      assert.equal(await connections.setUp(), true);
      assert.match(editor.messages[0] ?? '', /stored values changed/);
      assert.deepEqual(tested, []);
      assert.deepEqual((await keys.read('acme'))?.headerSecrets, { 'team key': 'new-team-key' });
    });

    it('A17: stays signed out even if it is renamed at the same time', async () => {
      await store(none);
      editor.beforeUpdate = () => void signOutElsewhere();
      editor.picks.push('ACME', RENAME);
      editor.typed.push('Better');
      await connections.setUp();
      assert.equal(entries()[0]?.['name'], 'Better');
      assert.equal(await keys.read('acme'), undefined);
    });

    it("isn't saved again until setup has reported the deletion", async () => {
      await store(none);
      signOutBefore(SAVE);
      editor.picks.push('ACME', CREDENTIALS, SAVE);
      assert.equal(await connections.setUp(), false);
      assert.match(editor.prompts.at(-1) ?? '', /stored values changed/);
      assert.equal(await keys.read('acme'), undefined);
      editor.picks.push('ACME', SAVE);
      assert.equal(await connections.setUp(), true);
    });
  });

  it('never gets an ID that a faulty entry already has', async () => {
    const faulty = { ...none, word: 'llm_acme_example', api: 'opneai' };
    editor.userSettings.set('services', [faulty]);
    editor.picks.push('$(add) Add a Service...', OPENAI, 'No Key', SAVE, 'model-1');
    editor.typed.push(SERVICE);
    assert.equal(await connections.setUp(), true);
    assert.deepEqual(
      entries().map(({ word }) => word),
      ['llm_acme_example', 'llm_acme_example_2'],
    );
    assert.deepEqual(entries()[0], faulty);
  });

  it('keeps the entered headers if the user goes back during setup', async () => {
    editor.picks.push('$(add) Add a Service...', OPENAI, 'No Key', ADD_HEADER, ADD_HEADER);
    editor.picks.push('Store in Settings', '$(check) Continue', BACK, 'No Key', SAVE, 'model-1');
    editor.typed.push(SERVICE, 'X-Team', 'blue');
    assert.equal(await connections.setUp(), true);
    assert.deepEqual(entries()[0]?.['headers'], { 'X-Team': 'blue' });
  });

  it('keeps the address that returned a model list if the user goes back', async () => {
    failTest = ({ serviceUrl }) => {
      if (serviceUrl === 'https://llm.acme.example') throw new ServiceError('no-model-list');
    };
    Object.assign(runtime, { listModels: async () => ({ models: [], hasMore: false }) });
    editor.picks.push('$(add) Add a Service...', OPENAI, 'No Key', TEST, BACK, BACK, 'No Key');
    editor.picks.push(SAVE, 'm');
    editor.typed.push('https://llm.acme.example');
    assert.equal(await connections.setUp(), true);
    assert.equal(entries()[0]?.['url'], SERVICE);
  });

  it("doesn't keep a path that the user removes after going back", async () => {
    editor.picks.push('$(add) Add a Service...', OPENAI, 'No Key', BACK, BACK, 'No Key', SAVE, 'm');
    editor.typed.push(SERVICE, 'https://llm.acme.example');
    assert.equal(await connections.setUp(), true);
    assert.equal(entries()[0]?.['url'], 'https://llm.acme.example');
  });

  describe('with the watsonx API', () => {
    let emulator: Emulator;
    beforeEach(async () => {
      emulator = await startEmulator();
      runtime = new ServiceRuntime();
      connections.dispose();
      await open();
    });
    afterEach(() => {
      runtime.dispose();
      return emulator.close();
    });

    it('is tested before a model is selected, and later reuses the token', async () => {
      const { url } = emulator;
      const model = 'ibm/granite-4-h-small';
      editor.picks.push('$(add) Add a Service...', 'watsonx', 'IBM API Key', TEST, model);
      editor.typed.push(url, `${url}/identity/token`, defaultApiKey, defaultProjectId);
      assert.equal(await connections.setUp(), true, editor.rejections.join());
      const connection = await connections.for();
      assert.equal(connection?.modelId, model);
      await connection.generateText('Write a reply.');
      assert.deepEqual(
        emulator.requests.map(({ path }) => path),
        [
          '/identity/token',
          '/ml/v1/text/tokenization',
          '/ml/v1/foundation_model_specs',
          '/ml/v1/text/chat',
        ],
      );
    });
  });

  describe('whose entry was changed in the settings', () => {
    it('T40 A10: needs approval in a prompt that shows the whole command', async () => {
      const program = await programPath('node');
      await store(commandEntry('node', '--version'), { program });
      // The prompt doesn't truncate long commands.
      const long = [...Array.from({ length: 40 }, () => '--an-option-of-it'), 'the-last-one'];
      editor.userSettings.set('services', [commandEntry('node', '-p', 'process.env', ...long)]);
      const done = connections.for();
      const question = await editor.modalPrompt();
      assert.match(question.detail, /-p process\.env --an-.* the-last-one/);
      assert.ok(question.detail.includes(String(program)));
      await question.answer();
      await done;
    });

    it('A10: needs approval for new hosts even if its program also changed', async () => {
      const { url: _, ...without } = commandEntry('node', '--version');
      const entry = without as Entry;
      const record = { program: '/usr/bin/other', serviceUrl: SERVICE, authUrl: SERVICE };
      await store(entry, record);
      editor.userSettings.set('url', OTHER);
      const done = connections.for();
      const question = await editor.modalPrompt();
      assert.match(question.detail, /other\.acme\.example/);
      await question.answer('Use New Hosts');
      await done;
      const stored = await keys.read('acme');
      assert.deepEqual([stored?.serviceUrl, stored?.program], [OTHER, await programPath('node')]);
    });

    it('A10: never runs its old program with the new arguments', async () => {
      await store(commandEntry('node', '--version'), { program: await programPath('node') });
      editor.userSettings.set('services', [commandEntry('no-such-program', '-p', '1')]);
      const done = connections.for();
      await (await editor.modalPrompt()).answer('Use Changed Entry');
      await done;
      assert.equal((await keys.read('acme'))?.program, undefined);
    });
  });

  describe('alongside an IBM service with a project', () => {
    const ibm = serviceFor('ibm');
    assert.ok(ibm);
    const url = 'https://us-south.ml.cloud.ibm.com';
    const watsonx: Entry = { ...none, api: 'watsonx' };

    beforeEach(async () => {
      // Stores a record without a project, as earlier versions did.
      await keys.write({ apiKey: 'key-of-ibm', authUrl: ibm.authUrl, serviceUrl: url }, 'ibm');
      editor.userSettings.set('url', url);
      editor.userSettings.set('projectId', 'project-of-ibm');
    });
    const addToKeys = async (entry: Entry) => {
      await store(entry);
      editor.userSettings.delete('service');
      return serviceOf(entry);
    };
    const useAnd = async (service: Service) => {
      assert.equal(await connections.useForSelections(service), true);
      assert.equal(await connections.useForSelections(ibm), true);
      assert.equal(editor.userSettings.get('projectId'), 'project-of-ibm');
      assert.equal((await connections.peek()).choice.kind, 'ready');
    };

    it('can be used for selections without affecting the IBM project', async () => {
      await useAnd(await addToKeys(none));
    });

    it('can have its own project without affecting the IBM project', async () => {
      const service = await addToKeys(watsonx);
      const record = await keys.read('acme');
      assert.ok(record);
      await keys.write({ ...record, projectId: 'project-of-acme', resource: 'project' }, 'acme');
      await useAnd(service);
    });

    const useWithProject = async () => {
      const service = await addToKeys(watsonx);
      const record = await keys.read('acme');
      assert.ok(record);
      await keys.write({ ...record, projectId: 'project-of-acme', resource: 'project' }, 'acme');
      assert.equal(await connections.useForSelections(service), true);
      assert.equal(editor.userSettings.get('projectId'), 'project-of-acme');
    };
    const remove = async () => {
      editor.picks.push('ACME', REMOVE);
      const done = connections.setUp();
      await (await editor.modalPrompt()).answer('Remove');
      await done;
    };

    it('is removed without affecting the IBM project', async () => {
      await useWithProject();
      await remove();
      const { choice } = await connections.peek();
      assert.ok(choice.kind === 'ready', choice.kind);
      const { service, projectId, serviceUrl } = choice.connection;
      assert.deepEqual([service.word, projectId, serviceUrl], ['ibm', 'project-of-ibm', url]);
      assert.equal(await keys.read('acme'), undefined);
      assert.match(editor.messages.at(-1) ?? '', /IBM.* is now used for selections/);
    });

    it('is removed together with its own project if the IBM key was deleted', async () => {
      await useWithProject();
      await keys.remove('ibm');
      await remove();
      for (const name of ['service', 'modelId', 'projectId']) {
        assert.equal(editor.userSettings.get(name), undefined);
      }
    });

    it('can be set up without affecting the IBM project', async () => {
      editor.picks.push('$(add) Add a Service...', 'watsonx', 'No Key', SAVE, 'model-1');
      editor.typed.push('https://llm.acme.example', 'project-of-acme');
      assert.equal(await connections.setUp(), true);
      assert.equal(editor.userSettings.get('projectId'), 'project-of-acme');
      assert.equal((await keys.read('ibm'))?.projectId, 'project-of-ibm');
    });
  });

  describe('whose values are in a .env file', () => {
    it('T43: is used only after a prompt that shows its header names', async () => {
      const { url: _, ...entry } = { ...base, authentication: { kind: 'apiKey' } };
      const services = [{ ...entry, headers: { 'X-Team': 'red' } }];
      editor.userSettings.set('services', services);
      editor.addFolder('/work');
      editor.files.set('/work/.env', `ACME_API_KEY=key-in-file\nACME_URL=${OTHER}\n`);
      const done = connections.for();
      const question = await editor.modalPrompt();
      assert.match(question.detail, /X-Team/);
      await question.answer();
      await done;
    });
  });

  for (const [what, entry, secret] of [
    ["a command's token", commandEntry('node', '--version'), 'token'],
    ['a key', { ...base, authentication: { kind: 'apiKey' } }, 'API key'],
    ["an OAuth client's token", oauth, 'token'],
  ] as const) {
    it(`T15: triggers a warning if ${what} would be sent unencrypted`, async () => {
      const { unencryptedText } = await import('../../../../src/connection/connectionMessages.ts');
      const { parseDestination } = await import(
        '../../../../src/connection/approvedDestination.ts'
      );
      const service = serviceOf({ ...entry, url: 'http://llm.acme.example' });
      const target = parseDestination(service.authUrl, service.url, service);
      assert.ok('authHost' in target);
      assert.match(unencryptedText(target, service), new RegExp(`text and ${secret}`, 'i'));
    });
  }
});
