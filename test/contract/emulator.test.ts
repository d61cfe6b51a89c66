import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { type Emulator, type EmulatorOptions, startEmulator } from '../emulator/emulator.ts';
import { gate } from '../emulator/faults.ts';
import { type ModelSpecification, recordedModels } from '../emulator/models.ts';
import { type ProbeAnswer, probe, probeRaw } from '../emulator/probe.ts';
import { type Recording, recording, recordings } from '../emulator/recordings.ts';
import { defaultApiKey, defaultProjectId } from '../emulator/settings.ts';
import { answerFor, piecesOf, tokenCount } from '../emulator/text.ts';

const userAgent = 'contract-test/1';
const modelList = '/ml/v1/foundation_model_specs';
/** All recordings contain this time and this ID instead of the real ones. */
const recordedNowMs = Date.parse('2026-01-01T00:00:00.000Z');
const recordedIdentifier = '0123456789abcdef0123456789abcdef';

const running = new Set<Emulator>();

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator(options);
  running.add(emulator);
  return emulator;
}

afterEach(async () => {
  await Promise.all([...running].map((emulator) => emulator.close()));
  running.clear();
});

/**
 * Sends a recorded request, after replacing its placeholders and adding the fields of `change` to
 * its JSON body. A value of `undefined` removes a field.
 */
async function sendRecorded(
  emulator: Emulator,
  { request }: Recording,
  { token, change = {} }: { readonly token: string; readonly change?: Record<string, unknown> },
): Promise<ProbeAnswer> {
  const fill = (text: string) =>
    text
      .replace('<API_KEY>', defaultApiKey)
      .replace('<PROJECT_ID>', defaultProjectId)
      .replace('<ACCESS_TOKEN>', token);
  const filled = (pairs: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(pairs).map(([name, value]) => [name, fill(value)]));
  const query = new URLSearchParams(request.query ?? {});
  const body = request.form
    ? new URLSearchParams(filled(request.form)).toString()
    : request.json && fill(JSON.stringify({ ...request.json, ...change }));
  return probe(`${emulator.url}${request.path}?${query}`, {
    method: request.method,
    headers: { ...filled(request.headers), 'user-agent': userAgent },
    ...(body !== undefined && { body }),
  });
}

async function newToken(emulator: Emulator): Promise<string> {
  const answer = await sendRecorded(emulator, recording(1), { token: '' });
  return JSON.parse(answer.text).access_token;
}

async function sendNumber(
  emulator: Emulator,
  n: number,
  change: Record<string, unknown> = {},
): Promise<ProbeAnswer> {
  return sendRecorded(emulator, recording(n), { token: await newToken(emulator), change });
}

/**
 * Parses server-sent events. Fails unless the line breaks and spaces exactly match those in the
 * recordings.
 */
function eventsOf(text: string): unknown[] {
  assert.ok(text.endsWith('\n\n'), 'a stream ends with a blank line');
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((block) => {
      const [, id, event, data = ''] = /^id: (\d+)\nevent: (\w+)\ndata: (.+)$/u.exec(block) ?? [];
      return { id: Number(id), event, data: JSON.parse(data) };
    });
}

/**
 * Returns a copy of a body in which values that can differ from the recording are replaced with
 * their types. These values are the access token and the token counts that include the prompt.
 */
function fixedPart(value: unknown): unknown {
  const free = ['access_token', 'input_token_count', 'prompt_tokens', 'total_tokens'];
  if (Array.isArray(value)) return value.map(fixedPart);
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).map(([name, each]) => [
    name,
    free.includes(name) ? typeof each : fixedPart(each),
  ]);
  return Object.fromEntries(pairs);
}

function assertRecorded(answer: ProbeAnswer, { response }: Recording, url: string): void {
  assert.equal(answer.status, response.status);
  for (const [name, value] of Object.entries(response.headers)) {
    assert.equal(answer.headers[name], value, name);
  }
  if (response.text !== undefined) {
    assert.equal(answer.text, response.text);
    return;
  }
  const expected = JSON.stringify(response.sse ?? response.json)
    .replaceAll('<PROJECT_ID>', defaultProjectId)
    .replaceAll('<UA>', userAgent)
    .replaceAll('https://us-south.ml.cloud.ibm.com', url);
  const actual = response.sse ? eventsOf(answer.text) : JSON.parse(answer.text);
  assert.deepEqual(fixedPart(actual), fixedPart(JSON.parse(expected)));
}

