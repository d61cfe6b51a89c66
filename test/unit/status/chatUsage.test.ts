import assert from 'node:assert/strict';
import type {
  CancellationToken,
  LanguageModelChatRequestMessage,
  ProvideLanguageModelChatResponseOptions,
} from 'vscode';
import type { ChatDeps, ChatProvider } from '../../../src/chat/chatProvider.ts';
import type { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import type { UsedRequest } from '../../../src/status/usageLedger.ts';
import { installEditor } from '../connection/fakeEditor.ts';
import { FakeState } from '../connection/fakes.ts';
import { clientOn, connectionOf } from '../service/fixtures.ts';
import { UsageEditor } from './usageEditor.ts';

const OWN_ID = 'hosted-model.hosted-model';
const tools = [{ name: 'read', description: 'Reads a file', inputSchema: {} }];
const token: CancellationToken = {
  isCancellationRequested: false,
  onCancellationRequested: () => ({ dispose: () => {} }),
};
const stream = (...events: readonly object[]) =>
  new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  });
const text = (content: string, finish_reason: string | null = null) => ({
  choices: [{ delta: { content }, finish_reason }],
});
const complete = () =>
  stream(text('text', 'stop'), {
    choices: [],
    usage: { prompt_tokens: 7, completion_tokens: 3 },
  });

describe('a request to a chat model', () => {
  let editor: UsageEditor;
  let hooks: ReturnType<typeof installEditor>;
  let Provider: typeof ChatProvider;
  let recorded: UsedRequest[];
  let rejection: string | undefined;
  let fetch: () => Promise<Response>;
  before(async () => {
    editor = new UsageEditor();
    hooks = installEditor(() => editor);
    Provider = (await import('../../../src/chat/chatProvider.ts')).ChatProvider;
  });
  after(() => {
    hooks.deregister();
    editor.end();
  });
  beforeEach(() => {
    recorded = [];
    rejection = undefined;
    fetch = async () => complete();
  });
  const open = () => {
    const { client } = clientOn({ fetch: () => fetch() });
    const runtime = {
      client: () => client,
      listModels: async () => ({ models: [] }),
    } as unknown as ServiceRuntime;
    const connections = {
      inChat: async () => connectionOf({}, runtime),
      all: async () => [connectionOf({}, runtime)],
      signOutSignal: new AbortController().signal,
      fingerprintOf: async () => 'one',
    };
    const usage = {
      rejection: async () => rejection,
      claim: async () => ({ rejection: undefined, end() {} }),
      record: async (_: unknown, request: UsedRequest) => void recorded.push(request),
    };
    const deps = {
      ...{ globalState: new FakeState(), connections, usage },
      ...{ status: { update() {} }, history: { failed() {} }, log: { error() {} } },
      startWatch: () => ({ onText() {}, onDone() {}, onFailed() {} }),
    } as unknown as ChatDeps;
    const provider = new Provider(deps, OWN_ID, () => {});
    Object.assign(provider.callers, { mayCall: async () => true });
    return provider;
  };
  const respond = (options: object) => {
    const message = { role: 1, content: ['four'] } as unknown as LanguageModelChatRequestMessage;
    const given = options as ProvideLanguageModelChatResponseOptions;
    return open().respond({ id: 'ibm:maker/large' }, [message], given, { report() {} }, token);
  };

  for (const [caller, options] of [
    ['chat', { requestInitiator: 'GitHub.copilot-chat' }],
    ['agent', { requestInitiator: 'core', tools }],
    ['chat', { requestInitiator: OWN_ID, tools: [] }],
    ['other extension', { requestInitiator: 'some.body', tools }],
    ['other extension', {}],
  ] as const) {
    it(`is counted under the caller “${caller}” and the requested model: ${JSON.stringify(options)}`, async () => {
      await respond(options);
      const counts = { inputTokens: 7, outputTokens: 3, isEstimate: false };
      assert.deepEqual(recorded, [{ model: 'maker/large', caller, ...counts }]);
    });
  }

  it('is counted under the caller “agent” if it comes from the generate tool', async () => {
    assert.equal(await open().generate('four', token), 'text');
    const [{ model, caller } = { model: '', caller: '' }] = recorded;
    assert.deepEqual([recorded.length, model !== '', caller], [1, true, 'agent']);
  });

  it('is recorded with estimated usage if the response is incomplete', async () => {
    fetch = async () => stream(text('four'));
    await assert.rejects(respond({ requestInitiator: 'core', tools }));
    const [{ inputTokens, ...rest } = { inputTokens: 0 }] = recorded;
    assert.deepEqual(rest, {
      ...{ model: 'maker/large', caller: 'agent', outputTokens: 1, isEstimate: true },
    });
    assert.ok(inputTokens > JSON.stringify(tools).length / 4);
  });

  it('is rejected with a message after the budget is used up', async () => {
    rejection = 'Nothing was sent.';
    fetch = async () => assert.fail('sent');
    await assert.rejects(respond({ requestInitiator: 'core' }), { message: 'Nothing was sent.' });
    await assert.rejects(open().generate('four', token), { message: 'Nothing was sent.' });
    assert.deepEqual(recorded, []);
  });
});
