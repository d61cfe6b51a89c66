import assert from 'node:assert/strict';
import { fetchToken } from '../../../src/service/auth/identityService.ts';
import { isUnreachable } from '../../../src/service/errors.ts';
import { assertUntouched, startUnapproved } from '../../emulator/unapproved.ts';
import { FakeTime, settled } from '../../unit/service/fixtures.ts';
import { becomes } from '../../vscode/deadline.ts';
import { startMuteServer } from './muteServer.ts';
import { throughProxy } from './patchedFetch.ts';
import { CLOSED_PORT } from './proxy.ts';
import {
  endWorlds,
  failureOf,
  kindOf,
  pathOf,
  startWorld,
  tokenPath,
  type WorldOptions,
} from './world.ts';

const chat = pathOf('chat', false);
const never = new AbortController().signal;

/** Runs a function with the address of a second server, which must receive nothing. */
async function withVictim(run: (url: string, host: string) => Promise<void>): Promise<void> {
  const victim = await startUnapproved();
  await run(victim.url, victim.host);
  assertUntouched(victim);
}

describe('a redirect', () => {
  afterEach(endWorlds);

  for (const status of [301, 302, 303, 307, 308]) {
    it(`C01: from the identity service with status ${status} isn't followed, and its target host is reported`, async () => {
      await withVictim(async (url, host) => {
        const world = await startWorld();
        world.emulator.faults.always(tokenPath, { status, redirectTo: `${url}/identity/token` });
        const { kind, details } = await failureOf(world.generate());
        const { redirectHost } = details;
        assert.deepEqual([kind, redirectHost, details.status], ['redirected', host, status]);
        assert.equal(details.host, new URL(world.emulator.url).host);
        assert.deepEqual([world.emulator.count(tokenPath), world.inferenceCount()], [1, 0]);
      });
    });

    for (const streams of [false, true]) {
      it(`C02: from ${pathOf('chat', streams)} with status ${status} isn't followed, and its target host is reported`, async () => {
        await withVictim(async (url, host) => {
          const world = await startWorld();
          const path = pathOf('chat', streams);
          world.emulator.faults.always(path, { status, redirectTo: `${url}${path}` });
          const call = world.generate(streams ? { onText: () => {} } : {});
          const { kind, details } = await failureOf(call);
          assert.deepEqual([kind, details.redirectHost], ['redirected', host]);
          assert.equal(world.inferenceCount(), 1);
        });
      });
    }
  }

  it("C02: isn't followed, even to the same origin", async () => {
    const world = await startWorld();
    world.emulator.faults.next(chat, { redirectTo: '/elsewhere' });
    const { kind, details } = await failureOf(world.generate());
    const { host } = new URL(world.emulator.url);
    assert.deepEqual([kind, details.redirectHost], ['redirected', host]);
    assert.equal(world.emulator.count('/elsewhere'), 0);
  });

  it('to an address without a host is reported without a host', async () => {
    const world = await startWorld();
    world.emulator.faults.next(chat, { redirectTo: 'command:workbench.action.quit' });
    const { kind, details } = await failureOf(world.generate());
    assert.deepEqual([kind, details.redirectHost], ['redirected', undefined]);
  });

  for (const path of [tokenPath, chat]) {
    it(`isn't reported for a 304 from ${path}`, async () => {
      const world = await startWorld();
      world.emulator.faults.always(path, { status: 304 });
      const { kind, details } = await failureOf(world.generate());
      assert.deepEqual([kind, details.status], ['unexpected-answer', 304]);
    });
  }
});

describe('a request', () => {
  afterEach(endWorlds);

  it("A15: doesn't open a socket to an origin that the token isn't approved for", async () => {
    await withVictim(async (url) => {
      const world = await startWorld();
      await world.generate();
      const moved = await startWorld({
        credentials: {
          authUrl: world.emulator.url,
          serviceUrl: url,
          approved: { auth: world.emulator.url, service: world.emulator.url },
        },
      });
      const { kind, details } = await failureOf(moved.generate());
      assert.deepEqual([kind, details.host], ['host-not-approved', new URL(url).host]);
    });
  });

  it("A15: doesn't open a socket to an origin that the key isn't approved for", async () => {
    await withVictim(async (url) => {
      const { http, credentials } = await startWorld();
      const moved = { ...credentials, authUrl: url };
      assert.equal(await kindOf(fetchToken(http, moved, never)), 'host-not-approved');
    });
  });

  it("isn't sent while NODE_TLS_REJECT_UNAUTHORIZED is 0", async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    const world = await startWorld();
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const { kind, details } = await failureOf(world.generate());
      assert.equal(kind, 'certificate-checks-off');
      assert.deepEqual(details.names, ['NODE_TLS_REJECT_UNAUTHORIZED']);
      assert.deepEqual([world.emulator.requests.length, world.emulator.openConnections], [0, 0]);
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
    await world.generate();
  });

  it("C11: isn't sent to a proxy configured in the environment", async () => {
    await withVictim(async (url) => {
      const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'];
      const before = names.map((name) => process.env[name]);
      for (const name of names) process.env[name] = url;
      try {
        await (await startWorld()).generate();
      } finally {
        names.forEach((name, index) => {
          const value = before[index];
          if (value === undefined) delete process.env[name];
          else process.env[name] = value;
        });
      }
    });
  });
});

