import assert from 'node:assert/strict';
import { systemClock } from '../../src/service/clock.ts';
import { ServiceError } from '../../src/service/errors.ts';
import type { Log } from '../../src/ui/log.ts';
import { Recent } from '../../src/ui/recent.ts';
import type { StatusItem } from '../../src/ui/statusItem.ts';
import { initialFacts } from '../../src/ui/statusView.ts';
import { FakeEditor, installEditor } from './credentials/fakeEditor.ts';

describe('the watch of a generation', () => {
  const editor = new FakeEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());

  it('tells one that the user cancelled from one that failed', async () => {
    const { generationWatches } = await import('../../src/ui/generationWatch.ts');
    const recent = new Recent(systemClock);
    const status = { facts: initialFacts, update: () => {} } as unknown as StatusItem;
    const log = { debug: () => {} } as unknown as Log;
    const watches = generationWatches(status, log, recent);
    for (const error of [new ServiceError('cancelled'), new ServiceError('timeout'), 'other']) {
      watches().onFailed(error);
    }
    const ends = recent.generations.map(({ end }) => end);
    assert.deepEqual(ends, ['cancelled', 'failed', 'failed']);
  });
});
