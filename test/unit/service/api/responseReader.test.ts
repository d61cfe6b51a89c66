import assert from 'node:assert/strict';
import { openai } from '../../../../src/service/api/openai.ts';
import {
  type ResponseChunk,
  ResponseReader,
  readChat,
  readGeneration,
} from '../../../../src/service/api/responseReader.ts';
import { watsonx } from '../../../../src/service/api/watsonx.ts';
import { failureInEvent } from '../../../../src/service/api/watsonxFailure.ts';
import { ServiceError } from '../../../../src/service/errors.ts';
import { Body } from '../../../../src/service/http/body.ts';
import { highLimits, kindOf, never } from '../fixtures.ts';

const reset = new ServiceError('connection-lost');
const text = (content: string) => `data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`;
const stop = 'data: {"choices":[{"delta":{"content":""},"finish_reason":"stop"}]}\n\n';

/**
 * Creates a body with these events. If an event is an error, reading the body fails at that event.
 */
function body(...events: (string | ServiceError)[]): Body {
  async function* bytes() {
    for (const event of events) {
      if (event instanceof ServiceError) throw event;
      yield Buffer.from(event);
    }
  }
  return new Body(ReadableStream.from(bytes()), highLimits, () => {});
}

async function collect(signal: AbortSignal, ...events: (string | ServiceError)[]) {
  const stream = body(...events);
  try {
    return await new ResponseReader('chat', { onText: () => {} }, { failureInEvent }).read(
      stream,
      signal,
    );
  } finally {
    // Stop the reader, because later tests count timers. The reader waits up to a second for the
    // rest of a stream.
    stream.close();
  }
}

describe('reading a stream', () => {
  it('succeeds if the connection breaks after the stop reason has arrived', async () => {
    const { text: whole, stopReason } = await collect(never, text('a'), text('b'), stop, reset);
    assert.deepEqual([whole, stopReason], ['ab', 'finished']);
  });

  it('fails if the stream ends before the stop reason arrives', async () => {
    assert.equal(await kindOf(collect(never, text('a'), reset)), 'connection-lost');
    assert.equal(await kindOf(collect(never, text('a'))), 'incomplete');
  });

  it('fails if the connection breaks after a stop reason and a cancellation', async () => {
    assert.equal(await kindOf(collect(AbortSignal.abort(), stop, reset)), 'connection-lost');
  });

  for (const silent of [
    'data: {}\n\n',
    'data: {"usage":null}\n\n',
    ': comment\n\n',
    'event: close\ndata: bye\n\n',
    'data:\n\n',
  ]) {
    it(`skips ${JSON.stringify(silent)}`, async () => {
      assert.equal((await collect(never, text('a'), silent, text('b'), stop)).text, 'ab');
    });
  }

  it('returns the usage from a final event without text', async () => {
    const count = 'data: {"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n';
    const { text: whole, usage } = await collect(never, text('a'), stop, count);
    assert.equal(whole, 'a');
    assert.deepEqual(usage, { inputTokens: 3, outputTokens: 2 });
    const reader = new ResponseReader('generation', { onText: () => {} }, { failureInEvent });
    const end = '"generated_text":"a","stop_reason":"eos_token"';
    const read = reader.read(body(`data: {"results":[{${end}}]}\n\n`, count), never);
    assert.equal((await read).text, 'a', 'a generation keeps its text');
  });

  for (const count of ['1.7e308', '1e15', '1000000001']) {
    it(`D24: ignores an implausible count of ${count} tokens`, async () => {
      const tokens = `"usage":{"prompt_tokens":${count},"completion_tokens":${count}}`;
      const { usage } = await collect(never, text('a'), stop, `data: {"choices":[],${tokens}}\n\n`);
      assert.deepEqual(usage, { inputTokens: 0, outputTokens: 0 });
    });
  }

  for (const nonsense of [
    '"usage":{"prompt_tokens":-1}',
    '"usage":null',
    '"system":{"warnings":null}',
  ]) {
    it(`succeeds even if an event contains ${nonsense}`, async () => {
      const usage = `data: {"choices":[],${nonsense}}\n\n`;
      assert.equal((await collect(never, text('a'), stop, usage)).text, 'a');
    });
  }
});

