import assert from 'node:assert/strict';
import type { TokenState } from '../../../src/service/auth/token.ts';
import { serviceFor } from '../../../src/service/builtInServices.ts';
import { runConnectionChecks } from '../../../src/service/checks/connectionChecks.ts';
import type { GenerateOptions } from '../../../src/service/client.ts';
import type { ConcurrencyState } from '../../../src/service/http/concurrencyLimit.ts';
import { ServiceRuntime } from '../../../src/service/serviceRuntime.ts';
import type { EmulatorOptions } from '../../emulator/emulator.ts';
import { gate } from '../../emulator/faults.ts';
import { FakeTime, settled } from '../../unit/service/fixtures.ts';
import { becomes } from '../../vscode/deadline.ts';
import {
  endWorlds,
  failureOf,
  ibm,
  kindOf,
  modelId,
  pathOf,
  startWorld,
  tokenPath,
} from './world.ts';

const limits = { queue: 50, minIntervalMs: 0 };
const chat = pathOf('chat', false);

describe('a service runtime', () => {
  const sessions: ServiceRuntime[] = [];
  let time: FakeTime | undefined;
  afterEach(async () => {
    time?.end();
    for (const runtime of sessions.splice(0)) runtime.dispose();
    await endWorlds();
  });

  async function start(limit = 1, options: EmulatorOptions = {}) {
    const { emulator, credentials } = await startWorld({
      emulator: { apiKeys: ['key-number-one', 'key-number-two'], ...options },
    });
    const settings = { modelId, operation: 'chat', limits: { ...limits, limit } } as const;
    const states: TokenState['kind'][] = [];
    const traffic: ConcurrencyState[] = [];
    const runtime = new ServiceRuntime();
    sessions.push(runtime);
    const withKey = (apiKey: string) => ({ ...credentials, apiKey });
    const tokens = (apiKey: string) => runtime.tokenService(withKey(apiKey));
    tokens('key-number-one').onDidChange(({ kind }) => states.push(kind));
    const requests = runtime.limit(credentials.approved.service, settings.limits);
    requests.onDidChange(() => traffic.push(requests.state));
    const generate = (apiKey: string, options: GenerateOptions = {}) =>
      runtime.client(withKey(apiKey), settings).generateText('Hi', {}, options);
    return { runtime, emulator, settings, states, traffic, generate, withKey, tokens };
  }

  it("doesn't open a network connection before the first call", async () => {
    const { runtime, emulator, settings, states, withKey, tokens } = await start();
    runtime.client(withKey('key-number-one'), settings);
    tokens('key-number-one').keepFresh();
    assert.deepEqual([emulator.openConnections, states.length], [0, 0]);
  });

  it('uses one token for all calls with the same key', async () => {
    const { emulator, states, generate } = await start();
    await generate('key-number-one');
    await generate('key-number-one');
    assert.deepEqual([emulator.count(tokenPath), states.at(-1)], [1, 'valid']);
  });

  it('never mixes up the tokens of two keys', async () => {
    const { emulator, generate } = await start();
    await generate('key-number-one');
    await generate('key-number-two');
    const [one, two] = emulator.tokensIssued;
    const bearers = emulator.requests.flatMap(({ headers }) => headers.authorization ?? []);
    assert.deepEqual(bearers, [`Bearer ${one}`, `Bearer ${two}`]);
  });

  it('lets calls with the old key finish after a key change', async () => {
    const { emulator, generate } = await start();
    const held = gate();
    emulator.faults.next(tokenPath, { hold: held.opened });
    const old = generate('key-number-one');
    await emulator.requestCount(tokenPath, 1);
    const now = generate('key-number-two');
    held.open();
    await Promise.all([old, now]);
    assert.equal(emulator.count(tokenPath), 2);
  });

  it("keeps each key's token while calls alternate between keys", async () => {
    const { emulator, generate, tokens } = await start();
    await generate('key-number-one');
    assert.equal(tokens('key-number-two').state.kind, 'none');
    for (let change = 0; change < 20; change += 1) {
      const key = change % 2 === 0 ? 'key-number-two' : 'key-number-one';
      await generate(key);
      assert.equal(tokens(key).state.kind, 'valid');
    }
    assert.equal(emulator.count(tokenPath), 2);
  });

  it('notifies each listener only about its own token or origin', async () => {
    const { runtime, generate, states, traffic, withKey } = await start();
    const other = await startWorld({ emulator: { apiKeys: ['key-number-one'] } });
    await generate('key-number-one');
    const statesBefore = states.length;
    await generate('key-number-two');
    assert.equal(await kindOf(generate('a-key-nobody-knows')), 'key-rejected');
    const elsewhere = { ...other.credentials, apiKey: withKey('key-number-one').apiKey };
    const settings = { modelId, operation: 'chat', limits: { ...limits, limit: 7 } } as const;
    await runtime.client(elsewhere, settings).generateText('Hi', {});
    assert.equal(states.length, statesBefore);
    assert.ok(traffic.every((state) => state.limit !== 7));
  });

  it('H32: reuses the token even if its key is looked up ten times', async () => {
    const { emulator, generate, tokens } = await start();
    for (let event = 0; event < 10; event += 1) {
      tokens('key-number-one');
      await generate('key-number-one');
    }
    assert.equal(emulator.count(tokenPath), 1);
  });

  it('H18: requests a token immediately when a new key replaces a rejected key', async () => {
    const { emulator, generate } = await start();
    for (let call = 0; call < 3; call += 1) {
      assert.equal(await kindOf(generate('a-key-nobody-knows')), 'key-rejected');
    }
    assert.equal(emulator.count(tokenPath), 1);
    assert.notEqual((await generate('key-number-two')).text, '');
    assert.equal(emulator.count(tokenPath), 2);
  });

  describe('the masking of recent keys and their tokens', () => {
    const keys = ['key-number-one', 'key-number-two', 'key-number-three', 'key-number-four'];

    async function afterwards(end: (runtime: ServiceRuntime, lastKey: string) => void) {
      const { runtime, emulator, generate, withKey } = await start();
      emulator.settings.apiKeys = keys;
      const lastKey = keys.at(-1) ?? '';
      // The first key gets three tokens. Each new token replaces the previous one.
      for (const _again of [1, 2]) {
        await generate('key-number-one');
        await runtime.tokenService(withKey('key-number-one')).refresh(new AbortController().signal);
      }
      for (const key of keys) await generate(key);
      end(runtime, lastKey);
      const secrets = [...keys, ...emulator.tokensIssued];
      return { runtime, emulator, generate, lastKey, secrets };
    }

    const ends: Readonly<Record<string, (runtime: ServiceRuntime, lastKey: string) => void>> = {
      'after keys were replaced': () => {},
      'after signing out': (runtime) => runtime.forgetTokens(),
    };
    for (const [when, end] of Object.entries(ends)) {
      it(`applies to errors ${when}`, async () => {
        const { emulator, generate, lastKey, secrets } = await afterwards(end);
        assert.equal(secrets.length, 4 + 6);
        for (const secret of secrets) {
          const json = { errors: [{ code: secret, message: secret }], trace: secret };
          emulator.faults.next(chat, { status: 400, json });
          const { message, details } = await failureOf(generate(lastKey));
          const reported = JSON.stringify([message, details]);
          assert.ok(!reported.includes(secret), `${secret} in ${reported}`);
        }
      });

      it(`applies to text and the model list ${when}`, async () => {
        const { runtime, emulator, secrets } = await afterwards(end);
        for (const secret of secrets) {
          assert.equal(runtime.leaksInto(`a ${secret} b`, [], 0), true);
        }
        const resources = ['m/free', ...secrets].map((label) => ({ model_id: 'm/any', label }));
        emulator.faults.next('/ml/v1/foundation_model_specs', { json: { resources } });
        const from = { service: ibm, serviceUrl: emulator.url, operation: 'chat' as const };
        const { models } = await runtime.listModels(from, 'm/any', new AbortController().signal);
        assert.deepEqual(
          models.map(({ label }) => label),
          ['m/free'],
        );
      });
    }

    it("applies to a response's warnings", async () => {
      const { emulator, generate, lastKey } = await afterwards(() => {});
      const warnings = ['harmless', 'oldkeynumberfive'].map((id) => ({ id, message: id }));
      emulator.settings.apiKeys = [...keys, 'oldkeynumberfive'];
      await generate('oldkeynumberfive');
      const choices = [{ message: { content: 'Hi' }, finish_reason: 'stop' }];
      emulator.faults.next(chat, { json: { choices, system: { warnings } } });
      assert.deepEqual((await generate(lastKey)).warnings, ['harmless']);
    });

    it('ends when the window closes', async () => {
      const { runtime, secrets } = await afterwards(() => {});
      runtime.dispose();
      for (const secret of secrets) assert.equal(runtime.leaksInto(secret, [], 0), false);
    });
  });

  it('shares one concurrency limit among all clients of the same origin', async () => {
    const { emulator, generate } = await start();
    await Promise.all(Array.from({ length: 5 }, () => generate('key-number-one')));
    assert.equal(emulator.mostInFlight.inference, 1);
  });

  it('I25: has a separate concurrency limit for each origin', async () => {
    const { runtime, emulator, settings, generate, withKey } = await start();
    const other = await startWorld({ emulator: { apiKeys: ['key-number-one'] } });
    const held = gate();
    emulator.faults.next(chat, { hold: held.opened });
    const slow = generate('key-number-one');
    await emulator.requestCount(chat, 1);
    const elsewhere = { ...other.credentials, apiKey: withKey('key-number-one').apiKey };
    await runtime.client(elsewhere, settings).generateText('Hi', {});
    held.open();
    await slow;
  });

  it('reports a lowered concurrency limit, and counts running and waiting requests', async () => {
    const { traffic, generate, emulator } = await start(2);
    emulator.faults.next(chat, { recording: 27 });
    await Promise.all([1, 2, 3].map(() => generate('key-number-one')));
    assert.ok(traffic.some((state) => state.inFlight === 2 && state.waiting === 1));
    assert.ok(traffic.some((state) => state.limit === 1 && state.loweredFrom === 2));
    const { inFlight, waiting } = traffic.at(-1) ?? {};
    assert.deepEqual([inFlight, waiting], [0, 0]);
  });

  it("doesn't send a waiting call's request after the user signs out", async () => {
    const { runtime, emulator, generate, tokens } = await start();
    await generate('key-number-one');
    const held = gate();
    emulator.faults.next(chat, { hold: held.opened });
    const running = generate('key-number-one');
    const waiting = kindOf(generate('key-number-one'));
    await emulator.requestCount(chat, 2);
    runtime.forgetTokens();
    held.open();
    await running;
    assert.equal(await waiting, 'cancelled');
    assert.deepEqual([emulator.count(tokenPath), emulator.count(chat)], [1, 2]);
    assert.equal(tokens('key-number-one').state.kind, 'none');
  });

  const modelsPath = '/ml/v1/foundation_model_specs';
  const never = new AbortController().signal;

  it('opens a connection to the service, without sending credentials, while it requests the token', async () => {
    const { emulator, generate } = await start();
    const held = gate();
    emulator.faults.next(tokenPath, { hold: held.opened });
    const first = generate('key-number-one');
    const opened = await emulator.requestCount(modelsPath, 1);
    held.open();
    await first;
    assert.equal(opened.headers.authorization, undefined);
    assert.deepEqual(Object.fromEntries(opened.query), {
      version: '2025-02-11',
      limit: '1',
      filters: `modelid_${modelId}`,
    });
    const [text] = emulator.requests.filter(({ path }) => path === chat);
    assert.ok(text && text.connection <= 2, 'the text needs no third connection');
    await generate('key-number-one');
    assert.equal(emulator.count(modelsPath), 1, 'nothing is requested while there is a token');
  });

  it('opens one network connection in advance, unless calls have a minimum interval', async () => {
    const { emulator, generate } = await start(8);
    await Promise.all(Array.from({ length: 8 }, () => generate('key-number-one')));
    assert.equal(emulator.count(modelsPath), 1);
    const { runtime, emulator: other, settings, withKey } = await start();
    const spaced = { ...settings, limits: { ...settings.limits, minIntervalMs: 1 } };
    await runtime.client(withKey('key-number-one'), spaced).generateText('Hi', {});
    assert.equal(other.count(modelsPath), 0);
  });

  it('waits up to 1 s for the network connection opened in advance', async () => {
    time = new FakeTime();
    const { emulator, generate, states } = await start();
    emulator.faults.always(modelsPath, { neverAnswers: true });
    const generation = generate('key-number-one');
    const opened = await emulator.requestCount(modelsPath, 1);
    await becomes('a valid token', () => states.at(-1) === 'valid');
    await time.pass(999);
    assert.equal(emulator.count(chat), 0);
    await time.pass(1);
    await generation;
    await emulator.disconnected(opened);
  });

  it('generates text even if opening a network connection in advance fails', async () => {
    for (const fault of [{ status: 503 }, { redirectTo: '/x' }, { resetBeforeHeaders: true }]) {
      const { emulator, generate } = await start();
      emulator.faults.always(modelsPath, fault);
      await generate('key-number-one');
      assert.equal(emulator.count(modelsPath), 1);
    }
  });

  it("doesn't open a network connection in advance during a requested pause", async () => {
    const { runtime, emulator, generate, withKey } = await start();
    const { service } = withKey('key-number-one').approved;
    assert.equal(runtime.isPaused(service), false, 'nothing was sent');
    emulator.faults.next(chat, { status: 429, headers: { 'retry-after': '3600' } });
    assert.equal(await kindOf(generate('key-number-one')), 'rate-limited');
    assert.equal(runtime.isPaused(service), true);
    const before = emulator.count(modelsPath);
    const user = new AbortController();
    const held = gate();
    runtime.forgetTokens();
    emulator.faults.next(tokenPath, { beforePart: () => held.opened });
    const waiting = kindOf(generate('key-number-one', { signal: user.signal }));
    await emulator.requestCount(tokenPath, 2);
    assert.deepEqual(
      [...runtime.limits.values()].map(({ state }) => state.waiting),
      [0],
      'no request waits for the end of the pause',
    );
    held.open();
    user.abort();
    assert.equal(await waiting, 'cancelled');
    assert.equal(emulator.count(modelsPath), before);
  });

  it('omits a withdrawn model from the list unless it is the current model', async () => {
    const { runtime, withKey } = await start(1, { now: () => Date.parse('2027-01-16') });
    const { serviceUrl, service } = withKey('key-number-one');
    const from = { service, serviceUrl, operation: 'chat' as const };
    const old = 'ibm/granite-3-3-8b-instruct';
    const idsFor = async (current: string) =>
      (await runtime.listModels(from, current, never)).models.map(({ id }) => id);
    assert.deepEqual(await idsFor(modelId), [modelId]);
    assert.deepEqual(await idsFor('my-deployment'), [modelId]);
    assert.deepEqual(await idsFor(old), [modelId, old]);
  });

  it("limits the requested output tokens to the model's limit", async () => {
    const { emulator, generate } = await start();
    const entry = { model_id: modelId, model_limits: { max_output_tokens: 511 } };
    emulator.faults.always(modelsPath, { json: { resources: [entry] } });
    await generate('key-number-one');
    const [asked] = emulator.requests.filter(({ path }) => path === chat);
    assert.equal(JSON.parse(asked?.text ?? '').max_completion_tokens, 511);
  });

  it('tests credentials with a token that later calls reuse', async () => {
    const { runtime, emulator, settings, generate, withKey, tokens } = await start();
    await generate('key-number-two');
    const before = tokens('key-number-two').state;
    await runtime.test(withKey('key-number-one'), settings, never);
    assert.deepEqual(tokens('key-number-two').state, before, 'other tokens stay');
    await generate('key-number-two');
    assert.deepEqual([emulator.count(tokenPath), emulator.count(chat)], [2, 2]);
    assert.equal(tokens('key-number-one').state.kind, 'valid');
    await generate('key-number-one');
    assert.equal(emulator.count(tokenPath), 2);
    const [, tested] = emulator.tokensIssued;
    assert.equal(emulator.requests.at(-1)?.headers.authorization, `Bearer ${tested}`);
  });

  it("doesn't open a network connection in advance for a canceled call", async () => {
    const { runtime, emulator, generate, withKey } = await start();
    emulator.faults.always(modelsPath, { neverAnswers: true });
    assert.equal(
      await kindOf(generate('key-number-one', { signal: AbortSignal.abort() })),
      'cancelled',
    );
    await runtime.tokenService(withKey('key-number-one')).get(never);
    await generate('key-number-one');
    assert.equal(emulator.count(modelsPath), 0);
  });

  it('ignores a 429 response while opening a network connection in advance', async () => {
    const { runtime, emulator, generate } = await start();
    emulator.faults.always(modelsPath, { status: 429, headers: { 'retry-after': '60' } });
    await generate('key-number-one');
    const [load] = runtime.limits.values();
    assert.deepEqual([load?.state.resumesInMs, load?.state.loweredFrom], [undefined, undefined]);
  });

  it('remembers a rejected key until the user signs out', async () => {
    const { runtime, generate } = await start();
    await kindOf(generate('a-key-nobody-knows'));
    await generate('key-number-one');
    assert.equal(runtime.isRejected('a-key-nobody-knows'), true);
    assert.equal(runtime.isRejected('key-number-one'), false);
    runtime.forgetTokens();
    assert.equal(runtime.isRejected('a-key-nobody-knows'), false);
  });

  it('recognizes the active key and token as secrets after testing other keys', async () => {
    const { runtime, emulator, settings, generate, withKey } = await start();
    await generate('key-number-one');
    for (const key of ['wrong-key-1', 'wrong-key-2', 'wrong-key-3', 'wrong-key-4', 'wrong-key-5']) {
      assert.equal(await kindOf(runtime.test(withKey(key), settings, never)), 'key-rejected');
    }
    const [token = ''] = emulator.tokensIssued;
    for (const secret of ['key-number-one', token]) {
      assert.equal(runtime.leaksInto(secret, [], 0), true);
    }
  });

  it('recognizes a rejected key and four active keys as secrets', async () => {
    const { runtime, emulator, settings, generate, withKey } = await start();
    const keys = ['key-number-one', 'key-number-two', 'key-number-three', 'key-number-four'];
    emulator.settings.apiKeys = keys;
    for (const key of keys) await generate(key);
    const rejected = 'a-key-nobody-knows';
    assert.equal(await kindOf(runtime.test(withKey(rejected), settings, never)), 'key-rejected');
    for (const key of [...keys, rejected]) assert.equal(runtime.leaksInto(key, [], 0), true, key);
  });

  it("discards a connection test's token if the user signs out during the test", async () => {
    const { runtime, emulator, settings, generate, withKey } = await start();
    const held = gate();
    emulator.faults.next('/ml/v1/text/tokenization', { hold: held.opened });
    const test = runtime.test(withKey('key-number-one'), settings, never);
    await emulator.requestCount('/ml/v1/text/tokenization', 1);
    runtime.forgetTokens();
    held.open();
    await test;
    await generate('key-number-one');
    assert.equal(emulator.count(tokenPath), 2);
  });

  it('forgets the token from a connection test when the user signs out', async () => {
    const { runtime, emulator, settings, generate, withKey } = await start();
    await runtime.test(withKey('key-number-one'), settings, never);
    runtime.forgetTokens();
    await generate('key-number-one');
    assert.equal(emulator.count(tokenPath), 2);
  });

  for (const [place, owner] of ['the model', 'the service URL', 'the identity address'].flatMap(
    (place) => [[place, 'the key'] as const, [place, "another service's key"] as const],
  )) {
    it(`E16: doesn't send ${owner} outside the token request, even if the key was pasted as ${place}`, async () => {
      const { runtime, emulator, settings, withKey } = await start();
      const key = 'a-key-that-was-pasted';
      const own = owner === 'the key' ? key : 'key-number-one';
      emulator.settings.apiKeys = [own];
      const url = `${emulator.url}/${key}`;
      const used = { ...settings, ...(place === 'the model' && { modelId: key }) };
      const credentials = {
        ...{ ...withKey(own), otherKeys: [{ service: ibm, apiKey: key }] },
        ...(place === 'the service URL' && { serviceUrl: url }),
        ...(place === 'the identity address' && { authUrl: url }),
      };
      const { modelId: current, operation } = used;
      const { service, serviceUrl } = credentials;
      const from = { service, serviceUrl, operation };
      const signal = new AbortController().signal;
      const calls = {
        test: runtime.test(credentials, used, signal),
        generation: runtime.client(credentials, used).generateText('Hi', {}),
        model: runtime.fetchModelInfo(credentials, used, signal),
        list: runtime.listModels(from, current, signal, credentials),
        diagnosis: runConnectionChecks({ runtime, credentials, settings: used }, () => {}, signal),
      };
      const ends = await Promise.allSettled(Object.values(calls));
      const rejections = ends.filter((end) => JSON.stringify(end).includes('setting-holds-secret'));
      assert.ok(rejections.length > 0);
      const others = emulator.requests.filter(({ method, path }) => {
        return method !== 'POST' || !path.endsWith(tokenPath);
      });
      const sent = others.map(({ path, query, text }) => `${path}?${query} ${text}`);
      assert.deepEqual(
        sent.filter((text) => text.includes(key)),
        [],
      );
    });
  }

  for (const [what, replaced] of [
    ['was rejected', {}],
    ['is itself the token', { service: serviceFor('zen') ?? assert.fail() }],
  ] as const) {
    it(`E12: never sends a prompt that contains a replaced key, even if the key ${what}`, async () => {
      const { runtime, settings, generate, withKey, emulator } = await start();
      const old = { ...withKey('a-key-nobody-knows'), ...replaced };
      await kindOf(runtime.client(old, settings).generateText('Hi', {}));
      await generate('key-number-one');
      const client = runtime.client(withKey('key-number-one'), settings);
      const prompt = `my old key is ${old.apiKey}`;
      const before = emulator.count(chat);
      assert.equal(await kindOf(client.generateText(prompt, {})), 'prompt-holds-secret');
      assert.equal(client.mask(prompt), 'my old key is [redacted]');
      assert.equal(runtime.leaksInto(prompt, [], 0), true);
      assert.equal(emulator.count(chat), before);
    });
  }

  it('sends a project ID even if it was previously rejected as a key', async () => {
    const { runtime, settings, generate, withKey, emulator } = await start();
    const { projectId } = withKey('key-number-one');
    assert.ok(projectId.length >= 16);
    assert.equal(await kindOf(runtime.test(withKey(projectId), settings, never)), 'key-rejected');
    await runtime.test(withKey('key-number-one'), settings, never);
    await generate('key-number-one');
    assert.equal(emulator.count(chat), 1);
  });

  it('A17: cancels all calls as soon as the user signs out', async () => {
    // Stops the clock so that no deadline expires.
    time = new FakeTime();
    const { runtime, emulator, generate, tokens } = await start(3);
    emulator.faults.next(chat, { neverAnswers: true }, 3);
    const signOut = new AbortController();
    const options = { signal: signOut.signal };
    const ended: string[] = [];
    for (let call = 0; call < 3; call += 1) {
      void kindOf(generate('key-number-one', options)).then((kind) => ended.push(kind));
    }
    await emulator.requestCount(chat, 3);
    const requests = emulator.requests.filter(({ path }) => path === chat);
    // A window also makes these two calls, in this order, when the key is deleted.
    signOut.abort();
    runtime.forgetTokens();
    await settled();
    assert.deepEqual(ended, ['cancelled', 'cancelled', 'cancelled']);
    await Promise.all(requests.map((request) => emulator.disconnected(request)));
    assert.deepEqual([emulator.count(chat), tokens('key-number-one').state.kind], [3, 'none']);
  });
});
