import assert from 'node:assert/strict';
import type { Job } from '../../../src/generate/job.ts';
import { SinkEditor } from '../../contract/leaks/sinkEditor.ts';
import { installEditor } from '../connection/fakeEditor.ts';
import { FakeDocument } from '../editor/fakeDocument.ts';

describe('messages and copies of a response', () => {
  let editor = new SinkEditor();
  let hooks: ReturnType<typeof installEditor>;
  let outcome: typeof import('../../../src/generate/reportOutcome.ts');
  before(async () => {
    hooks = installEditor(() => editor);
    outcome = await import('../../../src/generate/reportOutcome.ts');
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new SinkEditor();
  });

  /** A job whose only response is this text. */
  async function jobWith(text: string): Promise<Job> {
    const { window } = await import('vscode');
    const { StreamWriter } = await import('../../../src/editor/streamWriter.ts');
    const { captureTargets } = await import('../../../src/editor/capturedSelection.ts');
    const { Job: Made } = await import('../../../src/generate/job.ts');
    const { Previews } = await import('../../../src/editor/previews.ts');
    const { below } = await import('../../../src/editor/inPlaceModes.ts');
    const [target] = window.activeTextEditor ? captureTargets(window.activeTextEditor) : [];
    assert.ok(target);
    const place = { start: 0, end: 0, lead: '', tail: '' };
    const document = new FakeDocument('');
    const timing = { intervalMs: 0, deadlineMs: 5_000 };
    const open = () => new StreamWriter(document, [place], { timing });
    const stage = { previews: new Previews(), rescue: () => assert.fail('rescued') };
    const job = new Made([target], undefined, { ...below, open }, stage);
    job.append(0, text);
    // An edit that stays open keeps its timer, and later tests count timers.
    await document.turn();
    return job;
  }

  it('D27: are the same as in the document, without control and tag characters', async () => {
    const job = await jobWith('ls\u001B[201~\r\n\u{E0072}\u{E006D}\u202Eend');
    await outcome.showResult(job);
    for (const button of ['Open in New Document', 'Copy']) {
      editor.button = button;
      await outcome.offerResult(job);
    }
    const texts = [...(editor.sunk.get('document') ?? []), ...(editor.sunk.get('clipboard') ?? [])];
    const plain = texts.filter((text) => text.includes('ls'));
    assert.deepEqual(
      plain,
      Array.from({ length: 3 }, () => 'ls[201~\nend'),
    );
    job.dispose();
  });

  for (const [what, limit, expected] of [
    ['the limit', 1_024, 'The response reached the limit of 1,024 tokens.'],
    ['an unknown limit', undefined, 'The response reached a token or time limit.'],
  ] as const) {
    it(`offer to continue a response that reached ${what}, or to raise it`, async () => {
      const job = await jobWith('a');
      await job.end(0, 'truncated');
      editor.button = 'Raise Limit...';
      const announce = () => assert.fail('announced as complete');
      const runAgain = async () => assert.fail('run again');
      await outcome.reportOutcome(job, announce, runAgain, limit);
      assert.deepEqual(editor.sunk.get('notification'), [
        expected,
        JSON.stringify(['Continue', 'Raise Limit...', 'Undo Generation']),
      ]);
      job.dispose();
    });
  }

  it("offer to show a response that isn't in view, and open a copy if its document was closed", async () => {
    const job = await jobWith('a');
    await job.end(0, 'ended');
    editor.button = 'Show';
    editor.isDocumentClosed = true;
    await outcome.reportOutcome(
      job,
      () => assert.fail('announced as if it were in view'),
      async () => assert.fail('run again'),
      undefined,
    );
    assert.match(editor.textOf('notification'), /not in view/);
    assert.equal(editor.sunk.get('document')?.at(-1), 'a');
    job.dispose();
  });

  it("offer no actions for a response that couldn't be inserted", async () => {
    const job = await jobWith('a');
    await job.end(0, 'ended');
    await outcome.reportOutcome(job, undefined, async () => assert.fail('run again'), undefined);
    assert.equal(editor.textOf('notification'), '');
    job.dispose();
  });

  for (const [what, text, removed, kept] of [
    ['were removed', 'a\u001B\u202Eb', 2, 0],
    ['remain', 'a\u2067b\u2069\u200B', 0, 3],
    ['were removed and that remain', '\u{E0041}a\u200B', 1, 1],
  ] as const) {
    it(`D26: count the invisible characters that ${what}`, async () => {
      const job = await jobWith(text);
      await outcome.reportOutcome(job, undefined, async () => assert.fail('run again'), undefined);
      const { invisibleText } = await import('../../../src/generate/generateMessages.ts');
      assert.deepEqual(
        editor.sunk.get('notification')?.filter((said) => said !== '[]'),
        [invisibleText(removed, kept)],
      );
      job.dispose();
    });
  }
});
