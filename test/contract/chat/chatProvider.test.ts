import assert from 'node:assert/strict';
import type {
  CancellationToken,
  Disposable,
  LanguageModelChatRequestMessage,
  ProvideLanguageModelChatResponseOptions,
} from 'vscode';
import type { ChatDeps, ChatProvider } from '../../../src/chat/chatProvider.ts';
import type { GenerateTool } from '../../../src/chat/generateTool.ts';
import { readServices } from '../../../src/service/addedServices.ts';
import { systemClock } from '../../../src/service/clock.ts';
import type { Credentials } from '../../../src/service/credentials.ts';
import { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import type { Usage, UsageDeps } from '../../../src/status/dailyUsage.ts';
import { SessionHistory } from '../../../src/status/sessionHistory.ts';
import { AI_SETTING, undocumentedCommands } from '../../../src/undocumentedApi.ts';
import { type Emulator, startEmulator } from '../../emulator/emulator.ts';
import { type Fault, gate } from '../../emulator/faults.ts';
import { recordedModels } from '../../emulator/models.ts';
import { FakeEditor, installEditor } from '../../unit/connection/fakeEditor.ts';
import { FakeState } from '../../unit/connection/fakes.ts';
import { connectionOf, kindOf } from '../../unit/service/fixtures.ts';
import { UsageEditor } from '../../unit/status/usageEditor.ts';
import { credentialsFor, modelId, pathOf, SetClock, tokenPath } from '../service/world.ts';

const chatStream = pathOf('chat', true);
const listPath = '/ml/v1/foundation_model_specs';
const builtIn = { toolMode: 1, requestInitiator: 'github.copilot-chat' };
const never = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };

