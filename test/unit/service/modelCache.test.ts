import assert from 'node:assert/strict';
import { ServiceError } from '../../../src/service/errors.ts';
import { ModelCache } from '../../../src/service/modelCache.ts';
import type { ModelList } from '../../../src/service/modelList.ts';
import type { ModelSource } from '../../../src/service/models.ts';
import { FakeTime, failureOf, ibm, kindOf, never, settled } from './fixtures.ts';
import { modelOf } from './modelFixtures.ts';

const from: ModelSource = { vendor: ibm, serviceUrl: 'https://a.example', operation: 'chat' };
const minutesMs = 60_000;

describe('the cache of model lists', () => {
  let time: FakeTime;
  beforeEach(() => {
    time = new FakeTime();
  });
  afterEach(() => time.end());

  /** Answers each flight when the test says so. */
  function start() {
    const flights: {
      readonly from: ModelSource;
      readonly signal: AbortSignal;
      readonly answer: (models: ModelList) => void;
      readonly fail: (error: ServiceError) => void;
    }[] = [];
    const cache = new ModelCache((asked, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<ModelList>();
      flights.push({ from: asked, signal, answer: resolve, fail: reject });
      return promise;
    }, time);
    return { cache, flights };
  }

  const list = (id: string) => ({ models: [modelOf({ id })], hasMore: false });

  it('asks once an hour for each service and operation', async () => {
    const { cache, flights } = start();
    const first = cache.get(from, never);
    flights[0]?.answer(list('one'));
    assert.deepEqual(await first, list('one'));
    await time.pass(59 * minutesMs);
    assert.deepEqual(await cache.get(from, never), list('one'));
    assert.equal(flights.length, 1);
    void cache.get({ ...from, operation: 'generation' }, never);
    void cache.get({ ...from, serviceUrl: 'https://b.example' }, never);
    assert.equal(flights.length, 3);
    await time.pass(minutesMs);
    void cache.get(from, never);
    assert.equal(flights.length, 4);
  });

  it('is as old as the clock that went further says', async () => {
    const { cache, flights } = start();
    const first = cache.get(from, never);
    flights[0]?.answer(list('one'));
    await first;
    time.setWall(-120 * minutesMs);
    await cache.get(from, never);
    assert.equal(flights.length, 1);
    time.sleep(181 * minutesMs);
    void cache.get(from, never);
    assert.equal(flights.length, 2);
  });

  it('shares one flight, which goes on while anybody waits', async () => {
    const { cache, flights } = start();
    const impatient = new AbortController();
    const one = kindOf(cache.get(from, impatient.signal));
    const two = cache.refresh(from, never);
    impatient.abort();
    assert.equal(await one, 'cancelled');
    assert.deepEqual([flights.length, flights[0]?.signal.aborted], [1, false]);
    flights[0]?.answer(list('one'));
    assert.deepEqual(await two, list('one'));
  });

  it('gives up a flight that nobody waits for, and starts another', async () => {
    const { cache, flights } = start();
    const controller = new AbortController();
    const gone = kindOf(cache.get(from, controller.signal));
    controller.abort();
    assert.equal(await gone, 'cancelled');
    assert.equal(flights[0]?.signal.aborted, true);
    void cache.get(from, never);
    assert.equal(flights.length, 2);
    assert.equal(await kindOf(cache.get(from, controller.signal)), 'cancelled');
  });

  it('keeps no failure, and the list that came before it', async () => {
    const { cache, flights } = start();
    const failed = failureOf(cache.get(from, never));
    flights[0]?.fail(new ServiceError('server-failed'));
    assert.equal((await failed).kind, 'server-failed');
    const second = cache.get(from, never);
    flights[1]?.answer(list('one'));
    await second;
    const third = kindOf(cache.refresh(from, never));
    flights[2]?.fail(new ServiceError('offline'));
    assert.equal(await third, 'offline');
    assert.deepEqual(await cache.get(from, never), list('one'));
  });

  it('shows a person the list of this moment, and keeps it', async () => {
    const { cache, flights } = start();
    const old = cache.get(from, never);
    flights[0]?.answer(list('old'));
    await old;
    const fresh = cache.refresh(from, never);
    flights[1]?.answer(list('new'));
    assert.deepEqual(await fresh, list('new'));
    assert.deepEqual(await cache.get(from, never), list('new'));
    assert.equal(flights.length, 2);
  });

  it('finds one model, or asks for that one alone where the list does not hold it', async () => {
    const { cache, flights } = start();
    const patience = { signal: never, patienceMs: 500 };
    const found = cache.find(from, 'one', patience);
    flights[0]?.answer(list('one'));
    assert.equal((await found)?.id, 'one');
    const withdrawn = cache.find(from, 'old', patience);
    await settled();
    assert.deepEqual(flights[1]?.from, { ...from, modelId: 'old' });
    flights[1]?.answer(list('old'));
    assert.equal((await withdrawn)?.id, 'old');
    const unknown = cache.find(from, 'deployment', patience);
    await settled();
    flights[2]?.answer({ models: [], hasMore: false });
    assert.equal(await unknown, undefined);
    for (const id of ['one', 'old', 'deployment']) await cache.find(from, id, patience);
    assert.equal(flights.length, 3, 'kept as the list is');
    assert.deepEqual(
      ['one', 'old', 'deployment'].map((id) => cache.peek(from, id)?.id),
      ['one', 'old', undefined],
    );
    await time.pass(60 * minutesMs);
    assert.equal(cache.peek(from, 'one'), undefined);
  });

  it('asks nobody to be patient again for a few minutes after it was in vain', async () => {
    const { cache, flights } = start();
    const patience = { signal: never, patienceMs: 500 };
    const find = () => cache.find(from, 'one', patience);
    const waiting = [find(), find(), find()];
    await time.pass(500);
    assert.deepEqual(await Promise.all(waiting), [undefined, undefined, undefined]);
    assert.equal(await find(), undefined, 'at once');
    flights[0]?.fail(new ServiceError('offline'));
    await settled();
    assert.equal(await find(), undefined);
    assert.equal(flights.length, 1);
    await time.pass(5 * minutesMs);
    const later = find();
    flights[1]?.answer(list('one'));
    assert.equal((await later)?.id, 'one');
    assert.equal((await find())?.id, 'one');
    assert.equal(flights.length, 2);
  });

  it('takes up again what a person has got in between', async () => {
    const { cache, flights } = start();
    const patience = { signal: never, patienceMs: 500 };
    const failed = cache.find(from, 'one', patience);
    flights[0]?.fail(new ServiceError('offline'));
    assert.equal(await failed, undefined);
    const refreshed = cache.refresh(from, never);
    flights[1]?.answer(list('one'));
    await refreshed;
    const old = cache.find(from, 'old', patience);
    await settled();
    flights[2]?.answer(list('old'));
    assert.equal((await old)?.id, 'old');
  });

  it('keeps nobody waiting beyond their patience, but keeps the list that comes later', async () => {
    const { cache, flights } = start();
    const found = cache.find(from, 'one', { signal: never, patienceMs: 500 });
    await time.pass(500);
    assert.equal(await found, undefined);
    assert.equal(flights[0]?.signal.aborted, false);
    flights[0]?.answer(list('one'));
    await settled();
    const patience = { signal: never, patienceMs: 0 };
    assert.equal((await cache.find(from, 'one', patience))?.id, 'one');
  });

  it('finds nothing where the service fails, without failing itself', async () => {
    const { cache, flights } = start();
    const found = cache.find(from, 'one', { signal: never, patienceMs: 500 });
    flights[0]?.fail(new ServiceError('certificate'));
    assert.equal(await found, undefined);
    await time.pass(5 * minutesMs);
    const late = cache.find(from, 'one', { signal: never, patienceMs: 500 });
    await time.pass(500);
    flights[1]?.fail(new ServiceError('certificate'));
    assert.equal(await late, undefined);
  });

  it('lets a search be cancelled, also before it begins', async () => {
    const { cache, flights } = start();
    const controller = new AbortController();
    const patience = { signal: controller.signal, patienceMs: 500 };
    const found = kindOf(cache.find(from, 'one', patience));
    controller.abort();
    assert.equal(await found, 'cancelled');
    assert.equal(await kindOf(cache.find(from, 'one', patience)), 'cancelled');
    assert.deepEqual([flights.length, flights[0]?.signal.aborted], [1, true]);
  });

  it('ends with what is under way', async () => {
    const { cache, flights } = start();
    void cache.get(from, never);
    cache.dispose();
    assert.equal(flights[0]?.signal.aborted, true);
    flights[0]?.answer(list('one'));
    await settled();
    void cache.get(from, never);
    assert.equal(flights.length, 2);
  });
});