describe('a network connection', () => {
  afterEach(endWorlds);

  it('is retried three times if it is refused', async () => {
    const authUrl = `http://127.0.0.1:${CLOSED_PORT}`;
    const world = await startWorld({
      credentials: (url) => ({ authUrl, approved: { auth: authUrl, service: url } }),
    });
    const { kind, details } = await failureOf(world.generate());
    assert.deepEqual([kind, details.code, details.attempts], ['unreachable', 'ECONNREFUSED', 4]);
  });

  it("that is reset after the request has been sent doesn't cause a retry", async () => {
    for (const streams of [false, true]) {
      const world = await startWorld();
      world.emulator.faults.always(pathOf('chat', streams), { resetBeforeHeaders: true });
      const error = await failureOf(world.generate(streams ? { onText: () => {} } : {}));
      assert.deepEqual([error.kind, error.details.attempts], ['connection-lost', 1]);
      assert.ok(isUnreachable(error));
      assert.equal(world.inferenceCount(), 1);
    }
  });

  it('that is reset during a retry causes the service to be marked as unreachable', async () => {
    const world = await startWorld();
    world.emulator.faults.next(chat, { status: 503 });
    world.emulator.faults.next(chat, { resetBeforeHeaders: true });
    const error = await failureOf(world.generate());
    assert.deepEqual([error.kind, error.details.attempts], ['connection-lost', 2]);
    assert.ok(isUnreachable(error));
  });

  it("isn't retried if a plain HTTP proxy resets it after a request", async () => {
    const far = 'http://service.example';
    const approved = { auth: far, service: far };
    const world = await startWorld({ credentials: { serviceUrl: far, approved, authUrl: far } });
    const end = await throughProxy(Number(new URL(world.emulator.url).port), false);
    try {
      world.emulator.faults.always(chat, { resetBeforeHeaders: true });
      const { kind, details } = await failureOf(world.generate());
      assert.deepEqual(
        [kind, details.code, details.attempts, world.inferenceCount()],
        ['connection-lost', 'ECONNRESET', 1, 1],
      );
    } finally {
      await end();
    }
  });

  it('is reused for the next call, even after error responses', async () => {
    const world = await startWorld();
    await world.generate();
    // The body is sent byte by byte, because data that arrives together with the headers is always
    // read.
    const dripping = { status: 503, body: 'x'.repeat(900), oneByteAtATimeMs: 0 };
    world.emulator.faults.next(pathOf('chat', true), dripping, 3);
    await world.generate({ onText: () => {} });
    // Waits until the rest of the stream has been read, which can be after the call returns.
    while (world.limiter.state.inFlight > 0) await new Promise((resolve) => setImmediate(resolve));
    await world.generate();
    assert.equal(new Set(world.emulator.requests.map(({ connection }) => connection)).size, 1);
  });

  it('is closed after an error response that exceeds 64 KiB', async () => {
    const world = await startWorld();
    const body = 'x'.repeat(100_000);
    world.emulator.faults.next(pathOf('chat', true), { status: 503, body }, 4);
    assert.equal(await kindOf(world.generate({ onText: () => {} })), 'server-failed');
    const failed = world.emulator.requests.filter(({ path }) => path !== tokenPath);
    assert.equal(failed.length, 4);
    await Promise.all(failed.map((request) => world.emulator.disconnected(request)));
    assert.deepEqual([world.emulator.openConnections, world.emulator.inFlight.inference], [0, 0]);
  });
});

describe('a request without a final response', () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await endWorlds();
    for (const close of closers.splice(0).reverse()) await close();
  });

  /** Starts a world behind a proxy that accepts connections, but never responds to CONNECT. */
  async function startBehindSilentProxy(options: WorldOptions = {}) {
    const proxy = await startMuteServer(() => {});
    closers.push(await throughProxy(Number(new URL(proxy.url).port)), proxy.close);
    const far = 'https://service.example';
    const world = await startWorld({
      limits: { limit: 1 },
      credentials: { serviceUrl: far, approved: { auth: far, service: far }, authUrl: far },
      ...options,
    });
    return { world, proxy };
  }

  it('C12: ends immediately when the user cancels', async () => {
    // Stops the clock so that no deadline expires.
    const time = new FakeTime();
    try {
      const { world, proxy } = await startBehindSilentProxy();
      const user = new AbortController();
      const ended: string[] = [];
      void kindOf(world.generate({ signal: user.signal })).then((kind) => ended.push(kind));
      await becomes('a connection', () => proxy.connections > 0);
      user.abort();
      await settled();
      assert.deepEqual(ended, ['cancelled']);
    } finally {
      time.end();
    }
  });

  it('C12: fails if no headers arrive before the deadline', async () => {
    const time = new FakeTime();
    try {
      const startMs = 20_000;
      const { world, proxy } = await startBehindSilentProxy({ http: { startMs } });
      const failure = failureOf(world.generate());
      await becomes('a connection', () => proxy.connections > 0);
      await time.pass(startMs);
      const { kind, details } = await failure;
      assert.deepEqual([kind, details.phase, details.attempts], ['unreachable', 'connect', 1]);
    } finally {
      time.end();
    }
  });

  it('C12: opens at most two network connections if a proxy keeps closing them', async () => {
    const proxy = await startMuteServer((socket) => socket.end());
    closers.push(await throughProxy(Number(new URL(proxy.url).port)), proxy.close);
    const far = 'https://service.example';
    const approved = { auth: far, service: far };
    const world = await startWorld({ credentials: { serviceUrl: far, approved, authUrl: far } });
    const { kind, details } = await failureOf(world.generate());
    assert.deepEqual([kind, details.code], ['proxy', 'UND_ERR_PRX_CONN']);
    assert.ok(proxy.connections <= 2, `${proxy.connections} connections`);
  });

  it('fails if the service switches protocols', async () => {
    const world = await startWorld();
    const raw = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n';
    world.emulator.faults.always(chat, { raw });
    assert.equal(await kindOf(world.generate()), 'connection-lost');
  });
});
