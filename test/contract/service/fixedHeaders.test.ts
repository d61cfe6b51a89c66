import assert from 'node:assert/strict';
import { readServices } from '../../../src/service/addedServices.ts';
import {
  type CheckResult,
  runConnectionChecks,
} from '../../../src/service/checks/connectionChecks.ts';
import type { Credentials } from '../../../src/service/credentials.ts';
import { Secret } from '../../../src/service/secret.ts';
import type { Service } from '../../../src/service/service.ts';
import { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import { oauthPath, platformPath } from '../../emulator/otherAuthMethods.ts';
import type { ReceivedRequest } from '../../emulator/requests.ts';
import { defaultAccount, type EmulatorSettings } from '../../emulator/settings.ts';
import { formsIn, textsOfError } from '../../unit/service/canaries.ts';
import { never } from '../../unit/service/fixtures.ts';
import { endWorlds, failureOf, modelId, startWorld, tokenPath, type World } from './world.ts';

/**
 * Tests which requests contain the fixed headers of an added service, and checks that the secrets
 * in these headers don't leak.
 */

const teamKey = 'C4nary team=key/%';
const demandedHeaders = { 'x-team': 'blue team', 'x-team-key': teamKey };
const headers = { 'X-Team': 'blue team', 'X-Team-Key': { secret: 'team key' } };
const settings = {
  modelId,
  operation: 'chat',
  limits: { limit: 3, queue: 50, minIntervalMs: 0 },
} as const;

interface Case {
  readonly authentication: object;
  readonly api: 'openai' | 'watsonx';
  readonly emulator?: Partial<EmulatorSettings>;
}

const exchange = { kind: 'apiKeyGrant', grantType: 'urn:ibm:params:oauth:grant-type:apikey' };
const cases: Readonly<Record<string, Case>> = {
  'no key': { authentication: { kind: 'none' }, api: 'openai', emulator: { isOpen: true } },
  'a bearer key': {
    ...{ authentication: { kind: 'apiKey' }, api: 'openai' },
    emulator: { keyHeader: 'authorization' },
  },
  'an exchanged key': {
    authentication: { ...exchange, tokenUrl: `https://a.example${tokenPath}` },
    api: 'watsonx',
  },
  'client credentials': {
    authentication: { kind: 'clientCredentials', tokenUrl: `https://a.example${oauthPath}` },
    api: 'openai',
  },
  // Cloud Pak's identity service must not get the headers, even though it has the same origin as
  // the inference service.
  'Cloud Pak': { authentication: { kind: 'cloudPak' }, api: 'watsonx' },
};

const isOfIdentity = ({ path }: ReceivedRequest) =>
  [tokenPath, oauthPath, platformPath].includes(path) || path.startsWith('/usermgmt/');

function serviceOf({ authentication, api }: Case): Service {
  const entry = { word: 'acme', authentication, api, defaultModel: modelId, headers };
  const prefix = api === 'openai' ? '/v1' : '';
  const { own, issues } = readServices([{ ...entry, prefix }]);
  assert.deepEqual(issues, []);
  return own[0] ?? assert.fail();
}

const runtimes: ServiceRuntime[] = [];

async function start(
  one: Case,
  changes: Partial<Credentials> = {},
): Promise<World & { readonly runtime: ServiceRuntime }> {
  const world = await startWorld({
    credentials: {
      ...{ service: serviceOf(one), account: defaultAccount },
      ...{ headerSecrets: { 'team key': teamKey }, ...changes },
    },
    emulator: { demandedHeaders, ...one.emulator },
  });
  const runtime = new ServiceRuntime({ http: { waitMs: () => 1 } });
  runtimes.push(runtime);
  return { ...world, runtime };
}

const list = ({
  runtime,
  credentials: { service, serviceUrl },
  credentials,
}: Awaited<ReturnType<typeof start>>) =>
  runtime.listModels({ service, serviceUrl, operation: 'chat' }, 'any', never, credentials);

describe('fixed headers', () => {
  afterEach(async () => {
    for (const runtime of runtimes.splice(0)) runtime.dispose();
    await endWorlds();
  });

  for (const [name, one] of Object.entries(cases)) {
    it(`are sent with every request to the service except token requests: ${name}`, async () => {
      const world = await start(one);
      const { emulator, runtime, credentials } = world;
      const client = runtime.client(credentials, settings);
      await client.generateText('Hi', {});
      await client.generateText('Hi', {}, { onText: () => {} });
      const { models } = await list(world);
      assert.ok(models.length > 0);
      const results: CheckResult[] = [];
      const failure = await runConnectionChecks(
        { runtime, credentials, settings },
        (result) => results.push(result),
        never,
      );
      assert.equal(failure, undefined);
      await runtime.test(credentials, settings, never);

      const identity = emulator.requests.filter(isOfIdentity);
      const others = emulator.requests.filter((request) => !isOfIdentity(request));
      assert.ok(others.length >= 4);
      for (const request of others) {
        for (const [header, value] of Object.entries(demandedHeaders)) {
          assert.equal(request.headers[header], value, `${header} of ${request.path}`);
        }
      }
      for (const { path, headers: sent, rawHeaders, text } of identity) {
        for (const header of Object.keys(demandedHeaders)) assert.ok(!(header in sent), path);
        assert.deepEqual(formsIn([...rawHeaders, text].join('\n'), teamKey), [], path);
      }
    });

    it(`with a secret are omitted if the secret has no value: ${name}`, async () => {
      const { client, emulator } = await start(one, { headerSecrets: {} });
      const { details } = await failureOf(client.generateText('Hi', {}));
      assert.equal(details.status, 403);
      const [request] = emulator.requests.filter((sent) => !isOfIdentity(sent));
      assert.deepEqual(
        [request?.headers['x-team'], request?.headers['x-team-key']],
        ['blue team', undefined],
      );
    });

    it(`never expose a secret in prompts, parameters, or model IDs: ${name}`, async () => {
      const world = await start(one);
      const { client, emulator, runtime, credentials } = world;
      assert.deepEqual(client.secretKindsIn(`a ${teamKey} b`), ['apiKey']);
      assert.equal(client.mask(`a ${teamKey} b`), 'a [redacted] b');
      const { kind } = await failureOf(client.generateText(`My key: ${teamKey}`, {}));
      assert.equal(kind, 'prompt-holds-secret');
      const parameters = { stop_sequences: [teamKey] };
      assert.equal((await failureOf(client.generateText('Hi', parameters))).kind, kind);
      const pasted = runtime.client(credentials, { ...settings, modelId: teamKey });
      const rejected = await failureOf(pasted.generateText('Hi', {}));
      assert.equal(rejected.kind, 'setting-holds-secret');
      const bodies = emulator.requests.map(({ path, query, text }) => `${path}?${query}${text}`);
      assert.deepEqual(formsIn(bodies.join('\n'), teamKey), []);
    });

    it(`never leak their secrets into errors, model lists, or diagnoses: ${name}`, async () => {
      const world = await start(one);
      const { emulator, runtime, credentials } = world;
      const isInference = (request: ReceivedRequest) => !isOfIdentity(request);
      for (const status of [400, 401, 403, 404, 429, 431, 500]) {
        const [word, text] = [encodeURIComponent(teamKey), teamKey];
        const stop = emulator.faults.always(isInference, {
          status,
          headers: { 'x-request-id': word, 'retry-after': text },
          json: {
            ...{ errors: [{ code: word, message: text }], trace: word },
            error: { code: text, type: word, message: text },
          },
        });
        const errors = [
          await failureOf(runtime.client(credentials, settings).generateText('Hi', {})),
        ];
        const onResult = (result: CheckResult) => {
          if (result.state === 'failed') errors.push(result.error);
        };
        await runConnectionChecks({ runtime, credentials, settings }, onResult, never);
        errors.push(await failureOf(runtime.test(credentials, settings, never)));
        assert.ok(errors.length >= 2);
        for (const error of errors) assert.deepEqual(formsIn(textsOfError(error), teamKey), []);
        stop();
      }
      const ids = [teamKey, 'm/free'];
      const entries = ids.map((id) => ({ id, owned_by: id, model_id: 'm/any', label: id }));
      emulator.faults.next(isInference, { json: { resources: entries, data: entries } });
      const { models } = await list(world);
      assert.deepEqual(
        models.map(({ label }) => label),
        ['m/free'],
      );
      assert.equal(runtime.leaksInto(`a ${teamKey} b`, [], 0), true);
    });
  }

  it('are sent when the models are listed without a token', async () => {
    const world = await start(cases['an exchanged key'] as Case);
    const { models } = await list(world);
    assert.ok(models.length > 0);
    assert.equal(world.emulator.requests.filter(isOfIdentity).length, 0);
  });

  it('are sent even before setup, except for headers that contain a secret', async () => {
    const { runtime, credentials, emulator } = await start(cases['an exchanged key'] as Case);
    const { service, serviceUrl } = credentials;
    emulator.settings.demandedHeaders = { 'x-team': 'blue team' };
    const from = { service, serviceUrl, operation: 'chat' } as const;
    const { models } = await runtime.listModels(from, 'any', never);
    assert.ok(models.length > 0);
    for (const { headers: sent } of emulator.requests) assert.ok(!('x-team-key' in sent));
  });

  it("have their secrets detected in text even if the service isn't in use", async () => {
    const { service, ...others } = (await start(cases['no key'] as Case)).credentials;
    const { runtime, credentials } = await start(cases['a bearer key'] as Case, {
      headerSecrets: {},
    });
    const otherKeys = [{ ...others, service }];
    const client = runtime.client({ ...credentials, otherKeys }, settings);
    assert.deepEqual(client.secretKindsIn(teamKey), ['apiKey']);
    assert.equal(runtime.leaksInto(teamKey, [], 0, new Secret(otherKeys)), true);
  });

  it('that cause a 431 are reported as `headers-too-large`', async () => {
    const { client, emulator } = await start(cases['no key'] as Case);
    for (const fault of [
      { status: 431 },
      { status: 431, body: '<html>Request Header Fields Too Large</html>' },
      { status: 431, json: { error: { message: 'no', code: 'x' } } },
    ]) {
      emulator.faults.next(undefined, fault);
      const { kind, details } = await failureOf(client.generateText('Hi', {}));
      assert.deepEqual([kind, details.status, details.attempts], ['headers-too-large', 431, 1]);
    }
  });

  it("never replace the extension's own headers", async () => {
    const one = cases['a bearer key'] as Case;
    const service = serviceOf(one);
    // The settings can't contain these headers, so the test adds them to the service directly.
    const conflicting = ['Authorization', 'content-type', 'ACCEPT'].map((name) => ({
      name,
      value: 'from the entry',
    }));
    const { client, emulator, credentials } = await start(one, {
      service: { ...service, headers: [...service.headers, ...conflicting] },
    });
    await client.generateText('Hi', {});
    const [sent] = emulator.requests;
    assert.equal(sent?.headers['x-team'], 'blue team');
    assert.equal(sent?.headers.authorization, `Bearer ${credentials.apiKey}`);
    assert.equal(sent?.headers['content-type'], 'application/json');
    assert.equal(sent?.headers.accept, 'application/json');
  });
});
