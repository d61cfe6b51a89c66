import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  ConcurrencyLimit,
  type ConcurrencyState,
  type Slot,
} from '../../../../src/service/http/concurrencyLimit.ts';
import { FakeTime, kindOf, never, seed, settled } from '../fixtures.ts';

describe('the concurrency limit', () => {
  let time: FakeTime;
  beforeEach(() => {
    time = new FakeTime();
  });
  afterEach(() => time.end());

  const limiterOf = (limit: number, queue = 50, minIntervalMs = 0) =>
    new ConcurrencyLimit({ limit, queue, minIntervalMs }, time);
  const take = (limiter: ConcurrencyLimit, count: number): Promise<Slot[]> =>
    Promise.all(Array.from({ length: count }, () => limiter.acquire(never)));

  /**
   * Requests a slot for each name, without waiting for the slots. `order` lists the names in the
   * order in which they receive a slot.
   */
  function requestSlots(limiter: ConcurrencyLimit, names: readonly string[]) {
    const order: string[] = [];
    const slots: Slot[] = [];
    for (const name of names) {
      void limiter.acquire(never).then((slot) => {
        order.push(name);
        slots.push(slot);
      });
    }
    return { order, slots };
  }

  it('grants slots in the order in which calls arrive', async () => {
    const { order, slots } = requestSlots(limiterOf(1), ['a', 'b', 'c']);
    for (let served = 1; served <= 3; served += 1) {
      await settled();
      assert.equal(order.length, served, 'one at a time');
      slots.at(-1)?.release('ok');
    }
    assert.deepEqual(order, ['a', 'b', 'c']);
  });

  it('I20: rejects calls while the queue is full', async () => {
    const limiter = limiterOf(2, 3);
    const { slots } = requestSlots(limiter, ['1', '2', '3', '4', '5']);
    assert.equal(await kindOf(limiter.acquire(never)), 'queue-full');
    slots[0]?.release('ok');
    await settled();
    requestSlots(limiter, ['there is room again']);
    assert.deepEqual(limiter.state, { inFlight: 2, waiting: 3, limit: 2 });
  });

  it('I20: puts retries ahead of new calls, even in a full queue', async () => {
    const limiter = limiterOf(1, 2);
    const { order, slots } = requestSlots(limiter, ['first', 'new', 'newer']);
    await settled();
    for (const name of ['back', 'back later']) {
      void limiter.acquire(never, true).then((slot) => {
        order.push(name);
        slots.push(slot);
      });
    }
    assert.equal(await kindOf(limiter.acquire(never)), 'queue-full');
    for (let served = 0; served < 5; served += 1) {
      slots.at(-1)?.release('ok');
      await settled();
    }
    assert.deepEqual(order, ['first', 'back', 'back later', 'new', 'newer']);
  });

  describe('with low-priority calls', () => {
    function queue() {
      const order: string[] = [];
      const slots = new Map<string, Slot>();
      const ask = (name: string, gate: Pick<ConcurrencyLimit, 'acquire'>, hadSlot = false) =>
        void gate.acquire(never, hadSlot).then((slot) => {
          order.push(name);
          slots.set(name, slot);
        });
      return { order, slots, ask };
    }

    for (const [limit, most] of [
      [1, 1],
      [2, 1],
      [3, 2],
      [8, 7],
    ] as const) {
      it(`allows at most ${most} of them at a time if it is ${limit}`, async () => {
        const limiter = limiterOf(limit);
        const { order, ask } = queue();
        for (let count = 0; count < 10; count += 1) ask('loop', limiter.lowPriority);
        await settled();
        assert.equal(order.length, most);
        ask('selection', limiter);
        await settled();
        assert.equal(order.includes('selection'), limit > 1, 'the selection starts at once');
      });
    }

    it('starts a call for a selection before all waiting low-priority calls', async () => {
      const limiter = limiterOf(1);
      const { order, slots, ask } = queue();
      ask('loop', limiter.lowPriority);
      ask('another loop', limiter.lowPriority);
      await settled();
      ask('retry of a loop', limiter.lowPriority, true);
      ask('selection', limiter);
      for (const served of ['loop', 'selection', 'retry of a loop']) {
        slots.get(served)?.release('ok');
        await settled();
      }
      assert.deepEqual(order, ['loop', 'selection', 'retry of a loop', 'another loop']);
    });

    it('allows a call for a selection while the low-priority queue is full', async () => {
      const limiter = limiterOf(1, 2);
      const { order, ask } = queue();
      for (const name of ['a', 'b', 'c']) ask(name, limiter.lowPriority);
      await settled();
      assert.equal(await kindOf(limiter.lowPriority.acquire(never)), 'queue-full');
      ask('selection', limiter);
      await settled();
      assert.deepEqual([order, limiter.state.waiting], [['a'], 3]);
    });

    it("is lowered, and the call's slot freed, when a low-priority call is throttled", async () => {
      const limiter = limiterOf(4);
      const { slots, ask } = queue();
      ask('loop', limiter.lowPriority);
      await settled();
      slots.get('loop')?.release('throttled');
      assert.deepEqual(limiter.state, { inFlight: 0, waiting: 0, limit: 2, loweredFrom: 4 });
      for (const name of ['a', 'b']) ask(name, limiter.lowPriority);
      await settled();
      assert.equal(limiter.state.inFlight, 1);
    });
  });

  it('allows a call that can start immediately, even without a queue', async () => {
    const limiter = limiterOf(1, 0);
    const slot = await limiter.acquire(never);
    assert.equal(await kindOf(limiter.acquire(never)), 'queue-full');
    slot.release('ok');
    await limiter.acquire(never);
  });

  it("doesn't lose a slot if a waiting call is canceled", async () => {
    const limiter = limiterOf(1);
    const [slot] = await take(limiter, 1);
    const leaving = new AbortController();
    const left = kindOf(limiter.acquire(leaving.signal));
    const { order } = requestSlots(limiter, ['next']);
    leaving.abort();
    assert.equal(await left, 'cancelled');
    slot?.release('ok');
    await settled();
    assert.deepEqual(order, ['next']);
    assert.deepEqual(limiter.state, { inFlight: 1, waiting: 0, limit: 1 });
    assert.equal(await kindOf(limiter.acquire(AbortSignal.abort())), 'cancelled');
  });

  it('ignores a second release of the same slot', async () => {
    const limiter = limiterOf(2);
    const [slot] = await take(limiter, 2);
    slot?.release('ok');
    slot?.release('failed');
    assert.equal(limiter.state.inFlight, 1);
  });

  it('halves after a 429, at most once per round trip, down to one', async () => {
    const limiter = limiterOf(8);
    const limits = [];
    for (let round = 0; round < 4; round += 1) {
      const slots = await take(limiter, limiter.state.limit);
      await time.pass(10);
      for (const slot of slots) slot.release('throttled');
      limits.push(limiter.state.limit);
      await time.pass(10);
    }
    assert.deepEqual(limits, [4, 2, 1, 1]);
  });

  it('I22: grows back to its maximum within 2·max² successes, but no further', async () => {
    const limiter = limiterOf(8);
    for (let round = 0; round < 4; round += 1) {
      const [slot] = await take(limiter, 1);
      await time.pass(10);
      slot?.release('throttled');
      await time.pass(10);
    }
    assert.equal(limiter.state.limit, 1);
    let successes = 0;
    for (; limiter.state.limit < 8; successes += 1) (await take(limiter, 1))[0]?.release('ok');
    assert.ok(successes <= 2 * 8 * 8, `${successes}`);
    for (let more = 0; more < 50; more += 1) (await take(limiter, 1))[0]?.release('ok');
    assert.equal(limiter.state.limit, 8);
  });

  it('waits at least minRequestInterval between the starts of consecutive calls', async () => {
    const { order } = requestSlots(limiterOf(3, 50, 200), ['a', 'b', 'c']);
    const seen = [];
    for (let step = 0; step < 4; step += 1) {
      await settled();
      seen.push(order.length);
      await time.pass(step === 0 ? 199 : step === 1 ? 1 : 200);
    }
    assert.deepEqual(seen, [1, 1, 2, 3]);
  });

  const rates: readonly [string, number, number, number][] = [
    ["the service's rate limit", 4, 0, 250],
    ['minRequestInterval if the service allows a higher rate', 4, 400, 400],
    ["the service's rate limit if minRequestInterval is shorter", 2, 400, 500],
  ];
  for (const [what, perSecond, minIntervalMs, expectedMs] of rates) {
    it(`spaces out calls according to ${what}`, async () => {
      const limiter = limiterOf(8, 50, minIntervalMs);
      await take(limiter, 1);
      limiter.applyRateLimit({ perSecond, left: 3 });
      const { order } = requestSlots(limiter, ['a', 'b', 'c']);
      const seen = [];
      for (let step = 0; step < 3; step += 1) {
        await time.pass(expectedMs - 1);
        seen.push(order.length);
        await time.pass(1);
        seen.push(order.length);
      }
      assert.deepEqual(seen, [0, 1, 1, 2, 2, 3]);
    });
  }

  it('stops taking a rate limit into account a minute after the service last reported it', async () => {
    const limiter = limiterOf(8);
    limiter.applyRateLimit({ perSecond: 1, left: 3 });
    await time.pass(30_000);
    limiter.applyRateLimit({ perSecond: 1, left: 3 });
    limiter.applyRateLimit({ perSecond: undefined, left: undefined });
    await time.pass(59_999);
    const { order } = requestSlots(limiter, ['a', 'b', 'c']);
    await settled();
    assert.deepEqual(order, ['a']);
    await time.pass(1_000);
    assert.deepEqual(order, ['a', 'b', 'c']);
  });

  it('lets waiting calls start sooner if the service reports a higher rate limit', async () => {
    const reported: ConcurrencyState['nextStart'][] = [];
    const limiter = new ConcurrencyLimit({ limit: 8, queue: 50, minIntervalMs: 0 }, time);
    limiter.onDidChange(() => reported.push(limiter.state.nextStart));
    limiter.applyRateLimit({ perSecond: 1, left: 3 });
    const { order } = requestSlots(limiter, ['a', 'b']);
    await time.pass(100);
    limiter.applyRateLimit({ perSecond: 2, left: 3 });
    assert.deepEqual(reported.at(-1), { inMs: 400, spacedBy: 'service' });
    await time.pass(399);
    assert.deepEqual(order, ['a']);
    await time.pass(1);
    assert.deepEqual(order, ['a', 'b']);
  });

  it('delays a call by one interval if the rate limit has been reached', async () => {
    const limiter = limiterOf(8);
    const [slot] = await take(limiter, 1);
    await time.pass(5_000);
    limiter.applyRateLimit({ perSecond: 2, left: 0 });
    slot?.release('ok');
    const { order } = requestSlots(limiter, ['a']);
    await time.pass(499);
    assert.deepEqual(order, []);
    await time.pass(1);
    assert.deepEqual(order, ['a']);
  });

  it('ignores a missing or zero rate limit', async () => {
    const limiter = limiterOf(8);
    limiter.applyRateLimit({ perSecond: undefined, left: undefined });
    limiter.applyRateLimit({ perSecond: 0, left: 0 });
    assert.equal((await take(limiter, 8)).length, 8);
  });

  it('reports its state only when something changes, not periodically', async () => {
    const reported: ConcurrencyState[] = [];
    const limiter = new ConcurrencyLimit({ limit: 2, queue: 50, minIntervalMs: 0 }, time);
    limiter.onDidChange(() => reported.push(limiter.state));
    const [slot] = await take(limiter, 2);
    await time.pass(10);
    slot?.release('throttled', 8_000);
    const lowered = { waiting: 0, limit: 1, loweredFrom: 2, resumesInMs: 8_000 };
    assert.deepEqual(reported, [
      { inFlight: 1, waiting: 0, limit: 2 },
      { inFlight: 2, waiting: 0, limit: 2 },
      { inFlight: 1, ...lowered },
    ]);
    const leaving = new AbortController();
    const left = kindOf(limiter.acquire(leaving.signal));
    leaving.abort();
    assert.equal(await left, 'cancelled');
    assert.deepEqual(reported.slice(3), [
      { inFlight: 1, ...lowered, waiting: 1 },
      { inFlight: 1, ...lowered },
    ]);
    await time.pass(60_000);
    assert.equal(reported.length, 5, 'time alone changes nothing that is reported');
    assert.equal('resumesInMs' in limiter.state, false);
  });

  it('reports how soon the next call can start, and what is delaying it', async () => {
    const limiter = new ConcurrencyLimit({ limit: 3, queue: 50, minIntervalMs: 10_000 }, time);
    requestSlots(limiter, ['a', 'b']);
    await time.pass(4_000);
    const nextStart = () => limiter.state.nextStart;
    assert.deepEqual(nextStart(), { inMs: 6_000, spacedBy: 'setting' });
    await time.pass(6_000);
    assert.equal(nextStart(), undefined, 'no call waits');
    limiter.configure({ limit: 3, queue: 50, minIntervalMs: 0 });
    limiter.applyRateLimit({ perSecond: 1, left: 5 });
    requestSlots(limiter, ['c']);
    assert.deepEqual(nextStart(), { inMs: 1_000, spacedBy: 'service' });
    limiter.configure({ limit: 2, queue: 50, minIntervalMs: 0 });
    assert.equal(nextStart(), undefined, 'the call waits for another call to end, not for a time');
  });

  it('reports the start of a delayed call', async () => {
    const reported: number[] = [];
    const limiter = new ConcurrencyLimit({ limit: 2, queue: 50, minIntervalMs: 100 }, time);
    limiter.onDidChange(() => reported.push(limiter.state.inFlight));
    requestSlots(limiter, ['a', 'b']);
    await time.pass(100);
    assert.deepEqual(reported, [1, 1, 2]);
  });

  for (const outcome of ['throttled', 'failed'] as const) {
    it(`after a ${outcome} call, delays the next call by the requested time`, async () => {
      const limiter = limiterOf(2);
      const [first] = await take(limiter, 1);
      first?.release(outcome, 5_000);
      const { order } = requestSlots(limiter, ['a']);
      await time.pass(4_999);
      assert.deepEqual(order, []);
      await time.pass(1);
      assert.deepEqual(order, ['a']);
    });
  }

  it('delays calls for the full 2 minutes that the service requests', async () => {
    const limiter = limiterOf(2);
    const [first] = await take(limiter, 1);
    first?.release('throttled', 120_000);
    const { order } = requestSlots(limiter, ['a']);
    await time.pass(119_999);
    assert.deepEqual(order, []);
    await time.pass(1);
    assert.deepEqual(order, ['a']);
  });

  for (const pauseMs of [181_000, 3_000_000_000, Number.MAX_SAFE_INTEGER]) {
    it(`shortens a requested pause of ${pauseMs} ms to at most 3 minutes`, async () => {
      const limiter = limiterOf(2);
      const [first] = await take(limiter, 1);
      first?.release('throttled', pauseMs);
      const { order } = requestSlots(limiter, ['a']);
      await time.pass(180_000);
      assert.deepEqual(order, ['a']);
    });
  }

  it(`is never exceeded, and no slot is lost, in random sequences of calls (seed ${seed})`, async () => {
    const action = fc.oneof(
      { weight: 3, arbitrary: fc.constant('acquire' as const) },
      fc.constantFrom('leave', 'ok', 'throttled', 'failed', 'pause', 'rate limit', 'pass'),
    );
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.tuple(action, fc.nat(9)), { maxLength: 60 }),
      async (limit, actions) => {
        const limiter = limiterOf(limit, 20, 5);
        const held: Slot[] = [];
        const leaving: AbortController[] = [];
        let settledCalls = 0;
        let calls = 0;
        for (const [action, number] of actions) {
          if (action === 'acquire') {
            const leaver = new AbortController();
            leaving.push(leaver);
            calls += 1;
            const hold = (slot: Slot) => held.push(slot);
            void limiter
              .acquire(leaver.signal)
              .then(hold, () => {})
              .finally(() => {
                settledCalls += 1;
              });
          } else if (action === 'leave') leaving[number]?.abort();
          else if (action === 'rate limit')
            limiter.applyRateLimit({ perSecond: 1 + number, left: number });
          else if (action === 'pass') await time.pass(number * 10);
          else
            held
              .splice(number, 1)[0]
              ?.release(action === 'pause' ? 'throttled' : action, action === 'pause' ? 500 : 0);
          await settled();
          assert.ok(limiter.state.inFlight <= limit);
          assert.equal(limiter.state.inFlight, held.length, 'each slot has a holder');
        }
        for (let turns = 0; settledCalls < calls || held.length > 0; turns += 1) {
          assert.ok(turns < 200, 'a call waits forever');
          held.shift()?.release('ok');
          await time.pass(1_000);
        }
        assert.deepEqual([limiter.state.inFlight, limiter.state.waiting], [0, 0]);
      },
    );
    await fc.assert(property, { seed, numRuns: 150 });
  });

  it('can be changed without affecting calls in progress', async () => {
    const limiter = limiterOf(1);
    const { order } = requestSlots(limiter, ['a', 'b', 'c']);
    limiter.configure({ limit: 2, queue: 50, minIntervalMs: 0 });
    await settled();
    assert.deepEqual(order, ['a', 'b']);
    limiter.configure({ limit: 1, queue: 50, minIntervalMs: 0 });
    assert.deepEqual(limiter.state, { inFlight: 2, waiting: 1, limit: 1 });
  });
});
