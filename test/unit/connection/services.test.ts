import assert from 'node:assert/strict';
import type { Obstacle } from '../../../src/connection/activeConnection.ts';
import type { Connections } from '../../../src/connection/connections.ts';
import { KeyStore } from '../../../src/connection/keyStore.ts';
import { SourceApprovals } from '../../../src/connection/sourceApprovals.ts';
import { actionsFor, sourceRows } from '../../../src/connection/sourceView.ts';
import { prepareDiagnosis } from '../../../src/diagnose/preliminaryChecks.ts';
import { assignmentsOf } from '../../../src/dotenv/envText.ts';
import { readServices } from '../../../src/service/addedServices.ts';
import { secretsOf } from '../../../src/service/auth/keySecrets.ts';
import { serviceFor, services } from '../../../src/service/builtInServices.ts';
import { Connection } from '../../../src/service/connection.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import type { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import { FakeEditor, installEditor } from './fakeEditor.ts';
import { FakeKeyring, FakeState } from './fakes.ts';

const PLATFORM = 'https://cpd.acme.example';
const platformFile = `CPD_USERNAME=anna\nCPD_API_KEY=key-of-the-platform\nCPD_PROJECT_ID=p-1\nCPD_URL=${PLATFORM}\n`;
const cloudFile =
  'IBM_API_KEY=key-of-the-cloud\nIBM_PROJECT_ID=p-2\nIBM_URL=https://us-south.ml.cloud.ibm.com\n';
const identityUrl = 'https://login.acme.example';
const acme = {
  word: 'acme',
  name: 'ACME gateway',
  authentication: { kind: 'clientCredentials', tokenUrl: `${identityUrl}/token` },
  api: 'openai',
  defaultModel: 'gpt-4o',
};
const acmeFile =
  'ACME_CLIENT_ID=me\nACME_CLIENT_SECRET=secret-of-acme\nACME_URL=https://llm.acme.example/v1\n';
const use = 'Use These Values';
const variablesIn = (file: string): Record<string, string> =>
  Object.fromEntries(assignmentsOf(file).map(({ name, raw }) => [name, raw]));

const secretsIn = (connection: Connection | undefined) =>
  connection && Connection.credentials(connection);

function otherKeysOf(connection: Connection | undefined): string[] {
  return (secretsIn(connection)?.otherKeys ?? []).map(({ apiKey }) => apiKey);
}

