import assert from 'node:assert/strict';
import { TokenService } from '../../../../src/service/auth/tokenService.ts';
import { FakeTime, never, settled, tokenAnswer } from '../fixtures.ts';
import { down, MINUTE } from '../tokens.ts';

describe('an on-demand token', () => {
  let time: FakeTime;
  beforeEach(() => {
    time = new FakeTime();
  });
  afterEach(() => time.end());

  /** Creates a token service whose tokens are valid for an hour, and counts its token requests. */
  function start(isOnDemand = true) {
    let runs = 0;
    let failure: Error | undefined;
    const service = new TokenService({
      isOnDemand,
      clock: time,
      random: () => 0,
      fetchToken: async () => {
        runs += 1;
        if (failure) throw failure;
        return { ...tokenAnswer, value: `token-${runs}` };
      },
    });
    return {
      service,
      runs: () => runs,
      fail: (error: Error) => {
        failure = error;
      },
    };
  }

  it('is requested only once for two successive calls', async () => {
    const { service, runs } = start();
    const [first, second] = [await service.get(never), await service.get(never)];
    assert.equal(first, second);
    assert.equal(runs(), 1);
  });

  it("isn't replaced in the background, even shortly before it expires", async () => {
    const { service, runs } = start();
    const other = start(false);
    for (const one of [service, other.service]) await one.get(never);
    await time.pass(59 * MINUTE);
    for (const one of [service, other.service]) {
      assert.equal((await one.get(never)).value, 'token-1');
      one.keepFresh();
    }
    await settled();
    assert.deepEqual([runs(), other.runs()], [1, 2]);
  });

  it("isn't replaced by keepFresh, even after it has expired", async () => {
    const { service, runs } = start();
    service.keepFresh();
    await service.get(never);
    for (let minute = 0; minute < 90; minute += 1) {
      await time.pass(MINUTE);
      service.keepFresh();
      await settled();
    }
    assert.equal(runs(), 1);
    assert.equal(service.state.kind, 'expired');
  });

  it("doesn't have a refresh time", async () => {
    const { service } = start();
    await service.get(never);
    const { state } = service;
    assert.ok(state.kind === 'valid');
    assert.equal(state.refreshesAt, Number.POSITIVE_INFINITY);
  });

  it('is replaced on the first use after it expires', async () => {
    const { service, runs } = start();
    await service.get(never);
    await time.pass(60 * MINUTE);
    assert.equal((await service.get(never)).value, 'token-2');
    assert.equal(runs(), 2);
  });

  it("that is rejected can't be replaced until the token is a minute old", async () => {
    const { service } = start();
    const token = await service.get(never);
    await time.pass(MINUTE - 1);
    assert.equal(service.canReplace(token), false);
    await time.pass(1);
    assert.equal(service.canReplace(token), true);
    service.drop(token);
    const next = await service.get(never);
    assert.equal(service.canReplace(next), false);
    // A call that used the first token can use the next token without running the command again.
    assert.equal(service.canReplace(token), true);
    const { service: other } = start(false);
    assert.equal(other.canReplace(await other.get(never)), true, 'not on demand');
  });

  it('is reused by connection checks until it is a minute old', async () => {
    const { service, runs } = start();
    const other = start(false);
    for (const [passed, ownRuns, otherRuns] of [
      [0, 1, 1],
      [MINUTE - 1, 1, 2],
      [1, 2, 3],
    ] as const) {
      await time.pass(passed);
      for (const one of [service, other.service]) await one.prove(never);
      assert.deepEqual([runs(), other.runs()], [ownRuns, otherRuns]);
    }
  });

  it('can be refreshed by the user right away', async () => {
    const { service, runs } = start();
    await service.get(never);
    await service.refresh(never);
    assert.equal(runs(), 2);
  });

  it('is requested only once for concurrent calls, even if the request fails', async () => {
    const { service, runs, fail } = start();
    fail(down);
    const ends = await Promise.allSettled(Array.from({ length: 20 }, () => service.get(never)));
    assert.ok(ends.every(({ status }) => status === 'rejected'));
    assert.equal(runs(), 1);
  });
});
