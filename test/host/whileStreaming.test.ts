import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import {
  commands,
  EndOfLine,
  languages,
  Range,
  Selection,
  type TextDocument,
  Uri,
  WorkspaceEdit,
  window,
  workspace,
} from 'vscode';
import { hasTab } from '../../src/editor/documentTabs.ts';
import {
  appendTo,
  type ByPlacingMode,
  close,
  fileUri,
  jobOn,
  open,
  openFile,
  placingModes,
  rename,
  typeAt,
  unsavedFiles,
  until,
  untilText,
} from './jobs.ts';

const PROMPT = new Range(0, 0, 0, 6);

describe('a streaming job', () => {
  afterEach(close);

  for (const [mode, title] of placingModes) {
    it(`J02: writes in the right place if the user types above the response: ${title}`, async () => {
      const editor = await open('top\nx\nend', new Range(1, 0, 1, 1));
      const job = jobOn(editor, mode);
      await typeAt(editor.document, 'top', '\n1');
      await appendTo(job, editor.document, 'a');
      await typeAt(editor.document, 'top', '2');
      job.append(0, 'b');
      assert.equal(await job.end(0, 'ended'), true);
      const want: ByPlacingMode = {
        below: 'top2\n1\nx\nab\nend',
        after: 'top2\n1\nxab\nend',
        above: 'top2\n1\nab\nx\nend',
        replace: 'top2\n1\nab\nend',
      };
      assert.equal(editor.document.getText(), want[mode]);
    });
  }

  it('J04: gives up if the user deletes the prompt before any text arrives @nightly', async () => {
    const editor = await open('top\nprompt\nend', new Range(1, 0, 1, 6));
    const job = jobOn(editor, 'replace');
    await editor.edit((builder) => builder.delete(new Range(0, 2, 2, 1)));
    job.append(0, 'text');
    assert.equal(await job.end(0, 'ended'), false);
    assert.equal(editor.document.getText(), 'tond');
  });

  it('J04: gives up if the user deletes the text written so far', async () => {
    const editor = await open('prompt\nend', PROMPT);
    const job = jobOn(editor, 'below');
    await appendTo(job, editor.document, 'first ');
    await editor.edit((builder) => builder.delete(new Range(1, 0, 2, 0)));
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), false);
    assert.equal(editor.document.getText(), 'prompt\nend');
  });

  it('continues if the user deletes the line with the prompt, and can be undone', async () => {
    const editor = await open('top\nprompt\nend', new Range(1, 0, 1, 6));
    const job = jobOn(editor, 'below');
    await appendTo(job, editor.document, 'first ');
    editor.selection = new Selection(1, 0, 1, 0);
    await commands.executeCommand('editor.action.deleteLines');
    assert.equal(editor.document.getText(), 'top\nfirst \nend');
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(editor.document.getText(), 'top\nfirst second\nend');
    assert.equal(await job.undo(), 'undone');
    assert.equal(editor.document.getText(), 'top\n\nend');
  });

  it('J04: gives up if the user deletes all text in the document @nightly', async () => {
    const editor = await open('prompt\nend', PROMPT);
    const job = jobOn(editor, 'below');
    await appendTo(job, editor.document, 'first ');
    await editor.edit((builder) => builder.delete(new Range(0, 0, 9, 0)));
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), false);
    assert.equal(editor.document.getText(), '');
  });

  it("J05: gives up if the document is closed, and doesn't reopen it", async () => {
    const editor = await openFile('streaming4.txt', 'prompt', PROMPT);
    const job = jobOn(editor, 'below');
    await appendTo(job, editor.document, 'first ');
    await editor.document.save();
    await commands.executeCommand('workbench.action.closeActiveEditor');
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), false);
    assert.equal(hasTab(editor.document), false);
    assert.deepEqual(unsavedFiles(), []);
  });

  it('J06: writes each chunk only once, even if two editor groups show the document', async () => {
    const editor = await open('prompt', PROMPT);
    const { document } = editor;
    const job = jobOn(editor, 'below');
    await appendTo(job, document, 'first ');
    await commands.executeCommand('workbench.action.splitEditor');
    await appendTo(job, document, 'second ');
    await commands.executeCommand('workbench.action.focusFirstEditorGroup');
    job.append(0, 'third');
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(document.getText(), 'prompt\nfirst second third');
    await commands.executeCommand('undo');
    assert.equal(document.getText(), 'prompt');
  });

  it('J06: continues if the editor is moved to another group @nightly', async () => {
    await open('another');
    const editor = await open('prompt', PROMPT);
    const { document } = editor;
    const job = jobOn(editor, 'below');
    await appendTo(job, document, 'first ');
    await commands.executeCommand('workbench.action.moveEditorToNextGroup');
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(document.getText(), 'prompt\nfirst second');
  });

  it('J07: continues if the file is renamed', async () => {
    const editor = await openFile('streaming7.txt', 'prompt\nend', PROMPT);
    const job = jobOn(editor, 'below');
    await appendTo(job, editor.document, 'first ');
    await rename('streaming7.txt', 'streaming7-new.txt');
    const renamed = await documentAt('streaming7-new.txt');
    job.append(0, 'second ');
    await until(window.onDidChangeVisibleTextEditors, () =>
      window.visibleTextEditors.some(({ document }) => document === renamed),
    );
    await typeAt(renamed, 'prompt', '!');
    job.append(0, 'third');
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(renamed.getText(), 'prompt!\nfirst second third\nend');
    assert.equal(job.document, renamed);
    assert.equal(await job.undo(), 'undone');
    assert.equal(renamed.getText(), 'prompt!\nend');
  });

  it("J07: continues if the file's folder is renamed @nightly", async () => {
    const editor = await openFile('streaming8/a.txt', 'prompt\nend', PROMPT);
    const job = jobOn(editor, 'below');
    await appendTo(job, editor.document, 'first ');
    await rename('streaming8', 'streaming8-new');
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), true);
    const renamed = await documentAt('streaming8-new/a.txt');
    assert.equal(renamed.getText(), 'prompt\nfirst second\nend');
  });

  it('gives up if the file becomes an auto-run file', async () => {
    const editor = await openFile('streaming11.json', 'prompt', PROMPT);
    const job = jobOn(editor, 'below');
    await appendTo(job, editor.document, 'first ');
    await rename('streaming11.json', '.vscode/streaming11.json');
    const renamed = await documentAt('.vscode/streaming11.json');
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), false);
    assert.equal(renamed.getText(), 'prompt\nfirst ');
    assert.equal(job.text, 'first second');
  });

  it("J08: gives up if the file is deleted, and doesn't recreate it", async () => {
    const editor = await openFile('streaming9.txt', 'prompt', PROMPT);
    const job = jobOn(editor, 'below');
    await appendTo(job, editor.document, 'first ');
    const edit = new WorkspaceEdit();
    edit.deleteFile(fileUri('streaming9.txt'));
    await workspace.applyEdit(edit);
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), false);
    assert.equal(job.text, 'first second');
    await assert.rejects(Promise.resolve(workspace.fs.stat(fileUri('streaming9.txt'))));
  });

  it("J31: continues if the file's folder is deleted @nightly", async () => {
    const editor = await openFile('streaming10/a.txt', 'prompt', PROMPT);
    const job = jobOn(editor, 'below');
    await appendTo(job, editor.document, 'first ');
    rmSync(fileUri('streaming10').fsPath, { recursive: true });
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(editor.document.getText(), 'prompt\nfirst second');
    assert.equal(job.text, 'first second');
  });

  it('J33: gives up if the document becomes too short to contain the insertion point', async () => {
    const editor = await openFile(
      'streaming11.txt',
      `${'line\n'.repeat(50)}prompt\n`,
      new Range(50, 0, 50, 6),
    );
    const { document } = editor;
    const job = jobOn(editor, 'below');
    await workspace.fs.writeFile(fileUri('streaming11.txt'), Buffer.from('short'));
    await untilText(document, (text) => text === 'short');
    job.append(0, 'text');
    assert.equal(await job.end(0, 'ended'), false);
    assert.equal(document.getText(), 'short');
  });

  it('continues if the document is saved', async () => {
    const editor = await openFile('streaming12.txt', 'prompt', PROMPT);
    const { document } = editor;
    const job = jobOn(editor, 'below');
    for (const piece of ['first ', 'second ', 'third ']) {
      await appendTo(job, document, piece);
      assert.equal(await document.save(), true);
    }
    job.append(0, 'end');
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(document.getText(), 'prompt\nfirst second third end');
    // Each save ended an undo step, but the job undoes all steps.
    assert.equal(await job.undo(), 'undone');
    assert.equal(document.getText(), 'prompt');
  });

  it('continues if the language of the document changes @nightly', async () => {
    const editor = await open('prompt', PROMPT);
    const { document } = editor;
    const job = jobOn(editor, 'below');
    await appendTo(job, document, 'first ');
    await languages.setTextDocumentLanguage(document, 'python');
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(document.getText(), 'prompt\nfirst second');
  });

  it('gives up if the line endings change @nightly', async () => {
    const editor = await open('prompt\nend', PROMPT);
    const job = jobOn(editor, 'below');
    await appendTo(job, editor.document, 'first ');
    await editor.edit((builder) => builder.setEndOfLine(EndOfLine.CRLF));
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), false);
    assert.equal(editor.document.getText(), 'prompt\r\nfirst \r\nend');
  });

  it('continues if the user undoes and redoes their own typing', async () => {
    const editor = await open('prompt\nend', PROMPT);
    const { document } = editor;
    const job = jobOn(editor, 'below');
    await appendTo(job, document, 'first ');
    await typeAt(document, 'end', '!');
    await commands.executeCommand('undo');
    await appendTo(job, document, 'second ');
    await typeAt(document, 'end', '?');
    await commands.executeCommand('undo');
    await commands.executeCommand('redo');
    job.append(0, 'third');
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(document.getText(), 'prompt\nfirst second third\nend?');
  });

  it('continues if the user undoes and redoes part of the response @nightly', async () => {
    const editor = await open('prompt\nend', PROMPT);
    const { document } = editor;
    const job = jobOn(editor, 'below');
    await appendTo(job, document, 'first ');
    await typeAt(document, 'end', '!');
    await appendTo(job, document, 'second ');
    const before = document.getText();
    await commands.executeCommand('undo');
    await commands.executeCommand('redo');
    assert.equal(document.getText(), before);
    job.append(0, 'third');
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(document.getText(), before.replace('second ', 'second third'));
  });

  it('gives up if saving an untitled document replaces it with a new one @nightly', async () => {
    const uri = Uri.from({ scheme: 'untitled', path: fileUri('streaming16-new.txt').path });
    const document = await workspace.openTextDocument(uri);
    const editor = await window.showTextDocument(document);
    await editor.edit((builder) => builder.insert(PROMPT.start, 'prompt'));
    editor.selection = new Selection(PROMPT.start, PROMPT.end);
    const job = jobOn(editor, 'below');
    await appendTo(job, document, 'first ');
    await document.save();
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), false);
    const saved = await documentAt('streaming16-new.txt');
    assert.equal(saved.getText(), 'prompt\nfirst ');
  });
});

async function documentAt(name: string): Promise<TextDocument> {
  const find = () => workspace.textDocuments.find(({ uri }) => uri.path === fileUri(name).path);
  await until(workspace.onDidOpenTextDocument, () => find() !== undefined);
  const found = find();
  assert.ok(found);
  return found;
}
