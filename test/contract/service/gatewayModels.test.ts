import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { modelRows } from '../../../src/commands/modelRows.ts';
import { readServices } from '../../../src/service/addedServices.ts';
import type { ModelList } from '../../../src/service/api/modelTypes.ts';
import type { Credentials } from '../../../src/service/credentials.ts';
import { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import { gate } from '../../emulator/faults.ts';
import { oauthPath } from '../../emulator/otherAuthMethods.ts';
import { defaultAccount, type EmulatorSettings } from '../../emulator/settings.ts';
import { endWorlds, failureOf, kindOf, startWorld } from './world.ts';

/**
 * Tests which models are available from an added service, based on the service's model list and the
 * user's settings.
 */

const listPath = '/v1/models';
const infoPath = '/v1/model/info';
const chatPath = '/v1/chat/completions';
const never = new AbortController().signal;
const key = 'a-virtual-key';
const one = 'team/one';
const two = 'team/two';
const limits = { limit: 3, queue: 50, minIntervalMs: 0 };
const models: EmulatorSettings['models'] = [
  {
    model_id: one,
    functions: [{ id: 'text_chat' }, { id: 'image_chat' }],
    task_ids: [],
    model_limits: { max_sequence_length: 8_192, max_output_tokens: 512 },
  },
  {
    model_id: two,
    functions: [{ id: 'text_chat' }],
    task_ids: ['function_calling'],
    model_limits: { max_sequence_length: 32_768, max_output_tokens: 4_096 },
  },
];
/** Returns a model list with these IDs, in LiteLLM's format. */
const listOf = (ids: readonly string[]) => ({
  data: ids.map((id) => ({ id, object: 'model', created: 1_677_610_602, owned_by: 'openai' })),
});
const numbered = (length: number) => Array.from({ length }, (_, index) => `model-${index}`);

describe('the models of an added service', () => {
  const runtimes: ServiceRuntime[] = [];
  afterEach(async () => {
    for (const runtime of runtimes.splice(0)) runtime.dispose();
    await endWorlds();
  });

  async function start(gateway: EmulatorSettings['gateway'] = 'openai', changes: object = {}) {
    const entry = {
      word: 'acme',
      authentication: { kind: 'apiKey', header: 'api-key' },
      headers: { 'x-team': 'red' },
      api: 'openai',
      prefix: '/v1',
      defaultModel: one,
      ...changes,
    };
    const { own, issues } = readServices([entry]);
    assert.deepEqual(issues, []);
    const [service] = own;
    assert.ok(service);
    const { emulator, credentials: known } = await startWorld({
      emulator: { apiKeys: [key], keyHeader: 'api-key', models, gateway },
    });
    const credentials: Credentials = {
      ...known,
      ...{ service, apiKey: key, account: defaultAccount, projectId: '' },
    };
    const { serviceUrl } = credentials;
    const runtime = new ServiceRuntime({ http: { waitMs: () => 1 } });
    runtimes.push(runtime);
    const from = { service, serviceUrl, operation: 'chat' } as const;
    const list = (signal = never) => runtime.listModels(from, one, signal, credentials);
    const generate = (modelId: string) => {
      const settings = { modelId, operation: 'chat', limits } as const;
      return runtime.client(credentials, settings).generateText('Hi', {});
    };
    return { emulator, runtime, credentials, list, generate };
  }

  const factsOf = ({ models: listed }: ModelList) =>
    listed.map(({ id, contextLength, maxOutputTokens, tasks, functions }) => [
      ...[id, contextLength, maxOutputTokens],
      ...[tasks.includes('function_calling'), functions.includes('image_chat')],
    ]);

  it('have the context length that vLLM reports', async () => {
    const { emulator, list } = await start('vllm');
    assert.deepEqual(factsOf(await list()), [
      [one, 8_192, undefined, true, false],
      [two, 32_768, undefined, true, false],
    ]);
    assert.deepEqual(emulator.counts, { [listPath]: 1 });
  });

  it('get their details from a second LiteLLM request with the same headers', async () => {
    const { emulator, list } = await start('litellm');
    assert.deepEqual(factsOf(await list()), [
      [one, 8_192, 512, false, true],
      [two, 32_768, 4_096, true, false],
    ]);
    assert.deepEqual(emulator.counts, { [listPath]: 1, [infoPath]: 1 });
    for (const { headers } of emulator.requests) {
      assert.deepEqual([headers['api-key'], headers['x-team']], [key, 'red']);
    }
  });

  it("get their limits from LiteLLM's model list if the list includes limits", async () => {
    const { emulator, list } = await start();
    const entry = { ...listOf([one]).data[0], max_input_tokens: 100, max_output_tokens: 50 };
    emulator.faults.next(listPath, { json: { data: [entry] } });
    assert.deepEqual(factsOf(await list())[0], [one, 100, 50, true, false]);
  });

  it("are loaded with one request if the list isn't from LiteLLM", async () => {
    const { emulator, list } = await start('openai');
    await list();
    for (const data of [[], [...listOf([one]).data, { id: two, created: 1_700_000_000 }]]) {
      emulator.faults.next(listPath, { json: { data } });
      await list();
    }
    assert.equal(emulator.count(infoPath), 0);
  });

  for (const [what, fault] of [
    ['returns 404', { status: 404 }],
    ['returns 500', { status: 500 }],
    ['is rejected', { status: 401 }],
    ['returns a web page', { headers: { 'content-type': 'text/html' } }],
    ['returns JSON of a different shape', { json: { data: 'none' } }],
    ['is cut off', { resetBeforeHeaders: true }],
    ['returns too much data', { json: { data: [], more: 'x'.repeat(16_777_216) } }],
  ] as const) {
    it(`are listed without details if the request for them ${what}, without retrying`, async () => {
      const { emulator, list } = await start('litellm');
      emulator.faults.always(infoPath, fault);
      assert.deepEqual(factsOf(await list()), [
        [one, undefined, undefined, true, false],
        [two, undefined, undefined, true, false],
      ]);
      assert.equal(emulator.count(infoPath), 1);
    });
  }

  it('are requested again with a new token if the service rejects the old one', async () => {
    const authentication = { kind: 'clientCredentials', tokenUrl: `https://a.example${oauthPath}` };
    const { emulator, list } = await start('openai', { authentication });
    await list();
    emulator.revokeTokens();
    assert.equal((await list()).models.length, 2);
    emulator.faults.always(listPath, { status: 401 });
    assert.equal((await failureOf(list())).details.attempts, 2);
    assert.equal(emulator.count(listPath), 5);
    assert.equal(emulator.count(oauthPath), 3);
  });

  it('are requested only once if the service rejects the key', async () => {
    const { emulator, list } = await start();
    emulator.settings.apiKeys = [];
    assert.equal(await kindOf(list()), 'key-rejected');
    assert.deepEqual(emulator.counts, { [listPath]: 1 });
  });

  it('stop loading if the user cancels while model details are being requested', async () => {
    const { emulator, list } = await start('litellm');
    const held = gate();
    emulator.faults.next(infoPath, { hold: held.opened });
    const leaving = new AbortController();
    const listing = kindOf(list(leaving.signal));
    await emulator.requestCount(infoPath, 1);
    leaving.abort();
    assert.equal(await listing, 'cancelled');
    held.open();
  });

  it("don't include LiteLLM's embedding and reranking models", async () => {
    const { emulator, list } = await start('litellm');
    const modes = [null, 'chat', 'completion', 'responses', 'embedding', 'rerank'];
    const infoOf = (mode: string | null) => ({ model_name: `m-${mode}`, model_info: { mode } });
    const ids = [...modes.map((mode) => `m-${mode}`), 'without-info'];
    emulator.faults.next(listPath, { json: listOf(ids) });
    emulator.faults.next(infoPath, { json: { data: modes.map(infoOf) } });
    const listed = (await list()).models.map(({ id }) => id);
    assert.deepEqual(listed, ['m-null', 'm-chat', 'm-completion', 'm-responses', 'without-info']);
  });

  it('that have several deployments get the lowest limits and only shared capabilities', async () => {
    const { emulator, list } = await start('litellm');
    const deployment = (model_name: unknown, model_info: unknown) => ({ model_name, model_info });
    const able = { supports_function_calling: true, supports_vision: true };
    const json = {
      data: [
        ...[null, 7, {}, deployment(null, able), deployment('a b', able), deployment('odd', null)],
        deployment('shared', { ...able, max_input_tokens: 100, max_output_tokens: 10 }),
        deployment('shared', { ...able, max_input_tokens: 90, supports_vision: false }),
        deployment('shared', { max_input_tokens: null, max_output_tokens: 20 }),
        deployment('odd', { max_input_tokens: 'many', max_output_tokens: -1, mode: 7 }),
        deployment('odd', { supports_function_calling: 'yes', supports_vision: null }),
        deployment('older', { max_tokens: 70 }),
        deployment('half', { max_tokens: 70, max_input_tokens: 80 }),
        deployment('other-half', { max_tokens: 70, max_output_tokens: 60 }),
      ],
    };
    const ids = ['shared', 'odd', 'older', 'half', 'other-half'];
    emulator.faults.next(listPath, { json: listOf(ids) });
    emulator.faults.next(infoPath, { json });
    assert.deepEqual(factsOf(await list()), [
      ['shared', 90, 10, true, false],
      ['odd', undefined, undefined, true, false],
      ['older', 70, undefined, true, false],
      ['half', 80, 70, true, false],
      ['other-half', undefined, 60, true, false],
    ]);
  });

  it("aren't looked up in `/model/info` before a generation", async () => {
    const authentication = { kind: 'clientCredentials', tokenUrl: `https://a.example${oauthPath}` };
    const { emulator, list, generate } = await start('litellm', { authentication });
    await generate(one);
    assert.deepEqual(emulator.counts, { [oauthPath]: 1, [listPath]: 1, [chatPath]: 1 });
    await list();
    emulator.revokeTokens();
    await generate(one);
    await generate(two);
    assert.equal(emulator.count(infoPath), 1);
    const asked = emulator.requests.filter(({ path }) => path === chatPath);
    const most = asked.map(({ json }) => Object(json).max_completion_tokens);
    assert.deepEqual(most, [1_024, 512, 512, 1_024]);
  });

  describe('in the settings', () => {
    const stated = [
      { id: two, name: 'Two (EU)', context: 1_000, tools: false, images: true },
      { id: 'team/three', output: 99 },
    ];

    it('override the models that the service lists, and come first', async () => {
      for (const gateway of ['vllm', 'litellm'] as const) {
        const { list } = await start(gateway, { models: stated });
        const listed = await list();
        const output = gateway === 'litellm' ? 4_096 : undefined;
        const isWhole = gateway === 'litellm';
        assert.deepEqual(factsOf(listed), [
          [two, 1_000, output, false, true],
          ['team/three', undefined, 99, true, false],
          [one, 8_192, isWhole ? 512 : undefined, !isWhole, isWhole],
        ]);
        const labels = listed.models.map(({ label }) => label);
        assert.deepEqual(labels, ['Two (EU)', 'team/three', one]);
      }
    });

    it("are used as the model list if the service doesn't have one", async () => {
      for (const status of [404, 405]) {
        const { emulator, list } = await start('litellm', { models: stated });
        emulator.faults.always(listPath, { status });
        const listed = await list();
        assert.deepEqual(factsOf(listed), [
          [two, 1_000, undefined, false, true],
          ['team/three', undefined, 99, true, false],
        ]);
        assert.equal(listed.hasMore, false);
        assert.equal(emulator.count(infoPath), 0);
      }
    });

    it("aren't used as the model list if the service returns a 403", async () => {
      const { emulator, list } = await start('openai', { models: stated });
      emulator.faults.always(listPath, { status: 403 });
      assert.notEqual(await kindOf(list()), 'no-model-list');
      const bare = await start();
      bare.emulator.faults.always(listPath, { status: 404 });
      assert.equal(await kindOf(bare.list()), 'no-model-list');
    });

    it("have output token limits that apply even if the service doesn't list models", async () => {
      const { emulator, generate } = await start('openai', { models: [{ id: one, output: 77 }] });
      emulator.faults.always(listPath, { status: 404 });
      await generate(one);
      const [asked] = emulator.requests.filter(({ path }) => path === chatPath);
      assert.equal(Object(asked?.json).max_completion_tokens, 77);
    });

    it("help explain a rejected parameter even if the service doesn't list models", async () => {
      const { emulator, runtime, credentials } = await start('openai', {
        models: [{ id: one, output: 77 }],
      });
      emulator.faults.always(listPath, { status: 404 });
      emulator.faults.next(chatPath, {
        status: 400,
        json: { error: { message: 'no', code: 'x' } },
      });
      const client = runtime.client(credentials, { modelId: one, operation: 'chat', limits });
      const { kind, details } = await failureOf(client.generateText('Hi', { max_new_tokens: 100 }));
      assert.deepEqual([kind, details.limit, details.actual], ['parameter-rejected', 77, 100]);
    });

    it("don't need another request for their context length once they have been listed", async () => {
      const { runtime, credentials, list } = await start('vllm');
      const { service, serviceUrl } = credentials;
      const from = { service, serviceUrl, operation: 'chat', modelId: two } as const;
      assert.equal(runtime.contextLength(from), undefined);
      await list();
      assert.equal(runtime.contextLength(from), 32_768);
    });

    it("are updated when the service's entry changes", async () => {
      const { runtime, credentials, list } = await start('vllm', { models: stated });
      await list();
      const settings = { modelId: two, operation: 'chat', limits } as const;
      const knownBy = (service: Credentials['service']) =>
        runtime.fetchModelInfo({ ...credentials, service }, settings, never);
      const { service } = credentials;
      assert.equal((await knownBy(service))?.contextLength, 1_000);
      const another = { ...service, models: [{ id: two, context: 2_000 }] };
      assert.equal((await knownBy(another))?.contextLength, 2_000);
      assert.equal((await knownBy({ ...service, models: [] }))?.contextLength, 32_768);
    });
  });

  describe('in hostile or oversized lists', () => {
    /** Fields that make an entry as long as an entry from vLLM. */
    const long = { object: 'model', root: 'x'.repeat(200), permission: ['y'.repeat(100)] };

    // Mocks the timers, because reading these lists on a busy machine can take longer than the
    // request's deadline.
    beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
    afterEach(() => mock.timers.reset());

    it('are capped at 1,000 if the list contains 36,000', async () => {
      const { emulator, runtime, credentials, list } = await start();
      const data = numbered(36_000).map((id) => ({ id, ...long }));
      emulator.faults.always(listPath, { json: { data } });
      const listed = await list();
      assert.deepEqual([listed.models.length, listed.models.at(-1)?.id], [1_000, 'model-999']);
      assert.equal(listed.hasMore, true);
      const settings = { modelId: one, operation: 'chat', limits } as const;
      await runtime.client(credentials, settings).checkAccess(never);
    });

    it('are capped at 1,000 if `/model/info` returns 36,000', async () => {
      const { emulator, list } = await start();
      const ids = numbered(36_000);
      const infoOf = (model_name: string) => {
        return { model_name, ...long, model_info: { max_input_tokens: 100 } };
      };
      emulator.faults.next(listPath, { json: listOf(ids) });
      emulator.faults.next(infoPath, { json: { data: ids.map(infoOf) } });
      const { models: listed } = await list();
      assert.equal(listed.length, 1_000);
      assert.ok(listed.every(({ contextLength }) => contextLength === 100));
    });

    it('are left out if their ID is 10 KB long', async () => {
      const { emulator, list } = await start();
      const data = numbered(1_000).map((id) => ({ id: id.padEnd(10_240, 'x'), created: 0 }));
      emulator.faults.next(listPath, { json: { data: [...data.slice(1), { id: 'last' }] } });
      const listed = await list();
      assert.deepEqual(factsOf(listed), [['last', undefined, undefined, true, false]]);
      emulator.faults.next(listPath, { json: listOf(['last']) });
      const infos = data.map(({ id }) => ({ model_name: id, model_info: {} }));
      const info = { model_name: 'last', model_info: { max_input_tokens: 9 } };
      emulator.faults.next(infoPath, { json: { data: [...infos, info] } });
      assert.equal((await list()).models[0]?.contextLength, 9);
    });

    it('are left out if their ID is markup or a URL', async () => {
      const { emulator, list } = await start();
      const link = '[x](command:workbench.action.quit)';
      const entries = [link, '$(key)', '<img>', 'https://evil.example/x', 'www.evil.example'];
      const data = entries.map((id) => ({ ...listOf([id]).data[0], owned_by: link }));
      const good = { ...listOf(['good']).data[0], owned_by: `${link} $(key)` };
      emulator.faults.next(listPath, { json: { data: [...data, good] } });
      const names = { model_name: link, display_name: link };
      const info = { ...names, model_info: { max_input_tokens: 7, mode: link } };
      const ofGood = { ...info, model_name: 'good', model_info: { display_name: link } };
      emulator.faults.next(infoPath, { json: { data: [info, ofGood] } });
      const rows = modelRows((await list()).models, one);
      assert.deepEqual(
        rows.map(({ id, label }) => [id, label]),
        [['good', 'good']],
      );
      assert.doesNotMatch(JSON.stringify(rows), /\]\(|\$\(/);
    });
  });
});