// Sources: https://github.com/tidyverse/ellmer/issues/822 (Databricks) and
// https://github.com/agentjido/req_llm/issues/742 (Mistral)
describe('a response whose content is a list of parts', () => {
  const summary = (text: string) => ({ type: 'summary_text', text });
  const thoughts = [
    ['Databricks', (text: string) => ({ type: 'reasoning', summary: [summary(text)] })],
    ['Mistral', (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }] })],
  ] as const;
  for (const [who, thought] of thoughts) {
    it(`is read as reasoning and text if it is streamed: ${who}`, async () => {
      const reported: string[] = [];
      const listeners = {
        onText: (text: string) => reported.push(text),
        onReasoning: (text: string) => reported.push(`(${text})`),
      };
      const reader = new ResponseReader('chat', listeners, openai('/v1'));
      const deltas = [[thought('h')], [thought('m')], [{ type: 'text', text: 'Hel' }], 'lo'];
      const events = deltas.map((content) => chat({ content }, null));
      const lines = [...events, chat({ content: [] }, 'stop')].map(
        (event) => `data: ${JSON.stringify(event)}\n\n`,
      );
      const { text: whole, stopReason } = await reader.read(body(...lines), never);
      assert.deepEqual([whole, stopReason], ['Hello', 'finished']);
      assert.deepEqual(reported, ['(h)', '(m)', 'Hel', 'lo']);
    });

    it(`is read as reasoning and text if it isn't streamed: ${who}`, async () => {
      const content = [thought('hm'), { type: 'text', text: 'Hello' }];
      const json = { choices: [{ message: { content }, finish_reason: 'stop' }] };
      const reader = new ResponseReader('chat', undefined, openai('/v1'));
      const { text: whole, stopReason } = await reader.read(body(JSON.stringify(json)), never);
      assert.deepEqual([whole, stopReason], ['Hello', 'finished']);
      assert.equal(reader.received, 'hmHello');
    });
  }

  it('keeps all text and reasoning, and omits parts of other types', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'reasoning', summary: [summary('h'), summary('m'), { type: 'other', text: 'x' }] },
      { type: 'reference', reference_ids: [1] },
      { type: 'text', text: 'b' },
    ];
    const read = readChat(chat({ content }, null));
    assert.deepEqual(read, { ...nothing, text: 'ab', reasoning: 'hm' });
  });
});

describe("reading a response that isn't streamed", () => {
  const errors = { errors: [{ code: 'rate_limit_reached_requests' }], status_code: 429 };
  const error = { error: { message: '', code: 'rate_limit_exceeded' } };
  for (const [name, api, json] of [
    ['watsonx', watsonx, errors],
    ['OpenAI-compatible', openai('/v1'), error],
  ] as const) {
    it(`reports the error in the response body: ${name}`, async () => {
      const reader = new ResponseReader('chat', undefined, api);
      assert.equal(await kindOf(reader.read(body(JSON.stringify(json)), never)), 'rate-limited');
    });
  }
});

