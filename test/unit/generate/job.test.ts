import assert from 'node:assert/strict';
import type { Targets } from '../../../src/editor/capturedSelection.ts';
import type { InsertMode } from '../../../src/editor/insertMode.ts';
import type { Job } from '../../../src/generate/job.ts';
import { SinkEditor } from '../../contract/leaks/sinkEditor.ts';
import { installEditor } from '../connection/fakeEditor.ts';
import { FakeDocument } from '../editor/fakeDocument.ts';

type CharacterRange = readonly [from: number, to: number];

describe('a job', () => {
  let editor = new SinkEditor();
  let hooks: ReturnType<typeof installEditor>;
  let job: Job;
  before(() => {
    hooks = installEditor(() => editor);
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new SinkEditor();
  });
  afterEach(() => job.dispose());

  /**
   * Creates a job for a selection. The returned function selects another range, and captures the
   * targets of that selection.
   */
  async function jobFor(
    selected: CharacterRange,
    mode?: InsertMode,
  ): Promise<(range: CharacterRange) => Targets> {
    const { window } = await import('vscode');
    const { captureTargets } = await import('../../../src/editor/capturedSelection.ts');
    const { clipboard } = await import('../../../src/editor/clipboardMode.ts');
    const { Job: Made } = await import('../../../src/generate/job.ts');
    const { Previews } = await import('../../../src/editor/previews.ts');
    const document = window.activeTextEditor?.document;
    const select = (range: CharacterRange): Targets => {
      editor.selections = [range];
      const { selections = [] } = window.activeTextEditor ?? {};
      const [target] = document ? captureTargets({ document, selections }) : [];
      assert.ok(target);
      return [target];
    };
    const stage = { previews: new Previews(), rescue: () => assert.fail('rescued') };
    job = new Made(select(selected), undefined, mode ?? clipboard, stage);
    return select;
  }

  for (const [what, selected, other, isSame] of [
    ['the selected text', [3, 6], [3, 6], true],
    ['overlapping text', [3, 6], [5, 9], true],
    ['text around its selection', [3, 6], [0, 9], true],
    ['the text after its selection', [3, 6], [6, 9], false],
    ['the text before its selection', [3, 6], [0, 3], false],
    ['a cursor at the end of its selection', [3, 6], [6, 6], true],
    ['a cursor in its selection', [3, 6], [4, 4], true],
    ['a cursor elsewhere', [3, 6], [7, 7], false],
    ['text at the cursor it started from', [3, 3], [3, 6], true],
    ['the cursor it started from', [3, 3], [3, 3], true],
  ] as const) {
    it(`${isSame ? 'is' : "isn't"} recognized as already generating text for ${what}`, async () => {
      const select = await jobFor(selected);
      assert.equal(job.isGeneratingFor(select(other)), false);
      job.activeRuns.reserve([0]);
      assert.equal(job.isGeneratingFor(select(other)), isSame);
    });
  }

  /** Creates a job that writes below the only line of the returned document. */
  async function jobInDocument(): Promise<FakeDocument> {
    const { below } = await import('../../../src/editor/inPlaceModes.ts');
    const { StreamWriter } = await import('../../../src/editor/streamWriter.ts');
    const document = new FakeDocument('prompt');
    const place = { start: 6, end: 6, lead: '\n', tail: '' };
    const timing = { intervalMs: 0, deadlineMs: 5_000 };
    const open = () => new StreamWriter(document, [place], { timing });
    await jobFor([0, 6], { ...below, open });
    return document;
  }

  /**
   * Applies a sequence of events to the job. Any string that isn't the name of an event is a chunk
   * of text.
   */
  async function pass(document: FakeDocument, events: readonly string[]): Promise<void> {
    for (const event of events) {
      if (event === 'restart' || event === 'continue') job.begin([0], event);
      else if (event === 'ended' || event === 'truncated' || event === 'failed')
        await document.turnUntil(job.end(0, event));
      else if (event === 'undo') await document.turnUntil(job.undo());
      else job.append(0, event);
    }
    // Finish the edit, because an open edit has a running timer, and later tests count timers.
    await document.turn();
  }

  const truncated = ['restart', 'a', 'truncated'];
  const undone = ['restart', 'a', 'ended', 'undo'];
  for (const [what, events, state, text] of [
    ['has a complete response', ['restart', 'a', 'ended'], 'ended', 'a'],
    ['has a truncated response', truncated, 'truncated', 'a'],
    ['keeps a response that failed halfway', ['restart', 'a', 'failed'], 'ended', 'a'],
    ['has no text after a failure without text', ['restart', 'failed'], 'ended', ''],
    ['continues a response', [...truncated, 'continue', 'b', 'ended'], 'ended', 'ab'],
    [
      'can continue again if a continuation is truncated',
      [...truncated, 'continue', 'b', 'truncated'],
      'truncated',
      'ab',
    ],
    [
      'can continue later if a continuation fails',
      [...truncated, 'continue', 'failed'],
      'truncated',
      'a',
    ],
    [
      'can continue if a continuation fails halfway',
      [...truncated, 'continue', 'b', 'failed'],
      'truncated',
      'ab',
    ],
    ['keeps the old response until text arrives', [...truncated, 'restart'], 'truncated', 'a'],
    [
      'keeps the old response if a retry fails',
      [...truncated, 'restart', 'failed'],
      'truncated',
      'a',
    ],
    [
      'keeps the old response if the next one is empty',
      [...truncated, 'restart', 'ended'],
      'ended',
      'a',
    ],
    ['replaces the old response', [...truncated, 'restart', 'b', 'ended'], 'ended', 'b'],
    [
      'replaces the old response even if the next one fails halfway',
      [...truncated, 'restart', 'b', 'failed'],
      'ended',
      'b',
    ],
    [
      'replaces the old response with several chunks',
      [...truncated, 'restart', 'b', 'c', 'ended'],
      'ended',
      'bc',
    ],
    [
      'continues after a failed retry',
      [...truncated, 'restart', 'failed', 'continue', 'b', 'ended'],
      'ended',
      'ab',
    ],
    ['can be undone', undone, 'undone', ''],
    ['can be undone before its first text', ['restart', 'undo', 'a', 'ended'], 'undone', ''],
    ['can be undone while text arrives', ['restart', 'a', 'undo', 'b', 'truncated'], 'undone', ''],
    [
      'can be undone while a new response is awaited',
      ['restart', 'a', 'ended', 'restart', 'undo', 'b', 'ended'],
      'undone',
      '',
    ],
    ['stays undone until text arrives', [...undone, 'restart'], 'undone', ''],
    ['stays undone if the retry fails', [...undone, 'restart', 'failed'], 'undone', ''],
    [
      'stays undone if the next response is empty',
      [...undone, 'restart', 'truncated'],
      'undone',
      '',
    ],
    ['writes a new response after an undo', [...undone, 'restart', 'b', 'ended'], 'ended', 'b'],
    [
      'starts over instead of continuing an undone response',
      [...undone, 'continue', 'b', 'truncated'],
      'truncated',
      'b',
    ],
    [
      'writes a new response after an undo that preceded the first text',
      ['restart', 'undo', 'failed', 'restart', 'b', 'ended'],
      'ended',
      'b',
    ],
    [
      'keeps a new response that failed halfway after an undo',
      [...undone, 'restart', 'b', 'failed'],
      'ended',
      'b',
    ],
  ] as const) {
    it(`${what}: ${events.join(', ')}`, async () => {
      const document = await jobInDocument();
      await pass(document, events);
      assert.equal(document.text, text === '' ? 'prompt' : `prompt\n${text}`);
      assert.deepEqual(
        [job.isUndone, job.truncated],
        [state === 'undone', state === 'truncated' ? [0] : []],
      );
      if (state !== 'undone') assert.equal(job.text, text);
    });
  }

  it('has no text to continue after a restart or an undo', async () => {
    const document = await jobInDocument();
    await pass(document, truncated);
    job.begin([0], 'continue');
    assert.equal(job.responseSoFar(0), 'a');
    job.begin([0], 'restart');
    assert.equal(job.responseSoFar(0), '');
    await pass(document, ['failed', 'undo']);
    job.begin([0], 'continue');
    assert.equal(job.responseSoFar(0), '');
  });
});