/**
 * The conditions that lead to a recorded response, such as the emulator's settings and changes to
 * the request.
 */
interface Situation {
  readonly settings?: EmulatorOptions;
  readonly change?: Record<string, unknown>;
  readonly token?: string;
  readonly before?: (emulator: Emulator, token: string) => Promise<unknown> | undefined;
}

const noText = (count: number) => Array.from({ length: count }, () => '');
const words = (count: number) => Array.from({ length: count }, () => 'a').join(' ');
const smallModel: ModelSpecification = {
  model_id: 'm',
  functions: [{ id: 'text_chat' }],
  model_limits: { max_sequence_length: 4096 },
};

const revoke = { before: (emulator: Emulator) => void emulator.revokeTokens() };
const replay = (n: number) => ({ before: (emulator: Emulator) => void emulator.replay(n) });
const twoBefore = (n: number): Situation => ({
  settings: { requestsPerSecond: 2 },
  before: async (emulator, token) => {
    await sendRecorded(emulator, recording(n), { token });
    await sendRecorded(emulator, recording(n), { token });
  },
});

const situations: Readonly<Record<number, Situation>> = {
  2: { settings: { apiKeys: ['another-key'] } },
  4: replay(4),
  5: replay(5),
  6: { settings: { answer: () => ['Autumn', ' wind', '...', ...noText(14)] } },
  7: { settings: { answer: () => ['Autumn', ' wi', ...noText(199)], legacyWarning: false } },
  8: { settings: { answer: () => ['40', '00', 'km'] } },
  9: { settings: { answer: () => ['Hel', 'lo.'] } },
  10: { settings: { answer: () => ['Hel', 'lo'] } },
  11: { change: { messages: [{ role: 'user', content: words(600_039) }] } },
  12: revoke,
  13: { token: 'made-up' },
  15: { settings: { projectIdsWithoutRuntime: [defaultProjectId] } },
  16: { settings: { quotaReached: true } },
  17: {
    settings: { models: recordedModels.slice(0, 1) },
    change: { model_id: 'ibm/granite-3-3-8b-instruct' },
  },
  18: { change: { project_id: undefined } },
  19: { settings: { models: [smallModel] }, change: { model_id: 'm', input: words(4098) } },
  20: twoBefore(20),
  21: {
    settings: { models: [smallModel], concurrentRequests: 10 },
    change: { model_id: 'm' },
    before: async (emulator, token) => {
      const { path } = recording(21).request;
      emulator.faults.next(path, { neverAnswers: true }, 10);
      for (let count = 0; count < 10; count += 1) {
        // This request gets no response, so it fails when the emulator is closed after the test.
        sendRecorded(emulator, recording(21), { token }).catch(() => {});
      }
      await emulator.requestCount(path, 10);
    },
  },
  22: replay(22),
  25: revoke,
  26: { change: { model_id: 'ibm/granite-13b' } },
  27: twoBefore(27),
  28: { change: { model_id: 'x' } },
};

describe('the emulator’s responses', () => {
  for (const each of recordings) {
    it(`match recording ${each.n} (${each.name})`, async () => {
      const { settings, change, token, before } = situations[each.n] ?? {};
      const emulator = await start({
        ...settings,
        now: () => recordedNowMs,
        identifier: () => recordedIdentifier,
      });
      const isInference = each.request.path.startsWith('/ml/');
      const bearer = token ?? (isInference ? await newToken(emulator) : '');
      await before?.(emulator, bearer);
      const options = { token: bearer, ...(change && { change }) };
      const answer = await sendRecorded(emulator, each, options);
      assertRecorded(answer, each, emulator.url);
    });

    it(`match replayed recording ${each.n} (${each.name}) even for an unrelated request`, async () => {
      const emulator = await start();
      emulator.replay(each.n, () => true);
      const answer = await probe(emulator.url);
      const { status, headers, json, text, sse } = each.response;
      assert.equal(answer.status, status);
      for (const [name, value] of Object.entries(headers))
        assert.equal(answer.headers[name], value);
      if (sse) assert.deepEqual(eventsOf(answer.text), sse);
      else assert.equal(answer.text, text ?? JSON.stringify(json));
    });
  }
});

