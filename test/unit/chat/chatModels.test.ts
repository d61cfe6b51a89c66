import assert from 'node:assert/strict';
import { escapeMarkdown } from '../../../src/chat/chatMessages.ts';
import { ChatModels } from '../../../src/chat/chatModels.ts';
import { readServices } from '../../../src/service/addedServices.ts';
import type { Operation } from '../../../src/service/apiCapabilities.ts';
import { serviceFor } from '../../../src/service/builtInServices.ts';
import type { Credentials } from '../../../src/service/credentials.ts';
import { FakeState } from '../connection/fakes.ts';
import { connectionOf } from '../service/fixtures.ts';
import { modelOf, stageOf } from '../service/modelFixtures.ts';

const DAY_MS = 86_400_000;
const dallas = 'https://us-south.ml.cloud.ibm.com';

function credentialsAt(serviceUrl: string): Credentials {
  const service = serviceFor('ibm');
  assert.ok(service);
  const approved = { auth: service.authUrl, service: serviceUrl };
  return {
    service,
    apiKey: 'k',
    projectId: 'project-1',
    authUrl: service.authUrl,
    serviceUrl,
    approved,
  };
}

function connectionAt(serviceUrl: string, operation: Operation = 'chat') {
  return connectionOf({ credentials: credentialsAt(serviceUrl), operation, modelId: 'a/one' });
}

function sourceOf({ service, serviceUrl }: Credentials, operation: Operation) {
  return { service, serviceUrl, operation };
}

