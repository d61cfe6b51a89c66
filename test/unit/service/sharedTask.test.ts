import assert from 'node:assert/strict';
import { SharedTask } from '../../../src/service/sharedTask.ts';
import { kindOf, never, settled } from './fixtures.ts';

describe('a shared task', () => {
  const start = () => {
    const work = Promise.withResolvers<string>();
    const ends: boolean[] = [];
    let ended: AbortSignal = never;
    const task = new SharedTask(
      (signal) => {
        ended = signal;
        return work.promise;
      },
      (isAbandoned) => ends.push(isAbandoned),
    );
    return { task, work, ends, isAborted: () => ended.aborted };
  };

  it('returns the same result to all callers, and ends when the result arrives', async () => {
    const { task, work, ends } = start();
    const waiting = [task.wait(never), task.wait(never)];
    work.resolve('result');
    assert.deepEqual(await Promise.all(waiting), ['result', 'result']);
    assert.deepEqual(ends, [false]);
  });

  it('runs until the last caller stops waiting', async () => {
    const { task, ends, isAborted } = start();
    const [one, other] = [new AbortController(), new AbortController()];
    const waiting = [task.wait(one.signal), task.wait(other.signal)];
    one.abort();
    assert.equal(await kindOf(waiting[0] as Promise<string>), 'cancelled');
    assert.deepEqual([ends, isAborted()], [[], false]);
    other.abort();
    assert.equal(await kindOf(waiting[1] as Promise<string>), 'cancelled');
    assert.deepEqual([ends, isAborted()], [[true], true]);
  });

  it("doesn't end a second time if its result arrives after callers have stopped waiting", async () => {
    const { task, work, ends } = start();
    const cancel = new AbortController();
    const waiting = kindOf(task.wait(cancel.signal));
    cancel.abort();
    assert.equal(await waiting, 'cancelled');
    work.resolve('too late');
    await settled();
    assert.deepEqual(ends, [true]);
  });
});
