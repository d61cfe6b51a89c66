import assert from 'node:assert/strict';
import type { Targets } from '../../../src/editor/capturedSelection.ts';
import type { Job } from '../../../src/generate/job.ts';
import { SinkEditor } from '../../contract/leaks/sinkEditor.ts';
import { installEditor } from '../connection/fakeEditor.ts';

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

  /** Creates a job for a selection, and returns a function that selects something else. */
  async function jobFor(selected: CharacterRange): Promise<(range: CharacterRange) => Targets> {
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
    job = new Made(select(selected), undefined, clipboard, stage);
    return select;
  }

  for (const [what, selected, other, isSame] of [
    ['the same text', [3, 6], [3, 6], true],
    ['overlapping text', [3, 6], [5, 9], true],
    ['text around it', [3, 6], [0, 9], true],
    ['the text after it', [3, 6], [6, 9], false],
    ['the text before it', [3, 6], [0, 3], false],
    ['a cursor at its end', [3, 6], [6, 6], true],
    ['a cursor in it', [3, 6], [4, 4], true],
    ['a cursor elsewhere', [3, 6], [7, 7], false],
    ['text at the cursor it started from', [3, 3], [3, 6], true],
    ['the same cursor', [3, 3], [3, 3], true],
  ] as const) {
    it(`${isSame ? 'is' : "isn't"} generating for ${what}`, async () => {
      const select = await jobFor(selected);
      assert.equal(job.isGeneratingFor(select(other)), false);
      job.activeRuns.reserve([0]);
      assert.equal(job.isGeneratingFor(select(other)), isSame);
    });
  }
});
