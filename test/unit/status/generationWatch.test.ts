import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Generation } from '../../../src/service/api/responseReader.ts';
import { systemClock } from '../../../src/service/clock.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import { SessionHistory } from '../../../src/status/sessionHistory.ts';
import type { StatusItem } from '../../../src/status/statusItem.ts';
import { initialFacts, renderStatus, type StatusFacts } from '../../../src/status/statusView.ts';
import type { Log } from '../../../src/ui/log.ts';
import { FakeEditor, installEditor } from '../connection/fakeEditor.ts';

const NOW = 1_800_000_000_000;
const requests = {
  state: { inFlight: 1, waiting: 0, limit: 8 },
  onDidChange: () => () => {},
};

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
    const status = { update: () => {} } as unknown as StatusItem;
    const log = { debug: () => {} } as unknown as Log;
    const watches = generationWatches({ status, log, history });
    for (const error of [new ServiceError('cancelled'), new ServiceError('timeout'), 'other']) {
      watches({ requests }).onFailed(error);
    }
    const ends = history.generations.map(({ end }) => end);
    assert.deepEqual(ends, ['cancelled', 'failed', 'failed']);
  });

  it('counts down to the next attempt even if the system clock is changed', async () => {
    const { startWatch, words } = await watching();
    mock.timers.enable({ apis: ['Date'], now: NOW });
    try {
      startWatch().onRetry(retryIn(60));
      mock.timers.setTime(NOW - 3_600_000);
      assert.match(words(), /^retrying in (60|59) seconds$/);
    } finally {
      mock.timers.reset();
    }
  });

  it('continues counting down while a second generation receives text and completes', async () => {
    const { startWatch, words } = await watching();
    const streaming = startWatch();
    const waiting = startWatch();
    waiting.onRetry(retryIn(60));
    streaming.onText();
    assert.match(words(), /^retrying in/);
    streaming.onDone(generation);
    assert.match(words(), /^retrying in/);
    waiting.onFailed(new ServiceError('rate-limited'));
    assert.equal(words(), 'not set up');
  });

  it('counts down to the earliest of several attempts', async () => {
    const { startWatch, words } = await watching();
    startWatch();
    assert.equal(words(), 'generating');
    const soon = startWatch();
    soon.onRetry(retryIn(30));
    startWatch().onRetry(retryIn(60));
    assert.match(words(), /^retrying in (30|29) seconds$/);
    soon.onFailed(new ServiceError('rate-limited'));
    assert.match(words(), /^retrying in (60|59) seconds$/);
  });

  it('shows a generation as running once its next attempt starts', async () => {
    const { startWatch, words } = await watching();
    const watch = startWatch();
    watch.onRetry(retryIn(60));
    watch.onRetry(retryIn(0));
    assert.equal(words(), 'generating');
  });

  it('shows the service as reachable once text arrives', async () => {
    const { startWatch, words } = await watching({ isSetUp: true, unreachable: true });
    const watch = startWatch();
    watch.onText();
    watch.onFailed(new ServiceError('cancelled'));
    assert.equal(words(), 'ready, no token yet');
  });

  it('logs each omitted parameter only once', async () => {
    const { startWatch, warnings } = await watching();
    startWatch().onDone({ ...generation, dropped: ['top_k'] });
    startWatch().onDone({ ...generation, dropped: ['top_k'] });
    assert.deepEqual(warnings, [
      'parameter top_k was left out of the request, because the chat operation or the service’s API doesn’t support it',
    ]);
  });
});

/**
 * Returns the logged warnings, a function that starts a watch, and a function that returns the
 * status in words.
 */
async function watching(changes: Partial<StatusFacts> = {}) {
  const { generationWatches } = await import('../../../src/status/generationWatch.ts');
  let facts = { ...initialFacts, ...changes };
  const status = {
    update: (changes: Partial<StatusFacts>) => {
      facts = { ...facts, ...changes };
    },
  } as unknown as StatusItem;
  const warnings: string[] = [];
  const warn = (text: string) => warnings.push(text);
  const log = { info: () => {}, debug: () => {}, warn } as unknown as Log;
  const history = new SessionHistory(systemClock);
  const watches = generationWatches({ status, log, history });
  const startWatch = () => watches({ requests });
  return { startWatch, warnings, words: () => renderStatus(facts, NOW).words };
}

function retryIn(seconds: number) {
  return { retry: 1, waitMs: seconds * 1_000, error: new ServiceError('rate-limited') };
}

const generation: Generation = {
  text: 'Hello',
  toolCalls: [],
  stopReason: 'finished',
  usage: { inputTokens: 1, outputTokens: 1 },
  dropped: [],
  warnings: [],
};