describe('the emulated identity service', () => {
  it('issues a unique token in JWT format for each request', async () => {
    const emulator = await start();
    const tokens = [await newToken(emulator), await newToken(emulator)];
    assert.notEqual(tokens[0], tokens[1]);
    for (const token of tokens) assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/u);
    assert.deepEqual(emulator.tokensIssued, tokens);
  });

  it('rejects a token request without a form content type', async () => {
    const emulator = await start();
    const answer = await probe(`${emulator.url}/identity/token`, { method: 'POST', body: '{}' });
    assert.equal(answer.status, 400);
    assert.equal(JSON.parse(answer.text).errorCode, 'BXNIM0106E');
  });

  it("applies a clock offset to timestamps, but not to a token's lifetime", async () => {
    let nowMs = recordedNowMs;
    const emulator = await start({ now: () => nowMs, clockOffsetSeconds: 3600 });
    const answer = await sendRecorded(emulator, recording(1), { token: '' });
    const { access_token: token, expires_in, expiration } = JSON.parse(answer.text);
    assert.equal(answer.headers['date'], 'Thu, 01 Jan 2026 01:00:00 GMT');
    assert.equal(expires_in, 3600);
    assert.equal(expiration, recordedNowMs / 1000 + 7200);
    nowMs += 3_599_999;
    assert.equal((await sendRecorded(emulator, recording(24), { token })).status, 200);
    nowMs += 1;
    assert.equal((await sendRecorded(emulator, recording(24), { token })).status, 401);
  });
});

describe('the emulated inference service', () => {
  it('returns text that depends only on the prompt', async () => {
    const emulator = await start();
    const answer = await sendNumber(emulator, 6, { input: 'café\nsecond line' });
    const text = answerFor('café\nsecond line');
    assert.equal(JSON.parse(answer.text).results[0].generated_text, text);
    assert.match(text, /“café”\nThat is 16 characters, checksum [0-9a-f]{8}\./u);
    assert.notEqual(text, answerFor('café\nsecond lime'));
  });

  it('streams chunks that add up to the text of a non-streaming response', async () => {
    const emulator = await start();
    const chunks = eventsOf((await sendNumber(emulator, 10)).text) as {
      readonly data: { readonly choices: { readonly delta: { readonly content: string } }[] };
    }[];
    const texts = chunks.map(({ data }) => data.choices[0]?.delta.content ?? '');
    assert.ok(texts.length > 20);
    assert.equal(texts.join(''), answerFor('Say hello'));
  });

  it('splits text into chunks without losing whitespace', () => {
    for (const text of ['', 'hello', ' two  words ', 'a\n\nb\n', 'naïve 👩‍💻 emoji']) {
      assert.equal(piecesOf(text).join(''), text);
    }
    assert.equal(tokenCount('hello'), 1);
  });

  it('stops generation and chat at the token limit, with different stop reasons', async () => {
    const emulator = await start();
    const generated = await sendNumber(emulator, 6, { parameters: { max_new_tokens: 3 } });
    const [result] = JSON.parse(generated.text).results;
    assert.deepEqual([result.generated_token_count, result.stop_reason], [3, 'max_tokens']);
    const chatted = await sendNumber(emulator, 9, { max_completion_tokens: 3 });
    const { choices, usage } = JSON.parse(chatted.text);
    assert.deepEqual([usage.completion_tokens, choices[0].finish_reason], [3, 'length']);
  });

  it('treats a token limit of 0 in chat as no limit', async () => {
    const emulator = await start();
    const { choices } = JSON.parse(
      (await sendNumber(emulator, 9, { max_completion_tokens: 0 })).text,
    );
    assert.equal(choices[0].finish_reason, 'stop');
  });

  it('returns the configured stop reason', async () => {
    const emulator = await start({ stopReason: 'time_limit' });
    assert.match((await sendNumber(emulator, 8)).text, /"stop_reason":"time_limit"\}\]\}\n\n$/u);
    assert.match((await sendNumber(emulator, 10)).text, /"finish_reason":"time_limit"/u);
  });

  it('sends the stop reason even in a stream without text', async () => {
    const emulator = await start({ answer: () => '' });
    assert.match((await sendNumber(emulator, 8)).text, /"stop_reason":"eos_token"/u);
  });

  for (const newline of ['\n', '\r\n', '\r'] as const) {
    for (const spaceAfterColon of [true, false]) {
      it(`frames events with the line ending ${JSON.stringify(newline)} and ${spaceAfterColon ? 'a' : 'no'} space after the colon`, async () => {
        const emulator = await start({ newline, spaceAfterColon });
        const colon = spaceAfterColon ? ': ' : ':';
        const { text } = await sendNumber(emulator, 10);
        assert.ok(
          text.startsWith(`id${colon}1${newline}event${colon}message${newline}data${colon}{`),
        );
        assert.ok(text.endsWith(`}${newline}${newline}`));
      });
    }
  }

  it('returns a 403 that wraps a 404 if the project is unknown', async () => {
    const emulator = await start();
    const answer = await sendNumber(emulator, 9, { project_id: 'nowhere' });
    assert.equal(answer.status, 403);
    assert.match(
      JSON.parse(answer.text).errors[0].message,
      /nowhere \{"id":"WSCPA0000E","code":404/u,
    );
  });

  it('rejects a request without a version parameter', async () => {
    const emulator = await start();
    assert.equal((await probe(`${emulator.url}${modelList}`)).status, 400);
  });

  it('lists models in pages and filters out withdrawn models on request', async () => {
    let nowMs = recordedNowMs;
    const emulator = await start({ now: () => nowMs });
    const list = async (more: string) =>
      JSON.parse((await probe(`${emulator.url}${modelList}?version=2025-02-11${more}`)).text);
    const page = await list('&limit=1');
    assert.equal(page.total_count, 2);
    const rest = JSON.parse((await probe(page.next.href)).text);
    const ids = [...page.resources, ...rest.resources].map(({ model_id }) => model_id);
    assert.deepEqual(
      ids,
      recordedModels.map(({ model_id }) => model_id),
    );
    assert.equal(rest.next, undefined);
    nowMs = Date.parse('2027-02-01');
    const { resources } = await list('&filters=function_text_chat,!lifecycle_withdrawn:and');
    assert.equal(resources.length, 1);
  });

  it('rejects a revoked token and returns the reason passed to `revokeToken`', async () => {
    const emulator = await start();
    const token = await newToken(emulator);
    emulator.revokeToken(token, 'not valid');
    const { text } = await sendRecorded(emulator, recording(24), { token });
    assert.equal(JSON.parse(text).errors[0].code, 'authentication_token_not_valid');
  });
});

