import assert from 'node:assert/strict';
import { activeResources } from '../../activeResources.ts';
import { type Fault, gate } from '../../emulator/faults.ts';
import { FakeTime } from '../../unit/service/fixtures.ts';
import { becomes } from '../../vscode/deadline.ts';
import { lineTo } from './line.ts';
import { WatchedFetch } from './watchedFetch.ts';
import { endWorlds, kindOf, pathOf, startWorld, type World } from './world.ts';

const chat = pathOf('chat', false);
const chatStream = pathOf('chat', true);
const streamed = { onText: () => {} };
/** The time after which a request without a response is reported as silent, in milliseconds. */
const SILENT_MS = 5_000;
/**
 * Milliseconds until the call returns and until the connection is closed, for a response that
 * doesn't end after its last event.
 */
const [UNSEEN_MS, REST_MS] = [50, 1_000];

/** Waits until the rest of each response has been read, which can be after the call returns. */
function atRest({ limiter }: World): Promise<void> {
  return becomes('the end of all requests', () => limiter.state.inFlight === 0);
}

const connectionsOf = ({ emulator }: World) =>
  new Set(emulator.requests.map(({ connection }) => connection)).size;

describe('a network connection to the service', () => {
  const closers: (() => void)[] = [];
  let time: FakeTime | undefined;
  afterEach(async () => {
    time?.end();
    await endWorlds();
    for (const close of closers.splice(0)) close();
  });

  async function startOnLine() {
    const outer = await startWorld();
    const line = await lineTo(outer.emulator.url);
    closers.push(line.close);
    const { url } = line;
    const credentials = { authUrl: url, serviceUrl: url, approved: { auth: url, service: url } };
    const world = await startWorld({
      emulator: { apiKeys: [] },
      credentials: { ...credentials, apiKey: outer.credentials.apiKey },
    });
    return { world, line, service: outer };
  }

  for (const [how, options] of [
    ['not streamed', {}],
    ['streamed', streamed],
  ] as const) {
    it(`serves 20 consecutive generations, and leaves no timers behind (${how})`, async () => {
      const world = await startWorld();
      let before = Number.POSITIVE_INFINITY;
      for (let count = 0; count < 20; count += 1) {
        await world.generate(options);
        await atRest(world);
        before = Math.min(before, activeResources('Timeout'));
      }
      assert.equal(connectionsOf(world), 1);
      assert.ok(
        activeResources('Timeout') <= before,
        `${activeResources('Timeout') - before} timers are left`,
      );
    });
  }

  it('is reused, so the concurrency limit also limits the number of connections', async () => {
    const world = await startWorld({ limits: { limit: 3 } });
    await Promise.all(Array.from({ length: 10 }, () => world.generate(streamed)));
    assert.ok(connectionsOf(world) <= 3, `${connectionsOf(world)} connections`);
  });

  for (const fault of [
    { status: 401, body: 'x'.repeat(9_000) },
    { status: 429, body: 'x'.repeat(9_000) },
    { status: 503, body: 'x'.repeat(9_000) },
  ]) {
    it(`is kept open after a response with status ${fault.status}`, async () => {
      const world = await startWorld();
      world.emulator.faults.next(chatStream, fault);
      await world.generate(streamed);
      await atRest(world);
      await world.generate();
      assert.equal(connectionsOf(world), 1);
    });
  }

  it('is kept open after an error event or an HTML response', async () => {
    const world = await startWorld();
    const error = { errors: [{ code: 'x', message: '' }], status_code: 500 };
    const faults: Fault[] = [
      {
        headers: { 'content-type': 'text/event-stream' },
        body: `data: ${JSON.stringify(error)}\n\n`,
      },
      { headers: { 'content-type': 'text/html' }, body: '<html>' },
    ];
    for (const fault of faults) {
      world.emulator.faults.next(chatStream, fault);
      await kindOf(world.generate(streamed));
      await atRest(world);
    }
    await world.generate();
    assert.equal(connectionsOf(world), 1);
  });

  it("is closed if a response doesn't end within 1 s of its last event", async () => {
    time = new FakeTime();
    const watched = new WatchedFetch();
    const world = await startWorld({
      ...{ clock: time, limits: { limit: 1 } },
      http: { fetch: watched.fetch },
    });
    await world.generate(streamed);
    await atRest(world);
    const wholeLength = watched.bytes(chatStream);
    world.emulator.faults.next(chatStream, { silentAfterBytes: wholeLength });
    const generation = world.generate(streamed);
    const open = await world.emulator.requestCount(chatStream, 2);
    await becomes('the bytes to be read', () => watched.bytes(chatStream) === 2 * wholeLength);
    const texts: string[] = [];
    void generation.then(({ text }) => texts.push(text));
    await time.pass(UNSEEN_MS);
    assert.equal(texts.length, 1, "the text doesn't wait for the end of the response");
    const next = world.generate();
    await time.pass(REST_MS - UNSEEN_MS - 1);
    assert.deepEqual(world.limiter.state, { inFlight: 1, waiting: 1, limit: 1 });
    await time.pass(1);
    await next;
    assert.notEqual(world.emulator.requests.at(-1)?.connection, open.connection);
    await world.emulator.disconnected(open);
  });

  it('stays in use until the response is read completely, even after an error', async () => {
    const world = await startWorld({ limits: { limit: 1 } });
    const error = { errors: [{ code: 'x', message: '' }], status_code: 500 };
    const held = gate();
    world.emulator.faults.next(chatStream, {
      headers: { 'content-type': 'text/event-stream' },
      chunks: [
        { bytes: `data: ${JSON.stringify(error)}\n\n` },
        { bytes: ': the end\n\n', hold: held.opened },
      ],
    });
    assert.equal(await kindOf(world.generate(streamed)), 'server-failed');
    assert.equal(world.limiter.state.inFlight, 1);
    held.open();
    await atRest(world);
    await world.generate();
    assert.equal(connectionsOf(world), 1);
  });

  for (const how of ['close', 'reset'] as const) {
    it(`that was ${how === 'close' ? 'closed' : 'reset'} while idle doesn't cause a request to fail`, async () => {
      const { world, line, service } = await startOnLine();
      for (let count = 0; count < 20; count += 1) {
        await world.generate(count % 2 === 0 ? {} : streamed);
        await atRest(world);
        line.cut(how);
      }
      assert.equal(service.inferenceCount(), 20, 'each request was sent once');
    });
  }

  it('makes the request fail without a retry if reset mid-request', async () => {
    const { world, line, service } = await startOnLine();
    await world.generate();
    service.emulator.faults.next(chat, { neverAnswers: true });
    const call = kindOf(world.generate());
    await service.emulator.requestCount(chat, 2);
    line.cut('reset');
    assert.equal(await call, 'connection-lost');
    assert.equal(service.inferenceCount(), 2);
    await world.generate();
  });

  it("that stalls is reported and isn't used for the next request", async () => {
    time = new FakeTime();
    const { world, line, service } = await startOnLine();
    await world.generate();
    line.swallow();
    const user = new AbortController();
    let silences = 0;
    const onSilence = () => {
      silences += 1;
    };
    const call = kindOf(world.generate({ signal: user.signal, onSilence }));
    await becomes('a running request', () => world.limiter.state.inFlight === 1);
    await time.pass(SILENT_MS - 1);
    assert.equal(silences, 0);
    await time.pass(1);
    assert.equal(silences, 1);
    user.abort();
    assert.equal(await call, 'cancelled');
    const before = service.emulator.count(chat);
    await world.generate();
    assert.equal(service.emulator.count(chat), before + 1);
  });
});