/** Runs in plain Node, with a fake VS Code and the emulated service. */
describe('the chat provider', () => {
  let editor = new FakeEditor();
  let hooks: ReturnType<typeof installEditor>;
  let emulator: Emulator;
  let runtime: ServiceRuntime;
  let provider: ChatProvider;
  let tool: GenerateTool;
  let parts: Readonly<Record<string, new (...values: never[]) => object>>;
  let isSetUp = true;
  let credentials: Credentials;
  let budgetText: string | undefined;
  let signedOut = new AbortController();
  let lastSignOut = '';
  const logged: string[] = [];

  before(async () => {
    hooks = installEditor(() => editor);
    parts = editor.exports() as typeof parts;
  });
  after(() => hooks.deregister());
  beforeEach(async () => {
    editor = new FakeEditor();
    isSetUp = true;
    budgetText = undefined;
    signedOut = new AbortController();
    lastSignOut = '';
    logged.length = 0;
    emulator = await startEmulator({ namesRequestLimit: false });
    credentials = credentialsFor(emulator.url);
    runtime = new ServiceRuntime({ http: { waitMs: () => 1 } });
    const [{ ChatProvider }, { GenerateTool }] = await Promise.all([
      import('../../../src/chat/chatProvider.ts'),
      import('../../../src/chat/generateTool.ts'),
    ]);
    provider = new ChatProvider(depsOf(), 'hosted-model.hosted-model', () => {});
    tool = new GenerateTool(provider);
  });
  afterEach(async () => {
    runtime.dispose();
    await emulator.close();
  });

  function depsOf(): ChatDeps {
    const log = (text: string) => void logged.push(text);
    const connections = {
      inChat: async () => (isSetUp ? connectionOf({ credentials, modelId }, runtime) : undefined),
      all: async () => (isSetUp ? [connectionOf({ credentials, modelId }, runtime)] : []),
      peek: async () => ({ choice: { kind: 'missing', names: [] } }),
      signOutSignal: signedOut.signal,
      fingerprintOf: async (_: unknown, ...shown: readonly string[]) => shown.join(),
      lastSignOut: async () => lastSignOut,
    };
    return {
      log: { debug: log, info: log, warn: log, error: log, show: () => {} },
      status: { update: () => {}, facts: {} },
      history: new SessionHistory(systemClock),
      connections,
      startWatch: () => ({ onRetry() {}, onText() {}, onDone() {}, onFailed() {} }),
      usage: {
        rejection: async () => budgetText,
        claim: async () => ({ rejection: undefined, end: () => {} }),
        record: async () => {},
      },
      globalState: new FakeState(),
    } as unknown as ChatDeps;
  }

  const make = (name: string, ...values: unknown[]): object =>
    Reflect.construct(parts[name] ?? assert.fail(name), values);
  const user = (...content: object[]) => ({ role: 1, content, name: undefined });
  const ask = (text: string) => user(make('LanguageModelTextPart', text));

  async function respond(
    messages: readonly object[] = [ask('Hello')],
    options: object = builtIn,
    token: object = never,
    id = `ibm:${modelId}`,
  ) {
    const reported: { kind: string; part: Record<string, unknown> }[] = [];
    const progress = {
      report: (part: object) =>
        void reported.push({ kind: kindOfPart(part), part: part as Record<string, unknown> }),
    };
    const failure = await provider
      .respond(
        { id },
        messages as readonly LanguageModelChatRequestMessage[],
        options as ProvideLanguageModelChatResponseOptions,
        progress,
        token as CancellationToken,
      )
      .then(
        () => undefined,
        (error: Error) => error,
      );
    return { reported, failure };
  }
  const kindOfPart = (part: object) =>
    Object.keys(parts).find((name) => {
      const Part = parts[name];
      return name.startsWith('LanguageModel') && typeof Part === 'function' && part instanceof Part;
    }) ?? 'unknown';

  it('reports the text, then complete tool calls, then the usage', async () => {
    emulator.settings.step = () => ({
      text: 'I look at both.',
      toolCalls: [
        { name: 'read', arguments: '{"path":"a"}' },
        { name: 'list', arguments: '' },
      ],
    });
    const { reported, failure } = await respond();
    assert.equal(failure, undefined);
    const kinds = reported.map(({ kind }) => kind.replace('LanguageModel', ''));
    assert.deepEqual([...new Set(kinds)], ['TextPart', 'ToolCallPart', 'DataPart']);
    const calls = reported.filter(({ kind }) => kind === 'LanguageModelToolCallPart');
    assert.deepEqual(
      calls.map(({ part }) => [part['name'], part['input']]),
      [
        ['read', { path: 'a' }],
        ['list', {}],
      ],
    );
    const last = reported.at(-1)?.part;
    assert.equal(last?.['mimeType'], 'usage');
    const usage = JSON.parse(String(Buffer.from(last?.['data'] as Uint8Array)));
    assert.deepEqual(Object.keys(usage), ['prompt_tokens', 'completion_tokens', 'total_tokens']);
    assert.equal(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens);
  });

  it('converts messages to the API’s format, and leaves out VS Code’s internal data', async () => {
    const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 1);
    const call = make('LanguageModelToolCallPart', '7', 'read', { path: 'a' });
    const result = (id: string, ...content: unknown[]) =>
      user(make('LanguageModelToolResultPart', id, content));
    await respond(
      [
        { role: 3, content: [make('LanguageModelTextPart', 'Be brief.')], name: undefined },
        user(
          make('LanguageModelTextPart', 'Look.'),
          make('LanguageModelDataPart', png, 'image/gif'),
        ),
        { role: 2, content: [make('LanguageModelTextPart', 'I look.'), call], name: undefined },
        {
          role: 2,
          content: [make('LanguageModelDataPart', png, 'stateful_marker')],
          name: undefined,
        },
        result(
          '7',
          make('LanguageModelTextPart', 'one'),
          make('LanguageModelDataPart', Buffer.from('{"b":2}'), 'application/json'),
          make('LanguageModelDataPart', png, 'image/png'),
          make('LanguageModelDataPart', Buffer.from('ephemeral'), 'cache_control'),
        ),
        result('8', make('LanguageModelPromptTsxPart', { node: 1 }), 'plain'),
      ],
      {
        ...builtIn,
        modelOptions: { _secretOption: 1 },
        tools: [{ name: 'read', description: 'Reads.' }],
      },
    );
    const [sent] = emulator.requests.filter(({ path }) => path === chatStream);
    const {
      messages,
      tools,
      tool_choice_option: choice,
    } = (sent?.json ?? {}) as Record<string, unknown>;
    const fn = { name: 'read', arguments: '{"path":"a"}' };
    assert.deepEqual(messages, [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORwE=' } },
        ],
      },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [{ id: '7', type: 'function', function: fn }],
      },
      { role: 'tool', tool_call_id: '7', content: 'one{"b":2}[image/png, 5 bytes]' },
      { role: 'tool', tool_call_id: '8', content: '{"node":1}plain' },
    ]);
    assert.deepEqual([(tools as unknown[]).length, choice], [1, 'auto']);
    assert.doesNotMatch(sent?.text ?? '', /_secretOption|stateful/);
  });

  const sentences: readonly [what: string, step: object, expected: RegExp][] = [
    ['returns nothing', {}, /^The model’s response was empty\./],
    [
      'returns only reasoning',
      { reasoning: 'hm' },
      /^The model’s response contained only its reasoning/,
    ],
    [
      'calls a tool with invalid JSON as arguments',
      { toolCalls: [{ name: 'x', arguments: '{"a' }] },
      /malformed tool call/,
    ],
    [
      'calls a tool with an array as arguments',
      { toolCalls: [{ name: 'x', arguments: '[1]' }] },
      /malformed tool call/,
    ],
  ];
  for (const [what, step, expected] of sentences) {
    it(`fails with a plain message and no stack trace if the model ${what}`, async () => {
      emulator.settings.step = () => step;
      const { failure } = await respond();
      assert.match(failure?.message ?? '', expected);
      assert.equal(failure?.stack, undefined);
    });
  }

  it('drops all tool calls if one is malformed', async () => {
    const read = { name: 'read', arguments: '{}' };
    emulator.settings.step = () => ({ toolCalls: [read, { name: 'list', arguments: '{"a' }] });
    const { reported, failure } = await respond();
    assert.match(failure?.message ?? '', /malformed tool call/);
    assert.ok(!reported.some(({ kind }) => kind === 'LanguageModelToolCallPart'));
  });

  it('adds a notice to a truncated response instead of failing', async () => {
    emulator.settings.stopReason = 'max_tokens';
    const { reported, failure } = await respond();
    assert.equal(failure, undefined);
    const texts = reported.filter(({ kind }) => kind === 'LanguageModelTextPart');
    assert.match(JSON.stringify(texts.at(-1)), /token limit/);
    assert.ok(texts.length > 1);
    const earlier = { role: 2, content: texts.map(({ part }) => part), name: undefined };
    await respond([ask('Hello'), earlier, ask('continue')]);
    assert.doesNotMatch(emulator.requests.at(-1)?.text ?? '', /token limit/);
  });

  it('reports a truncated response as a failure if another extension sent the request', async () => {
    emulator.settings.stopReason = 'max_tokens';
    const responded = respond([ask('Hello')], { toolMode: 1 });
    await (await editor.modalPrompt()).answer('Allow');
    assert.match((await responded).failure?.message ?? '', /token limit/);
  });

  const echo = 'ECHO <script> [x](command:y) /home/somebody/file.ts';
  const answers: readonly [what: string, path: string, fault: Fault, expected: RegExp][] = [
    [
      'a rejected key',
      tokenPath,
      { status: 400, json: { errorCode: 'BXNIM0415E', errorMessage: echo } },
      /Set Up\.\.\./,
    ],
    [
      'a wrong project',
      chatStream,
      { status: 403, json: { errors: [{ code: 'authorization_rejected', message: echo }] } },
      /project/,
    ],
    [
      'too many requests',
      chatStream,
      { status: 429, json: { errors: [{ code: 'rate_limit_reached_requests', message: echo }] } },
      /Too many requests/,
    ],
    ['a 503', chatStream, { status: 503, body: echo }, /failed \(503\)/],
    [
      'a web page',
      chatStream,
      { status: 200, body: echo, headers: { 'content-type': 'text/html' } },
      /web page/,
    ],
    [
      'an oversized conversation',
      chatStream,
      {
        status: 400,
        json: {
          errors: [
            {
              code: 'invalid_input_argument',
              message: 'the number of input tokens 4098 cannot exceed the total tokens limit 4096',
            },
          ],
        },
      },
      /4,098 tokens.*Start a new chat/,
    ],
    [
      'a removed model',
      chatStream,
      { status: 404, json: { errors: [{ code: 'model_not_supported', message: echo }] } },
      /Select/,
    ],
  ];
  for (const [what, path, fault, expected] of answers) {
    it(`reports ${what} without a stack trace, service text, or secrets`, async () => {
      emulator.faults.next(path, fault, 10);
      const { failure } = await respond();
      const { message = '', stack } = failure ?? {};
      assert.match(message, expected);
      assert.equal(stack, undefined);
      const secrets = [credentialsFor('').apiKey, ...emulator.tokensIssued];
      for (const secret of secrets) assert.ok(![message, ...logged].join().includes(secret));
      assert.doesNotMatch([message, ...logged].join(), /ECHO|script|somebody|\.ts\b/);
      assert.doesNotMatch(message, /(?<!\\)[<>*_`[\]|]/, 'Markdown');
    });
  }

  it("F15: doesn't turn the host of a redirect into a link", async () => {
    const location = 'https://www.h0stile.example/x';
    emulator.faults.next(chatStream, { status: 307, headers: { location }, body: '' });
    const { failure } = await respond();
    const message = failure?.message ?? '';
    assert.match(message, /`[^`]*www\.h0stile\.example/);
    assert.doesNotMatch(message.replace(/`[^`]*`/g, ''), /www\.|:\/\//);
  });

  it('sends another extension’s request only if the user allows it', async () => {
    const foreign = { toolMode: 1, requestInitiator: 'Evil.foreign' };
    const first = respond([ask('Hello')], foreign);
    const question = await editor.modalPrompt();
    assert.match(question.text, /evil\.foreign/);
    assert.ok(
      question.detail.includes('emulator-project') &&
        question.detail.includes(new URL(emulator.url).host),
    );
    assert.equal(emulator.requests.length, 0);
    await question.answer();
    assert.match((await first).failure?.message ?? '', /didn’t allow/);
    assert.match((await respond([ask('Hello')], foreign)).failure?.message ?? '', /didn’t allow/);
    assert.deepEqual([emulator.requests.length, editor.modalCount], [0, 1]);
    lastSignOut = 'signed out in another profile';
    const afterSignOut = respond([ask('Hello')], foreign);
    await (await editor.modalPrompt()).answer();
    assert.match((await afterSignOut).failure?.message ?? '', /didn’t allow/);
    const unnamed = respond([ask('Hello')], { toolMode: 1 });
    await (await editor.modalPrompt()).answer('Allow');
    assert.equal((await unnamed).failure, undefined);
    assert.equal(emulator.count(chatStream), 1);
    credentials = { ...credentials, projectId: 'another-project' };
    const elsewhere = respond([ask('Hello')], { toolMode: 1 });
    const anew = await editor.modalPrompt();
    assert.match(anew.detail, /another-project/);
    await anew.answer();
    assert.match((await elsewhere).failure?.message ?? '', /didn’t allow/);
  });

  it('doesn’t send a request that the user approves after signing out', async () => {
    const foreign = respond([ask('Hello')], { toolMode: 1, requestInitiator: 'evil.foreign' });
    const question = await editor.modalPrompt();
    signedOut.abort();
    await question.answer('Allow');
    assert.ok((await foreign).failure);
    assert.equal(emulator.requests.length, 0);
  });

  it('lists no models before setup, without trust, without AI features, or for provider groups', async () => {
    const ids = async (options: object) =>
      (await provider.information(options)).map(({ id }) => id);
    assert.deepEqual(await ids({ silent: true }), [`ibm:${modelId}`]);
    assert.equal(provider.groupRequestCount, 0);
    assert.deepEqual(await ids({ silent: true, configuration: {} }), []);
    assert.equal(provider.groupRequestCount, 1);
    editor.isTrusted = false;
    assert.deepEqual(await ids({ silent: true }), []);
    editor.isTrusted = true;
    editor.userSettings.set('chat.disableAIFeatures', true);
    assert.deepEqual(await ids({ silent: true }), []);
    editor.userSettings.clear();
    isSetUp = false;
    assert.deepEqual(await ids({ silent: true }), []);
    assert.deepEqual([emulator.requests.length, editor.modalCount], [0, 0]);
  });

  it('requests the model list after a response, and then caches the list', async () => {
    const [first = assert.fail('no model')] = recordedModels;
    const available = { ...first, lifecycle: [] };
    emulator.settings.models = [modelId, 'another/model'].map((id) => ({
      ...available,
      model_id: id,
    }));
    for (let step = 0; step < 3; step += 1) await respond();
    await emulator.requestCount(listPath, 2);
    while ((await provider.information({ silent: true })).length < 2) await respond();
    const before = emulator.count(listPath);
    await respond();
    assert.equal(emulator.count(listPath), before);
  });

  const losses: readonly [when: string, lose: (clock: SetClock, restart: () => void) => void][] = [
    ['after a restart', (_, restart) => restart()],
    ['after the model cache has expired', (clock) => clock.pass(65 * 60_000)],
  ];
  for (const [when, lose] of losses) {
    it(`sends the output token limit that it reported to VS Code, even ${when}`, async () => {
      Object.assign(emulator.settings, { isOpen: true, gateway: 'litellm' });
      const [first = assert.fail('no model')] = recordedModels;
      const limits = { max_sequence_length: 8_192, max_output_tokens: 512 };
      emulator.settings.models = [{ ...first, model_id: modelId, model_limits: limits }];
      const url = `${emulator.url}/v1`;
      const entry = { word: 'acme', url, api: 'openai', authentication: { kind: 'none' } };
      // The settings declare that the model supports tools, but they don't include its limits.
      const models = [{ id: modelId, tools: true }];
      const [service = assert.fail('no service')] = readServices([
        { ...entry, defaultModel: modelId, models },
      ]).own;
      credentials = { ...credentials, service, serviceUrl: url, projectId: '', apiKey: '' };
      const deps = depsOf();
      const { ChatProvider } = await import('../../../src/chat/chatProvider.ts');
      const clock = new SetClock();
      const start = () => {
        runtime.dispose();
        runtime = new ServiceRuntime({ http: { waitMs: () => 1 }, clock });
        provider = new ChatProvider(deps, 'a.b', () => {});
      };
      start();
      const connection = await provider.connection('acme');
      await provider.refresh(connection ?? assert.fail('no connection'), signedOut.signal);
      lose(clock, start);
      const [information] = await provider.information({ silent: true });
      assert.equal(information?.maxOutputTokens, 512);
      const { failure } = await respond([ask('Hello')], builtIn, never, information?.id);
      assert.equal(failure, undefined);
      const [sent] = emulator.requests.filter(({ path }) => path === '/v1/chat/completions');
      assert.equal(Reflect.get(Object(sent?.json), 'max_completion_tokens'), 512);
    });
  }

  it('rejects a request once the daily budget is used up', async () => {
    budgetText = 'Nothing was sent: the budget is used up.';
    const { failure } = await respond();
    assert.equal(failure?.message, budgetText);
    assert.equal(emulator.requests.length, 0);
  });

  it('I27: rejects the remaining concurrent calls once the daily budget is used up', async () => {
    const kept = new UsageEditor();
    editor = kept;
    editor.userSettings.set('dailyTokenBudget', 100_000).set('maxConcurrentRequests', 8);
    const [{ Usage: Kept }, { ChatProvider }] = await Promise.all([
      import('../../../src/status/dailyUsage.ts'),
      import('../../../src/chat/chatProvider.ts'),
    ]);
    const deps = depsOf();
    let usedTokens = 0;
    class WatchedUsage extends Kept {
      override record(...recorded: Parameters<Usage['record']>) {
        const [, { inputTokens, outputTokens }] = recorded;
        usedTokens += inputTokens + outputTokens;
        return super.record(...recorded);
      }
    }
    const status = { update: () => {} };
    const usage = new WatchedUsage({ ...deps, status } as unknown as UsageDeps, kept.storage);
    provider = new ChatProvider({ ...deps, usage }, 'a.b', () => {});
    const each = 30_000;
    const calls = Array.from({ length: 50 }, () => respond([ask('word '.repeat(each))]));
    const ends = (await Promise.all(calls)).map(({ failure }) => failure?.message ?? 'answered');
    const answered = ends.filter((end) => end === 'answered').length;
    assert.ok(answered > 0 && usedTokens < 100_000 + usedTokens / answered, `${usedTokens} used`);
    assert.equal(emulator.count(chatStream), answered);
    const rejected = ends.filter((end) => /budget of 100,000 tokens is used up/.test(end));
    assert.equal(answered + rejected.length, 50, [...new Set(ends)].join());
    kept.end();
  });

  it('suggests Set Up if no service is set up', async () => {
    isSetUp = false;
    const { failure } = await respond();
    assert.match(failure?.message ?? '', /Hosted Model: Set Up\.\.\./);
    assert.equal(emulator.requests.length, 0);
  });

  it('returns the same token count for a message as for its text', () => {
    const text = 'x'.repeat(400);
    assert.deepEqual(
      [text, ask(text)].map((one) => provider.count(one as string)),
      [100, 100],
    );
    assert.equal(emulator.requests.length, 0);
  });

  /** Asserts that `end` cancels a running request, even if its response arrives right afterward. */
  async function assertCancels(end: () => void, token?: object) {
    const { opened, open } = gate();
    emulator.faults.next(chatStream, { hold: opened });
    const answer = respond([ask('Hello')], builtIn, token);
    const request = await emulator.requestCount(chatStream, 1);
    end();
    open();
    const { reported, failure } = await answer;
    assert.ok(failure instanceof (parts['CancellationError'] ?? assert.fail()), `${failure}`);
    assert.deepEqual([reported, logged], [[], []]);
    await emulator.disconnected(request);
  }

  it('aborts the request silently when VS Code cancels it', async () => {
    let cancel = () => {};
    const token = {
      isCancellationRequested: false,
      onCancellationRequested: (listener: () => void) => {
        cancel = listener;
        return { dispose() {} };
      },
    };
    await assertCancels(() => cancel(), token);
  });

  it('aborts the request when the user signs out', () => assertCancels(() => signedOut.abort()));

  describe('Use in Chat', () => {
    /**
     * A window. By default, it has a provider group, and the built-in chat is turned on.
     */
    class ChatEditor extends FakeEditor {
      hasGroup = true;
      isChatOn = true;
      /** The button to click in each dialog. If undefined, dialogs are dismissed. */
      answer: string | undefined;
      override ask(text: string, rest: readonly unknown[]) {
        const asked = super.ask(text, rest);
        for (const prompt of this.openModals) void prompt.answer(this.answer);
        return asked;
      }
      override exports() {
        return {
          ...super.exports(),
          extensions: {
            getExtension: () => (this.isChatOn ? {} : undefined),
            onDidChange: () => ({ dispose() {} }),
          },
          lm: {
            selectChatModels: () =>
              provider.information(this.hasGroup ? { configuration: {} } : { silent: true }),
          },
        };
      }
    }
    let chat: ChatEditor;
    let registered: Disposable[];
    let selected: string[];
    beforeEach(async () => {
      chat = new ChatEditor();
      chat.beforeUpdate = (name) => {
        if (name === AI_SETTING) chat.isChatOn = true;
      };
      editor = chat;
      selected = [];
      const { commands } = await import('vscode');
      const added = commands.registerCommand(undocumentedCommands.addModelGroup, async () => {
        chat.hasGroup = true;
      });
      // Like VS Code's own command, fails if no model matches.
      const opened = commands.registerCommand(undocumentedCommands.openChat, async (options) => {
        const offered = await provider.information({ silent: true });
        assert.ok(offered.some(({ id }) => id === options.modelSelector.id));
        selected.push(options.modelSelector.id);
      });
      registered = [added, opened];
    });
    afterEach(() => {
      for (const one of registered) one.dispose();
    });

    async function start() {
      const { startChat } = await import('../../../src/chat/useInChat.ts');
      await startChat(provider, () => provider.connection(), signedOut.signal);
    }

    it('opens chat with the model from the settings', async () => {
      await start();
      assert.deepEqual([selected, editor.messages], [[`ibm:${modelId}`], []]);
      const [model] = await provider.information({ silent: true });
      assert.notEqual(model?.name, modelId, 'the name from the model list');
    });

    it('opens chat without a dialog if nothing needs to change', async () => {
      Object.assign(chat, { hasGroup: false, isChatOn: false, answer: 'Use in Chat' });
      await start();
      await start();
      assert.equal(editor.modalCount, 1);
      assert.deepEqual([selected.length, editor.messages], [2, []]);
    });

    const changes: readonly [what: string, state: Partial<ChatEditor>][] = [
      ['adds a provider group', { hasGroup: false }],
      ['turns on the built-in chat', { isChatOn: false }],
    ];
    for (const [what, state] of changes) {
      it(`asks the user before it ${what}`, async () => {
        Object.assign(chat, state);
        await start();
        const { hasGroup, isChatOn } = chat;
        assert.deepEqual({ hasGroup, isChatOn }, { hasGroup: true, isChatOn: true, ...state });
        assert.deepEqual([selected, emulator.requests.length], [[], 0]);
        chat.answer = 'Use in Chat';
        await start();
        assert.deepEqual([chat.hasGroup, chat.isChatOn], [true, true]);
        assert.deepEqual([selected, editor.messages], [[`ibm:${modelId}`], []]);
      });
    }

    it('opens chat with the deployment if one is set', async () => {
      credentials = { ...credentials, resource: 'deployment', projectId: 'my-deployment' };
      await start();
      assert.deepEqual([selected, editor.messages], [['ibm:my-deployment'], []]);
    });

    it("opens chat even if the service doesn't list models", async () => {
      const url = `${emulator.url}/v1`;
      const authentication = { kind: 'apiKey' };
      const entry = { word: 'acme', url, api: 'openai', authentication, defaultModel: modelId };
      const [service = assert.fail('no service')] = readServices([entry]).own;
      credentials = { ...credentials, service, serviceUrl: url, projectId: '' };
      emulator.faults.always('/v1/models', { status: 404 });
      await start();
      assert.deepEqual([selected, editor.messages], [[`acme:${modelId}`], []]);
      assert.equal(emulator.count('/v1/models'), 1);
    });

    it('fails without opening chat if the request for the model list is rejected', async () => {
      emulator.faults.always(listPath, { status: 403 });
      assert.equal(await kindOf(start()), 'intercepted');
      assert.deepEqual(selected, []);
    });
  });

  describe('the language model tool', () => {
    const invoke = async (input: object) => {
      const { content } = await tool.invoke(
        { input, toolInvocationToken: undefined } as never,
        never as unknown as CancellationToken,
      );
      return JSON.parse(String(Reflect.get(content[0] ?? {}, 'value')));
    };
    beforeEach(() => {
      editor.userSettings.set('offerTool', true);
    });

    const question = async (prompt: string) => {
      const { confirmationMessages } = await tool.prepareInvocation({ input: { prompt } } as never);
      return String(confirmationMessages?.message);
    };

    it('shows the prompt’s length, the host, and the project in the confirmation', async () => {
      assert.match(
        await question('x'.repeat(1_234)),
        /^A prompt of 1,234 characters will be sent to 127\.0\.0\.1:\d+ .* project emulator-project\./,
      );
    });

    it('G17: shows the prompt, or its beginning, as code in the confirmation', async () => {
      const [, short = ''] = (await question('Say *hi*\nto www.b.example')).split('\n\n');
      assert.match(short, /^Prompt: `Say \*hi\* to www\.b\.example`$/);
      const hostile = 'a `` b\u202E\u{E0041} [x](command:y) ';
      const [, long = ''] = (await question(`${hostile}${'secret '.repeat(10_000)}`)).split('\n\n');
      assert.match(
        long,
        /^Beginning of the prompt: ``` a `` b \[x\] \(command:y\) secret secret .*… ```$/,
      );
      assert.ok(long.length < 500);
      assert.match(await question(`x${' '.repeat(10_000)}secret`), /Beginning of the prompt: `x`$/);
      assert.doesNotMatch(await question(''), /`/);
    });

    it('returns the generated text', async () => {
      const { status, text } = await invoke({ prompt: 'Hello' });
      assert.equal(status, 'done');
      assert.match(text, /Hello from the emulated model!/);
    });

    const causes: readonly [string, string, Fault][] = [
      ['key_rejected', tokenPath, { recording: 'token: key unknown' }],
      ['rate_limited', chatStream, { recording: '429 request rate' }],
      ['token_expired', chatStream, { recording: '401 token expired' }],
    ];
    for (const [cause, path, fault] of causes) {
      it(`returns a failure as a result instead of throwing: ${cause}`, async () => {
        emulator.faults.next(path, fault, 10);
        const result = await invoke({ prompt: 'Hello' });
        assert.deepEqual([result.status, result.cause], ['failed', cause]);
        assert.ok(result.message.length > 20 && result.advice.length > 20);
      });
    }

    it('refuses to run while `offerTool` is off', async () => {
      editor.userSettings.clear();
      assert.equal((await invoke({ prompt: 'Hello' })).cause, 'not_offered');
      assert.equal(emulator.requests.length, 0);
    });

    it('reports a failure if the response is empty or truncated', async () => {
      emulator.settings.step = () => ({});
      assert.deepEqual((await invoke({ prompt: 'Hello' })).status, 'failed');
      emulator.settings.step = () => undefined;
      emulator.settings.stopReason = 'max_tokens';
      const { status, message } = await invoke({ prompt: 'Hello' });
      assert.deepEqual([status, /the token limit/.test(message)], ['failed', true]);
    });

    it('rejects a prompt that is empty, oversized, or not a string', async () => {
      for (const prompt of ['', ' ', 'x'.repeat(100_001), 7]) {
        assert.equal((await invoke({ prompt })).cause, 'prompt_rejected');
      }
      assert.equal(emulator.requests.length, 0);
    });
  });
});