describe('tool calls in a response', () => {
  const delta = (fields: object) => `data: ${JSON.stringify({ choices: [{ delta: fields }] })}\n\n`;
  const fragment = (index: number, given: string, more: object = {}, name?: string) =>
    delta({ tool_calls: [{ index, ...more, function: { name, arguments: given } }] });
  const read = async (...events: string[]) => {
    const texts: string[] = [];
    const reader = new ResponseReader(
      'chat',
      {
        onText: (text) => texts.push(text),
        onReasoning: (text) => texts.push(`(${text})`),
      },
      { failureInEvent },
    );
    const { toolCalls } = await reader.read(body(...events), never);
    return { texts, toolCalls, hasBegun: reader.hasBegun };
  };

  it('are assembled by index from interleaved fragments', async () => {
    const { texts, toolCalls } = await read(
      delta({ reasoning_content: 'hm' }),
      text('I look.'),
      fragment(0, '', { id: 'a' }, 'read'),
      fragment(1, '{"x"', { id: 'b' }, 'list'),
      fragment(0, '{"path":'),
      fragment(1, ':1}'),
      fragment(0, '"é"}'),
      stop,
    );
    assert.deepEqual(texts, ['(hm)', 'I look.']);
    assert.deepEqual(toolCalls, [
      { id: 'a', name: 'read', arguments: '{"path":"é"}' },
      { id: 'b', name: 'list', arguments: '{"x":1}' },
    ]);
  });

  it('are kept separate if they have the same index but different IDs', async () => {
    const { toolCalls } = await read(
      fragment(0, '{"path":"1"}', { id: 'a' }, 'read'),
      fragment(0, '{"path"', { id: 'b' }, 'write'),
      fragment(1, '{}', { id: 'c' }, 'list'),
      fragment(0, ':"2"', { id: '' }),
      fragment(0, '}'),
      stop,
    );
    assert.deepEqual(toolCalls, [
      { id: 'a', name: 'read', arguments: '{"path":"1"}' },
      { id: 'b', name: 'write', arguments: '{"path":"2"}' },
      { id: 'c', name: 'list', arguments: '{}' },
    ]);
  });

  it('keep their ID if a nameless fragment has a different ID', async () => {
    const { toolCalls } = await read(
      fragment(0, '{'),
      fragment(0, '', { id: 'a' }, 'read'),
      fragment(0, '}', { id: 'a' }, 'read'),
      fragment(0, ' ', { id: 'other' }),
      stop,
    );
    assert.deepEqual(toolCalls, [{ id: 'a', name: 'read', arguments: '{} ' }]);
  });

  it('count as the start of the response, just as reasoning does', async () => {
    assert.equal((await read(delta({ reasoning_content: 'hm' }), stop)).hasBegun, true);
    assert.equal((await read(fragment(0, '{}', { id: 'a' }, 'x'), stop)).hasBegun, true);
    assert.equal((await read(delta({ content: '' }), stop)).hasBegun, false);
  });

  it('are numbered in order if the response omits their indexes', () => {
    const calls = ['a', 'b'].map((id) => ({ id, function: { name: id, arguments: '{}' } }));
    const { toolCalls, stopReason } = readChat({
      choices: [{ message: { tool_calls: calls }, finish_reason: 'tool_calls' }],
    });
    assert.deepEqual(
      toolCalls.map(({ index, id }) => [index, id]),
      [
        [0, 'a'],
        [1, 'b'],
      ],
    );
    assert.equal(stopReason, 'finished');
    assert.deepEqual(readChat(chat({ tool_calls: null }, null)).toolCalls, []);
  });

  for (const nonsense of ['x', [null], [{}], [{ function: { name: 7 } }]]) {
    it(`are rejected if they are ${JSON.stringify(nonsense)}`, () => {
      assert.throws(() => readChat(chat({ tool_calls: nonsense }, null)), {
        kind: 'unexpected-answer',
      });
    });
  }
});

const nothing: ResponseChunk = {
  text: '',
  reasoning: '',
  toolCalls: [],
  stopReason: undefined,
  inputTokens: undefined,
  outputTokens: undefined,
  warnings: [],
};
const generated = { generated_text: 'a', stop_reason: 'not_finished' };

