import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { ConfigurationTarget, workspace } from 'vscode';
import { fetchToken, probeIdentity } from '../../src/service/auth/identityService.ts';
import { serviceFor } from '../../src/service/builtInServices.ts';
import { type ErrorDetails, type ErrorKind, ServiceError } from '../../src/service/errors.ts';
import { Http } from '../../src/service/http/http.ts';
import type { Service } from '../../src/service/service.ts';
import { startMuteServer } from '../contract/service/muteServer.ts';
import { CLOSED_PORT, startProxy } from '../contract/service/proxy.ts';
import { startTlsServer } from '../contract/service/tlsServer.ts';
import { startEmulator } from '../emulator/emulator.ts';
import { trustedFileVariable } from './trusted.ts';

/**
 * A host name that only a proxy can resolve. VS Code would bypass the proxy for an address on this
 * machine.
 */
const HOST = 'service.example';
const far = `https://${HOST}:4711`;
const never = new AbortController().signal;
const service = serviceFor('ibm') as Service;

describe('the HTTP client with VS Code’s fetch', () => {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function set(settings: Readonly<Record<string, unknown>>): Promise<void> {
    const section = workspace.getConfiguration('http');
    for (const [name, value] of Object.entries(settings)) {
      await section.update(name, value, ConfigurationTarget.Global);
      closers.push(() => section.update(name, undefined, ConfigurationTarget.Global));
    }
  }

  function start() {
    const http = new Http({ waitMs: () => 1 });
    closers.push(() => http.dispose());
    const credentialsAt = (origin: string) => ({
      ...{ service, apiKey: 'none', projectId: 'none', authUrl: origin, serviceUrl: origin },
      approved: { auth: origin, service: origin },
    });
    return {
      /** Sends a token request. Like a generation request, it has a body. */
      post: (origin = far) => failureOf(fetchToken(http, credentialsAt(origin), never)),
      get: (origin = far) => probeIdentity(http, credentialsAt(origin), never),
    };
  }

  async function expectFailure(kind: ErrorKind, details: Partial<ErrorDetails>, origin?: string) {
    const failure = await start().post(origin);
    assert.equal(failure.kind, kind);
    for (const [name, value] of Object.entries(details)) {
      assert.deepEqual(Reflect.get(failure.details, name), value, name);
    }
    return failure;
  }

  async function startTunnel() {
    const trusted = await readFile(process.env[trustedFileVariable] ?? '', 'utf8');
    const server = await startTlsServer(HOST, false, trusted);
    assert.ok(server);
    const proxy = await startProxy(200, server.port);
    closers.push(server.close, proxy.close);
    return { server, proxy, proxyUrl: `http://127.0.0.1:${proxy.port}` };
  }

  it('C12: reports which proxy is down', async () => {
    const proxy = `127.0.0.1:${CLOSED_PORT}`;
    await set({ proxy: `http://${proxy}` });
    await expectFailure('proxy', { code: 'ECONNREFUSED', proxy, attempts: 4 });
  });

  it("C12: reports that the proxy's name can't be resolved @nightly", async () => {
    await set({ proxy: 'http://proxy.nowhere.invalid:3128' });
    await expectFailure('proxy', { proxy: 'proxy.nowhere.invalid', attempts: 1 });
  });

  for (const [status, title] of [
    [407, 'requires a login (407) @nightly'],
    [502, 'refuses the connection (502) @nightly'],
    [403, 'refuses the connection (403) @nightly'],
    [503, 'refuses the connection (503) @nightly'],
  ] as const) {
    it(`C12: reports that the proxy ${title}`, async () => {
      const proxy = await startProxy(status);
      closers.push(proxy.close);
      await set({ proxy: `http://127.0.0.1:${proxy.port}` });
      await expectFailure('proxy', { status, attempts: 1 });
      assert.deepEqual(proxy.asked, [`${HOST}:4711`]);
    });
  }

  it('C12: opens at most two network connections if a proxy closes them @nightly', async () => {
    const proxy = await startMuteServer((socket) => socket.end());
    closers.push(proxy.close);
    await set({ proxy: proxy.url.replace('https:', 'http:') });
    await expectFailure('proxy', { code: 'UND_ERR_PRX_CONN' });
    assert.ok(proxy.connections <= 2, `${proxy.connections} connections`);
  });

  it('C12: reports an unknown host name and a closed port', async () => {
    const { code = '' } = (await expectFailure('unreachable', {}, 'https://nothing.invalid'))
      .details;
    assert.match(code, /^(ENOTFOUND|EAI_AGAIN)$/);
    const refused = `https://127.0.0.1:${CLOSED_PORT}`;
    await expectFailure('unreachable', { code: 'ECONNREFUSED', attempts: 4 }, refused);
  });

  for (const [what, hasExpired, code] of [
    ['is self-signed', false, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['has expired', true, 'CERT_HAS_EXPIRED'],
  ] as const) {
    const nightly = hasExpired ? ' @nightly' : '';
    it(`C13: reports a certificate that ${what}, with and without a proxy${nightly}`, async () => {
      const server = await startTlsServer(HOST, hasExpired);
      assert.ok(server);
      const proxy = await startProxy(200, server.port);
      closers.push(server.close, proxy.close);
      await expectFailure('certificate', { code, attempts: 1 }, `https://127.0.0.1:${server.port}`);
      await set({ proxy: `http://127.0.0.1:${proxy.port}` });
      await expectFailure('certificate', { code, attempts: 1 });
      assert.deepEqual(server.requests, []);
    });
  }

  it('C12: reuses one tunnel through the proxy for ten requests', async () => {
    const { server, proxy, proxyUrl } = await startTunnel();
    await set({ proxy: proxyUrl });
    const { get } = start();
    for (let count = 0; count < 10; count += 1) await assert.rejects(get(), ServiceError);
    assert.deepEqual(proxy.asked, [`${HOST}:4711`]);
    assert.equal(server.requests.length, 10);
  });

  it('reuses one connection for ten requests without a proxy', async () => {
    const emulator = await startEmulator();
    closers.push(() => emulator.close());
    const { get } = start();
    for (let count = 0; count < 10; count += 1) await get(emulator.url);
    assert.deepEqual(
      emulator.requests.map(({ connection }) => connection),
      Array(10).fill(1),
    );
  });

  for (const [proxySupport, isAsked] of [
    ['off', false],
    ['on', true],
    ['fallback', true],
    ['override', true],
  ] as const) {
    it(`C12: ${isAsked ? 'uses' : "doesn't use"} the proxy if http.proxySupport is "${proxySupport}" @nightly`, async () => {
      const { server, proxy, proxyUrl } = await startTunnel();
      await set({ proxySupport, proxy: proxyUrl });
      await start().post();
      const once = isAsked ? 1 : 0;
      assert.deepEqual([proxy.asked.length, server.requests.length], [once, once]);
    });
  }

  it("doesn't use a proxy if `http.fetchAdditionalSupport` is off @nightly", async () => {
    const { proxy, proxyUrl } = await startTunnel();
    await set({ fetchAdditionalSupport: false, proxy: proxyUrl });
    await expectFailure('unreachable', {});
    assert.deepEqual(proxy.asked, []);
  });

  for (const scheme of ['socks4', 'socks5']) {
    it(`can't use a ${scheme} proxy, and reports the proxy as the cause @nightly`, async () => {
      const proxy = await startMuteServer((socket) => socket.end());
      closers.push(proxy.close);
      await set({ proxy: proxy.url.replace('https:', `${scheme}:`) });
      await expectFailure('proxy', { attempts: scheme === 'socks4' ? 1 : 4 });
    });
  }
});

async function failureOf(promise: Promise<unknown>): Promise<ServiceError> {
  const [result] = await Promise.allSettled([promise]);
  if (result.status === 'rejected' && result.reason instanceof ServiceError) return result.reason;
  throw new Error('This should have failed with a ServiceError', { cause: result });
}
