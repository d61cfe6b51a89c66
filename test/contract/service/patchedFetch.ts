import type { Dispatcher } from 'undici';
import { CLOSED_PORT } from './proxy.ts';

// Its dispatcher would take the place of that of Node's own copy, were it loaded before that.
await fetch('data:,');
const { Agent, ProxyAgent } = await import('undici');
// The first connection creates the timer of all connections. If that happens while a test has
// replaced setTimeout, no later connection ever times out.
const first = new Agent();
const nowhere = { origin: `http://127.0.0.1:${CLOSED_PORT}`, path: '/', method: 'GET' } as const;
await first.request(nowhere).catch(() => {});
await first.destroy();

/**
 * Has the global fetch go another way, as VS Code has it: by a dispatcher of its own copy of undici.
 * @returns takes that back, and closes its connections
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

/** Sends every request through the proxy on this port, by CONNECT. */
export async function throughProxy(port: number): Promise<() => Promise<void>> {
  return patchFetch(new ProxyAgent(`http://127.0.0.1:${port}`));
}

/** Trusts this certificate, too. */
export async function trusting(ca: string): Promise<() => Promise<void>> {
  return patchFetch(new Agent({ connect: { ca } }));
}

/** Gives up a connection that is not made within so many milliseconds. */
export async function connectingWithin(timeout: number): Promise<() => Promise<void>> {
  return patchFetch(new Agent({ connect: { timeout } }));
}
