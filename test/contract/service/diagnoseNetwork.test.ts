import assert from 'node:assert/strict';
import { assertNamed, endExaminations, startExamination } from './diagnoseWorld.ts';
import { adapterThrough, closedPort, startProxy } from './proxy.ts';
import { startTlsServer } from './tlsServer.ts';

const far = { authUrl: 'https://identity.example', serviceUrl: 'https://service.example' };

describe('a diagnosis tells what is wrong on the way', () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await endExaminations();
    await Promise.all(closers.splice(0).map((close) => close()));
  });

  it('a host that nobody knows, and still looks at the other one', async () => {
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

  it('a host where nothing answers', async () => {
    const port = await closedPort();
    const serviceUrl = `http://127.0.0.1:${port}`;
    const { examine, emulator } = await startExamination({ credentials: { serviceUrl } });
    const { diagnosis } = await examine();
    assertNamed(diagnosis, 'nothing answers');
    const { kind, details } = diagnosis.failure ?? {};
    assert.deepEqual(
      [kind, details?.code, details?.host, details?.attempts],
      ['unreachable', 'ECONNREFUSED', `127.0.0.1:${port}`, 1],
    );
    assert.deepEqual(emulator.counts, { '/identity/token': 1 });
  });

  it('a host that lets everybody wait', async () => {
    const { examine, emulator } = await startExamination({ http: { headersMs: 100 } });
    emulator.faults.always('/identity/token', { neverAnswers: true });
    const { diagnosis } = await examine();
    assertNamed(diagnosis, 'no answer in time');
    assert.equal(diagnosis.failure?.kind, 'timeout');
  });

  it('a certificate that nobody vouches for', async function () {
    const server = await startTlsServer();
    if (!server) return this.skip();
    closers.push(server.close);
    const { examine } = await startExamination({ credentials: { authUrl: server.url } });
    const { diagnosis } = await examine();
    assertNamed(diagnosis, 'certificate not trusted');
    const { kind, details } = diagnosis.failure ?? {};
    assert.deepEqual([kind, details?.code], ['certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT']);
    assert.deepEqual(server.requests, []);
  });

  it('a port that does not speak TLS', async () => {
    const { examine, emulator } = await startExamination({
      credentials: (url) => ({ authUrl: url.replace('http:', 'https:') }),
    });
    const { diagnosis } = await examine();
    assertNamed(diagnosis, 'port without TLS');
    const { kind, details } = diagnosis.failure ?? {};
    assert.equal(kind, 'certificate');
    assert.match(details?.code ?? '', /^EPROTO$|WRONG_VERSION|PACKET_LENGTH/);
    assert.equal(emulator.count('/identity/token'), 0);
  });

  for (const [what, credentials] of [
    ['plain', {}],
    ['tunnel', far],
  ] as const) {
    it(`a proxy that is down (${what}), and sends nothing more`, async () => {
      const port = await closedPort();
      const http = { adapter: adapterThrough(port) };
      const { examine, emulator } = await startExamination({ http, credentials });
      const { diagnosis, states } = await examine();
      assertNamed(diagnosis, 'proxy down');
      const { kind, details } = diagnosis.failure ?? {};
      assert.deepEqual(
        [kind, details?.code, details?.proxy],
        ['proxy', 'ECONNREFUSED', `127.0.0.1:${port}`],
      );
      assert.equal(details?.host, new URL(credentials.authUrl ?? emulator.url).host);
      assert.equal(states[1], 'service-host not-run');
    });
  }

  for (const status of [407, 403, 502, 204]) {
    it(`a proxy that answers ${status} in place of the host`, async () => {
      const proxy = await startProxy(status);
      closers.push(proxy.close);
      const http = { adapter: adapterThrough(proxy.port) };
      const { examine } = await startExamination({ http, credentials: far });
      const { diagnosis } = await examine();
      if (status === 407) assertNamed(diagnosis, 'proxy wants a login');
      if (status === 403) assertNamed(diagnosis, 'proxy forbids the host');
      const { kind, details } = diagnosis.failure ?? {};
      assert.deepEqual([kind, details?.status], ['proxy', status]);
      assert.deepEqual(proxy.asked, ['identity.example:443']);
    });
  }

  it('a broken certificate behind a proxy that works', async function () {
    const server = await startTlsServer('identity.example');
    if (!server) return this.skip();
    const proxy = await startProxy(200, server.port);
    closers.push(server.close, proxy.close);
    const http = { adapter: adapterThrough(proxy.port) };
    const { examine } = await startExamination({ http, credentials: far });
    assert.equal((await examine()).diagnosis.failure?.kind, 'certificate');
    assert.deepEqual(proxy.asked, ['identity.example:443', 'service.example:443']);
  });
});
