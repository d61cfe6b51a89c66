import assert from 'node:assert/strict';
import { TokenService } from '../../../src/service/auth/tokenService.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import type { Retry } from '../../../src/service/http/httpTypes.ts';
import {
  clientOn,
  FakeTime,
  failureOf,
  fakeNetwork,
  kindOf,
  never,
  type Script,
  settled,
  tokenAnswer,
} from './fixtures.ts';

const STEP_MS = 5;
const failing =
  (status: number, times: number, headers: Readonly<Record<string, string>> = {}): Script =>
  (n) =>
    n <= times ? { status, headers, json: {} } : {};

describe('a retrying client', () => {
  let time: FakeTime;
  beforeEach(() => {
    time = new FakeTime();
  });
  afterEach(() => time.end());

  /** Makes one call that gets its responses from `script`, and advances the clock by `passMs`. */
  async function run(script: Script, passMs = 8_000, stepMs = STEP_MS) {
    const network = fakeNetwork(script, time);
    const { client } = clientOn({ fetch: network.fetch, clock: time });
    const retries: Retry[] = [];
    const call = client.generateText('Hi', {}, { onRetry: (retry) => retries.push(retry) });
    const [outcome] = await Promise.all([
      call.then(
        ({ text }) => text,
        () => failureOf(call),
      ),
      time.pass(passMs, stepMs),
    ]);
    const times = network.sent.map(({ atMs }) => atMs);
    const gaps = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
    return { outcome, gaps, retries, sent: network.sent };
  }

  it('H16: retries successfully after a token request fails during the backoff', async () => {
    let isDown = false;
    const fetchToken = async () => {
      if (isDown) throw new ServiceError('connection-lost');
      return tokenAnswer;
    };
    const tokenService = new TokenService({ fetchToken, clock: time });
    const { fetch } = fakeNetwork(failing(503, 1), time);
    const { client } = clientOn({ fetch, clock: time, waitMs: () => 5_000 }, { tokenService });
    const call = client.generateText('Hi', {});
    await settled();
    tokenService.drop(await tokenService.get(never));
    isDown = true;
    assert.equal(await kindOf(tokenService.get(never)), 'connection-lost');
    isDown = false;
    const [{ text }] = await Promise.all([call, time.pass(5_000)]);
    assert.equal(text, 'Hello.');
  });

  for (const status of [429, 500, 501, 502, 503, 504]) {
    it(`I01 I17: succeeds on the fourth attempt after a POST fails three times with ${status}`, async () => {
      const { outcome, gaps, retries, sent } = await run(failing(status, 3));
      assert.equal(outcome, 'Hello.');
      assert.equal(sent.length, 4);
      assert.equal(new Set(sent.map(({ body }) => body)).size, 1, 'the same bytes each time');
      [500, 1_000, 2_000].forEach((least, index) => {
        const gap = gaps[index] ?? 0;
        assert.ok(gap >= least && gap <= 2 * least + STEP_MS, `wait ${index + 1} was ${gap} ms`);
      });
      assert.deepEqual(
        retries.map(({ retry, error }) => [retry, error.details.status]),
        [1, 2, 3].map((retry) => [retry, status]),
      );
    });

    it(`I02: reports a single error after a POST fails four times with ${status}`, async () => {
      const { outcome, sent } = await run(failing(status, 9));
      assert.equal(sent.length, 4);
      assert.ok(outcome instanceof Error);
      const { kind, details } = outcome;
      assert.equal(kind, status === 429 ? 'rate-limited' : 'server-failed');
      assert.deepEqual(details, { host: 'service.example', attempts: 4, status });
    });
  }

  it('reports an unexpected response to a retry', async () => {
    const { outcome, sent } = await run((n) => ({ status: n === 1 ? 503 : 200, json: [] }));
    assert.equal(sent.length, 2);
    assert.ok(outcome instanceof Error);
    assert.equal(outcome.kind, 'unexpected-answer');
  });

  it("doesn't count an attempt that is canceled while a 503 is arriving", async () => {
    const cancel = new AbortController();
    const { fetch } = fakeNetwork(() => {
      cancel.abort();
      return { status: 503, json: {} };
    }, time);
    const { client } = clientOn({ fetch, clock: time });
    const { kind, details } = await failureOf(
      client.generateText('Hi', {}, { signal: cancel.signal }),
    );
    assert.deepEqual([kind, details], ['cancelled', { attempts: 0 }]);
  });

  for (const status of [400, 402, 403, 404, 408, 409, 422, 505, 520, 599]) {
    it(`I03: doesn't resend a POST that fails with ${status}`, async () => {
      const { outcome, sent } = await run(failing(status, 9), 100);
      assert.equal(sent.length, 1);
      assert.ok(outcome instanceof Error);
      assert.equal(outcome.details.attempts, 1);
    });
  }

  const waits: readonly [string, number, number][] = [
    ['2', 2_000, 2_000],
    ['0', 500, 1_000],
    ['-5', 500, 1_000],
    ['1e9', 500, 1_000],
    ['soon', 500, 1_000],
    ['60', 60_000, 60_000],
    [new Date(1_800_000_000_000 + 5_000).toUTCString(), 5_000, 5_000],
  ];
  for (const [header, least, most] of waits) {
    const range = least === most ? least : `${least} to ${most}`;
    it(`I04: waits ${range} ms if Retry-After is "${header}"`, async () => {
      const { outcome, gaps } = await run(
        failing(429, 1, { 'retry-after': header }),
        most + 100,
        most > 10_000 ? 100 : STEP_MS,
      );
      assert.equal(outcome, 'Hello.');
      const [gap = 0] = gaps;
      assert.ok(gap >= least && gap <= most + STEP_MS, `${gap} ms`);
    });
  }

  const stops: readonly [string, number][] = [
    ['61', 61_000],
    ['86400', 86_400_000],
    ['3000000', 3_000_000_000],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 251_602_300_799_000],
  ];
  for (const [header, retryAfterMs] of stops) {
    it(`I07: gives up at once if Retry-After is "${header}", and reports the requested pause`, async () => {
      const { outcome, sent } = await run(failing(503, 9, { 'retry-after': header }), 100);
      assert.equal(sent.length, 1);
      assert.ok(outcome instanceof Error);
      assert.equal(outcome.details.retryAfterMs, retryAfterMs);
    });
  }

  for (const [waits, random, requests] of [
    ['short', 0, 3],
    ['long', 0.9, 2],
  ] as const) {
    it(`I08: doesn't start a backoff that would exceed the deadline (${waits} backoffs)`, async () => {
      const network = fakeNetwork(failing(503, 9), time);
      const http = { fetch: network.fetch, clock: time, random: () => random };
      const { client } = clientOn(http, { deadlineMs: 1_800 });
      const failure = failureOf(client.generateText('Hi', {}));
      await time.pass(1_600, STEP_MS);
      assert.equal((await failure).kind, 'server-failed');
      assert.equal(network.sent.length, requests);
    });
  }
});

