import assert from 'node:assert/strict';
import { trusting } from './patchedFetch.ts';
import { startTlsServer, type TlsServer } from './tlsServer.ts';
import { endWorlds, failureOf, startWorld, tokenPath, type WorldOptions } from './world.ts';

describe('with TLS,', () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await endWorlds();
    for (const close of closers.splice(0).reverse()) await close();
  });

  /**
   * Returns the failure of a generation in which this server is the identity service (`auth`) or
   * the inference service (`service`).
   */
  async function failureAt(server: TlsServer, as: 'auth' | 'service', isTrusted: boolean) {
    if (isTrusted) closers.push(await trusting(server.certificate));
    const options: WorldOptions = {
      credentials: (url) => ({
        ...(as === 'auth' ? { authUrl: server.url } : { serviceUrl: server.url }),
        approved: { auth: url, service: url, [as]: server.url },
      }),
    };
    const world = await startWorld(options);
    const failure = await failureOf(world.generate());
    assert.equal(world.inferenceCount(), 0);
    return failure;
  }

  const certificates: readonly [string, string, boolean, boolean, string][] = [
    ["isn't trusted", '127.0.0.1', false, false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['has expired', '127.0.0.1', true, true, 'CERT_HAS_EXPIRED'],
    ['is for another address', '127.0.0.2', false, true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['is for a different host', 'service.example', false, true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ];
  for (const [what, name, hasExpired, isTrusted, code] of certificates) {
    it(`C13: no request is sent if the certificate ${what}`, async function () {
      const server = await startTlsServer(name, hasExpired);
      if (!server) return this.skip();
      closers.push(server.close);
      for (const as of ['auth', 'service'] as const) {
        const { kind, details } = await failureAt(server, as, isTrusted);
        const host: string = new URL(server.url).host;
        assert.deepEqual([kind, details], ['certificate', { host, code, attempts: 1 }]);
      }
      assert.deepEqual(server.requests, []);
    });
  }

  it('C13: a valid and trusted certificate is accepted', async function () {
    const server = await startTlsServer();
    if (!server) return this.skip();
    closers.push(server.close);
    const { kind } = await failureAt(server, 'auth', true);
    assert.deepEqual([kind, server.requests], ['unexpected-answer', [tokenPath]]);
  });

  it("C15: a port that doesn't support it is reported after one attempt", async () => {
    for (const as of ['auth', 'service'] as const) {
      const world = await startWorld({
        credentials: (url) => {
          const secure = url.replace('http:', 'https:');
          return {
            ...(as === 'auth' ? { authUrl: secure } : { serviceUrl: secure }),
            approved: { auth: url, service: url, [as]: secure },
          };
        },
      });
      const { kind, details } = await failureOf(world.generate());
      assert.deepEqual([kind, details.code], ['tls', 'ERR_SSL_WRONG_VERSION_NUMBER']);
      assert.deepEqual([details.attempts, world.inferenceCount()], [1, 0]);
    }
  });
});