describe('a scripted fault', () => {
  const chatPath = '/ml/v1/text/chat';
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;

  it('applies to the specified number of matching requests before the next fault applies', async () => {
    const emulator = await start();
    emulator.faults.next(chatPath, { status: 503 }, 2);
    emulator.faults.next(undefined, { status: 502, headers: { 'retry-after': '1' }, json: [] });
    const answers = [];
    for (let count = 0; count < 4; count += 1) answers.push(await probe(emulator.url + chatPath));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [503, 503, 502, 405],
    );
    assert.equal(answers[2]?.headers['retry-after'], '1');
    assert.equal(answers[2]?.text, '[]');
    assert.equal(emulator.faults.pending, 0);
  });

  it('applies to all matching requests until it is removed', async () => {
    const emulator = await start();
    const end = emulator.faults.always(({ method }) => method === 'GET', { status: 500 });
    assert.equal((await probe(emulator.url)).status, 500);
    assert.equal((await probe(emulator.url)).status, 500);
    end();
    assert.equal((await probe(emulator.url)).status, 404);
  });

  it('redirects a request', async () => {
    const emulator = await start();
    emulator.faults.next(undefined, { redirectTo: 'http://example.invalid/' });
    const { status, headers } = await probe(emulator.url);
    assert.deepEqual([status, headers['location']], [307, 'http://example.invalid/']);
  });

  it('delays the processing of a request until the test releases it', async () => {
    const emulator = await start();
    const token = await newToken(emulator);
    const { opened, open } = gate();
    const { path } = recording(24).request;
    emulator.faults.next(path, { hold: opened });
    const answer = sendRecorded(emulator, recording(24), { token });
    await emulator.requestCount(path, 1);
    emulator.revokeTokens();
    open();
    assert.equal((await answer).status, 401);
  });

  it('delays the response headers', async () => {
    const emulator = await start();
    emulator.faults.next(undefined, { delayHeadersMs: 86_400_000 });
    emulator.faults.next(undefined, { delayHeadersMs: 1 });
    const answered: string[] = [];
    void probe(`${emulator.url}/late`).then(
      () => answered.push('late'),
      () => {},
    );
    await emulator.requestCount('/late', 1);
    await probe(`${emulator.url}/soon`).then(() => answered.push('soon'));
    assert.deepEqual(answered, ['soon']);
  });

  it('writes a body in fixed-size chunks', async () => {
    const emulator = await start();
    const arrived = [gate(), gate(), gate()];
    emulator.faults.next(undefined, {
      body: 'one,two,six',
      chunkSize: 4,
      beforePart: (index) => (index === 0 ? undefined : arrived[index - 1]?.opened),
    });
    const onBytes = (count: number) => arrived[Math.ceil(count / 4) - 1]?.open();
    const { text, headers } = await probe(emulator.url, { onBytes });
    assert.equal(text, 'one,two,six');
    assert.equal(headers['content-length'], '11');
  });

  it('sends scripted chunks with chunked transfer encoding, and can hold one back', async () => {
    const emulator = await start();
    const { opened, open } = gate();
    const chunks = [{ bytes: 'first ' }, { bytes: 'second', hold: opened, delayMs: 1 }];
    emulator.faults.next(undefined, { chunks });
    const { text, headers } = await probe(emulator.url, { onBytes: open });
    assert.equal(text, 'first second');
    assert.equal(headers['transfer-encoding'], 'chunked');
  });

  it('writes one byte at a time, even within a multibyte character', async () => {
    const emulator = await start();
    emulator.faults.next(undefined, { chunks: [{ bytes: 'é' }], oneByteAtATimeMs: 0 });
    const { text } = await probeRaw(emulator.url, request('/'));
    assert.match(text, /\r\n\r\n1\r\n.\r\n1\r\n.\r\n0\r\n\r\n$/u);
  });

  it('truncates the body by closing the connection normally', async () => {
    const emulator = await start();
    const cut = { body: 'a whole body', cutAfterBytes: 7 };
    emulator.faults.next(undefined, cut, 2);
    const { text, error } = await probeRaw(emulator.url, request('/'));
    assert.match(text, /content-length: 12\r\n.*\r\n\r\na whole$/isu);
    assert.equal(error, undefined);
    assert.equal((await probe(emulator.url)).isComplete, false);
  });

  it('truncates the body by resetting the connection', async () => {
    const emulator = await start();
    emulator.faults.next(undefined, { body: 'a whole body', cutAfterBytes: 7, reset: true });
    const { error } = await probeRaw(emulator.url, request('/'));
    assert.equal(error, 'ECONNRESET');
  });

  it('truncates the emulator’s own stream if no body is scripted', async () => {
    const emulator = await start();
    const token = await newToken(emulator);
    emulator.faults.next('/ml/v1/text/chat_stream', { cutAfterBytes: 100 });
    const { status, text, isComplete } = await sendRecorded(emulator, recording(10), { token });
    assert.deepEqual([status, text.length, isComplete], [200, 100, false]);
  });

  it('resets the connection before any header is sent', async () => {
    const emulator = await start();
    emulator.faults.next(undefined, { resetBeforeHeaders: true });
    assert.deepEqual(await probeRaw(emulator.url, request('/')), { text: '', error: 'ECONNRESET' });
  });

  it("writes bytes that aren't valid HTTP", async () => {
    const emulator = await start();
    emulator.faults.next(undefined, { raw: 'nonsense' });
    assert.deepEqual(await probeRaw(emulator.url, request('/')), {
      text: 'nonsense',
      error: undefined,
    });
  });

  it('leaves a request unanswered until the client disconnects', async () => {
    const emulator = await start();
    emulator.faults.next(undefined, { neverAnswers: true });
    const client = new AbortController();
    const answer = probe(emulator.url, { signal: client.signal });
    const received = await emulator.requestCount('/', 1);
    client.abort();
    await assert.rejects(answer, { name: 'AbortError' });
    await emulator.disconnected(received);
    assert.equal(emulator.openConnections, 0);
    assert.equal(emulator.inFlight.inference, 0);
  });

  it('cuts a body off partway, but leaves the connection open', async () => {
    const emulator = await start();
    emulator.faults.next(undefined, { body: 'a whole body', silentAfterBytes: 7 });
    const { promise: seven, resolve } = Promise.withResolvers<number>();
    const client = new AbortController();
    const answer = probe(emulator.url, { signal: client.signal, onBytes: resolve });
    assert.equal(await seven, 7);
    assert.equal(emulator.openConnections, 1);
    client.abort();
    assert.deepEqual([(await answer).text, (await answer).isComplete], ['a whole', false]);
  });

  it('sends an oversized body, with or without a content length', async () => {
    const emulator = await start();
    const oversizedBytes = 1_000_001;
    emulator.faults.next(undefined, { oversizedBytes });
    emulator.faults.next(undefined, { oversizedBytes, headers: { 'content-length': '' } });
    const [declared, chunked] = [await probe(emulator.url), await probe(emulator.url)];
    assert.equal(declared.headers['content-length'], `${oversizedBytes}`);
    assert.equal(declared.text.length, oversizedBytes);
    assert.equal(chunked.headers['transfer-encoding'], 'chunked');
    assert.equal(chunked.text.length, oversizedBytes);
  });
});

