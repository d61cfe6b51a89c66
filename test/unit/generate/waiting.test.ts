import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { DecorationOptions } from 'vscode';
import type { Job } from '../../../src/generate/job.ts';
import type { WaitProgress } from '../../../src/generate/waiting.ts';
import { ServiceError } from '../../../src/service/errors.ts';
import { ConcurrencyLimit, type Slot } from '../../../src/service/http/concurrencyLimit.ts';
import { SinkEditor } from '../../contract/leaks/sinkEditor.ts';
import { installEditor } from '../connection/fakeEditor.ts';

const GENERATING = 'Generating… Esc cancels';
const error = new ServiceError('server-failed', { status: 503 });

describe("the label on a prompt's line", () => {
  const editor = new SinkEditor();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());

  it('is shown at the current end of the prompt wherever the document is visible', async () => {
    const { labelLine } = await import('../../../src/generate/waiting.ts');
    const shown: string[] = [];
    const document = { lineAt: (line: number) => ({ range: { end: `end of line ${line + 1}` } }) };
    const editorWith = (name: string, shownDocument: object) => ({
      document: shownDocument,
      setDecorations: (_: object, [label]: readonly DecorationOptions[]) =>
        shown.push(`${name}, ${label?.range.start}: ${label?.renderOptions?.after?.contentText}`),
    });
    const editors = [editorWith('left', document), editorWith('right', document)];
    const value = [...editors, editorWith('other', {})];
    const window = editor.exports()['window'] as object;
    Object.defineProperty(window, 'visibleTextEditors', { value });
    let last = 3;
    const label = labelLine({ document, linesOf: () => ({ first: 1, last }) } as unknown as Job, 0);
    assert.deepEqual(shown.splice(0), [
      `left, end of line 3: ${GENERATING}`,
      `right, end of line 3: ${GENERATING}`,
    ]);
    label.show(GENERATING);
    assert.deepEqual(shown, []);
    last = 5;
    label.show('Paused');
    assert.deepEqual(shown, ['left, end of line 5: Paused', 'right, end of line 5: Paused']);
  });
});

