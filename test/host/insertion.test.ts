import assert from 'node:assert/strict';
import {
  commands,
  EndOfLine,
  Position,
  Range,
  Selection,
  Uri,
  ViewColumn,
  window,
  workspace,
} from 'vscode';
import { hasTab } from '../../src/editor/documentTabs.ts';
import {
  appendTo,
  type ByPlacingMode,
  close,
  countEdits,
  jobOn,
  open,
  openFile,
  placingModes,
  stream,
  typeAt,
  untilText,
} from './jobs.ts';

const ANSWER = 'One\n  two\n\nthree 𝄞';

describe('insertion into a real editor', () => {
  afterEach(close);

  const modes: [mode: string, text: string, selection: Range, want: string][] = [
    ['below', 'a\nb\nc', new Range(0, 0, 2, 0), 'a\nb\nOne\n  two\n\nthree 𝄞\nc'],
    [
      'below',
      '\tif x:\n\t\ty',
      new Range(0, 1, 1, 3),
      '\tif x:\n\t\ty\n\tOne\n\t  two\n\n\tthree 𝄞',
    ],
    ['after', 'a bc d\n', new Range(0, 2, 0, 4), 'a bcOne\n  two\n\nthree 𝄞 d\n'],
    ['replace', 'a\nb\nc\n', new Range(0, 0, 2, 0), 'One\n  two\n\nthree 𝄞\nc\n'],
    // The remaining cases run only in the nightly tests.
    ['below', 'a\nb\nc', new Range(1, 0, 1, 1), 'a\nb\nOne\n  two\n\nthree 𝄞\nc'],
    ['replace', 'a bc d\n', new Range(0, 2, 0, 4), 'a One\n  two\n\nthree 𝄞 d\n'],
    ['replace', 'x\n    y\nz', new Range(1, 0, 1, 5), 'x\n    One\n      two\n\n    three 𝄞\nz'],
    ['after', 'a\nb\nc\n', new Range(0, 0, 2, 0), 'a\nbOne\n  two\n\nthree 𝄞\nc\n'],
    [
      'replace',
      'if x:\n        y\nz',
      new Range(1, 4, 1, 9),
      'if x:\n        One\n          two\n\n        three 𝄞\nz',
    ],
    ['below', 'ab\n', new Range(0, 1, 0, 1), 'ab\nOne\n  two\n\nthree 𝄞\n'],
    [
      'below',
      'x\n        \ny',
      new Range(1, 4, 1, 4),
      'x\n    One\n      two\n\n    three 𝄞    \ny',
    ],
  ];
  for (const [index, [mode, text, selection, want]] of modes.entries()) {
    for (const lineEnd of ['\n', '\r\n']) {
      const nightly = index >= 4 || lineEnd === '\n' ? ' @nightly' : '';
      it(`J01: adds a response to ${JSON.stringify(text)} as one undo step (mode: ${mode}, line ending: ${JSON.stringify(lineEnd)})${nightly}`, async () => {
        const before = text.replaceAll('\n', lineEnd);
        const editor = await open(before, selection);
        assert.equal(await stream(editor, mode, [...ANSWER]), true);
        assert.equal(editor.document.getText(), want.replaceAll('\n', lineEnd));
        await commands.executeCommand('undo');
        assert.equal(editor.document.getText(), before);
      });
    }
  }

  it('keeps the selection, so the user can generate from it again', async () => {
    const selection = new Range(0, 0, 0, 4);
    const editor = await open('text\n', selection);
    await stream(editor, 'below', ['an ', 'answer']);
    assert.deepEqual(editor.document.getText(editor.selection), 'text');
  });

  it('puts the cursor after a response that replaces the selection', async () => {
    const editor = await open('text\n', new Range(0, 0, 0, 4));
    await stream(editor, 'replace', ['an ', 'answer']);
    await commands.executeCommand('type', { text: '!' });
    assert.equal(editor.document.getText(), 'an answer!\n');
  });

  it('puts the cursor at the end of a response that replaces whole lines @nightly', async () => {
    const editor = await open('text\nend\n', new Range(0, 0, 1, 0));
    await stream(editor, 'replace', ['an ', 'answer']);
    await commands.executeCommand('type', { text: '!' });
    assert.equal(editor.document.getText(), 'an answer!\nend\n');
  });

  it('is undone separately from text that the user types afterward', async () => {
    const editor = await open('text\n', new Range(0, 0, 0, 4));
    await stream(editor, 'replace', ['an ', 'answer']);
    await commands.executeCommand('type', { text: '!' });
    await commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'an answer\n');
    await commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'text\n');
  });

  it('J15: keeps all text if the user types around a streaming response', async () => {
    const editor = await open('top\nprompt\nbottom', new Range(1, 0, 1, 6));
    const job = jobOn(editor, 'below');
    const pieces = Array.from({ length: 15 }, (_, index) => `${index} `);
    for (const [index, piece] of pieces.entries()) {
      job.append(0, piece);
      if (index % 3 === 0) await typeAt(editor.document, index % 2 === 0 ? 'top' : 'bottom');
    }
    assert.equal(await job.end(0, 'ended'), true);
    job.dispose();
    const text = editor.document.getText();
    assert.equal(text.replaceAll('*', ''), `top\nprompt\n${pieces.join('')}\nbottom`);
    assert.equal(text.split('*').length - 1, 5);
  });

  it('combines all text that arrives during an edit into the next edit', async () => {
    const editor = await open('prompt', new Range(0, 0, 0, 6));
    const edits = countEdits(editor.document);
    const job = jobOn(editor, 'below');
    for (let count = 0; count < 200; count += 1) job.append(0, 'word ');
    assert.equal(await job.end(0, 'ended'), true);
    edits.dispose();
    assert.equal(edits.count, 2);
    assert.equal(editor.document.getText(), `prompt\n${'word '.repeat(200)}`);
    await commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'prompt');
  });

  it('keeps writing to a document that is no longer visible', async () => {
    const editor = await open('prompt', new Range(0, 0, 0, 6));
    const { document } = editor;
    const job = jobOn(editor, 'below');
    job.append(0, 'first ');
    await untilText(document, (text) => text.includes('first'));
    await window.showTextDocument(await workspace.openTextDocument({ content: 'another' }));
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(document.getText(), 'prompt\nfirst second');
  });

  it('writes all text even if the user switches tabs while it streams', async () => {
    const editor = await open('prompt', new Range(0, 0, 0, 6));
    const { document } = editor;
    const another = await workspace.openTextDocument({ content: 'another' });
    const job = jobOn(editor, 'below');
    await appendTo(job, document, 'first ');
    // When the tab changes, the extension API still reports the old editor as active. VS Code has
    // already switched editors, so it rejects an edit in the old editor.
    const listener = window.tabGroups.onDidChangeTabs(() => job.append(0, 'second '));
    await window.showTextDocument(another);
    listener.dispose();
    job.append(0, 'third');
    assert.equal(await job.end(0, 'ended'), true);
    assert.match(document.getText(), /^prompt\nfirst (second )+third$/);
  });

  for (const [mode, title] of placingModes) {
    it(`puts the response from a retry where the undone response was: ${title}`, async () => {
      const editor = await open('prompt\nend', new Range(0, 0, 0, 6));
      const job = jobOn(editor, mode);
      for (const piece of ['half ', 'an ', 'answer']) {
        job.append(0, piece);
        await untilText(editor.document, (text) => text.includes(piece));
      }
      await job.end(0, 'ended');
      await commands.executeCommand('undo');
      assert.equal(editor.document.getText(), 'prompt\nend');
      job.begin([0], 'restart');
      job.append(0, 'whole');
      assert.equal(await job.end(0, 'ended'), true);
      job.dispose();
      const want: ByPlacingMode = {
        below: 'prompt\nwhole\nend',
        replace: 'whole\nend',
        after: 'promptwhole\nend',
        above: 'whole\nprompt\nend',
      };
      assert.equal(editor.document.getText(), want[mode]);
    });
  }

  it('preserves multiple selections', async () => {
    const editor = await open('one\ntwo\n', new Range(0, 0, 0, 3));
    editor.selections = [new Selection(0, 0, 0, 3), new Selection(1, 0, 1, 3)];
    await stream(editor, 'below', ['text']);
    assert.equal(editor.selections.length, 2);
  });

  it('restores the selection in the active editor if two editors show the document @nightly', async () => {
    const left = await open('prompt\n', new Range(0, 0, 0, 0));
    const right = await window.showTextDocument(left.document, ViewColumn.Beside);
    right.selection = new Selection(0, 0, 0, 6);
    await stream(right, 'below', ['text']);
    assert.equal(right.document.getText(right.selection), 'prompt');
  });

  it("J05: doesn't reopen a closed document, and reports that the text wasn't inserted", async () => {
    const editor = await openFile('closed.txt', 'prompt', new Range(0, 0, 0, 6));
    const job = jobOn(editor, 'below');
    await commands.executeCommand('workbench.action.closeActiveEditor');
    job.append(0, 'text');
    assert.equal(await job.end(0, 'ended'), false);
    assert.equal(editor.document.isDirty, false);
    assert.equal(hasTab(editor.document), false);
  });

  it("J09: reports that the text couldn't be inserted into a read-only document", async () => {
    const provider = workspace.registerTextDocumentContentProvider('read-only-test', {
      provideTextDocumentContent: () => 'prompt',
    });
    const document = await workspace.openTextDocument(Uri.parse('read-only-test:/prompt.txt'));
    const editor = await window.showTextDocument(document);
    editor.selection = new Selection(0, 0, 0, 6);
    const placed = await stream(editor, 'below', ['text']);
    provider.dispose();
    assert.equal(placed, false);
    assert.equal(document.getText(), 'prompt');
  });

  it("doesn't replace a selection that the user has edited", async () => {
    const editor = await open('a prompt here', new Range(0, 2, 0, 8));
    const job = jobOn(editor, 'replace');
    await editor.edit((builder) => builder.insert(new Position(0, 5), 'MINE'));
    job.append(0, 'text');
    assert.equal(await job.end(0, 'ended'), false);
    assert.equal(editor.document.getText(), 'a proMINEmpt here');
  });

  it('stops replacing a selection if the user undoes the partial response @nightly', async () => {
    const editor = await open('a\nprompt\nb', new Range(1, 0, 1, 6));
    const job = jobOn(editor, 'replace');
    job.append(0, 'first ');
    await untilText(editor.document, (text) => text.includes('first'));
    await commands.executeCommand('undo');
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), false);
    assert.equal(editor.document.getText(), 'a\nprompt\nb');
  });

  it('writes text only once, even if VS Code trims auto-inserted whitespace', async () => {
    const end = new Range(2, 9, 2, 9);
    const editor = await open('def f():\n    a = 1\n    b = 2', end, 'python');
    const { document } = editor;
    await commands.executeCommand('type', { text: '\n' });
    assert.equal(document.lineAt(3).text, '    ');
    editor.selection = new Selection(1, 4, 1, 9);
    assert.equal(await stream(editor, 'below', ['ANSWER', ' one\n']), true);
    assert.equal(document.getText(), 'def f():\n    a = 1\n    ANSWER one\n    b = 2\n');
  });

  it("gives up without writing if the document's line endings change", async () => {
    const editor = await open('prompt\nend\n', new Range(0, 0, 0, 6));
    const job = jobOn(editor, 'below');
    await editor.edit((builder) => builder.setEndOfLine(EndOfLine.CRLF));
    job.append(0, 'one\ntwo');
    assert.equal(await job.end(0, 'ended'), false);
    assert.equal(editor.document.getText(), 'prompt\r\nend\r\n');
  });

  it("doesn't restore the selection if the user has moved the cursor", async () => {
    const editor = await open('prompt\nelsewhere', new Range(0, 0, 0, 6));
    const job = jobOn(editor, 'below');
    job.append(0, 'text');
    editor.selection = new Selection(1, 4, 1, 4);
    await job.end(0, 'ended');
    assert.equal(editor.selection.isEmpty, true);
  });

  it('uses a separate undo step when a retry replaces the response', async () => {
    const editor = await open('prompt\nend', new Range(0, 0, 0, 6));
    const job = jobOn(editor, 'below');
    job.append(0, 'half an ans');
    await job.end(0, 'ended');
    job.begin([0], 'restart');
    job.append(0, 'whole answer');
    assert.equal(await job.end(0, 'ended'), true);
    job.dispose();
    assert.equal(editor.document.getText(), 'prompt\nwhole answer\nend');
    await commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'prompt\nhalf an ans\nend');
  });

  it("doesn't change the document if no text arrives", async () => {
    const editor = await open('prompt', new Range(0, 0, 0, 6));
    const { version } = editor.document;
    for (const mode of ['below', 'after', 'replace'] as const) {
      assert.equal(await stream(editor, mode, []), true);
    }
    assert.equal(editor.document.version, version);
  });

  it('stops if the user undoes the partial response', async () => {
    const editor = await open('prompt', new Range(0, 0, 0, 6));
    const job = jobOn(editor, 'below');
    job.append(0, 'first ');
    await untilText(editor.document, (text) => text.includes('first'));
    await commands.executeCommand('undo');
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), false);
    assert.equal(editor.document.getText(), 'prompt');
  });
});