describe('the emulator', () => {
  it("records each request's exact bytes and connection", async () => {
    const emulator = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { 'Content-Type': 'application/json', 'X-Own': 'Value' };
    const upcoming = emulator.nextRequest(({ method }) => method === 'PUT');
    await probe(`${emulator.url}/a?b=c`, { agent });
    await probe(`${emulator.url}/a`, { agent, method: 'PUT', headers, body: '{"é": 1}' });
    await probe(`${emulator.url}/z`);
    agent.destroy();
    const [first, second, third] = emulator.requests;
    assert.ok(first && second && third);
    assert.equal(await upcoming, second);
    assert.deepEqual([first.sequence, first.path, first.query.get('b')], [1, '/a', 'c']);
    assert.deepEqual([second.text, second.json], ['{"é": 1}', { é: 1 }]);
    assert.equal(second.bytes.length, 9);
    assert.ok(second.rawHeaders.includes('X-Own'));
    assert.ok(first.atMs <= second.atMs);
    assert.deepEqual(
      [first, second, third].map(({ connection }) => connection),
      [1, 1, 2],
    );
    assert.deepEqual(emulator.counts, { '/a': 2, '/z': 1 });
  });

  it('counts concurrent requests per service', async () => {
    const emulator = await start();
    const { opened, open } = gate();
    emulator.faults.next(undefined, { hold: opened }, 4);
    const paths = ['/ml/1', '/ml/2', '/ml/3', '/identity/token'];
    const answers = paths.map((path) => probe(emulator.url + path));
    await emulator.requestCount(() => true, 4);
    assert.deepEqual(emulator.inFlight, { identity: 1, inference: 3 });
    open();
    await Promise.all(answers);
    assert.deepEqual(emulator.inFlight, { identity: 0, inference: 0 });
    assert.deepEqual(emulator.mostInFlight, { identity: 1, inference: 3 });
  });

  it('never counts a client’s sequential requests as concurrent', async () => {
    const emulator = await start();
    for (let count = 0; count < 50; count += 1) await probe(emulator.url + modelList);
    assert.equal(emulator.mostInFlight.inference, 1);
  });

  it('clears all state when it is reset', async () => {
    const emulator = await start();
    const token = await newToken(emulator);
    emulator.settings.quotaReached = true;
    emulator.faults.next(undefined, { status: 500 });
    emulator.reset();
    assert.deepEqual([emulator.requests, emulator.tokensIssued], [[], []]);
    assert.deepEqual([emulator.settings.quotaReached, emulator.faults.pending], [false, 0]);
    assert.deepEqual(emulator.mostInFlight, { identity: 0, inference: 0 });
    assert.equal((await sendRecorded(emulator, recording(24), { token })).status, 401);
  });

  it('closes all connections when it shuts down, even if requests are in progress', async () => {
    const emulator = await startEmulator();
    const agent = new Agent({ keepAlive: true });
    await probe(emulator.url, { agent });
    emulator.faults.next('/held', { hold: gate().opened });
    emulator.faults.next('/slow', { delayHeadersMs: 3_600_000 });
    emulator.faults.next('/half', { body: 'abc', oneByteAtATimeMs: 3_600_000 });
    const broken = Promise.allSettled(
      ['/held', '/slow', '/half'].map((path) => probe(emulator.url + path)),
    );
    await emulator.requestCount(() => true, 4);
    await emulator.close();
    assert.equal(emulator.openConnections, 0);
    const [held, slow] = await broken;
    assert.deepEqual([held?.status, slow?.status], ['rejected', 'rejected']);
    await assert.rejects(probe(emulator.url), { code: 'ECONNREFUSED' });
    agent.destroy();
  });

  it("doesn't share state with a second emulator", async () => {
    const [one, two] = [await start(), await start()];
    const token = await newToken(one);
    assert.equal((await sendRecorded(two, recording(24), { token })).status, 401);
    assert.equal(one.count(), 1);
    assert.equal(two.count(), 1);
  });
});