describe('the progress display', () => {
  let editor = new SinkEditor();
  let hooks: ReturnType<typeof installEditor>;
  let shown: string[];
  let progress: WaitProgress;
  let request: AbortController;
  let nowMs: number;
  let requests: ConcurrencyLimit;
  let isActive: boolean;
  let listeners: Set<() => void>;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(async () => {
    editor = new SinkEditor();
    const { WaitProgress: Made } = await import('../../../src/generate/waiting.ts');
    shown = [];
    request = new AbortController();
    nowMs = 0;
    mock.timers.enable({ apis: ['setTimeout'] });
    const clock = { now: () => nowMs, monotonic: () => nowMs };
    requests = new ConcurrencyLimit({ limit: 3, queue: 10, minIntervalMs: 0 }, clock);
    isActive = true;
    listeners = new Set();
    const jobs = {
      isActive: () => isActive,
      onDidChangeActive: (listener: () => void) => {
        listeners.add(listener);
        return { dispose: () => listeners.delete(listener) };
      },
    };
    progress = new Made((message) => shown.push(message), requests, jobs, {} as Job, GENERATING);
  });
  afterEach(() => mock.timers.reset());

  /** Adds a label, and returns a list that records each string that the label shows. */
  const labelOf = (index: number) => {
    const texts: string[] = [];
    progress.addLabel(index, { show: (text) => texts.push(text), dispose() {} });
    return texts;
  };
  const pass = (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      nowMs += 100;
      mock.timers.tick(100);
    }
  };
  const retryIn = (waitMs: number, retry = 1, which = request, index = 0) => {
    const at = nowMs + waitMs;
    progress.onRetry(which, { index, retry: { retry, waitMs, error }, leftMs: () => at - nowMs });
  };

  it('counts down the seconds until a retry', () => {
    retryIn(2_500);
    pass(3_000);
    assert.deepEqual(shown, [
      'Retrying in 3s (attempt 2 of 4, 503). Esc cancels',
      'Retrying in 2s (attempt 2 of 4, 503). Esc cancels',
      'Retrying in 1s (attempt 2 of 4, 503). Esc cancels',
      GENERATING,
    ]);
  });

  it('mentions Escape only while the document is active', () => {
    const activate = (value: boolean) => {
      isActive = value;
      for (const listener of listeners) listener();
    };
    activate(true);
    assert.deepEqual(shown, []);
    activate(false);
    progress.onSilence(request);
    activate(true);
    assert.deepEqual(shown, ['Generating…', 'No response yet.', SILENT]);
    progress.dispose();
    assert.equal(listeners.size, 0);
  });

  it('stops the countdown when text arrives', () => {
    retryIn(9_000);
    progress.onActivity(request);
    pass(5_000);
    assert.equal(shown.at(-1), GENERATING);
  });

  it("shows the retry countdown only in the label on the request's line", () => {
    const [first, second, third] = [0, 1, 2].map(labelOf);
    retryIn(1_500, 1, request, 0);
    retryIn(2_200, 1, new AbortController(), 1);
    const last = () => [first?.at(-1), second?.at(-1), third?.at(-1)];
    const retrying = (seconds: number) => `Retrying in ${seconds}s. Esc cancels`;
    assert.deepEqual(last(), [retrying(2), retrying(3), GENERATING]);
    pass(200);
    assert.deepEqual(last(), [retrying(2), retrying(2), GENERATING]);
    pass(1_300);
    assert.deepEqual(last(), [GENERATING, retrying(1), GENERATING]);
    pass(700);
    assert.deepEqual(last(), [GENERATING, GENERATING, GENERATING]);
  });

  it('counts down to the earliest retry if several requests are waiting', () => {
    const other = new AbortController();
    retryIn(20_000, 2, other);
    retryIn(2_000);
    pass(3_500);
    assert.deepEqual(shown, [
      'Retrying in 20s (attempt 3 of 4, 503). Esc cancels',
      'Retrying in 2s (attempt 2 of 4, 503). Esc cancels',
      'Retrying in 1s (attempt 2 of 4, 503). Esc cancels',
      'Retrying in 18s (attempt 3 of 4, 503). Esc cancels',
      'Retrying in 17s (attempt 3 of 4, 503). Esc cancels',
    ]);
    progress.onActivity(request);
    assert.match(shown.at(-1) ?? '', /^Retrying in 17s/);
    progress.onActivity(other);
    assert.equal(shown.at(-1), GENERATING);
  });

  describe('during a pause requested by the service', () => {
    const never = new AbortController().signal;
    let slots: Slot[];
    beforeEach(async () => {
      slots = [await requests.acquire(never), await requests.acquire(never)];
      slots[0]?.release('throttled', 40_000);
      void requests.acquire(never);
    });

    it('starts a countdown once no request is in progress', () => {
      assert.deepEqual(shown, []);
      slots[1]?.release('ok');
      pass(1_000);
      assert.deepEqual(shown, [
        'Paused for 40s after a rejected request. Esc cancels',
        'Paused for 39s after a rejected request. Esc cancels',
      ]);
      pass(39_000);
      assert.equal(shown.at(-1), GENERATING);
    });

    it("shows the pause, even if a retry's backoff ends earlier", () => {
      slots[1]?.release('ok');
      retryIn(1_500, 1, new AbortController());
      assert.match(shown.at(-1) ?? '', /^Paused for 40s/);
    });

    it('shows the countdown in the labels of all lines', () => {
      const labels = [0, 1].map(labelOf);
      slots[1]?.release('ok');
      pass(1_000);
      for (const label of labels) {
        assert.deepEqual(label.slice(-2), [
          'Paused for 40s. Esc cancels',
          'Paused for 39s. Esc cancels',
        ]);
      }
      pass(39_000);
      for (const label of labels) assert.equal(label.at(-1), GENERATING);
    });

    it("doesn't show the pause after the run has ended", () => {
      progress.dispose();
      slots[1]?.release('ok');
      pass(1_000);
      assert.deepEqual(shown, []);
    });
  });

  it('shows the number of completed responses again after a silence or countdown ends', () => {
    const [slow, retried] = [new AbortController(), new AbortController()];
    const count = 'Generating… 2 of 5 done. Esc cancels';
    progress.onSilence(slow);
    progress.onDone(2, 0, 5);
    progress.onActivity(slow);
    assert.equal(shown.at(-1), count);
    retryIn(1_000, 1, retried);
    assert.match(shown.at(-1) ?? '', /^Retrying in 1s/);
    pass(1_500);
    assert.equal(shown.at(-1), count);
  });

  it('shows how many responses failed', () => {
    progress.onDone(2, 1, 5);
    assert.equal(shown.at(-1), 'Generating… 2 of 5 done, 1 failed. Esc cancels');
  });

  it("doesn't interrupt a countdown when a response completes", () => {
    retryIn(2_500);
    progress.onDone(2, 0, 5);
    assert.match(shown.at(-1) ?? '', /^Retrying in 3s/);
    progress.onActivity(request);
    assert.equal(shown.at(-1), 'Generating… 2 of 5 done. Esc cancels');
  });

  const offer =
    /^No response for 20 seconds\. \[Retry\]\(command:(hostedModel\.retry\.[-\w]+) "[\w ]+"\) or keep waiting\. If you retry, the service may bill your account for both requests\.$/;
  const offers = () => shown.filter((text) => offer.test(text));
  const pickRetry = () => editor.run(offer.exec(offers().at(-1) ?? '')?.[1] ?? '');
  const [SILENT, IN_3S] = [
    'No response yet. Esc cancels',
    'Retrying in 3s (attempt 2 of 4, 503). Esc cancels',
  ];

  it('offers a retry once, 15 s after first reporting that a request has had no response', () => {
    progress.onSilence(request);
    pass(100);
    progress.onSilence(new AbortController());
    mock.timers.tick(14_899);
    assert.equal(offers().length, 0);
    mock.timers.tick(1);
    assert.equal(shown.at(-1), offers()[0]);
    pass(1_000);
    assert.equal(new Set(offers()).size, 1);
    assert.equal(editor.textOf('notification'), '');
  });

  it('waits at least 15 s after reporting a silent request before offering a retry', async () => {
    const silent = new AbortController();
    const active = new AbortController();
    const later = new AbortController();
    for (const each of [request, silent, active]) progress.onSilence(each);
    progress.onActivity(active);
    pass(10_000);
    progress.onSilence(later);
    pass(5_000);
    assert.equal(await pickRetry(), undefined);
    assert.deepEqual(
      [request, silent, active, later].map(({ signal }) => signal.aborted),
      [true, true, false, false],
    );
    assert.equal(shown.at(-1), SILENT);
    pass(10_000);
    assert.equal(shown.at(-1), offers()[0]);
    progress.onActivity(active);
    await pickRetry();
    assert.equal(later.signal.aborted, true);
    assert.equal(shown.at(-1), GENERATING);
  });

  it('reports a stall 10 s after the last text or reasoning', () => {
    const stalled = 'No new text for over 10 seconds. Esc cancels';
    progress.onActivity(request);
    mock.timers.tick(9_999);
    progress.onActivity(request);
    mock.timers.tick(9_999);
    assert.deepEqual(shown, []);
    mock.timers.tick(1);
    assert.deepEqual(shown, [stalled]);
    progress.onActivity(request);
    assert.deepEqual(shown, [stalled, GENERATING]);
    progress.onEnd(request);
    mock.timers.tick(10_000);
    assert.equal(shown.at(-1), GENERATING);
  });

  it('reports a stall only if no other response is arriving', () => {
    const other = new AbortController();
    for (const each of [request, other]) progress.onActivity(each);
    mock.timers.tick(6_000);
    progress.onActivity(other);
    mock.timers.tick(6_000);
    assert.deepEqual(shown, []);
    mock.timers.tick(4_000);
    assert.equal(shown.length, 1);
    progress.onActivity(other);
    assert.equal(shown.at(-1), GENERATING);
  });

  it("doesn't report a stall after the run has ended", () => {
    progress.onActivity(request);
    progress.dispose();
    mock.timers.tick(10_000);
    assert.deepEqual(shown, []);
  });

  const endOfTwo = () => {
    progress.onEnd(request);
    progress.onDone(1, 0, 2);
  };
  for (const [what, event, then] of [
    ['text or reasoning arrives', () => progress.onActivity(request), GENERATING],
    ['the request is about to be retried', () => retryIn(3_000), IN_3S],
    ['one of two requests ends', endOfTwo, 'Generating… 1 of 2 done. Esc cancels'],
  ] as const) {
    it(`withdraws the offer to retry if ${what}`, async () => {
      progress.onSilence(request);
      event();
      pass(20_000);
      assert.equal(offers().length, 0);
      progress.onSilence(request);
      pass(15_000);
      assert.equal(shown.at(-1), offers()[0]);
      event();
      assert.equal(shown.at(-1), then);
      await pickRetry();
      assert.equal(request.signal.aborted, false);
    });
  }

  it("continues to offer a retry during a second request's backoff", () => {
    const other = new AbortController();
    progress.onSilence(request);
    pass(15_000);
    retryIn(3_000, 1, other);
    pass(1_000);
    progress.onDone(1, 0, 3);
    assert.equal(shown.at(-1), offers()[0]);
    progress.onActivity(request);
    assert.equal(shown.at(-1), 'Retrying in 2s (attempt 2 of 4, 503). Esc cancels');
  });

  it('ignores a click on Retry once the run has ended', async () => {
    progress.onSilence(request);
    pass(15_000);
    progress.dispose();
    await pickRetry();
    assert.equal(request.signal.aborted, false);
  });

  it("doesn't offer a retry after the run has ended", () => {
    progress.onSilence(request);
    progress.dispose();
    pass(20_000);
    assert.equal(offers().length, 0);
  });

  it('waits another 15 s before offering to retry a silent second attempt', () => {
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
