import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Throttle } from '../../src/settings.ts';
import { FakeEditor, installEditor } from './credentials/fakeEditor.ts';

const hooks = installEditor(() => new FakeEditor());
const settings = await import('../../src/settings.ts');
hooks.deregister();

describe('the throttle of events about settings', () => {
  let done: number;
  let throttle: Throttle;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    done = 0;
    throttle = new settings.Throttle(100, () => {
      done += 1;
    });
  });
  afterEach(() => mock.timers.reset());
  const ask = (times: number) => {
    for (let asked = 0; asked < times; asked += 1) throttle.ask();
  };

  it('works at once, and once more for all that is asked meanwhile', () => {
    ask(1_000);
    assert.equal(done, 1);
    mock.timers.tick(99);
    assert.equal(done, 1);
    mock.timers.tick(1);
    assert.equal(done, 2);
  });

  it('works at once again after a while in which nothing was asked', () => {
    ask(1);
    mock.timers.tick(100);
    ask(1);
    assert.equal(done, 2);
  });

  it('works at most once in that while, however long it is asked', () => {
    for (let ms = 0; ms < 1_000; ms += 1) {
      ask(3);
      mock.timers.tick(1);
    }
    assert.equal(done, 11);
  });

  it('does nothing more once it is disposed of', () => {
    ask(2);
    throttle.dispose();
    mock.timers.tick(1_000);
    assert.equal(done, 1);
  });
});
