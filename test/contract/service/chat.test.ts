import assert from 'node:assert/strict';
import type { Conversation } from '../../../src/service/api/conversation.ts';
import type { RequestUsage } from '../../../src/service/api/usageEstimate.ts';
import { type CallOptions, Client } from '../../../src/service/client.ts';
import type { ModelStep } from '../../emulator/settings.ts';
import { FakeTime, settled } from '../../unit/service/fixtures.ts';
import { becomes } from '../../vscode/deadline.ts';
import { endWorlds, kindOf, modelId, pathOf, startWorld, tokenPath, type World } from './world.ts';

const chatStream = pathOf('chat', true);
const conversationWith = (text: string): Conversation => ({
  messages: [{ role: 'user', content: [{ text }] }],
  tools: [{ name: 'read', description: 'Reads.', inputSchema: undefined }],
  toolChoice: 'auto',
});
const call: ModelStep = {
  reasoning: 'I have to look.',
  text: 'I look.',
  toolCalls: [
    { name: 'read', arguments: '{"path":"naïve.txt"}' },
    { name: 'read', arguments: '{"path":"b.txt"}' },
  ],
};

function chat(
  { client }: World,
  options: CallOptions = {},
  conversation = conversationWith('Go on.'),
) {
  const chunks: string[] = [];
  const onText = (text: string) => chunks.push(text);
  const answer = client.chat(conversation, {}, { onText, ...options });
  return { chunks, answer };
}

