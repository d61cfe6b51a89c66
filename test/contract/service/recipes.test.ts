import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assignmentsOf } from '../../../src/dotenv/envText.ts';
import { likelyReading, readForAll } from '../../../src/dotenv/sourceReading.ts';
import { readServices } from '../../../src/service/addedServices.ts';
import { serviceFor, services } from '../../../src/service/builtInServices.ts';
import type { CheckResult } from '../../../src/service/checks/connectionChecks.ts';
import type { Connection } from '../../../src/service/connection.ts';
import type { Credentials } from '../../../src/service/credentials.ts';
import {
  commandOf,
  headerSecretsOf,
  neededSettings,
  type Service,
} from '../../../src/service/service.ts';
import { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import { isUnencrypted } from '../../../src/service/serviceUrl.ts';
import { type Emulator, startEmulator } from '../../emulator/emulator.ts';
import { recordedModels } from '../../emulator/models.ts';
import { platformPath } from '../../emulator/otherAuthMethods.ts';
import {
  defaultAccount,
  defaultApiKey,
  defaultProjectId,
  type EmulatorSettings,
} from '../../emulator/settings.ts';
import { connectionOf, kindOf, never } from '../../unit/service/fixtures.ts';
import { endWorlds, startWorld, tokenPath, type World } from './world.ts';

/**
 * Follows the recipes in docs/services.md literally, except for IDs, keys, and hosts. Recipes with
 * a `.env` file use `credentialsOf`, and recipes with a service's entry use `follow`. Each entry
 * has its own `word`.
 */

const page = readFileSync('docs/services.md', 'utf8');
const account = defaultAccount;
const chatPath = '/v1/chat/completions';

/** Returns the code block under a heading on the page. */
function blockOf(heading: string, language: 'ini' | 'json'): string {
  const [, section = ''] = page.split(`# ${heading}\n`);
  const [own = ''] = section.split(/^#/m);
  const block = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(own)?.[1];
  return block ?? assert.fail(`no ${language} under ${heading}`);
}

/**
 * Returns the `hostedModel.services` entry under a heading. Fails if there are other entries, or if
 * `hostedModel.service` isn't the entry's `word`.
 */
function entryUnder(heading: string): Record<string, unknown> & { readonly url: string } {
  const settings = JSON.parse(`{${blockOf(heading, 'json')}}`);
  const [entry, ...others] = settings['hostedModel.services'];
  assert.deepEqual([others, settings['hostedModel.service']], [[], entry.word]);
  return entry;
}

function serviceOf(entry: object): Service {
  const { own, issues } = readServices([entry]);
  assert.deepEqual(issues, []);
  return own[0] ?? assert.fail('no service');
}

/**
 * Reads credentials from the text of a `.env` file, after replacing the placeholders in the text.
 */
function credentialsOf(file: string, id: string): (url: string) => Partial<Credentials> {
  const text = file
    .replace(/^(\w+_ID)=…$/m, `$1=${id}`)
    .replace(/^(\w+_API_KEY)=…$/m, `$1=${defaultApiKey}`)
    .replace(/^(\w+_USERNAME)=.*$/m, `$1=${account}`);
  const { service, reading } = likelyReading(
    readForAll(assignmentsOf(text), services[0], services),
  );
  assert.deepEqual(reading.issues, []);
  const { values } = reading;
  assert.ok(values, 'complete');
  const { url: _, ...known } = values;
  return () => ({ service, ...known });
}

async function generates(
  credentials: (url: string) => Partial<Credentials>,
  path: string,
  known: Partial<EmulatorSettings> = {},
): Promise<World> {
  const world = await startWorld({ credentials, emulator: known });
  assert.match((await world.generate()).text, /Hello/);
  assert.equal(world.emulator.count(path), 1, 'one request for a token');
  return world;
}

/**
 * A recipe's service, the emulator that stands in for it, and a connection to this emulator.
 */
interface Followed {
  readonly emulator: Emulator;
  readonly connection: Connection;
  readonly service: Service;
}

describe('the connection that a recipe sets up', () => {
  const open: (() => Promise<void> | void)[] = [];
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hosted-model-recipes-'));
  });
  after(() => rm(folder, { recursive: true }));
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
    await endWorlds();
  });

  /**
   * Starts an emulator that offers only a service entry's default model, and connects to it with
   * the entry's settings. Only the origin of the entry's address is replaced, so the emulator must
   * support the path of `tokenUrl`.
   */
  async function follow(
    entry: Readonly<Record<string, unknown>> & { readonly url: string },
    known: Partial<EmulatorSettings>,
    answers: Partial<Credentials> = {},
  ): Promise<Followed> {
    const emulator = await startEmulator(known);
    open.push(() => emulator.close());
    const { url } = emulator;
    const service = serviceOf({ ...entry, url: url + new URL(entry.url).pathname });
    const [first = assert.fail('no model')] = recordedModels;
    emulator.settings.models = [{ ...first, model_id: service.defaultModelId }];
    const runtime = new ServiceRuntime();
    open.push(() => runtime.dispose());
    const credentials: Credentials = {
      ...{ service, apiKey: '', projectId: '', approved: { auth: url, service: url } },
      authUrl: service.authUrl ? url : service.url,
      serviceUrl: service.url,
      ...answers,
    };
    const connection = connectionOf({ credentials, modelId: service.defaultModelId }, runtime);
    return { emulator, connection, service };
  }

  /**
   * Generates one response without streaming and one with streaming, and lists the models.
   * @returns the requests of both generations, and the last request for the model list
   */
  async function use({ connection, emulator, service }: Followed) {
    const whole = await connection.generateText('Write a haiku');
    assert.match(whole.text, /Hello/);
    let streamed = '';
    await connection.generateText('Write a haiku', {
      onText: (text) => {
        streamed += text;
      },
    });
    assert.equal(streamed, whole.text);
    const { models } = await connection.models(never);
    assert.deepEqual(
      models.map(({ id }) => id),
      [service.defaultModelId],
    );
    const generations = emulator.requests.filter(({ path }) => path === chatPath);
    assert.equal(generations.length, 2);
    return [...generations, ...emulator.requests.slice(-1)];
  }

  /**
   * Writes a program that prints this text if it gets exactly these arguments, and fails otherwise.
   */
  async function programWith(args: readonly string[], text: string): Promise<string> {
    const path = join(folder, `program-${open.length}`);
    const script = `#!/usr/bin/env node
if (JSON.stringify(process.argv.slice(2)) !== ${JSON.stringify(JSON.stringify(args))}) process.exit(2);
process.stdout.write(${JSON.stringify(text)});
`;
    await writeFile(path, script);
    await chmod(path, 0o700);
    return path;
  }

  it('generates text with watsonx.ai on IBM Cloud', async () => {
    await generates(() => ({ service: services[0] }), tokenPath);
  });

  it("sends the token command's token to watsonx.ai on IBM Cloud", async () => {
    const entry = entryUnder('watsonx.ai on IBM Cloud with single sign-on');
    assert.ok(services[0].regions.some(({ url }) => url === entry.url));
    assert.deepEqual(neededSettings(serviceOf(entry)), ['projectId']);
    const [name, ...args] = commandOf(serviceOf(entry)) ?? [];
    assert.equal([name, ...args].join(' '), 'ibmcloud iam oauth-tokens');
    const token = 'eyJraWQiOiIyMDI2.eyJpc3MiOiJpYW0ifQ.c2ln';
    const program = await programWith(args, `IAM token:  Bearer ${token}\n`);
    const { emulator, connection } = await follow(
      entry,
      { acceptsToken: (sent) => sent === token },
      { program, projectId: defaultProjectId },
    );
    assert.match((await connection.generateText('Write a haiku')).text, /Hello/);
    await connection.test(never);
    assert.equal(emulator.count('/ml/v1/text/chat'), 1);
    const sent = emulator.requests.flatMap(({ headers }) => headers.authorization ?? []);
    assert.deepEqual([...new Set(sent)], [`Bearer ${token}`]);
  });

  it('generates text with watsonx.ai on premises', async () => {
    const file = blockOf('watsonx.ai on premises', 'ini');
    const credentials = credentialsOf(file, 'emulator-project');
    assert.equal(credentials('').service, serviceFor('cpd'));
    await generates(credentials, platformPath);
  });

  it('generates text with a deployment', async () => {
    const credentials = credentialsOf(blockOf('A deployment', 'ini'), 'emulator-deployment');
    assert.equal(credentials('').resource, 'deployment');
    const { emulator } = await generates(credentials, tokenPath, {
      deploymentIds: ['emulator-deployment'],
    });
    assert.equal(emulator.count('/ml/v1/deployments/emulator-deployment/text/chat'), 1);
  });

  const oauthEntry = entryUnder('A LiteLLM gateway behind an identity provider');
  const oauth = Object(oauthEntry['authentication']);
  const { pathname: realm } = new URL(oauth.tokenUrl);

  it('sends the client secret for a LiteLLM gateway in a header of the token request', async () => {
    const followed = await follow(
      oauthEntry,
      { oauth: { path: realm, scope: oauth.scope } },
      { account, apiKey: defaultApiKey },
    );
    await use(followed);
    const { emulator } = followed;
    assert.equal(emulator.count(realm), 1);
    const [exchange] = emulator.requests.filter(({ path }) => path === realm);
    assert.match(exchange?.headers.authorization ?? '', /^Basic /);
  });

  it('sends the client secret in the body of the token request with `client_secret_post`', async () => {
    const audience = 'https://llm.acme.example';
    const clientAuthentication = 'client_secret_post';
    const { origin, pathname: prefix } = new URL(oauthEntry.url);
    const followed = await follow(
      {
        ...{ ...oauthEntry, url: origin, prefix },
        authentication: { ...oauth, clientAuthentication, audience },
      },
      { oauth: { path: realm, scope: oauth.scope, audience } },
      { account, apiKey: defaultApiKey },
    );
    await use(followed);
    const { emulator } = followed;
    assert.equal(emulator.count(realm), 1);
    const [exchange] = emulator.requests.filter(({ path }) => path === realm);
    assert.equal(exchange?.form?.['client_secret'], defaultApiKey);
  });

  it('sends a virtual key to a LiteLLM gateway as a bearer token', async () => {
    const followed = await follow(
      entryUnder('A LiteLLM gateway with a virtual key'),
      { apiKeys: ['sk-1234'], keyHeader: 'authorization' },
      { apiKey: 'sk-1234' },
    );
    for (const { headers } of await use(followed)) {
      assert.equal(headers.authorization, 'Bearer sk-1234');
    }
  });

  for (const [heading, isOnNetwork] of [
    ["vLLM on your company's network", true],
    ['Ollama on your machine', false],
  ] as const) {
    it(`needs no further settings or credentials for ${heading}`, async () => {
      const entry = entryUnder(heading);
      const { url } = serviceOf(entry);
      assert.deepEqual([url, isUnencrypted(url)], [entry.url, isOnNetwork]);
      const followed = await follow(entry, { isOpen: true });
      assert.deepEqual(neededSettings(followed.service), []);
      for (const { headers } of await use(followed)) {
        assert.equal(headers.authorization, undefined);
      }
    });
  }

  it('sends a subscription key to Azure API Management in only one header', async () => {
    const followed = await follow(
      entryUnder('Azure API Management with a subscription key'),
      { keyHeader: 'ocp-apim-subscription-key' },
      { apiKey: defaultApiKey },
    );
    for (const { headers, rawHeaders } of await use(followed)) {
      assert.equal(headers['ocp-apim-subscription-key'], defaultApiKey);
      assert.equal(rawHeaders.filter((value) => value.includes(defaultApiKey)).length, 1);
      assert.equal(headers['x-team'], 'search');
    }
  });

  it('generates text with Databricks and a token command, without a model list', async () => {
    const entry = entryUnder('Databricks with a token command');
    const [name, ...args] = commandOf(serviceOf(entry)) ?? [];
    assert.equal(`${name} ${args.slice(0, 3).join(' ')}`, 'databricks auth token --host');
    assert.equal(new URL(args[3] ?? '').origin, new URL(entry.url).origin);
    const token = 'eyJraWQiOiJkYXRhYnJpY2tz.e30.c2ln';
    // The Databricks CLI is written in Go, which formats times with nanoseconds and the local
    // time zone.
    const expiry = '2099-11-26T14:05:31.123456789+01:00';
    const printed = { access_token: token, token_type: 'Bearer', expiry };
    const program = await programWith(args, JSON.stringify(printed, undefined, 2));
    const { emulator, connection } = await follow(
      entry,
      { acceptsToken: (sent) => sent === token },
      { program },
    );
    assert.match((await connection.generateText('Write a haiku')).text, /Hello/);
    const { state } = connection.tokens;
    assert.ok(state.kind === 'valid', 'the token is kept');
    assert.equal(await kindOf(connection.models(never)), 'no-model-list');
    assert.equal(await kindOf(connection.test(never)), 'no-model-list');
    const states = new Map<string, string>();
    const onResult = ({ check, state }: CheckResult) => states.set(check, state);
    assert.equal(await connection.check(onResult, never), undefined);
    assert.equal(states.get('access'), 'warning');
    assert.equal(emulator.count('/serving-endpoints/chat/completions'), 1);
    const [generation] = emulator.requests.filter(({ method }) => method === 'POST');
    assert.equal(generation?.headers.authorization, `Bearer ${token}`);
  });

  it('generates text with a reasoning model from Databricks', async () => {
    const entry = entryUnder('Databricks with a token command');
    const args = commandOf(serviceOf(entry))?.slice(1) ?? [];
    const token = 'eyJraWQiOiJkYXRhYnJpY2tz.e30.c2ln';
    const program = await programWith(args, token);
    const { connection } = await follow(
      entry,
      { acceptsToken: (sent) => sent === token, sendsParts: true },
      { program },
    );
    const whole = await connection.generateText('Write a haiku');
    assert.match(whole.text, /^Hello/);
    let streamed = '';
    let reasoning = '';
    await connection.generateText('Write a haiku', {
      onText: (text) => {
        streamed += text;
      },
      onReasoning: (text) => {
        reasoning += text;
      },
    });
    assert.deepEqual([streamed, reasoning], [whole.text, 'Hm.']);
  });

  it('sends the key and the custom headers to a gateway that requires both', async () => {
    const entry = entryUnder('A gateway with custom headers');
    const [label = '', ...others] = headerSecretsOf(serviceOf(entry));
    assert.deepEqual([label, others], ['client secret', []]);
    const followed = await follow(
      entry,
      { keyHeader: 'api-key' },
      { apiKey: defaultApiKey, headerSecrets: { [label]: 'secret-of-the-client' } },
    );
    for (const { headers } of await use(followed)) {
      assert.deepEqual(
        [headers['api-key'], headers['x-team'], headers['x-client-secret']],
        [defaultApiKey, 'search', 'secret-of-the-client'],
      );
    }
  });

  it('wraps the Databricks command in a `wsl.exe` command without changing its arguments', () => {
    const { command } = JSON.parse(`{${blockOf('A program inside WSL', 'json')}}`);
    const entry = entryUnder('Databricks with a token command');
    const authentication = { kind: 'command', command };
    assert.deepEqual(commandOf(serviceOf({ ...entry, authentication })), command);
    const [name, ...args] = commandOf(serviceOf(entry)) ?? [];
    assert.deepEqual(command, ['wsl.exe', '--exec', `/usr/local/bin/${name}`, ...args]);
  });
});
