import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { FakeTime } from '../../unit/service/fixtures.ts';
import { assertNamed, endExaminations, settings, startExamination } from './diagnoseWorld.ts';
import { HANDSHAKE_FAILURE, startMuteServer } from './muteServer.ts';
import { connectingWithin, throughProxy } from './patchedFetch.ts';
import { CLOSED_PORT, startProxy } from './proxy.ts';
import { startTlsServer } from './tlsServer.ts';
import { failureOf } from './world.ts';

const far = { authUrl: 'https://identity.example', serviceUrl: 'https://service.example' };

describe('a diagnosis', () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await endExaminations();
    for (const close of closers.splice(0).reverse()) await close();
  });

  it('reports an unknown identity host, and continues with the service host', async () => {
    const authUrl = 'https://nothing.invalid';
    const { examine, emulator } = await startExamination({ credentials: { authUrl } });
    const { diagnosis, states } = await examine();
    const { kind, details } = diagnosis.failure ?? {};
    assert.deepEqual([kind, details?.host], ['unreachable', 'nothing.invalid']);
    assert.match(details?.code ?? '', /^(ENOTFOUND|EAI_AGAIN)$/);
    assert.deepEqual(states, [
      'identity-host failed',
      'service-host passed',
      'token not-run',
      'clock not-run',
      'access not-run',
      'request-limit not-run',
    ]);
    assert.deepEqual(
      emulator.requests.map(({ method, headers }) => [method, headers.authorization]),
      [['GET', undefined]],
    );
  });

  it('reports that the machine is offline if no host can be resolved', async () => {
    const credentials = {
      authUrl: 'https://nothing.invalid',
      serviceUrl: 'https://nothing-else.invalid',
    };
    const { examine } = await startExamination({ credentials });
    const { diagnosis, states } = await examine();
    assertNamed(diagnosis, 'machine offline');
    assert.equal(diagnosis.failure?.kind, 'offline');
    assert.deepEqual(states.slice(0, 2), ['identity-host failed', 'service-host failed']);
  });

  for (const [what, onData, named, connections] of [
    ['closed', (socket: Socket) => socket.destroy(), 'connection reset', 1],
    // A check's request has no body, so it counts as sent when the connection is reset. A
    // generation's request would count as unsent, because its body is sent after the handshake.
    ['reset', (socket: Socket) => socket.resetAndDestroy(), 'connection lost', 8],
  ] as const) {
    it(`reports a connection that is ${what} during the TLS handshake`, async () => {
      const server = await startMuteServer(onData);
      closers.push(server.close);
      const { examine, runtime, credentials } = await startExamination({
        credentials: { authUrl: server.url },
      });
      const { diagnosis } = await examine();
      assertNamed(diagnosis, named);
      const before = server.connections;
      const generation = runtime.client(credentials, settings).generateText('Hi', {});
      const { kind, details } = await failureOf(generation);
      assert.deepEqual([kind, details.phase], ['unreachable', 'connect']);
      assert.equal(server.connections - before, connections);
    });
  }

  it('reports a connection whose TLS handshake times out', async () => {
    // Normally, fetch gives up after 10 s, and the check after 15 s. On a busy machine, the check
    // could give up first, so this test shortens fetch's timeout.
    closers.push(await connectingWithin(1_000));
    const server = await startMuteServer(() => {});
    closers.push(server.close);
    const { examine } = await startExamination({ credentials: { authUrl: server.url } });
    assertNamed((await examine()).diagnosis, 'connection timeout');
  });

  it('reports a host that rejects the TLS handshake', async () => {
    const server = await startMuteServer((socket) => socket.end(HANDSHAKE_FAILURE));
    closers.push(server.close);
    const { examine } = await startExamination({ credentials: { authUrl: server.url } });
    const { diagnosis } = await examine();
    assertNamed(diagnosis, 'failed TLS handshake');
    assert.equal(diagnosis.failure?.kind, 'tls');
  });

  it('reports a host that refuses connections', async () => {
    const serviceUrl = `http://127.0.0.1:${CLOSED_PORT}`;
    const { examine, emulator } = await startExamination({ credentials: { serviceUrl } });
    const { diagnosis } = await examine();
    assertNamed(diagnosis, 'connection refused');
    const { kind, details } = diagnosis.failure ?? {};
    assert.deepEqual(
      [kind, details?.code, details?.host, details?.attempts],
      ['unreachable', 'ECONNREFUSED', `127.0.0.1:${CLOSED_PORT}`, 1],
    );
    assert.deepEqual(emulator.counts, { '/identity/token': 1 });
  });

  it('reports a host that never responds', async () => {
    const time = new FakeTime();
    try {
      const startMs = 10_000;
      const { examine, emulator } = await startExamination({ http: { startMs } });
      emulator.faults.always('/identity/token', { neverAnswers: true });
      const found = examine();
      await emulator.requestCount('/identity/token', 1);
      await time.pass(startMs);
      const { diagnosis } = await found;
      assertNamed(diagnosis, 'response timeout');
      assert.equal(diagnosis.failure?.kind, 'timeout');
    } finally {
      time.end();
    }
  });

  it('reports an untrusted certificate', async function () {
    const server = await startTlsServer();
    if (!server) return this.skip();
    closers.push(server.close);
    const { examine } = await startExamination({ credentials: { authUrl: server.url } });
    const { diagnosis } = await examine();
    assertNamed(diagnosis, 'untrusted certificate');
    const { kind, details } = diagnosis.failure ?? {};
    assert.deepEqual([kind, details?.code], ['certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT']);
    assert.deepEqual(server.requests, []);
  });

  it('reports a port without TLS', async () => {
    const { examine, emulator } = await startExamination({
      credentials: (url) => ({ authUrl: url.replace('http:', 'https:') }),
    });
    const { diagnosis } = await examine();
    assertNamed(diagnosis, 'port without TLS');
    const { kind, details } = diagnosis.failure ?? {};
    assert.deepEqual([kind, details?.code], ['tls', 'ERR_SSL_WRONG_VERSION_NUMBER']);
    assert.equal(emulator.count('/identity/token'), 0);
  });

  for (const [what, credentials] of [
    ['plain HTTP', {}],
    ['CONNECT tunnel', far],
  ] as const) {
    it(`reports a proxy that is down (${what}), and doesn't check the service host`, async () => {
      closers.push(await throughProxy(CLOSED_PORT));
      const { examine, emulator } = await startExamination({ credentials });
      const { diagnosis, states } = await examine();
      assertNamed(diagnosis, 'unreachable proxy');
      const { kind, details } = diagnosis.failure ?? {};
      assert.deepEqual(
        [kind, details?.code, details?.proxy],
        ['proxy', 'ECONNREFUSED', `127.0.0.1:${CLOSED_PORT}`],
      );
      assert.equal(details?.host, new URL(credentials.authUrl ?? emulator.url).host);
      assert.equal(states[1], 'service-host not-run');
    });
  }

  for (const status of [407, 403, 502, 204]) {
    it(`reports a proxy that returns ${status} instead of connecting`, async () => {
      const proxy = await startProxy(status);
      closers.push(await throughProxy(proxy.port), proxy.close);
      const { examine } = await startExamination({ credentials: far });
      const { diagnosis } = await examine();
      if (status === 407) assertNamed(diagnosis, 'proxy authentication required');
      if (status === 403) assertNamed(diagnosis, 'host blocked by the proxy');
      const { kind, details } = diagnosis.failure ?? {};
      assert.deepEqual([kind, details?.status], ['proxy', status]);
      assert.deepEqual(proxy.asked, ['identity.example:443']);
    });
  }

  it('reports an invalid certificate behind a working proxy', async function () {
    const server = await startTlsServer('identity.example');
    if (!server) return this.skip();
    const proxy = await startProxy(200, server.port);
    closers.push(await throughProxy(proxy.port), server.close, proxy.close);
    const { examine } = await startExamination({ credentials: far });
    assert.equal((await examine()).diagnosis.failure?.kind, 'certificate');
    assert.deepEqual(proxy.asked, ['identity.example:443', 'service.example:443']);
  });
});
