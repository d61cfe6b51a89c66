import assert from 'node:assert/strict';
import { commands, Range, Selection, type TextEditor, workspace } from 'vscode';
import { hasTab } from '../../src/editor/documentTabs.ts';
import type { TextChange } from '../../src/editor/textChange.ts';
import { TrackedDocument } from '../../src/editor/trackedDocument.ts';
import type { Job } from '../../src/generate/job.ts';
import { becomes } from '../vscode/deadline.ts';
import { registerFormatter } from './formatter.ts';
import {
  appendTo,
  close,
  jobOn,
  open,
  openFile,
  openWith,
  placingModes,
  typeAt,
  unsavedFiles,
  untilText,
} from './jobs.ts';

const TEXT = 'top\nprompt\nend';
const PROMPT = new Range(1, 0, 1, 6);

describe('undoing a generation', () => {
  afterEach(close);

  for (const [mode, title] of placingModes) {
    it(`removes the response but keeps text typed before, after, and inside it: ${title}`, async () => {
      const { editor, job } = await written(mode);
      await typeAt(editor.document, 'top', ' BEFORE');
      await typeAt(editor.document, 'whole', 'INSIDE');
      await typeAt(editor.document, 'end', ' BEHIND');
      assert.equal(await job.undo(), 'undone');
      const text = editor.document.getText();
      assert.ok(text.includes('INSIDE'));
      assert.equal(text.replace('INSIDE', ''), 'top BEFORE\nprompt\nend BEHIND');
    });

    it(`J22: restores the document while the response is streaming: ${title}`, async () => {
      const editor = await open(TEXT, PROMPT);
      const job = jobOn(editor, mode);
      await appendTo(job, editor.document, 'the first of it ');
      job.append(0, 'the second of it ');
      const undone = job.undo();
      job.append(0, 'the third of it ');
      assert.equal(await undone, 'undone');
      assert.equal(await job.end(0, 'failed'), true);
      assert.equal(editor.document.getText(), TEXT);
    });

    it(`J22 J23: removes the partial response of a canceled generation: ${title}`, async () => {
      const editor = await open(TEXT, PROMPT);
      const job = jobOn(editor, mode);
      await appendTo(job, editor.document, 'half an ');
      job.cancel();
      assert.equal(await job.end(0, 'failed'), true);
      assert.match(editor.document.getText(), /half an/);
      assert.equal(await job.undo(), 'undone');
      assert.equal(editor.document.getText(), TEXT);
    });
  }

  it('removes a response whose whitespace has changed @nightly', async () => {
    const { editor, job } = await written('below');
    const { document } = editor;
    const at = document.positionAt(document.getText().indexOf('whole'));
    await editor.edit((builder) => {
      builder.insert(at, '   ');
      builder.replace(new Range(at.translate(0, 5), at.translate(0, 6)), '\n\t');
    });
    assert.equal(await job.undo(), 'undone');
    assert.equal(document.getText(), TEXT);
  });

  it('keeps whitespace that the user typed inside the response @nightly', async () => {
    const { editor, job } = await written('below');
    await typeAt(editor.document, 'whole', '\n\t');
    assert.equal(await job.undo(), 'undone');
    assert.equal(editor.document.getText(), TEXT.replace('prompt', 'prompt\n\t'));
  });

  it('removes a response that a formatter has changed', async () => {
    const formatter = registerFormatter('plaintext');
    const { editor, job } = await written('below', 'b=1+2\nc  =  3');
    await commands.executeCommand('editor.action.formatDocument');
    formatter.dispose();
    assert.match(editor.document.getText(), /b = 1\+2\nc = 3/);
    assert.equal(await job.undo(), 'undone');
    assert.equal(editor.document.getText(), TEXT);
  });

  it('removes two responses at the same position, the later one first', async () => {
    const { editor, job } = await written('below');
    const later = jobOn(editor, 'below');
    later.append(0, 'later');
    assert.equal(await later.end(0, 'ended'), true);
    assert.equal(await later.undo(), 'undone');
    assert.equal(await job.undo(), 'undone');
    assert.equal(editor.document.getText(), TEXT);
  });

  it("doesn't change where a pending response at the same position will be inserted", async () => {
    const editor = await open(TEXT, PROMPT);
    const waiting = jobOn(editor, 'below');
    const job = jobOn(editor, 'below');
    job.append(0, 'one');
    await untilText(editor.document, (text) => text.includes('one'));
    job.append(0, ' and more');
    assert.equal(await job.end(0, 'ended'), true);
    await commands.executeCommand('undo');
    waiting.append(0, 'two');
    assert.equal(await waiting.end(0, 'ended'), true);
    assert.equal(editor.document.getText(), TEXT.replace('prompt', 'prompt\ntwo'));
  });

  it('does nothing if the user has already undone the response', async () => {
    const { editor, job } = await written('below');
    await commands.executeCommand('undo');
    assert.equal(await job.undo(), 'nothing');
    assert.equal(editor.document.getText(), TEXT);
  });

  for (const [mode, title] of placingModes) {
    it(`removes a response that the user has undone and redone: ${title}`, async () => {
      const { editor, job } = await written(mode);
      const generated = editor.document.getText();
      await commands.executeCommand('undo');
      await commands.executeCommand('redo');
      assert.equal(editor.document.getText(), generated);
      assert.equal(await job.undo(), 'undone');
      assert.equal(editor.document.getText(), TEXT);
    });

    it(`removes a redone response, even if the user typed while it streamed: ${mode}`, async () => {
      const editor = await open(TEXT, PROMPT);
      const { document } = editor;
      const job = jobOn(editor, mode);
      await appendTo(job, document, 'alpha beta ');
      const end = document.positionAt(document.getText().length);
      editor.selection = new Selection(end, end);
      await commands.executeCommand('type', { text: ' MINE' });
      job.append(0, 'gamma delta');
      assert.equal(await job.end(0, 'ended'), true);
      const generated = document.getText();
      await commands.executeCommand('undo');
      await commands.executeCommand('redo');
      assert.equal(document.getText(), generated);
      assert.equal(await job.undo(), 'undone');
      assert.equal(document.getText(), `${TEXT} MINE`);
    });
  }

  it('removes a response after the user has deleted and restored part of it @nightly', async () => {
    const { editor, job } = await written('below');
    await editor.edit((builder) => builder.delete(new Range(2, 2, 2, 8)));
    await commands.executeCommand('undo');
    assert.equal(await job.undo(), 'undone');
    assert.equal(editor.document.getText(), TEXT);
  });

  it('can itself be undone in the editor with a single undo', async () => {
    const { editor, job } = await written('replace');
    const generated = editor.document.getText();
    assert.equal(await job.undo(), 'undone');
    await commands.executeCommand('undo');
    assert.equal(editor.document.getText(), generated);
    assert.equal(await job.undo(), 'undone');
    assert.equal(editor.document.getText(), TEXT);
  });

  it('does nothing if it is repeated right away', async () => {
    const { editor, job } = await written('replace');
    assert.equal(await job.undo(), 'undone');
    assert.equal(await job.undo(), 'nothing');
    assert.equal(editor.document.getText(), TEXT);
  });

  it("removes the previous response if a retry hasn't returned any text yet", async () => {
    const { editor, job } = await written('replace');
    job.begin([0], 'restart');
    assert.equal(await job.undo(), 'undone');
    assert.equal(editor.document.getText(), TEXT);
  });

  for (const [mode, title] of [
    ['below', 'below'],
    ['replace', 'replace @nightly'],
    ['preview', 'preview @nightly'],
    ['newDocument', 'newDocument @nightly'],
  ] as const) {
    it(`still allows a retry if there was no text to remove: ${title}`, async () => {
      const editor = await open(TEXT, PROMPT);
      const job = jobOn(editor, mode);
      job.begin([0], 'restart');
      assert.equal(await job.end(0, 'failed'), true);
      assert.equal(await job.undo(), 'nothing');
      job.begin([0], 'restart');
      job.append(0, `answer of ${mode}`);
      assert.equal(await job.end(0, 'ended'), true);
      const isThere = () =>
        workspace.textDocuments.some((each) => each.getText().includes(`answer of ${mode}`));
      // VS Code requests the text of a preview only after a change event.
      await becomes('the response', isThere);
    });
  }

  it('does nothing if the user has already undone a truncated response', async () => {
    const editor = await open(TEXT, PROMPT);
    const job = jobOn(editor, 'below');
    job.append(0, 'answer');
    assert.equal(await job.end(0, 'truncated'), true);
    await commands.executeCommand('undo');
    assert.equal(editor.document.getText(), TEXT);
    assert.equal(await job.undo(), 'nothing');
    assert.equal(job.isUndone, true);
  });

  it("doesn't mark a truncated response as undone if another response is undone", async () => {
    const text = 'one\ntwo\nend';
    const editor = await openWith(text, [new Range(0, 0, 0, 3), new Range(1, 0, 1, 3)]);
    const { document } = editor;
    const job = jobOn(editor, 'below');
    job.begin(job.indices, 'restart');
    await appendTo(job, document, 'first', 0);
    assert.equal(await job.end(0, 'truncated'), true);
    await typeAt(document, 'end', '!');
    await appendTo(job, document, 'second', 1);
    await commands.executeCommand('undo');
    assert.equal(document.getText(), 'one\nfirst\ntwo\nend!');
    assert.deepEqual([job.truncated, job.undone], [[0], [1]]);
  });

  it('allows a retry to insert a new response', async () => {
    const { editor, job } = await written('replace');
    await job.undo();
    job.begin([0], 'restart');
    job.append(0, 'another');
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(editor.document.getText(), 'top\nanother\nend');
  });

  it("works in a document that isn't visible in any editor", async () => {
    const { editor, job } = await written('replace');
    await open('another');
    assert.equal(await job.undo(), 'undone');
    assert.equal(editor.document.getText(), TEXT);
  });

  it("removes a retry's response that replaced an empty line in a hidden document", async () => {
    const { editor, job } = await written('above');
    const { document } = editor;
    const at = document.positionAt(document.getText().indexOf('whole'));
    const line = document.lineAt(at).range;
    assert.equal(await editor.edit((builder) => builder.delete(line)), true);
    job.begin([0], 'restart');
    await open('another');
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(await job.undo(), 'undone');
    assert.equal(document.getText(), TEXT);
  });

  it('reports the inverse of the change that a redo reports', async () => {
    const { document } = await open('top\n\nend');
    const tracked = new TrackedDocument(document);
    const reported: (readonly [number, number, string])[] = [];
    tracked.onDidChange((changes) => {
      for (const { rangeOffset, rangeLength, text } of changes) {
        reported.push([rangeOffset, rangeLength, text]);
      }
    });
    const whole: TextChange = { rangeOffset: 4, rangeLength: 1, text: 'answer\n' };
    assert.equal(await tracked.write([whole], true), true);
    await commands.executeCommand('undo');
    await commands.executeCommand('redo');
    tracked.dispose();
    assert.deepEqual(reported, [
      [4, 1, 'answer\n'],
      [4, 6, ''],
      [4, 0, 'answer'],
    ]);
  });

  it("J05: fails if the document was closed, and doesn't reopen it", async () => {
    const editor = await openFile('undo.txt', TEXT, PROMPT);
    const job = jobOn(editor, 'below');
    job.append(0, 'text');
    await job.end(0, 'ended');
    assert.equal(await editor.document.save(), true);
    // On a busy machine, the document can still count as unsaved after `save` has returned.
    await becomes('the document to be saved', () => !editor.document.isDirty);
    await commands.executeCommand('workbench.action.closeActiveEditor');
    assert.equal(await job.undo(), 'refused');
    assert.equal(job.isUndone, true, 'a response that cannot be written cannot be continued');
    assert.equal(hasTab(editor.document), false);
    assert.deepEqual(unsavedFiles(), []);
  });
});

async function written(
  mode: string,
  answer = 'a whole answer',
): Promise<{ editor: TextEditor; job: Job }> {
  const editor = await open(TEXT, PROMPT);
  const job = jobOn(editor, mode);
  job.append(0, answer);
  assert.equal(await job.end(0, 'ended'), true);
  return { editor, job };
}
