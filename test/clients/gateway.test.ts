import assert from 'node:assert/strict';
import { readServices } from '../../src/service/addedServices.ts';
import type { Connection } from '../../src/service/connection.ts';
import type { Credentials } from '../../src/service/credentials.ts';
import { ServiceRuntime } from '../../src/service/serviceRuntime.ts';
import { type Emulator, startEmulator } from '../emulator/emulator.ts';
import { connectionOf, failureOf, never } from '../unit/service/fixtures.ts';
import { ensureNginx, type Gateway, startGateway } from './nginx.ts';

/**
 * Tests the extension's service client with a third-party gateway. nginx requires a key and a team,
 * and adds its own token to requests to the service behind it.
 */

const key = 'key-of-the-gateway';
const team = 'search';
const upstreamToken = 'token-of-the-gateway';
const modelId = 'ibm/granite-4-h-small';
const chatPath = '/v1/chat/completions';
const HEADER_BYTES = 1_024;

interface Sent {
  readonly key?: string;
  /**
   * The `headers` in the service's settings entry. Defaults to `X-Team` with the team that the
   * gateway requires.
   */
  readonly headers?: Readonly<Record<string, string | { readonly secret: string }>>;
  readonly headerSecrets?: Readonly<Record<string, string>>;
}

describe('nginx as a gateway', () => {
  let emulator: Emulator;
  let gateway: Gateway;
  let runtime: ServiceRuntime;

  before(async function () {
    const nginx = await ensureNginx();
    if ('missing' in nginx) {
      console.log(`Skipped: ${nginx.missing}`);
      return this.skip();
    }
    emulator = await startEmulator({ apiKeys: [upstreamToken], keyHeader: 'authorization' });
    gateway = await startGateway(nginx.program, {
      ...{ upstream: emulator.url, key, team, upstreamToken, headerBytes: HEADER_BYTES },
    });
  });
  after(async () => {
    await gateway?.close();
    await emulator?.close();
  });
  beforeEach(() => {
    runtime = new ServiceRuntime();
  });
  afterEach(() => {
    runtime.dispose();
    emulator.reset();
  });

  function connect(sent: Sent = {}): Connection {
    const { headers = { 'X-Team': team }, headerSecrets } = sent;
    const entry = {
      ...{ word: 'acme', api: 'openai', defaultModel: modelId, url: `${gateway.url}/v1`, headers },
      authentication: { kind: 'apiKey', header: 'api-key' },
    };
    const { own, issues } = readServices([entry]);
    assert.deepEqual(issues, []);
    const service = own[0] ?? assert.fail('no service');
    const credentials: Credentials = {
      service,
      ...{ apiKey: sent.key ?? key, projectId: '', headerSecrets },
      ...{ authUrl: service.url, serviceUrl: service.url },
      approved: { auth: gateway.url, service: gateway.url },
    };
    return connectionOf({ credentials, modelId }, runtime);
  }

  it('receives the API key and the X-Team header, but not an Authorization header', async () => {
    const { text } = await connect().generateText('Write a haiku');
    assert.match(text, /Hello/);
    const [request, ...others] = emulator.requests;
    assert.deepEqual([request?.path, others.length], [chatPath, 0]);
    assert.deepEqual([request?.headers['api-key'], request?.headers['x-team']], [key, team]);
    assert.equal(request?.headers['x-sent-authorization'], undefined);
  });

  it('forwards a header with a secret value', async () => {
    const headers = { 'X-Team': { secret: 'team' } };
    const connection = connect({ headers, headerSecrets: { team } });
    assert.match((await connection.generateText('Write a haiku')).text, /Hello/);
    assert.equal(emulator.requests[0]?.headers['x-team'], team);
  });

  it('forwards the first chunk before the service sends the last chunk', async () => {
    const { promise: hasArrived, resolve } = Promise.withResolvers<void>();
    emulator.settings.answer = () => ['Hello', ' there', ', world'];
    let held = 0;
    const beforePart = (index: number) => {
      if (index < 2) return undefined;
      held += 1;
      return hasArrived;
    };
    emulator.faults.next(chatPath, { beforePart });
    const chunks: string[] = [];
    const onText = (chunk: string) => {
      chunks.push(chunk);
      resolve();
    };
    const { text } = await connect().generateText('Write a haiku', { onText });
    assert.equal(text, 'Hello there, world');
    assert.deepEqual(chunks, ['Hello', ' there', ', world']);
    assert.ok(held > 0, 'the rest was held back until the first chunk had arrived');
  });

  it('forwards requests that list models or test the connection', async () => {
    const connection = connect();
    const { models } = await connection.models(never);
    assert.ok(models.some(({ id }) => id === modelId));
    await connection.test(never);
    assert.deepEqual([...new Set(emulator.requests.map(({ path }) => path))], ['/v1/models']);
    for (const { headers } of emulator.requests) assert.equal(headers['x-team'], team);
  });

  for (const [what, sent, status] of [
    ['a wrong key', { key: 'another-key' }, 401],
    ['no team header', { headers: {} }, 403],
    ['the wrong team', { headers: { 'X-Team': 'sales' } }, 403],
  ] as const) {
    it(`rejects a request with ${what}, which causes an \`intercepted\` failure`, async () => {
      const connection = connect(sent);
      for (const call of [
        () => connection.generateText('Write a haiku'),
        () => connection.generateText('Write a haiku', { onText: () => {} }),
        () => connection.models(never),
        () => connection.test(never),
      ]) {
        const { kind, details } = await failureOf(call());
        assert.deepEqual([kind, details.status, details.attempts], ['intercepted', status, 1]);
      }
      const failure = await connection.check(() => {}, never);
      assert.deepEqual([failure?.kind, failure?.details.status], ['intercepted', status]);
      assert.equal(emulator.requests.length, 0);
    });
  }

  it('rejects large headers, which causes a `headers-too-large` failure', async () => {
    const headers = { 'X-Team': team, 'X-Trace': 'x'.repeat(HEADER_BYTES) };
    const { kind, details } = await failureOf(connect({ headers }).generateText('Write a haiku'));
    assert.deepEqual([kind, details.status, details.attempts], ['headers-too-large', 400, 1]);
    assert.equal(emulator.requests.length, 0);
  });

  it("rejects a wrong key, and the extension's error contains no secrets", async () => {
    const secret = 'secret-of-the-team';
    const connection = connect({
      ...{ key: 'another-key', headers: { 'X-Team': { secret: 'team' } } },
      headerSecrets: { team: secret },
    });
    const { message, details } = await failureOf(connection.generateText('Write a haiku'));
    const shown = JSON.stringify([message, details]);
    assert.ok(!shown.includes('another-key') && !shown.includes(secret));
  });
});
