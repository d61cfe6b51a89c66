import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { systemClock } from '../../../src/service/clock.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import { SessionHistory } from '../../../src/status/sessionHistory.ts';
import type { StatusItem } from '../../../src/status/statusItem.ts';
import { initialFacts, renderStatus, type StatusFacts } from '../../../src/status/statusView.ts';
import type { Log } from '../../../src/ui/log.ts';
import { FakeEditor, installEditor } from '../connection/fakeEditor.ts';

describe('a generation watch', () => {
  const editor = new FakeEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());

  it('distinguishes canceled generations from failed generations', async () => {
    const { generationWatches } = await import('../../../src/status/generationWatch.ts');
    const history = new SessionHistory(systemClock);
    const status = { facts: initialFacts, update: () => {} } as unknown as StatusItem;
    const log = { debug: () => {} } as unknown as Log;
    const watches = generationWatches({ status, log, history });
    for (const error of [new ServiceError('cancelled'), new ServiceError('timeout'), 'other']) {
      watches().onFailed(error);
    }
    const ends = history.generations.map(({ end }) => end);
    assert.deepEqual(ends, ['cancelled', 'failed', 'failed']);
  });

  it('counts down to the next attempt even if the system clock is changed', async () => {
    const { generationWatches } = await import('../../../src/status/generationWatch.ts');
    let facts = initialFacts;
    const status = {
      get facts() {
        return facts;
      },
      update: (changes: Partial<StatusFacts>) => {
        facts = { ...facts, ...changes };
      },
    } as unknown as StatusItem;
    const log = { info: () => {} } as unknown as Log;
    const watch = generationWatches({ status, log, history: new SessionHistory(systemClock) })();
    const now = 1_800_000_000_000;
    mock.timers.enable({ apis: ['Date'], now });
    try {
      watch.onRetry({ retry: 1, waitMs: 60_000, error: new ServiceError('rate-limited') });
      mock.timers.setTime(now - 3_600_000);
      assert.match(renderStatus(facts, now - 3_600_000).words, /^retrying in (60|59) seconds$/);
    } finally {
      mock.timers.reset();
    }
  });
});