describe('the extension with several services', () => {
  let editor = new FakeEditor();
  let keyring: FakeKeyring;
  let keys: KeyStore;
  let connections: Connections;
  let obstacles: Obstacle[];
  let environment: Record<string, string>;
  let test = async () => {};
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(async () => {
    editor = new FakeEditor();
    editor.addFolder('/work');
    editor.activeFile = '/work/a.txt';
    keyring = new FakeKeyring();
    obstacles = [];
    environment = {};
    const service = {
      ...{ test: () => test(), isRejected: () => false, forgetRejection() {}, forgetTokens() {} },
    } as unknown as ServiceRuntime;
    const secrets = keyring.window();
    keys = new KeyStore(secrets, new FakeState(), () => {});
    const { Connections } = await import('../../../src/connection/connections.ts');
    const { runSetUp } = await import('../../../src/connection/setUp/setUp.ts');
    connections = new Connections({
      ...{ keys, approvals: new SourceApprovals(secrets, new FakeState()), environment },
      workspaceState: new FakeState(),
      runtime: service,
      runSetUp: (reason) => runSetUp({ keys, runtime: service }, reason),
      inBackground: (work) => void work.catch(assert.ifError),
    });
    connections.onDidChange(() => {
      const { obstacle } = connections;
      if (obstacle !== (obstacles.at(-1) ?? 'none')) obstacles.push(obstacle);
    });
  });

  it('uses the service whose variables are in the .env file', async () => {
    editor.files.set('/work/.env', platformFile);
    const required = connections.for();
    const question = await editor.modalPrompt();
    assert.match(question.text, /user name, API key, .* for IBM watsonx\.ai on premises from/);
    assert.match(question.detail, /The API key and selected text go to cpd\.acme\.example/);
    await question.answer(use);
    const credentials = await required;
    assert.ok(credentials);
    const { service, account, apiKey, projectId, authUrl, serviceUrl, approved } =
      Connection.credentials(credentials);
    assert.deepEqual(
      [service.word, account, apiKey, projectId, authUrl, serviceUrl, approved.auth],
      ['cpd', 'anna', 'key-of-the-platform', 'p-1', PLATFORM, PLATFORM, PLATFORM],
    );
  });

  for (const [name, word] of [
    ['the service in the settings', 'cpd'],
    ['a built-in service rather than an added service', ''],
  ] as const) {
    it(`uses ${name} if a file has values for several services`, async () => {
      editor.userSettings.set('services', [acme]);
      editor.userSettings.set('service', word);
      editor.files.set('/work/.env', acmeFile + platformFile);
      const required = connections.for();
      const question = await editor.modalPrompt();
      assert.match(question.text, /for IBM watsonx\.ai on premises from/);
      await question.answer(use);
      assert.equal((await required)?.service.word, 'cpd');
      assert.deepEqual([editor.modalCount, editor.inputCount], [1, 0]);
    });
  }

  for (const [what, lines, problem] of [
    ['incomplete', platformFile.replace(/^.+\n/, ''), 'lacks CPD_USERNAME'],
    ['malformed', platformFile.replace('=anna', '="anna"'), 'CPD_USERNAME on line 4 has quotes'],
    ['missing', '', 'its settings are for a different service than the one in hostedModel.service'],
  ] as const) {
    it(`doesn't use another service if the values for the selected service are ${what}`, async () => {
      editor.files.set('/work/.env', cloudFile);
      const approved = connections.for();
      await (await editor.modalPrompt()).answer(use);
      assert.equal((await approved)?.service.word, 'ibm');
      editor.userSettings.set('service', 'cpd');
      editor.files.set('/work/.env', cloudFile + lines);
      assert.equal(await connections.for(), undefined);
      assert.equal(editor.modalCount, 1);
      assert.ok(editor.messages.at(-1)?.includes(problem), editor.messages.at(-1));
      const { found, choice } = await connections.peek();
      const [, row] = sourceRows(found, choice);
      assert.ok(row?.detail?.includes(problem), row?.detail);
    });
  }

  for (const isApproved of [true, false]) {
    const state = isApproved ? 'approved' : 'unapproved';
    it(`doesn't fall back to the ${state} environment if the identity address is invalid`, async () => {
      Object.assign(environment, variablesIn(platformFile));
      if (isApproved) {
        const approved = connections.for();
        await (await editor.modalPrompt()).answer(use);
        assert.equal((await approved)?.service.word, 'cpd');
      }
      editor.userSettings.set('authUrl', 'http://identity.example');
      editor.files.set('/work/.env', cloudFile);
      const { choice } = await connections.peek();
      assert.deepEqual(choice, { kind: 'bad-address', setting: 'authUrl', problem: 'not-https' });
    });
  }

  it("doesn't skip a higher-precedence service even if its values are malformed", async () => {
    const approve = async (file: string) => {
      editor.files.set('/work/.env', file);
      const approved = connections.for();
      await (await editor.modalPrompt()).answer(use);
      return (await approved)?.service.word;
    };
    assert.equal(await approve(platformFile), 'cpd');
    assert.equal(await approve(platformFile + cloudFile), 'ibm');
    for (const [broken, problem] of [
      [
        cloudFile.replace('=key-of-the-cloud', '="key-of-the-cloud"'),
        'IBM_API_KEY on line 5 has quotes',
      ],
      ['IBM_API_KEY="key\n', 'IBM_API_KEY on line 5 has quotes'],
      ['WATSONX_URL=us-south\n', 'WATSONX_URL on line 5 isn’t a valid address'],
      ['IBM_PROJECT_ID=p\u200b\n', 'IBM_PROJECT_ID on line 5 contains invisible characters'],
    ] as const) {
      editor.files.set('/work/.env', platformFile + broken);
      assert.equal(await connections.for(), undefined, broken);
      assert.equal(editor.modalCount, 2);
      assert.ok(editor.messages.at(-1)?.includes(problem), editor.messages.at(-1));
    }
  });

  for (const [what, file, word] of [
    ['malformed values for a service with lower precedence', `${cloudFile}CPD_API_KEY="key`, 'ibm'],
    ['malformed values with VENDOR_ names', `VENDOR_API_KEY="key\n${platformFile}`, 'cpd'],
    [
      'incomplete values for a service with higher precedence',
      `WATSONX_URL=https://eu-de.ml.cloud.ibm.com\n${platformFile}`,
      'cpd',
    ],
    [
      'empty and placeholder values for a service with higher precedence',
      `IBM_API_KEY=\nIBM_URL=<url>\n${platformFile}`,
      'cpd',
    ],
  ] as const) {
    for (const [source, put] of [
      ['file', () => void editor.files.set('/work/.env', file)],
      ['environment', () => void Object.assign(environment, variablesIn(file))],
    ] as const) {
      it(`ignores ${what} (${source})`, async () => {
        put();
        const required = connections.for();
        await (await editor.modalPrompt()).answer(use);
        assert.equal((await required)?.service.word, word);
      });
    }
  }

  it("doesn't use VENDOR_ variables if the service's own variables have malformed values", async () => {
    const file = `IBM_API_KEY="key\n${cloudFile.replaceAll('IBM_', 'VENDOR_')}`;
    for (const word of ['', 'ibm']) {
      editor.userSettings.set('service', word);
      editor.files.set('/work/.env', file);
      assert.equal(await connections.for(), undefined);
      assert.match(editor.messages.at(-1) ?? '', /IBM_API_KEY on line 1 has quotes/);
      editor.files.clear();
      Object.assign(environment, variablesIn(file));
      assert.equal(await connections.for(), undefined);
      assert.match(editor.messages.at(-1) ?? '', /IBM_API_KEY has quotes/);
    }
    assert.equal(editor.modalCount, 0);
  });

  it('names the missing values for the service with the highest precedence', async () => {
    editor.files.set('/work/.env', 'CPD_USERNAME=anna\nWATSONX_URL=https://a.example\n');
    Object.assign(environment, variablesIn(platformFile));
    assert.equal(await connections.for(), undefined);
    assert.equal(editor.modalCount, 0);
    assert.match(editor.messages.at(-1) ?? '', /lacks WATSONX_API_KEY and WATSONX_PROJECT_ID/);
  });

  it("doesn't use any source if the service in the settings is unknown", async () => {
    editor.files.set('/work/.env', cloudFile);
    const using = connections.useSource('envFile');
    await (await editor.modalPrompt()).answer(use);
    assert.equal(await using, true);
    editor.userSettings.set('service', 'nobody');
    assert.equal(await connections.for(), undefined);
    assert.match(editor.messages.join(), /hostedModel\.service is “nobody”/);
  });

  it('prompts again only for values that have never been approved', async () => {
    const word = async (file: string, answer?: string) => {
      editor.files.set('/work/.env', file);
      const required = connections.for();
      if (answer) await (await editor.modalPrompt()).answer(answer);
      return (await required)?.service.word;
    };
    assert.equal(await word(platformFile, use), 'cpd');
    assert.equal(await word(cloudFile + platformFile, use), 'ibm');
    assert.equal(await word(platformFile), 'cpd', 'these exact values were approved');
    assert.equal(editor.modalCount, 2);
    const changed = platformFile.replace('key-of-the-platform', 'another-key');
    assert.equal(await word(changed, 'Do Not Use'), undefined);
    assert.equal(editor.modalCount, 3);
  });

  it('can switch to another service whose credentials come from a .env file', async () => {
    editor.userSettings.set('url', 'https://us-south.ml.cloud.ibm.com').set('projectId', 'p');
    const stored = {
      authUrl: services[0].authUrl,
      serviceUrl: 'https://us-south.ml.cloud.ibm.com',
    };
    await keys.write({ apiKey: 'my-key', ...stored }, 'ibm');
    editor.files.set('/work/.env', platformFile);
    const { found } = await connections.peek();
    const offered = actionsFor('envFile', found).map(({ action }) => action);
    assert.deepEqual(offered, ['import', 'open']);
    assert.deepEqual(obstacles, [], 'the source in use needs no approval');
    assert.equal(secretsIn(await connections.for())?.apiKey, 'my-key');
    const using = connections.useSource('envFile');
    await (await editor.modalPrompt()).answer(use);
    assert.equal(await using, true);
    assert.equal((await connections.for())?.service.word, 'cpd');
  });

  it("treats an unused service's key in the .env file as a secret", async () => {
    editor.files.set('/work/.env', cloudFile + platformFile);
    editor.userSettings.set('service', 'cpd');
    const required = connections.for();
    await (await editor.modalPrompt()).answer(use);
    assert.deepEqual(otherKeysOf(await required), ['key-of-the-cloud']);
  });

  it("treats any unused service's key as a secret", async () => {
    editor.userSettings.set('url', 'https://us-south.ml.cloud.ibm.com');
    editor.userSettings.set('projectId', 'p');
    const stored = {
      authUrl: services[0].authUrl,
      serviceUrl: 'https://us-south.ml.cloud.ibm.com',
    };
    await keys.write({ apiKey: 'my-key', ...stored }, 'ibm');
    await keys.write({ apiKey: 'key-of-another-service', ...stored }, 'acme');
    editor.files.set('/work/.env', cloudFile + platformFile);
    const connection = await connections.for();
    assert.equal(secretsIn(connection)?.apiKey, 'my-key');
    const others = new Set(otherKeysOf(connection));
    const expected = ['key-of-another-service', 'key-of-the-cloud', 'key-of-the-platform'];
    assert.deepEqual(others, new Set(expected));
  });

  it("treats any unused service's header values as secrets", async () => {
    editor.userSettings.set('url', 'https://us-south.ml.cloud.ibm.com').set('projectId', 'p');
    editor.userSettings.set('services', [acme]);
    const [service = assert.fail()] = readServices([acme]).own;
    const stored = {
      authUrl: services[0].authUrl,
      serviceUrl: 'https://us-south.ml.cloud.ibm.com',
    };
    await keys.write({ apiKey: 'my-key', ...stored }, 'ibm');
    const write = (word: string, definition?: string) =>
      keys.write({ account: 'stored', apiKey: `key-of-${word}`, definition, ...stored }, word);
    await write('acme', service.definition);
    await write('gone', service.definition);
    await write('unknown');
    await write('damaged', '{');
    await write('alias', JSON.stringify({ ...acme, word: 'alias', defaultModel: 'Meta Llama 3' }));
    await keys.write({ apiKey: '', definition: '{', ...stored }, 'damaged_without_key');
    await keys.write({ apiKey: 'sk-1234', ...stored }, 'zen');
    const lastLines = 'ACME_CLIENT_ID=you\nACME_CLIENT_SECRET=last-secret\n';
    editor.files.set('/work/.env', `${acmeFile}ACME_CLIENT_SECRET=secret-between\n${lastLines}`);
    const credentials = secretsIn(await connections.for()) ?? assert.fail();
    assert.equal(credentials.apiKey, 'my-key');
    const secrets = secretsOf(credentials);
    for (const header of [
      `Basic ${btoa('stored:key-of-acme')}`,
      `Basic ${btoa('stored:key-of-gone')}`,
      `Basic ${btoa('me:secret-of-acme')}`,
      `Basic ${btoa('you:last-secret')}`,
      'secret-between',
      'ZenApiKey sk-1234',
      'key-of-unknown',
      'key-of-damaged',
      `Basic ${btoa('stored:key-of-damaged')}`,
      `Basic ${btoa('stored:key-of-alias')}`,
      'ZenApiKey key-of-alias',
      'Bearer key-of-alias',
    ]) {
      assert.ok(secrets.includes(header), header);
    }
    assert.equal(secrets.includes('Bearer '), false, 'no secret without a key');
    assert.equal(new Set(secrets).size, secrets.length, 'no duplicates');
  });

  it('uses the project if a file names both a project and a space', async () => {
    editor.files.set('/work/.env', `IBM_SPACE_ID=s-1\n${cloudFile}`);
    const required = connections.for();
    await (await editor.modalPrompt()).answer(use);
    assert.deepEqual([(await required)?.resource, (await required)?.projectId], [undefined, 'p-2']);
  });

  for (const [name, resource] of [
    ['IBM_SPACE_ID', 'space'],
    ['WATSONX_SPACE_ID', 'space'],
    ['IBM_DEPLOYMENT_ID', 'deployment'],
  ] as const) {
    it(`uses a ${resource} from ${name} instead of a project`, async () => {
      const prefix = name.startsWith('IBM') ? 'IBM' : 'WATSONX';
      const text = cloudFile.replace('IBM_PROJECT_ID', name).replaceAll('IBM_', `${prefix}_`);
      editor.files.set('/work/.env', text);
      const required = connections.for();
      const question = await editor.modalPrompt();
      assert.match(question.text, new RegExp(`API key, ${resource} ID, and service URL from the`));
      await question.answer(use);
      assert.deepEqual(
        [(await required)?.resource, (await required)?.projectId],
        [resource, 'p-2'],
      );
    });
  }

  it('C08: rejects an ID that would change the path of a URL', async () => {
    editor.files.set('/work/.env', cloudFile.replace('IBM_PROJECT_ID=p-2', 'IBM_DEPLOYMENT_ID=..'));
    assert.equal(await connections.for(), undefined);
    assert.equal(editor.modalCount, 0);
  });

  it('prompts for the address again during setup if the host is unreachable', async () => {
    const host = new URL(PLATFORM).host;
    test = async () => {
      test = async () => {};
      throw new ServiceError('unreachable', { host });
    };
    editor.picks.push('IBM watsonx.ai on premises', PLATFORM, '$(beaker) Test and Save');
    editor.picks.push(PLATFORM, '$(beaker) Test and Save');
    editor.typed.push('anna', 'key-of-the-platform-that-is-long', 'p-1');
    assert.equal(await connections.setUp(), true);
    assert.equal(editor.picks.length, 0);
  });

  it('uses the most specific ID in the settings: deployment, then space, then project', async () => {
    const url = 'https://us-south.ml.cloud.ibm.com';
    editor.userSettings.set('url', url);
    editor.userSettings.set('projectId', 'p');
    const { authUrl } = services[0];
    await keys.write({ apiKey: 'my-key', authUrl, serviceUrl: url }, 'ibm');
    const named = async () => {
      const credentials = await connections.for();
      return [credentials?.resource, credentials?.projectId];
    };
    assert.deepEqual(await named(), ['project', 'p']);
    editor.userSettings.set('spaceId', 's');
    assert.deepEqual(await named(), ['space', 's']);
    editor.userSettings.set('deploymentId', 'd');
    assert.deepEqual(await named(), ['deployment', 'd']);
  });

  it('ignores the models in settings and templates if a deployment is used', async () => {
    const url = 'https://us-south.ml.cloud.ibm.com';
    editor.userSettings.set('url', url).set('deploymentId', 'd').set('modelId', 'maker/large');
    await keys.write({ apiKey: 'my-key', authUrl: services[0].authUrl, serviceUrl: url }, 'ibm');
    const connection = await connections.for();
    assert.equal(connection?.modelId, '');
    assert.equal(connection?.with({ modelId: 'maker/of-a-template' }).modelId, '');
  });

  it('A14: prefers IDs in the folder settings over IDs in the user settings', async () => {
    const url = 'https://us-south.ml.cloud.ibm.com';
    editor.userSettings.set('url', url).set('projectId', 'p').set('deploymentId', 'd');
    await keys.write({ apiKey: 'my-key', authUrl: services[0].authUrl, serviceUrl: url }, 'ibm');
    for (const [name, resource] of [
      ['projectId', 'project'],
      ['spaceId', 'space'],
      ['deploymentId', 'deployment'],
    ] as const) {
      editor.folderSettings.set(name, `${resource}-of-the-folder`);
      const credentials = await connections.for();
      assert.deepEqual(
        [credentials?.resource, credentials?.projectId],
        [resource, `${resource}-of-the-folder`],
      );
    }
    assert.equal(editor.modalCount, 0);
  });

  it('uses the folder’s project instead of the user’s space', async () => {
    const { readSettings } = await import('../../../src/config/settings.ts');
    editor.userSettings.set('spaceId', 's').set('projectId', 'p');
    const named = () => {
      const { resource, projectId, isProjectOverridden } = readSettings();
      return [resource, projectId, isProjectOverridden];
    };
    assert.deepEqual(named(), ['space', 's', false]);
    editor.folderSettings.set('projectId', 'p');
    assert.deepEqual(named(), ['project', 'p', true]);
  });

  it("doesn't show a folder's project for a service without projects", async () => {
    editor.userSettings
      .set('services', [acme])
      .set('service', 'acme')
      .set('url', 'https://llm.acme.example/v1');
    const [service] = readServices([acme]).own;
    const { authUrl = '', definition = '' } = service ?? {};
    const record = { account: 'me', apiKey: 'secret', authUrl, definition };
    await keys.write({ ...record, serviceUrl: 'https://llm.acme.example/v1' }, 'acme');
    editor.folderSettings.set('projectId', 'project-of-the-folder');
    const { found, choice } = await connections.peek();
    assert.equal(choice.kind, 'ready');
    const shownTexts = [
      ...prepareDiagnosis(found, choice).preliminary.map(({ text }) => text),
      ...sourceRows(found, choice).map(({ detail }) => detail),
    ];
    assert.doesNotMatch(shownTexts.join(), /project/);
  });

  it('uses the project and account from the latest setup', async () => {
    editor.userSettings.set('deploymentId', 'deployment-of-the-cloud');
    editor.picks.push('IBM watsonx.ai on premises', PLATFORM, '$(save) Save Without Testing');
    editor.typed.push('anna', 'key-of-the-platform-that-is-long', 'p-1');
    assert.equal(await connections.setUp(), true);
    const credentials = await connections.for();
    assert.deepEqual([credentials?.resource, credentials?.projectId], ['project', 'p-1']);
    editor.picks.push('IBM watsonx.ai on premises', PLATFORM, '$(save) Save Without Testing');
    editor.typed.push('berta', 'key-of-the-platform-that-is-long', 'p-1');
    await connections.setUp();
    assert.equal((await connections.for())?.account, 'berta');
  });

  it('uses only the key of the selected service', async () => {
    editor.userSettings.set('url', 'https://us-south.ml.cloud.ibm.com');
    editor.userSettings.set('projectId', 'p');
    const record = {
      apiKey: 'my-key',
      authUrl: services[0].authUrl,
      serviceUrl: 'https://us-south.ml.cloud.ibm.com',
    };
    keyring.values.set('hostedModel.key.ibm', JSON.stringify(record));
    assert.equal(secretsIn(await connections.for())?.apiKey, 'my-key');
    assert.equal(editor.modalCount, 0);
    editor.userSettings.set('service', 'cpd');
    assert.equal(
      await connections.for(),
      undefined,
      'the key of one service is not used for another service',
    );
    assert.match(
      editor.messages.join(),
      /needs a user name, an API key before|needs a user name and an API key/,
    );
  });

  it('uses an added service, and prompts again if its entry changes', async () => {
    editor.userSettings.set('services', [acme]);
    editor.files.set('/work/.env', acmeFile);
    const required = connections.for();
    const { detail, answer } = await editor.modalPrompt();
    assert.match(detail, /login\.acme\.example/);
    assert.match(detail, /llm\.acme\.example/);
    await answer(use);
    const credentials = await required;
    assert.deepEqual(
      [credentials?.service.word, credentials?.account, credentials?.authUrl],
      ['acme', 'me', identityUrl],
    );
    editor.userSettings.set('services', [
      { ...acme, authentication: { ...acme.authentication, scope: 'more' } },
    ]);
    void connections.for();
    assert.match((await editor.modalPrompt()).text, /from the \.env file in this folder/);
  });

  it('warns that text is sent unencrypted if an added service uses http', async () => {
    editor.userSettings.set('services', [acme]);
    editor.files.set('/work/.env', acmeFile.replace('https:', 'http:'));
    const required = connections.for();
    const { detail, answer } = await editor.modalPrompt();
    assert.match(
      detail,
      /^The selected text and token are sent unencrypted to llm\.acme\.example\./,
    );
    await answer(use);
    assert.equal((await required)?.serviceUrl, 'http://llm.acme.example/v1');
  });

  it('accepts spaces and colons in a client ID and a client secret', async () => {
    // https://www.rfc-editor.org/rfc/rfc6749#appendix-A
    const [id, secret] = ['team one:client', 'a secret: with blanks'];
    editor.userSettings.set('services', [acme]);
    const file = `ACME_CLIENT_ID=${id}\nACME_CLIENT_SECRET=${secret}\n`;
    editor.files.set('/work/.env', `${file}ACME_URL=https://llm.acme.example/v1\n`);
    const required = connections.for();
    await (await editor.modalPrompt()).answer(use);
    assert.deepEqual([(await required)?.account, secretsIn(await required)?.apiKey], [id, secret]);
    editor.userSettings.set('service', 'acme');
    editor.typed.push(id, secret);
    editor.picks.push('ACME gateway', 'https://llm.acme.example/v1');
    editor.picks.push('$(save) Save Without Testing');
    assert.equal(await connections.setUp(), true);
    assert.deepEqual(editor.rejections.filter(Boolean), []);
    const { found, choice } = await connections.peek();
    assert.ok(choice.kind === 'ready' && choice.connection.source === 'editor');
    const failed = prepareDiagnosis(found, choice).preliminary.filter((one) => one.fix);
    assert.deepEqual(failed, []);
  });

  it("prompts before using a stored key if the service's entry has changed", async () => {
    editor.userSettings.set('services', [acme]);
    editor.userSettings.set('service', 'acme');
    editor.typed.push('me', 'secret-of-acme-that-is-long');
    editor.picks.push('ACME gateway', 'https://llm.acme.example/v1');
    editor.picks.push('$(save) Save Without Testing');
    await connections.setUp();
    assert.deepEqual([...keyring.values.keys()], ['hostedModel.key.acme']);
    assert.equal(secretsIn(await connections.for())?.apiKey, 'secret-of-acme-that-is-long');
    assert.equal(editor.modalCount, 0);
    editor.userSettings.set('services', [{ ...acme, defaultModel: 'another' }]);
    const required = connections.for();
    const question = await editor.modalPrompt();
    assert.match(question.text, /entry for ACME gateway in hostedModel\.services has changed/);
    await question.answer('Use Changed Entry');
    assert.equal((await required)?.service.defaultModelId, 'another');
  });

  it('never reads services from the folder settings', async () => {
    const evil = {
      ...acme,
      word: 'evil',
      authentication: { ...acme.authentication, tokenUrl: 'https://evil.example/t' },
    };
    editor.folderSettings.set('services', [evil]);
    editor.files.set('/work/.env', acmeFile.replaceAll('ACME', 'EVIL'));
    const { found } = await connections.peek();
    assert.ok(found.external.every(({ values }) => values === undefined));
    assert.equal(await connections.for(), undefined);
    assert.equal(editor.modalCount, 0);
  });

  it('uses no service if the selected one is unknown or invalid', async () => {
    editor.userSettings.set('service', 'nobody');
    assert.equal(await connections.for(), undefined);
    assert.match(
      editor.messages.join(),
      /hostedModel\.service is “nobody”, but no built-in service/,
    );
    assert.equal(await connections.setUp(), false, 'no secret is requested for another service');
    assert.equal(editor.inputCount, 1, 'the setup starts with the choice of a service');
    editor.userSettings.set('service', 'acme');
    editor.userSettings.set('services', [{ ...acme, api: 'x' }]);
    assert.equal(await connections.for(), undefined);
    assert.match(editor.messages.join(), /is “acme”, but its entry .* “api” is missing or invalid/);
  });

  for (const [stored, inUse] of [
    [['cpd', 'acme'], 'cpd'],
    [['acme', 'cpd', 'ibm'], 'ibm'],
    [['acme'], 'acme'],
    [[], 'ibm'],
  ] as const) {
    it(`uses ${inUse} by default if keys are stored for ${stored.join(', ') || 'no service'}`, async () => {
      editor.userSettings.set('services', [acme]).set('projectId', 'p').set('url', PLATFORM);
      const all = [...services, ...readServices([acme]).own];
      for (const word of stored) {
        const { authUrl = '', definition } = serviceFor(word, all) ?? {};
        const record = {
          account: 'me',
          apiKey: `key-of-${word}`,
          serviceUrl: PLATFORM,
          definition,
        };
        await keys.write({ ...record, authUrl: authUrl || PLATFORM }, word);
      }
      const { found, choice } = await connections.peek();
      assert.equal(found.settings.service.word, inUse);
      if (stored.length === 0) return assert.equal(choice.kind, 'missing');
      assert.ok(choice.kind === 'ready');
      const { connection } = choice;
      assert.equal(Connection.credentials(connection).apiKey, `key-of-${inUse}`);
      assert.equal(connection.modelId, connection.service.defaultModelId);
      editor.userSettings.set('modelId', 'model-of-the-user');
      assert.equal((await connections.for())?.modelId, 'model-of-the-user');
    });
  }

  for (const authentication of [{ kind: 'none' }, { kind: 'command', command: ['node', '-v'] }]) {
    it(`T40: requires setup before using a service with the authentication method ${authentication.kind}`, async () => {
      editor.userSettings.set('services', [
        { ...acme, url: 'https://llm.acme.example/v1', authentication },
      ]);
      editor.files.set('/work/.env', 'LOG_LEVEL=debug\n');
      for (const word of ['acme', undefined]) {
        editor.userSettings.set('service', word);
        const { found, choice } = await connections.peek();
        assert.equal(choice.kind, 'missing');
        assert.deepEqual(
          found.external.map(({ values }) => values),
          [undefined, undefined],
        );
      }
    });
  }

  it("treats both connections as in use until either service's credentials change", async () => {
    const { isStillUsed } = await import('../../../src/diagnose/connectionLookup.ts');
    editor.userSettings.set('services', [acme]).set('service', 'cpd');
    editor.userSettings.set('projectId', 'p').set('url', PLATFORM);
    const platform = { account: 'anna', authUrl: PLATFORM, serviceUrl: PLATFORM };
    const url = 'https://llm.acme.example/v1';
    const own = {
      ...{ account: 'me', apiKey: 'secret-of-acme', authUrl: identityUrl, serviceUrl: url },
      definition: JSON.stringify(acme),
    };
    await keys.write({ ...platform, apiKey: 'key-of-the-platform' }, 'cpd');
    await keys.write(own, 'acme');
    const all = await connections.all();
    const used = () => Promise.all(all.map((one) => isStillUsed(one, () => connections.all())));
    assert.deepEqual(
      all.map(({ service }) => service.word),
      ['cpd', 'acme'],
    );
    assert.deepEqual(await used(), [true, true]);
    await keys.write({ ...own, apiKey: 'another-secret' }, 'acme');
    // Both connections have changed: one has a new key, and the other lists that key among the keys
    // that it must not send.
    assert.deepEqual(await used(), [false, false]);
  });

  it("doesn't change the model setting or an empty service setting during setup", async () => {
    editor.userSettings.set('projectId', 'p').set('url', PLATFORM).set('modelId', 'my-model');
    const record = { account: 'anna', authUrl: PLATFORM, serviceUrl: PLATFORM };
    await keys.write({ ...record, apiKey: 'key-of-the-platform' }, 'cpd');
    editor.typed.push('berta', 'another-key-that-is-long', 'p');
    editor.picks.push('IBM watsonx.ai on premises', PLATFORM, '$(save) Save Without Testing');
    const saved = connections.setUp();
    await (await editor.modalPrompt()).answer('Replace');
    assert.equal(await saved, true);
    assert.deepEqual(
      [editor.userSettings.get('service'), editor.userSettings.get('modelId')],
      [undefined, 'my-model'],
    );
    assert.equal((await connections.for())?.account, 'berta');
  });

  it("selects a service after setup, and deletes an unselected service's key on sign-out", async () => {
    editor.picks.push('IBM watsonx.ai on premises', PLATFORM, '$(save) Save Without Testing');
    editor.typed.push('anna', 'key-of-the-platform-that-is-long', 'p-1');
    assert.equal(await connections.setUp(), true);
    assert.equal(editor.userSettings.get('service'), 'cpd');
    const credentials = await connections.for();
    assert.deepEqual([credentials?.service.word, credentials?.account], ['cpd', 'anna']);
    editor.userSettings.set('service', serviceFor('ibm')?.word);
    await connections.signOut();
    assert.deepEqual(
      [...keyring.values.keys()].filter((name) => name.includes('key')),
      [],
    );
  });
});
