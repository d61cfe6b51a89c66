import assert from 'node:assert/strict';
import { request } from 'node:https';
import type { AxiosAdapter } from 'axios';
import { ConfigurationTarget, workspace } from 'vscode';
import { Http } from '../../src/service/http.ts';
import { nodeAdapter } from '../../src/service/nodeAdapter.ts';
import { reachIdentity } from '../../src/service/reach.ts';
import { type Vendor, vendors } from '../../src/service/vendors.ts';
import { type Proxy as ProxyServer, startProxy } from '../contract/service/proxy.ts';
import { startTlsServer } from '../contract/service/tlsServer.ts';

const HOST = 'service.example';

/** Trusts this certificate, and leaves the way there to VS Code. */
function adapterTrusting(ca: string): AxiosAdapter {
  const transport = {
    request: (url: string, options: object) => request(url, { ...options, ca }),
  };
  return (config) => nodeAdapter({ ...config, transport });
}

describe('the proxy of the settings', () => {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  /** Sends a request to a name that nobody but the proxy knows. */
  async function throughSettings(proxy: ProxyServer, http: Http, vendor: Vendor): Promise<void> {
    const settings = workspace.getConfiguration('http');
    const set = (value: string | undefined) =>
      settings.update('proxy', value, ConfigurationTarget.Global);
    closers.push(
      proxy.close,
      () => http.dispose(),
      () => set(undefined),
    );
    await set(`http://127.0.0.1:${proxy.port}`);
    const origin = `https://${HOST}:4711`;
    const approved = { auth: origin, service: origin };
    const at = { authUrl: origin, serviceUrl: origin, approved };
    const credentials = { vendor, apiKey: 'none', projectId: 'none', ...at };
    await reachIdentity(http, credentials, new AbortController().signal);
  }

  it('C12: is gone through by a request of ours, once and not twice', async function () {
    const [vendor] = vendors;
    const server = await startTlsServer(HOST);
    if (!server || !vendor) return this.skip();
    closers.push(server.close);
    const proxy = await startProxy(200, server.port);
    const http = new Http({ adapter: adapterTrusting(server.certificate) });
    // The server says nothing at all, which is an answer that came through.
    await assert.rejects(throughSettings(proxy, http, vendor), { kind: 'unexpected-answer' });
    assert.deepEqual(proxy.asked, [`${HOST}:4711`]);
    assert.deepEqual(server.requests, [vendor.tokenPath]);
  });

  it('C12: is asked by requests as the extension sends them, and says no', async () => {
    const [vendor] = vendors;
    assert.ok(vendor);
    const proxy = await startProxy(407);
    await assert.rejects(throughSettings(proxy, new Http(), vendor), { kind: 'proxy' });
    assert.deepEqual([...new Set(proxy.asked)], [`${HOST}:4711`]);
  });
});