describe('a request without a complete response', () => {
  let time: FakeTime;
  beforeEach(() => {
    time = new FakeTime();
  });
  afterEach(() => time.end());

  const answered = (type: string, chunk: string, status = 200) => {
    const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      if (chunk) controller.enqueue(Buffer.from(chunk));
    };
    const headers = { 'content-type': type };
    return async () => new Response(new ReadableStream({ start }), { status, headers });
  };
  const streamed = (chunk: string) => answered('text/event-stream', chunk);
  const event = (delta: object) =>
    streamed(`data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
  const pending = new Promise<Response>(() => {});

  /** Returns how many times a call has been reported as silent after 4.999 s, 5 s, and 15 s. */
  async function silencesOf(fetch: () => Promise<Response>, options: object): Promise<number[]> {
    const { client } = clientOn({ fetch, clock: time });
    const user = new AbortController();
    let silences = 0;
    const onSilence = () => {
      silences += 1;
    };
    const call = client.generateText('Hi', {}, { ...options, signal: user.signal, onSilence });
    call.catch(() => {});
    const seen: number[] = [];
    for (const ms of [4_999, 1, 10_000]) {
      await time.pass(ms);
      seen.push(silences);
    }
    user.abort();
    return seen;
  }

  const refusing = answered('application/json', '', 503);
  const toolCalls = [{ id: '1', function: { name: 'look', arguments: '' } }];
  const silent = [0, 1, 1];
  const started = [0, 0, 0];
  for (const [what, answer, expected] of [
    ['is reported as silent only once, after 5 s without headers', () => pending, silent],
    ['is reported as silent after 5 s, even if the headers have arrived', streamed(''), silent],
    ['is reported as silent if only a keep-alive has arrived', streamed(': wait\n\n'), silent],
    [
      'is reported as silent if only an event without content has arrived',
      event({ role: 'assistant', content: '' }),
      silent,
    ],
    ["isn't reported as silent if text has arrived", event({ content: 'a' }), started],
    ["isn't reported as silent if reasoning has arrived", event({ reasoning: 'a' }), started],
    [
      "isn't reported as silent if a tool call has arrived",
      event({ tool_calls: toolCalls }),
      started,
    ],
    [
      'is reported as silent if only an empty tool call has arrived',
      event({ tool_calls: [{ index: 0, function: {} }] }),
      silent,
    ],
    ["isn't reported as silent while an error response is read", refusing, started],
  ] as const) {
    it(what, async () => {
      assert.deepEqual(await silencesOf(answer, { onText: () => {} }), expected);
    });
  }

  it('is reported as silent 5 s after the start of its latest attempt', async () => {
    let attempts = 0;
    const fetch = async () => {
      attempts += 1;
      return attempts === 1 ? new Response('', { status: 503 }) : pending;
    };
    assert.deepEqual(await silencesOf(fetch, {}), [0, 0, 1]);
  });

  it("isn't reported as silent once part of a non-streamed response has arrived", async () => {
    assert.deepEqual(await silencesOf(answered('application/json', '{'), {}), started);
  });
});