describe('a response chunk', () => {
  const pieces: readonly [what: string, piece: ResponseChunk, expected: Partial<ResponseChunk>][] =
    [
      ['from an empty list of choices', readChat({ choices: [] }), {}],
      ['with an empty choice', readChat({ choices: [{}] }), {}],
      ['with null as text and stop reason', readChat(chat({ content: null }, null)), {}],
      [
        'from an event',
        readChat(chat({ content: 'a' }, 'stop')),
        { text: 'a', stopReason: 'finished' },
      ],
      [
        'from a complete response',
        readChat({ choices: [{ message: { content: 'a' } }] }),
        { text: 'a' },
      ],
      [
        'with only usage',
        readChat({ choices: [], usage: { prompt_tokens: 3 } }),
        { inputTokens: 3 },
      ],
      ['with invalid usage', readChat({ choices: [], usage: [-1, 'x'] }), {}],
      [
        'with valid and invalid warnings',
        readChat({
          choices: [],
          system: { warnings: [{ id: 'api_legacy' }, { id: 'a b' }, 7, {}] },
        }),
        { warnings: ['api_legacy'] },
      ],
      ['with invalid warnings', readChat({ choices: [], system: { warnings: 'x' } }), {}],
      ['from a generation response', readGeneration({ results: [generated] }), { text: 'a' }],
      [
        'from the end of a generation',
        readGeneration({
          results: [{ ...generated, stop_reason: 'EOS_TOKEN', generated_token_count: 2 }],
        }),
        { text: 'a', stopReason: 'finished', outputTokens: 2 },
      ],
      [
        'from a generation response with an empty stop reason',
        readGeneration({ results: [{ ...generated, stop_reason: '' }] }),
        { text: 'a', stopReason: 'other' },
      ],
      ['from a generation response without results', readGeneration({ results: [] }), {}],
      [
        'from a generation event with an input token count of 0',
        readGeneration({ results: [{ ...generated, input_token_count: 0 }] }),
        { text: 'a' },
      ],
    ];
  for (const [what, piece, expected] of pieces) {
    it(`is read ${what}`, () => assert.deepEqual(piece, { ...nothing, ...expected }));
  }

  for (const [delta, reasoning] of [
    [{ reasoning_content: 'hm' }, 'hm'],
    [{ reasoning: 'hm' }, 'hm'],
    [{ reasoning_content: null, reasoning: 'hm' }, 'hm'],
    [{ reasoning_content: '', reasoning: 'hm' }, 'hm'],
    [{ reasoning_content: 'hm', reasoning: 'hm' }, 'hm'],
    [{ reasoning: { effort: 'low' } }, ''],
  ] as const) {
    it(`has the reasoning "${reasoning}" if it contains ${JSON.stringify(delta)}`, () => {
      assert.deepEqual(readChat(chat(delta, null)), { ...nothing, reasoning });
    });
  }

  const rejected: (readonly [read: (json: unknown) => ResponseChunk, json: unknown])[] = [
    ...[undefined, null, 'x', {}, { choices: {} }, { choices: [null] }, { choices: ['x'] }].map(
      (json) => [readChat, json] as const,
    ),
    [readChat, chat('x', null)],
    [readChat, chat({ content: 1 }, null)],
    [readChat, chat({ content: ['a'] }, null)],
    [readChat, chat({ content: [{ type: 'text', text: 1 }] }, null)],
    [readChat, chat({ content: 'a' }, 1)],
    [readGeneration, {}],
    [readGeneration, { results: [{}] }],
    [readGeneration, { results: [{ generated_text: 'a' }] }],
    [readGeneration, { results: [{ stop_reason: 'eos_token' }] }],
    [readGeneration, { results: [{ ...generated, generated_text: null }] }],
  ];
  for (const [read, json] of rejected) {
    it(`is rejected by ${read.name} if it is ${JSON.stringify(json)}`, () => {
      assert.throws(() => read(json), { kind: 'unexpected-answer' });
    });
  }
});

function chat(delta: unknown, reason: unknown): unknown {
  return { choices: [{ delta, finish_reason: reason }] };
}
