import assert from 'node:assert/strict';
import { ModelCache } from '../../../../src/service/models/modelCache.ts';
import type { ModelSource } from '../../../../src/service/models/models.ts';
import { FakeTime, ibm } from '../fixtures.ts';
import { modelOf } from '../modelFixtures.ts';

const from: ModelSource = { vendor: ibm, serviceUrl: 'https://a.example', operation: 'chat' };
const minutesMs = 60_000;

describe('what is known about models', () => {
  let time: FakeTime;
  let cache: ModelCache;
  beforeEach(() => {
    time = new FakeTime();
    cache = new ModelCache(time);
    cache.keep(from, [modelOf({ id: 'one' }), modelOf({ id: 'two' })]);
  });
  afterEach(() => time.end());

  it('is known for an hour, also one that the machine slept through', async () => {
    await time.pass(59 * minutesMs);
    assert.equal(cache.peek(from, 'two')?.id, 'two');
    time.sleep(2 * minutesMs);
    assert.equal(cache.peek(from, 'two'), undefined);
  });

  it('is known of the service, the operation and the model that it was said of', () => {
    assert.equal(cache.peek(from, 'three'), undefined);
    assert.equal(cache.peek({ ...from, operation: 'generation' }, 'one'), undefined);
    assert.equal(cache.peek({ ...from, serviceUrl: 'https://b.example' }, 'one'), undefined);
  });

  it('is what was said last, and nothing once it is forgotten', () => {
    cache.keep(from, [modelOf({ id: 'one', label: 'new' })]);
    assert.equal(cache.peek(from, 'one')?.label, 'new');
    cache.clear();
    assert.equal(cache.peek(from, 'one'), undefined);
  });
});
