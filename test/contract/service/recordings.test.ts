import assert from 'node:assert/strict';
import { fetchToken } from '../../../src/service/auth/identityService.ts';
import { publicAccess } from '../../../src/service/auth/requestAccess.ts';
import type { ErrorKind } from '../../../src/service/errors.ts';
import { listModels } from '../../../src/service/models/models.ts';
import { recording, recordings } from '../../emulator/recordings.ts';
import { endWorlds, failureOf, ibm, startWorld, type World } from './world.ts';

type Outcome = string | { readonly kind: ErrorKind; readonly requests: number };

const never = new AbortController().signal;
const once = (kind: ErrorKind): Outcome => ({ kind, requests: 1 });
/** The outcome of a call that fails after the first attempt and three retries. */
const afterRetries = (kind: ErrorKind): Outcome => ({ kind, requests: 4 });
/** The outcome of a call that fails after its request was repeated once, with a new token. */
const afterReplay = (kind: ErrorKind): Outcome => ({ kind, requests: 2 });

const outcomes: Readonly<Record<number, Outcome>> = {
  // The recorded token is a placeholder, which isn't a valid header value.
  1: once('token-unusable'),
  2: once('key-rejected'),
  3: once('token-request-rejected'),
  4: afterRetries('server-failed'),
  5: afterRetries('rate-limited'),
  6: 'Autumn wind... (finished, 5+17, api_legacy)',
  7: 'Autumn wi (max_tokens, 5+200, )',
  8: '4000km (finished, 68+3, api_legacy)',
  9: 'Hello. (finished, 20+2, )',
  10: 'Hello (finished, 20+2, )',
  11: once('prompt-too-long'),
  12: afterReplay('unauthorized'),
  13: afterReplay('unauthorized'),
  14: afterReplay('unauthorized'),
  15: once('project-without-runtime'),
  16: once('quota-used-up'),
  17: once('model-unknown'),
  18: once('project-missing'),
  19: once('prompt-too-long'),
  20: afterRetries('rate-limited'),
  21: afterRetries('capacity-full'),
  22: afterRetries('server-failed'),
  23: 'ibm/granite-4-h-small 131072, ibm/granite-3-3-8b-instruct 131072',
  24: 'proved',
  25: afterReplay('unauthorized'),
  26: once('operation-unsupported'),
  27: afterRetries('rate-limited'),
  28: once('model-unknown'),
};

/** Calls the function that sends a request to this path, and describes the result. */
async function resultOf({ client, http, credentials }: World, path: string): Promise<string> {
  switch (path) {
    case '/identity/token':
      return (await fetchToken(http, credentials, never)).value;
    case '/ml/v1/foundation_model_specs': {
      const { serviceUrl } = credentials;
      const from = { service: ibm, serviceUrl, operation: 'chat' } as const;
      const list = await listModels(http, from, publicAccess(credentials), never);
      return list.models.map(({ id, contextLength }) => `${id} ${contextLength}`).join(', ');
    }
    case '/ml/v1/text/tokenization':
      await client.checkAccess(never);
      return 'proved';
    default: {
      const onText = path.endsWith('_stream') ? { onText: () => {} } : {};
      const { text, stopReason, usage, warnings } = await client.generateText('Hi', {}, onText);
      const tokens = `${usage.inputTokens}+${usage.outputTokens}`;
      return `${text} (${stopReason}, ${tokens}, ${warnings.join()})`;
    }
  }
}

describe('recorded responses', () => {
  afterEach(endWorlds);

  it('all have their expected outcomes listed in this file', () => {
    assert.deepEqual(
      recordings.map(({ n }) => n),
      Object.keys(outcomes).map(Number),
    );
  });

  for (const { n, name, request } of recordings) {
    const expected = outcomes[n];
    const words =
      typeof expected === 'object' ? `${expected.kind} (requests: ${expected.requests})` : expected;

    it(`lead to the expected outcome: ${words} (no. ${n}, ${name})`, async () => {
      const operation = request.path.includes('generation') ? 'generation' : 'chat';
      const world = await startWorld({ operation });
      world.emulator.replay(n, request.path, 9);
      const result = resultOf(world, request.path);
      if (typeof expected === 'string') {
        assert.equal(await result, expected);
        return;
      }
      const { kind, details } = await failureOf(result);
      const requests = world.emulator.count(request.path);
      assert.deepEqual({ kind, requests }, expected);
      assert.equal(details.attempts, requests);
      assert.equal(details.host, new URL(world.emulator.url).host);
      const { status } = recording(n).response;
      if (status !== 200) assert.equal(details.status, status);
    });
  }

  it('yield a token and its lifetime once a valid token replaces the placeholder', async () => {
    const { http, credentials, emulator } = await startWorld();
    const json = recording(1).response.json as object;
    const token = 'eyJhbGciOiJ9.eyJpYXQiOjF9.c2ln';
    emulator.faults.next('/identity/token', { json: { ...json, access_token: token } });
    const answer = await fetchToken(http, credentials, never);
    assert.ok(!answer.isApiKey);
    assert.deepEqual([answer.value, answer.expiresIn], [token, 3_600]);
  });

  it('with status 429 cause retries until the fourth attempt succeeds', async () => {
    const world = await startWorld();
    world.emulator.replay(27, '/ml/v1/text/chat', 3);
    assert.match((await world.generate()).text, /haiku/);
    assert.equal(world.inferenceCount(), 4);
  });
});
