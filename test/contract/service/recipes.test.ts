import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { assignmentsOf } from '../../../src/dotenv/envText.ts';
import { likelyReading, readForAll } from '../../../src/dotenv/sourceReading.ts';
import { readServices } from '../../../src/service/addedServices.ts';
import type { Credentials } from '../../../src/service/credentials.ts';
import { serviceFor, services } from '../../../src/service/services.ts';
import { platformPath } from '../../emulator/otherWays.ts';
import { defaultAccount, defaultApiKey, type EmulatorSettings } from '../../emulator/settings.ts';
import { endWorlds, startWorld, tokenPath, type World } from './world.ts';

/** The recipes of docs/services.md, as they are written there but for IDs, keys and hosts. */

const page = readFileSync('docs/services.md', 'utf8');
const account = defaultAccount;

/** What stands in the block of code under a heading of the page. */
function blockOf(heading: string, language: 'ini' | 'json'): string {
  const [, section = ''] = page.split(`\n### ${heading}\n`);
  const block = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(section)?.[1];
  return block ?? assert.fail(`no ${language} under ${heading}`);
}

/** The entries of `hostedModel.services` under a heading. */
function entriesUnder(heading: string): readonly unknown[] {
  return JSON.parse(`{${blockOf(heading, 'json')}}`)['hostedModel.services'];
}

/** The address that a recipe tells people to answer, with the host of the emulator. */
function addressIn(heading: string): URL {
  const [, section = ''] = page.split(`\n### ${heading}\n`);
  return new URL(/`(https:\/\/[^`]+)`/.exec(section)?.[1] ?? assert.fail('no address'));
}

/** A `.env` file with values in the places that are left out. */
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

describe('the recipe for', () => {
  afterEach(endWorlds);

  it('watsonx.ai on IBM Cloud gives text', async () => {
    await generates(() => ({ service: services[0] }), tokenPath);
  });

  it('watsonx.ai on premises gives text', async () => {
    const file = blockOf('watsonx.ai on premises', 'ini');
    const credentials = credentialsOf(file, 'emulator-project');
    assert.equal(credentials('').service, serviceFor('cpd'));
    await generates(credentials, platformPath);
  });

  it('a deployment gives text', async () => {
    const credentials = credentialsOf(blockOf('A deployment', 'ini'), 'emulator-deployment');
    assert.equal(credentials('').resource, 'deployment');
    const { emulator } = await generates(credentials, tokenPath, {
      deploymentIds: ['emulator-deployment'],
    });
    assert.equal(emulator.count('/ml/v1/deployments/emulator-deployment/text/chat'), 1);
  });

  const heading = 'A LiteLLM gateway behind an identity provider';
  const written = JSON.parse(`{${blockOf(heading, 'json')}}`);
  const [entry] = written['hostedModel.services'];
  const { pathname: realm } = new URL(entry.authentication.tokenUrl);
  const { pathname: base } = addressIn(heading);
  const client = (changed: object) => {
    const { own, issues } = readServices([{ ...entry, ...changed }]);
    assert.deepEqual(issues, []);
    return serviceFor(written['hostedModel.service'], own) ?? assert.fail();
  };

  it('a LiteLLM gateway behind an identity provider gives text', async () => {
    const service = client({});
    const { emulator } = await generates(
      (url) => ({ service, account, projectId: '', serviceUrl: `${url}${base}` }),
      realm,
      { oauth: { path: realm, scope: entry.authentication.scope } },
    );
    assert.equal(emulator.count('/v1/chat/completions'), 1);
    assert.match(emulator.requests[0]?.headers.authorization ?? '', /^Basic /);
  });

  it('any gateway with client credentials gives text', async () => {
    const audience = 'https://llm.acme.example';
    const authentication = {
      ...entry.authentication,
      clientAuthentication: 'client_secret_post',
      audience,
    };
    const service = client({ authentication, prefix: base });
    const { emulator } = await generates(() => ({ service, account, projectId: '' }), realm, {
      oauth: { path: realm, scope: entry.authentication.scope, audience },
    });
    assert.equal(emulator.count('/v1/chat/completions'), 1);
    assert.equal(emulator.requests[0]?.form?.['client_secret'], defaultApiKey);
  });

  it('a LiteLLM gateway with a virtual key gives text', async () => {
    const heading = 'A LiteLLM gateway with a virtual key';
    const { own, issues } = readServices(entriesUnder(heading));
    assert.deepEqual(issues, []);
    const service = own[0] ?? assert.fail();
    const { pathname } = addressIn(heading);
    const world = await startWorld({
      credentials: (url) => ({
        ...{ service, projectId: '', apiKey: 'sk-1234' },
        serviceUrl: `${url}${pathname}`,
      }),
      emulator: { apiKeys: ['sk-1234'], keyHeader: 'authorization' },
    });
    assert.match((await world.generate()).text, /Hello/);
    const [request] = world.emulator.requests;
    assert.equal(request?.path, '/v1/chat/completions');
    assert.equal(request.headers.authorization, 'Bearer sk-1234');
  });

  it('Azure API Management with a subscription key gives text, and sends it in that header alone', async () => {
    const [, section = ''] = page.split('\n### Azure API Management with a subscription key\n');
    const [, text = ''] = /`"authentication": (\{.*?\})`/.exec(section) ?? [];
    const [found] = entriesUnder('A LiteLLM gateway with a virtual key');
    const { own, issues } = readServices([{ ...Object(found), authentication: JSON.parse(text) }]);
    assert.deepEqual(issues, []);
    const service = own[0] ?? assert.fail();
    const { pathname } = addressIn('A LiteLLM gateway with a virtual key');
    const world = await startWorld({
      credentials: (url) => ({ service, projectId: '', serviceUrl: `${url}${pathname}` }),
      emulator: { keyHeader: 'ocp-apim-subscription-key' },
    });
    assert.match((await world.generate()).text, /Hello/);
    for (const { headers, rawHeaders } of world.emulator.requests) {
      assert.equal(headers['ocp-apim-subscription-key'], defaultApiKey);
      assert.equal(rawHeaders.filter((value) => value.includes(defaultApiKey)).length, 1);
    }
  });
});
