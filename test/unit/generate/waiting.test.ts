import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { WaitProgress } from '../../../src/generate/waiting.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import { SinkEditor } from '../../contract/leaks/sinkEditor.ts';
import { installEditor } from '../connection/fakeEditor.ts';
import { settled } from '../connection/fakes.ts';

const GENERATING = 'Generating… Esc cancels';
const error = new ServiceError('server-failed', { status: 503 });

describe('the progress of a waiting run', () => {
  let editor = new SinkEditor();
  let hooks: ReturnType<typeof installEditor>;
  let shown: string[];
  let progress: WaitProgress;
  let request: AbortController;
  let nowMs: number;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(async () => {
    editor = new SinkEditor();
    const { WaitProgress: Made } = await import('../../../src/generate/waiting.ts');
    shown = [];
    progress = new Made((message) => shown.push(message));
    request = new AbortController();
    nowMs = 0;
    mock.timers.enable({ apis: ['setTimeout'] });
  });
  afterEach(() => mock.timers.reset());

  const pass = (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      nowMs += 100;
      mock.timers.tick(100);
    }
  };
  const retryIn = (waitMs: number, retry = 1, which = request) => {
    const at = nowMs + waitMs;
    progress.onRetry(which, { retry, waitMs, error }, () => at - nowMs);
  };

  it('counts down the seconds until a retry, and then shows that text is being generated', () => {
    retryIn(2_500);
    pass(3_000);
    assert.deepEqual(shown, [
      'Retrying in 3s (attempt 2 of 4, 503)',
      'Retrying in 2s (attempt 2 of 4, 503)',
      'Retrying in 1s (attempt 2 of 4, 503)',
      GENERATING,
    ]);
  });

  for (const [what, event, last] of [
    ['text arrives', () => progress.onActivity(request), GENERATING],
    ['the request ends', () => progress.onEnd(request), 'Retrying in 9s (attempt 2 of 4, 503)'],
  ] as const) {
    it(`stops the countdown when ${what}`, () => {
      retryIn(9_000);
      event();
      pass(5_000);
      assert.equal(shown.at(-1), last);
    });
  }

  it('counts down to the earliest retry of several requests, then to the next retry', () => {
    const other = new AbortController();
    retryIn(20_000, 2, other);
    retryIn(2_000);
    pass(3_500);
    assert.deepEqual(shown, [
      'Retrying in 20s (attempt 3 of 4, 503)',
      'Retrying in 2s (attempt 2 of 4, 503)',
      'Retrying in 1s (attempt 2 of 4, 503)',
      'Retrying in 18s (attempt 3 of 4, 503)',
      'Retrying in 17s (attempt 3 of 4, 503)',
    ]);
    progress.onActivity(request);
    assert.match(shown.at(-1) ?? '', /^Retrying in 17s/);
    progress.onActivity(other);
    assert.equal(shown.at(-1), GENERATING);
  });

  it('counts down to the end of a pause, or to a retry that is earlier', () => {
    progress.onPause(request, 40_000);
    assert.equal(shown.at(-1), 'Waiting 40s for the service. Esc cancels');
    retryIn(1_500, 1, new AbortController());
    assert.match(shown.at(-1) ?? '', /^Retrying in 2s/);
    progress.onActivity(request);
    assert.match(shown.at(-1) ?? '', /^Retrying in 2s/);
  });

  it('keeps the number of complete responses when a slow response starts or a countdown ends', () => {
    const [slow, retried] = [new AbortController(), new AbortController()];
    const count = 'Generating… 2 of 5 done. Esc cancels';
    progress.onSilence(slow);
    progress.onDone(2, 5);
    progress.onActivity(slow);
    assert.equal(shown.at(-1), count);
    retryIn(1_000, 1, retried);
    assert.match(shown.at(-1) ?? '', /^Retrying in 1s/);
    pass(1_500);
    assert.equal(shown.at(-1), count);
  });

  it("doesn't interrupt a countdown when a response is complete", () => {
    retryIn(2_500);
    progress.onDone(2, 5);
    assert.match(shown.at(-1) ?? '', /^Retrying in 3s/);
    progress.onActivity(request);
    assert.equal(shown.at(-1), 'Generating… 2 of 5 done. Esc cancels');
  });

  const offers = () => editor.textOf('notification').match(/No response for 20 seconds/g) ?? [];

  it('offers only once to retry silent requests, 15 s after the first of them is reported as silent', () => {
    progress.onSilence(request);
    progress.onSilence(new AbortController());
    mock.timers.tick(14_999);
    assert.equal(offers().length, 0);
    mock.timers.tick(1);
    assert.equal(offers().length, 1);
  });

  it('aborts only the silent requests if the user chooses to retry', async () => {
    const [silent, active] = [new AbortController(), new AbortController()];
    editor.button = 'Retry';
    for (const each of [request, silent, active]) progress.onSilence(each);
    progress.onActivity(active);
    pass(15_000);
    await settled();
    assert.deepEqual(
      [request, silent, active].map(({ signal }) => signal.aborted),
      [true, true, false],
    );
  });

  it('aborts no request that became silent after the offer, and offers to retry that request later', async () => {
    const later = new AbortController();
    editor.button = 'Retry';
    const answered = Promise.withResolvers<string>();
    const window = editor.exports()['window'] as object;
    const asked: string[] = [];
    const showWarningMessage = (text: string) => {
      asked.push(text);
      return answered.promise;
    };
    Object.defineProperty(window, 'showWarningMessage', { value: showWarningMessage });
    progress.onSilence(request);
    pass(15_000);
    progress.onActivity(request);
    progress.onSilence(later);
    pass(5_000);
    answered.resolve('Retry');
    await settled();
    assert.deepEqual([request.signal.aborted, later.signal.aborted], [false, false]);
    assert.match(editor.textOf('notification'), /no longer waiting/);
    pass(10_000);
    assert.equal(asked.length, 2);
  });

  for (const [what, event] of [
    ['text or reasoning arrives', () => progress.onActivity(request)],
    ['the request is about to be retried', () => retryIn(30_000)],
    ['the request ends', () => progress.onEnd(request)],
  ] as const) {
    it(`offers no retry if ${what}`, () => {
      progress.onSilence(request);
      event();
      mock.timers.tick(20_000);
      assert.equal(offers().length, 0);
    });
  }

  it('waits 15 s again if a second attempt gets no response', () => {
    progress.onSilence(request);
    mock.timers.tick(10_000);
    retryIn(1_000);
    progress.onSilence(request);
    mock.timers.tick(14_999);
    assert.equal(offers().length, 0);
    mock.timers.tick(1);
    assert.equal(offers().length, 1);
  });
});