describe('ChatModels', () => {
  let now = 0;
  let state = new FakeState();
  let changes = 0;
  const models = () =>
    new ChatModels(
      state,
      () => now,
      () => (changes += 1),
    );
  beforeEach(() => {
    state = new FakeState();
    now = 1_000 * DAY_MS;
    changes = 0;
  });

  it('offers only the model from the settings until the service lists models', () => {
    const [only, ...others] = models().information(connectionAt(dallas));
    assert.deepEqual(others, []);
    assert.deepEqual(only?.capabilities, { toolCalling: false, imageInput: false });
    assert.deepEqual([only?.id, only?.name], ['ibm:a/one', 'a/one']);
  });

  it('offers listed models with details, starting with the model from the settings', async () => {
    const listed = [
      modelOf({ id: 'b/two', label: 'Two', functions: ['text_chat', 'image_chat'] }),
      modelOf({
        id: 'a/one',
        label: 'One',
        provider: 'Maker',
        contextLength: 131_072,
        maxOutputTokens: 16_384,
        tasks: ['function_calling'],
        lifecycle: [stageOf('withdrawn', '2027-01-15')],
      }),
    ];
    await models().keep(sourceOf(credentialsAt(dallas), 'chat'), listed);
    assert.equal(changes, 1, 'VS Code is notified of the new list');
    const [one, two, ...others] = models().information(connectionAt(dallas));
    assert.deepEqual(others, []);
    assert.deepEqual(one?.capabilities, { toolCalling: true, imageInput: false });
    assert.deepEqual(two?.capabilities, { toolCalling: false, imageInput: true });
    assert.equal((one?.maxInputTokens ?? 0) + (one?.maxOutputTokens ?? 0), 131_072);
    assert.equal(one?.detail, 'Dallas · project-1');
    assert.equal(
      one?.tooltip,
      'a/one by Maker, through Hosted Model. Withdrawal date: 2027-01-15.',
    );
  });

  it('offers a deprecated model only if the settings name it', async () => {
    const lifecycle = [stageOf('deprecated', '2026-01-15'), stageOf('withdrawn', '2027-01-15')];
    const deprecated = { lifecycle, asOf: '2026-06-01' };
    const listed = [
      modelOf({ id: 'a/one', ...deprecated }),
      modelOf({ id: 'b/two', ...deprecated }),
    ];
    const { service } = connectionAt(dallas);
    for (const [stated, offered] of [
      [[], ['a/one']],
      [[{ id: 'b/two' }], ['a/one', 'b/two']],
    ] as const) {
      const credentials = { ...credentialsAt(dallas), service: { ...service, models: stated } };
      await models().keep(sourceOf(credentials, 'chat'), listed);
      const connection = connectionOf({ credentials, modelId: 'a/one' });
      const families = models()
        .information(connection)
        .map(({ family }) => family);
      assert.deepEqual(families, offered);
    }
  });

  it('offers neither tool calling nor image input for the generation operation', async () => {
    const able = { tasks: ['function_calling'], functions: ['image_chat'] };
    await models().keep(sourceOf(credentialsAt(dallas), 'generation'), [
      modelOf({ id: 'a/one', ...able }),
    ]);
    const [one] = models().information(connectionAt(dallas, 'generation'));
    assert.deepEqual(one?.capabilities, { toolCalling: false, imageInput: false });
  });

  it('keeps a separate list for each service and operation, and reports day-old lists as stale', async () => {
    const elsewhere = credentialsAt('https://models.example:8443');
    await models().keep(sourceOf(credentialsAt(dallas), 'chat'), [modelOf({ id: 'b/two' })]);
    assert.equal(
      models().information(connectionOf({ credentials: elsewhere, modelId: 'a/one' })).length,
      1,
    );
    assert.equal(
      models().information(connectionOf({ credentials: elsewhere, modelId: 'a/one' }))[0]?.detail,
      'models.example:8443 · project-1',
    );
    assert.equal(models().isStale(sourceOf(elsewhere, 'chat')), true);
    const here = credentialsAt(dallas);
    assert.deepEqual(
      [models().isStale(sourceOf(here, 'chat')), models().isStale(sourceOf(here, 'generation'))],
      [false, true],
    );
    now += DAY_MS + 1;
    assert.equal(models().isStale(sourceOf(here, 'chat')), true);
  });

  it('ignores a name or provider that contains Markdown', async () => {
    const label = 'Good** [Click](command:workbench.action.quit) **';
    const provider = '![x](https://evil.example/x.png)';
    await models().keep(sourceOf(credentialsAt(dallas), 'chat'), [
      modelOf({ id: 'a/one', label, provider }),
    ]);
    const [one] = models().information(connectionAt(dallas));
    assert.deepEqual([one?.name, one?.tooltip], ['a/one', 'a/one, through Hosted Model.']);
  });

  it('F15: ignores a name or provider that would become a link', async () => {
    for (const link of [
      'https://h0stile.example',
      'www.h0stile.example',
      'See WWW.h0stile.example',
    ]) {
      await models().keep(sourceOf(credentialsAt(dallas), 'chat'), [
        modelOf({ id: 'a/one', label: link, provider: link }),
      ]);
      const [one] = models().information(connectionAt(dallas));
      assert.deepEqual([one?.name, one?.tooltip], ['a/one', 'a/one, through Hosted Model.']);
    }
  });

  describe('with models from the user settings', () => {
    const gateway = 'https://llm.acme.example/v1';
    const stated = [
      { id: 'a/one', name: 'Eins (EU)', context: 10_000, output: 1_000, tools: false },
      { id: 'b/two', images: true },
    ];
    const withModels = (statements: readonly object[]): Credentials => {
      const entry = {
        ...{ word: 'acme', authentication: { kind: 'apiKey' }, api: 'openai' },
        ...{ defaultModel: 'a/one', models: statements },
      };
      const [service] = readServices([entry]).own;
      assert.ok(service);
      return { ...credentialsAt(gateway), service, projectId: '' };
    };
    const shown = (credentials: Credentials) =>
      models()
        .information(connectionOf({ credentials, modelId: 'a/one' }))
        .map(({ id, name, maxInputTokens, maxOutputTokens, capabilities }) => [
          ...[id, name, maxInputTokens, maxOutputTokens],
          ...[capabilities.toolCalling, capabilities.imageInput],
        ]);
    const one = ['acme:a/one', 'Eins (EU)', 9_000, 1_000, false, false];

    it('offers the models as described in the settings until the service lists models', () => {
      assert.deepEqual(shown(withModels(stated)), [
        one,
        ['acme:b/two', 'b/two', 24_576, 8_192, true, true],
      ]);
    });

    it('offers these models first, and prefers their values over listed values', async () => {
      const credentials = withModels(stated);
      const able = { functions: ['text_chat'], tasks: ['function_calling'] };
      await models().keep(sourceOf(credentials, 'chat'), [
        modelOf({ id: 'c/three', contextLength: 2_000 }),
        modelOf({ id: 'a/one', label: 'One', contextLength: 4_000, maxOutputTokens: 5, ...able }),
        modelOf({ id: 'b/two', contextLength: 4_000, maxOutputTokens: 50 }),
      ]);
      assert.deepEqual(shown(credentials), [
        one,
        ['acme:b/two', 'b/two', 3_950, 50, false, true],
        ['acme:c/three', 'c/three', 1_000, 1_000, false, false],
      ]);
    });

    it('stops using the stored list once the models in the settings change', async () => {
      const credentials = withModels(stated);
      await models().keep(sourceOf(credentials, 'chat'), [modelOf({ id: 'c/three' })]);
      assert.equal(models().isStale(sourceOf(credentials, 'chat')), false);
      const changed = withModels(stated.slice(0, 1));
      assert.equal(models().isStale(sourceOf(changed, 'chat')), true);
      assert.deepEqual(shown(changed), [one]);
    });

    it('ignores a name that would become a link', () => {
      const [model] = shown(withModels([{ id: 'a/one', name: 'www.h0stile.example' }]));
      assert.equal(model?.[1], 'a/one');
    });
  });

  it('offers only one model per ID', async () => {
    const twice = [modelOf({ id: 'a/one' }), modelOf({ id: 'a/one', label: 'Again' })];
    await models().keep(sourceOf(credentialsAt(dallas), 'chat'), twice);
    assert.equal(models().information(connectionAt(dallas)).length, 1);
  });

  it('keeps at most 8 lists of at most 200 models each, without descriptions', async () => {
    const many = Array.from({ length: 300 }, (_, n) => modelOf({ id: `m/${n}`, description: 'x' }));
    for (let service = 0; service < 12; service += 1) {
      await models().keep(sourceOf(credentialsAt(`https://s${service}.example`), 'chat'), many);
    }
    const text = JSON.stringify(Object.fromEntries(state.values));
    assert.equal(text.match(/https:/g)?.length, 8);
    assert.equal(text.match(/"m\/199"/g)?.length, 8);
    assert.doesNotMatch(text, /m\/200|"x"/);
  });
});

describe('escapeMarkdown', () => {
  it('F15: escapes Markdown, and uses code formatting for words that would become links', () => {
    for (const [text, expected] of [
      [
        'Run “x” (503). Then_wait* [a](b) <c> `d`',
        String.raw`Run “x” (503). Then\_wait\* \[a\](b) \<c\> \`d\``,
      ],
      ['to www.h0stile.example: no', 'to `www.h0stile.example:` no'],
      ['(HTTPS://h0stile.example/_a_) x', '`(HTTPS://h0stile.example/_a_)` x'],
      ['ask me@h0stile.example', 'ask `me@h0stile.example`'],
      ['a`www.b``c`', '``` a`www.b``c` ```'],
    ] as const) {
      assert.equal(escapeMarkdown(text), expected);
    }
  });
});
