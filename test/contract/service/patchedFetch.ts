import type { Dispatcher } from 'undici';
import { CLOSED_PORT } from './proxy.ts';

// Loads Node's own copy of undici first. Otherwise, the import below would replace the dispatcher
// of Node's copy.
await fetch('data:,');
const { Agent, ProxyAgent } = await import('undici');
// The first connection creates the timer that all connections share. If that happens while a test
// has replaced setTimeout, no later connection ever times out.
const first = new Agent();
const nowhere = { origin: `http://127.0.0.1:${CLOSED_PORT}`, path: '/', method: 'GET' } as const;
await first.request(nowhere).catch(() => {});
await first.destroy();

/**
 * Sends the global fetch's requests through a dispatcher from another copy of undici, as VS Code
 * does.
 * @returns a function that restores fetch and closes the connections
 */
function patchFetch(dispatcher: Dispatcher): () => Promise<void> {
  const original = globalThis.fetch;
  globalThis.fetch = (url, init) => {
    const options: object = { ...init, dispatcher };
    return original(url, options);
  };
  return async () => {
    globalThis.fetch = original;
    await dispatcher.destroy();
  };
}

/**
 * Makes fetch send every request through the proxy on this port.
 * @param proxyTunnel false to have the proxy forward http requests without a CONNECT tunnel
 */
export async function throughProxy(port: number, proxyTunnel = true): Promise<() => Promise<void>> {
  return patchFetch(new ProxyAgent({ uri: `http://127.0.0.1:${port}`, proxyTunnel }));
}

/** Makes fetch trust only this certificate. */
export async function trusting(ca: string): Promise<() => Promise<void>> {
  return patchFetch(new Agent({ connect: { ca } }));
}

/** Makes fetch give up if connecting takes longer than this many milliseconds. */
export async function connectingWithin(timeout: number): Promise<() => Promise<void>> {
  return patchFetch(new Agent({ connect: { timeout } }));
}
