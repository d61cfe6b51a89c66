import { Client } from '../../../src/service/client.ts';
import { Http } from '../../../src/service/http/http.ts';
import { Limiter } from '../../../src/service/http/limiter.ts';
import { fetchToken } from '../../../src/service/token/identity.ts';
import { TokenService } from '../../../src/service/token/tokenService.ts';
import { credentialsFor, modelId } from './world.ts';

/**
 * A process of its own in which another extension puts something on every object, one name after
 * the other: the other end of the test must not be touched by it. Arguments: address of the service,
 * and a foreign one. Generates once as it is and once for each name, and prints one line of JSON
 * each: the name, and what the global fetch was given.
 */

const nothing = () => {};

/** What another extension of the same host could put on every object, by name. */
export const pollutedWith = (url: string): Readonly<Record<string, unknown>> => ({
  adapter: () => fetch(url),
  agent: { url },
  auth: { username: 'me', password: 'secret' },
  baseURL: url,
  beforeRedirect: nothing,
  body: 'foreign',
  cache: 'no-store',
  cancelToken: { throwIfRequested: nothing, toAbortSignal: () => AbortSignal.abort() },
  contentType: 'text/plain',
  credentials: 'include',
  data: 'foreign',
  dispatcher: { dispatch: () => fetch(url) },
  duplex: 'full',
  env: { fetch: () => fetch(url) },
  fetch: () => fetch(url),
  fetchOptions: { headers: { foreign: 'yes' } },
  headers: { foreign: 'yes' },
  httpAgent: { url },
  httpsAgent: { url },
  integrity: 'sha256-foreign',
  keepalive: true,
  limiter: undefined,
  maxContentLength: 1,
  maxRedirects: 5,
  method: 'PUT',
  mode: 'no-cors',
  onDownloadProgress: nothing,
  origin: url,
  paramsSerializer: () => 'foreign=yes',
  params: { foreign: 'yes' },
  priority: 'low',
  proxy: { host: '127.0.0.1', port: Number(new URL(url).port) },
  redirect: 'follow',
  referrer: url,
  referrerPolicy: 'unsafe-url',
  responseType: 'text',
  start: (controller: ReadableByteStreamController) => controller.close(),
  tokenProvider: () => ({ hasToken: () => true, get: async () => 'foreign' }),
  transformRequest: [() => 'foreign'],
  transport: { request: nothing },
  url,
  validateStatus: () => false,
  window: null,
});

/** What VS Code reads of the options of a fetch, or hands on. */
const OPTIONS = ['dispatcher', 'redirect', 'credentials', 'referrer', 'mode', 'window'];

const [url = '', foreign = ''] = process.argv.slice(2);
if (process.argv[1] === import.meta.filename) void generateAll();

async function generateAll(): Promise<void> {
  const { fetch } = globalThis;
  const { Agent } = await import('undici');
  const dispatcher = new Agent();
  let seen: unknown[] = [];
  // As VS Code does it: it copies the options, and adds a dispatcher of its own.
  globalThis.fetch = (address, init = {}) => {
    const copied: Record<string, unknown> = { ...init };
    seen = OPTIONS.map((name) => copied[name] ?? null);
    const options: object = { ...copied, dispatcher };
    return fetch(address, options);
  };
  for (const [name, value] of Object.entries({ none: undefined, ...pollutedWith(foreign) })) {
    if (name !== 'none') {
      Reflect.set(Object.prototype, name, value);
    }
    const client = start();
    const { signal } = new AbortController();
    const outcome = await client.generateText('Hi', {}, { signal, onText: nothing }).then(
      () => 'generated',
      (error: Error) => error.message,
    );
    Reflect.deleteProperty(Object.prototype, name);
    process.stdout.write(`${JSON.stringify({ name, outcome, seen })}\n`);
  }
}

function start(): Client {
  const credentials = credentialsFor(url);
  const http = new Http();
  return new Client({
    credentials,
    modelId,
    operation: 'chat',
    http,
    tokenService: new TokenService({
      fetchToken: (signal) => fetchToken(http, credentials, signal),
    }),
    limiter: new Limiter({ limit: 1, queue: 1, minIntervalMs: 0 }),
  });
}