describe('a conversation with the service', () => {
  afterEach(endWorlds);

  it('returns the text, reasoning, complete tool calls, and usage of a step', async () => {
    const world = await startWorld({ emulator: { step: () => call } });
    const thoughts: string[] = [];
    const { chunks, answer } = chat(world, { onReasoning: (text) => thoughts.push(text) });
    const { toolCalls, usage, stopReason } = await answer;
    assert.deepEqual([chunks.join(''), thoughts.join('')], ['I look.', 'I have to look.']);
    assert.deepEqual(
      toolCalls.map(({ name, arguments: given }) => [name, JSON.parse(given)]),
      [
        ['read', { path: 'naïve.txt' }],
        ['read', { path: 'b.txt' }],
      ],
    );
    assert.equal(new Set(toolCalls.map(({ id }) => id)).size, 2);
    assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0);
    assert.equal(stopReason, 'finished');
  });

  it('requests up to 8,192 output tokens by default', async () => {
    const world = await startWorld();
    await chat(world).answer;
    const [sent] = world.emulator.requests.filter(({ path }) => path === chatStream);
    assert.equal(Reflect.get(sent?.json ?? {}, 'max_completion_tokens'), 8_192);
  });

  it('I27: calls `beforeFirstAttempt` once per call, and stops if the callback rejects', async () => {
    const world = await startWorld({ limits: { limit: 1 } });
    const sentBefore: number[] = [];
    const beforeFirstAttempt = async () => void sentBefore.push(world.inferenceCount());
    world.emulator.faults.next(chatStream, { status: 503 });
    await Promise.all(
      [1, 2].map(() => chat(world, { beforeFirstAttempt: beforeFirstAttempt }).answer),
    );
    // One call was retried, but `beforeFirstAttempt` wasn't called for the retry.
    assert.deepEqual([sentBefore, world.inferenceCount()], [[0, 1], 3]);
    const rejection = new Error('not now');
    const rejected = async () => {
      throw rejection;
    };
    await assert.rejects(chat(world, { beforeFirstAttempt: rejected }).answer, rejection);
    assert.equal(world.inferenceCount(), 3);
    await chat(world).answer;
  });

  it('continues with a new token if the old one is revoked', async () => {
    const world = await startWorld({ emulator: { step: () => call } });
    await chat(world).answer;
    world.emulator.revokeTokens();
    await chat(world).answer;
    assert.deepEqual([world.emulator.count(tokenPath), world.emulator.count(chatStream)], [2, 3]);
  });

  it('continues after two 429s and a 503 without running a step twice', async () => {
    let steps = 0;
    const step = () => {
      steps += 1;
      return call;
    };
    const world = await startWorld({ emulator: { step } });
    await chat(world).answer;
    const { faults } = world.emulator;
    faults.next(chatStream, { status: 429 });
    faults.next(chatStream, { status: 429 });
    faults.next(chatStream, { status: 503 });
    const retries: number[] = [];
    const { chunks, answer } = chat(world, { onRetry: ({ retry }) => retries.push(retry) });
    await answer;
    assert.deepEqual([retries, steps, chunks.join('')], [[1, 2, 3], 2, 'I look.']);
    assert.equal(world.emulator.count(chatStream), 5);
  });

  it("includes tool calls in the estimated usage if the service doesn't report usage", async () => {
    const world = await startWorld();
    const written = { name: 'write', arguments: JSON.stringify({ text: 'x'.repeat(4_000) }) };
    const delta = { tool_calls: [{ index: 0, id: '1', function: written }] };
    const events = [{ choices: [{ delta, finish_reason: 'tool_calls' }] }, '[DONE]'];
    world.emulator.faults.next(chatStream, {
      headers: { 'content-type': 'text/event-stream', 'content-length': '' },
      body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
    });
    const usages: RequestUsage[] = [];
    await chat(world, { onUsage: (usage) => usages.push(usage) }).answer;
    assert.deepEqual(
      usages.map(({ isEstimate, outputTokens }) => [isEstimate, outputTokens > 1_000]),
      [[true, true]],
    );
  });

  const expired = { errors: [{ code: 'authentication_token_expired' }], status_code: 401 };
  const toolCall = { index: 0, id: '1', function: { name: 'read', arguments: '{' } };
  for (const [what, delta, sent] of [
    ['before any output', { content: '' }, 2],
    ['after some text', { content: 'I' }, 1],
    ['after some reasoning', { reasoning_content: 'I' }, 1],
    ['after part of a tool call', { tool_calls: [toolCall] }, 1],
  ] as const) {
    it(`${sent === 1 ? "doesn't resend" : 'resends'} a step whose token expires ${what}`, async () => {
      const world = await startWorld();
      const events = [{ choices: [{ delta }] }, expired];
      world.emulator.faults.next(chatStream, {
        headers: { 'content-type': 'text/event-stream', 'content-length': '' },
        body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
      });
      const { answer } = chat(world);
      const kind = await kindOf(answer).catch(() => 'none');
      assert.deepEqual(
        [kind, world.emulator.count(chatStream)],
        [sent === 1 ? 'unauthorized' : 'none', sent],
      );
    });
  }

  it('is blocked if the key is in a message or in tool data', async () => {
    const world = await startWorld();
    const { apiKey } = world.credentials;
    const parts: readonly Conversation[] = [
      conversationWith(`It is ${apiKey}.`),
      {
        ...conversationWith('x'),
        messages: [{ role: 'tool', callId: '1', text: `KEY=${apiKey}` }],
      },
      {
        ...conversationWith('x'),
        messages: [
          {
            role: 'assistant',
            text: '',
            toolCalls: [{ id: '1', name: 'read', arguments: JSON.stringify({ key: apiKey }) }],
          },
        ],
      },
      {
        ...conversationWith('x'),
        tools: [{ name: 'x', description: apiKey, inputSchema: undefined }],
      },
    ];
    for (const conversation of parts) {
      const { answer } = chat(world, {}, conversation);
      assert.equal(await kindOf(answer), 'prompt-holds-secret');
    }
    assert.equal(world.emulator.requests.length, 0);
  });

  it("is blocked by a private key in the user's messages, but not by one in the model's responses", async () => {
    const world = await startWorld();
    const line = 'A'.repeat(64);
    const text = `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----\n`;
    const question = chat(world, {}, conversationWith(`What is this? ${text}`));
    assert.equal(await kindOf(question.answer), 'prompt-holds-secret');
    const { messages, ...rest } = conversationWith('Another one, please.');
    const example = { role: 'assistant', text, toolCalls: [] } as const;
    await chat(world, {}, { ...rest, messages: [example, ...messages] }).answer;
    assert.equal(world.emulator.count(chatStream), 1);
  });

  it('is sent as a single prompt for the generation operation', async () => {
    const world = await startWorld({ operation: 'generation' });
    const { answer } = chat(world);
    assert.deepEqual((await answer).toolCalls, []);
    const [sent] = world.emulator.requests.filter(({ path }) => path.includes('generation'));
    assert.equal(Reflect.get(sent?.json ?? {}, 'input'), 'user: Go on.\n\nassistant:');
  });

  it('leaves a slot free for a generation, even while chat calls are waiting', async () => {
    const world = await startWorld();
    const { credentials, http, tokenService, limiter, emulator } = world;
    const facts = { credentials, http, tokenService, limiter, modelId, operation: 'chat' } as const;
    const agent = { ...world, client: new Client({ ...facts, isLowPriority: true }) };
    const stop = new AbortController();
    emulator.faults.next(chatStream, { neverAnswers: true }, 2);
    const calls = [1, 2, 3].map(() => kindOf(chat(agent, { signal: stop.signal }).answer));
    await emulator.requestCount(chatStream, 2);
    // This generation completes while two calls hold their slots and the third waits.
    assert.match((await world.generate({ onText: () => {} })).text, /Hello/);
    // The slot is released when the response has been read completely, not at the last event.
    await becomes('the end of the selection', () => limiter.state.inFlight === 2);
    assert.equal(limiter.state.waiting, 1);
    stop.abort();
    assert.deepEqual(await Promise.all(calls), ['cancelled', 'cancelled', 'cancelled']);
  });

  it('runs 20 steps over a single network connection', async () => {
    const world = await startWorld();
    for (let taken = 0; taken < 20; taken += 1) {
      await chat(world).answer;
      // Waits until the whole response has been read. A real agent runs its tools in the meantime.
      await becomes('the end of the step', () => world.limiter.state.inFlight === 0);
    }
    const asked = world.emulator.requests.filter(({ path }) => path === chatStream);
    assert.equal(new Set(asked.map(({ connection }) => connection)).size, 1);
  });

  it('ends when it is canceled, and closes its network connection', async () => {
    // Stops the clock so that no deadline expires.
    const time = new FakeTime();
    try {
      const world = await startWorld();
      world.emulator.faults.next(chatStream, { neverAnswers: true });
      const stop = new AbortController();
      const ended: string[] = [];
      const { answer } = chat(world, { signal: stop.signal });
      void kindOf(answer).then((kind) => ended.push(kind));
      const request = await world.emulator.requestCount(chatStream, 1);
      stop.abort();
      await settled();
      assert.deepEqual(ended, ['cancelled']);
      await world.emulator.disconnected(request);
      assert.equal(world.limiter.state.inFlight, 0);
    } finally {
      time.end();
    }
  });
});
