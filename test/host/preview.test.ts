import assert from 'node:assert/strict';
import { mock } from 'node:test';
import {
  commands,
  EndOfLine,
  NotebookCellData,
  NotebookCellKind,
  NotebookData,
  Range,
  Selection,
  type Tab,
  TabInputTextDiff,
  type TextDocument,
  type TextEditor,
  WorkspaceEdit,
  window,
  workspace,
} from 'vscode';
import { activeFolder, PREVIEW_SCHEME } from '../../src/connection/folders.ts';
import type { Job } from '../../src/generate/job.ts';
import {
  close,
  fileUri,
  jobOn,
  open,
  openFile,
  openPreviews,
  openWith,
  rename,
  stream,
  until,
  untilText,
} from './jobs.ts';

const TEXT = 'top\nprompt\nend';
const PROMPT = new Range(1, 0, 1, 6);

describe('a preview', () => {
  afterEach(close);

  it('shows the text while it streams, and leaves the document unchanged', async () => {
    const editor = await open(TEXT, PROMPT);
    const job = jobOn(editor, 'preview');
    job.begin([0], 'restart');
    job.append(0, 'half ');
    const right = await rightSide();
    await untilText(right, (text) => text === 'top\nhalf \nend');
    job.append(0, 'an answer');
    await untilText(right, (text) => text === 'top\nhalf an answer\nend');
    assert.equal(editor.document.getText(), TEXT);
    await job.end(0, 'ended');
  });

  it("makes its document's folder the active folder", async () => {
    const editor = await openFile('a b.txt', TEXT, PROMPT);
    const job = jobOn(editor, 'preview');
    await answer(job, 'answer');
    await rightSide();
    const isPreview = () => window.activeTextEditor?.document.uri.scheme === PREVIEW_SCHEME;
    await until(window.onDidChangeActiveTextEditor, isPreview);
    assert.equal(activeFolder(), workspace.workspaceFolders?.[0]);
  });

  it("doesn't take focus from a user who keeps typing @nightly", async () => {
    const editor = await open(TEXT, PROMPT);
    const job = jobOn(editor, 'preview');
    job.begin([0], 'restart');
    await commands.executeCommand('cursorBottom');
    await commands.executeCommand('type', { text: 'er' });
    await show(job, 'answer');
    await rightSide();
    await commands.executeCommand('type', { text: '!' });
    assert.equal(editor.document.getText(), 'top\nprompt\nender!');
    assert.equal(window.activeTextEditor?.document, editor.document);
    await activatePreview();
    assert.equal(await acceptSeen(), true);
    assert.equal(editor.document.getText(), 'top\nanswer\nender!');
  });

  it("doesn't take focus on a retry if the user keeps typing", async () => {
    const { editor, job } = await previewed();
    await acceptSeen();
    job.begin([0], 'restart');
    await commands.executeCommand('cursorBottom');
    await commands.executeCommand('type', { text: 'er' });
    await show(job, 'another');
    await rightSide();
    await commands.executeCommand('type', { text: '!' });
    assert.equal(editor.document.getText(), 'top\nanswer\nender!');
  });

  it("doesn't cover a file that the user opened after running the command", async () => {
    const job = jobOn(await open(TEXT, PROMPT), 'preview');
    const other = await openFile('other.txt', 'other');
    await answer(job, 'answer');
    assert.equal(window.activeTextEditor?.document, other.document);
    assert.ok(window.visibleTextEditors.some(({ document }) => document === other.document));
  });

  it('inserts its text as one undo step when accepted, and then closes', async () => {
    const { editor, job } = await previewed();
    assert.equal(await acceptSeen(), true);
    assert.equal(editor.document.getText(), 'top\nanswer\nend');
    assert.equal(previewTabs().length, 0);
    assert.equal(window.activeTextEditor?.document, editor.document);
    await commands.executeCommand('undo');
    assert.equal(editor.document.getText(), TEXT);
    assert.equal(job.text, 'answer');
  });

  it('closes if the complete response is the same as the selected text', async () => {
    const editor = await open(TEXT, PROMPT);
    const job = jobOn(editor, 'preview');
    job.begin([0], 'restart');
    job.append(0, 'prompt');
    await rightSide();
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(previewTabs().length, 0);
    assert.equal(job.isPending, false);
    assert.equal(job.text, 'prompt');
    await answer(job, 'answer');
    assert.equal(await acceptSeen(), true);
    assert.equal(editor.document.getText(), 'top\nanswer\nend');
  });

  it("that shows no changes stays open while another selection's response is pending", async () => {
    const editor = await openWith(TEXT, [PROMPT, new Range(2, 0, 2, 3)]);
    const job = jobOn(editor, 'preview');
    job.begin([0, 1], 'restart');
    job.append(0, 'prompt');
    await rightSide();
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(previewTabs().length, 1);
    job.append(1, 'end!');
    assert.equal(await job.end(1, 'ended'), true);
    await upToDate(previewTabs().at(-1));
    assert.equal(await acceptSeen(), true);
    assert.equal(editor.document.getText(), 'top\nprompt\nend!');
  });

  it("that shows no changes stays open if its text can't be inserted", async () => {
    const editor = await open(TEXT, PROMPT);
    const job = jobOn(editor, 'preview');
    job.begin([0], 'restart');
    job.append(0, 'answer');
    await rightSide();
    await insert(editor, 7, 'MINE');
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(previewTabs().length, 1);
  });

  it('that replaces whole lines leaves the next line unchanged @nightly', async () => {
    const editor = await open(TEXT, new Range(1, 0, 2, 0));
    await answer(jobOn(editor, 'preview'), 'answer');
    assert.equal(await acceptSeen(), true);
    assert.equal(editor.document.getText(), 'top\nanswer\nend');
  });

  it('inserts its text in the right place after edits around the selection', async () => {
    const { editor } = await previewed();
    const right = await rightSide();
    await insert(editor, 0, 'before\n');
    await insert(editor, editor.document.getText().length, ' behind');
    await untilText(right, (text) => text === 'before\ntop\nanswer\nend behind');
    assert.equal(await acceptSeen(), true);
    assert.equal(editor.document.getText(), 'before\ntop\nanswer\nend behind');
  });

  it("doesn't insert its text until it shows the latest changes to the document @nightly", async () => {
    const { editor } = await previewed();
    await insert(editor, 0, 'before\n');
    assert.equal(await openPreviews().accept(), true);
    assert.equal(editor.document.getText(), `before\n${TEXT}`);
    assert.equal(await acceptSeen(), true);
    assert.equal(editor.document.getText(), 'before\ntop\nanswer\nend');
  });

  it('offers its text in a message if the selected text changed', async () => {
    let rescues = 0;
    const { editor } = await previewed(TEXT, () => {
      rescues += 1;
    });
    await insert(editor, 7, 'MINE');
    assert.equal(await acceptSeen(), true);
    assert.equal(editor.document.getText(), 'top\nproMINEmpt\nend');
    assert.equal(rescues, 1);
  });

  it("appears on a retry if it couldn't be shown at first", async () => {
    const editor = await open(TEXT, PROMPT);
    const job = jobOn(editor, 'preview');
    const previews = openPreviews();
    const show = mock.method(previews, 'show');
    show.mock.mockImplementationOnce(() => Promise.reject(new Error('not now')));
    job.begin([0], 'restart');
    job.append(0, 'answer');
    assert.equal(await job.end(0, 'ended'), false);
    assert.equal(job.isIdle, true);
    await answer(job, 'another\n');
    assert.equal(await acceptSeen(), true);
    assert.equal(editor.document.getText(), 'top\nanother\nend');
    show.mock.restore();
  });

  it("fails if it can't be shown, even if a second response has started", async () => {
    const editor = await openWith(TEXT, [PROMPT, new Range(2, 0, 2, 3)]);
    const job = jobOn(editor, 'preview');
    const show = mock.method(openPreviews(), 'show');
    show.mock.mockImplementationOnce(() => Promise.reject(new Error('not now')));
    job.begin([0], 'restart');
    job.append(0, 'answer');
    const [call] = show.mock.calls;
    assert.ok(call?.result);
    await assert.rejects(call.result);
    job.begin([1], 'restart');
    assert.equal(await job.end(0, 'ended'), false);
    show.mock.restore();
  });

  it("isn't considered up to date if it couldn't be shown", async () => {
    const { document } = await open(TEXT, PROMPT);
    const previews = openPreviews();
    const shown = previews.show({
      document: { uri: document.uri, languageId: 'unheard-of' } as TextDocument,
      text: () => 'never shown',
      mayTakeFocus: () => false,
      accept: async () => {},
      discard: () => {},
      reopen: () => {},
    });
    await assert.rejects(shown);
    const left = workspace.textDocuments.find((each) => each.getText() === 'never shown');
    assert.ok(left);
    assert.equal(previews.isUpToDate(left.uri), false);
  });

  it('inserts its text only once, even if it is accepted twice @nightly', async () => {
    const { editor } = await previewed();
    const previews = openPreviews();
    await Promise.all([previews.accept(), previews.accept()]);
    assert.equal(editor.document.getText(), 'top\nanswer\nend');
  });

  it("can't be accepted while its response is streaming", async () => {
    const editor = await open(TEXT, PROMPT);
    const job = jobOn(editor, 'preview');
    job.begin([0], 'restart');
    job.append(0, 'half');
    await rightSide();
    await openPreviews().accept();
    assert.equal(editor.document.getText(), TEXT);
    assert.equal(previewTabs().length, 1);
  });

  for (const [what, again, want] of [
    ["another selection's response", 1, 'top\nanswer\nANOTHER'],
    ['a retry of its response', 0, 'top\nANOTHER\nend'],
  ] as const) {
    it(`can be accepted before any text from ${what} arrives`, async () => {
      const editor = await openWith(TEXT, [PROMPT, new Range(2, 0, 2, 3)]);
      const job = jobOn(editor, 'preview');
      await answer(job, 'answer');
      job.begin([again], 'restart');
      assert.equal(await acceptSeen(), true);
      assert.equal(editor.document.getText(), 'top\nanswer\nend');
      await show(job, 'ANOTHER', again);
      assert.equal(await acceptSeen(), true);
      assert.equal(editor.document.getText(), want);
    });
  }

  it("can be accepted even if another selection's response never started", async () => {
    const editor = await openWith(TEXT, [PROMPT, new Range(2, 0, 2, 3)]);
    await answer(jobOn(editor, 'preview'), 'answer');
    assert.equal(await acceptSeen(), true);
    assert.equal(editor.document.getText(), 'top\nanswer\nend');
  });

  it('stops the generation and leaves the document unchanged when it is discarded @nightly', async () => {
    const editor = await open(TEXT, PROMPT);
    const job = jobOn(editor, 'preview');
    const { aborted, ended } = running(job);
    job.begin([0], 'restart');
    job.append(0, 'half');
    await rightSide();
    assert.equal(await openPreviews().discard(), true);
    await aborted;
    assert.equal(await ended, true);
    assert.equal(editor.document.getText(), TEXT);
    assert.equal(previewTabs().length, 0);
  });

  it('is discarded if its tab is closed @nightly', async () => {
    const editor = await open(TEXT, PROMPT);
    const job = jobOn(editor, 'preview');
    const { aborted } = running(job);
    job.begin([0], 'restart');
    job.append(0, 'half');
    await rightSide();
    await commands.executeCommand('workbench.action.closeActiveEditor');
    await aborted;
    assert.equal(editor.document.getText(), TEXT);
    assert.equal(await openPreviews().accept(), false);
  });

  for (const [when, isEnded] of [
    ['while its response streams', false],
    ['after its response is complete', true],
  ] as const) {
    it(`reopens when its file is renamed ${when}`, async () => {
      const names = [`renamed-${isEnded}.txt`, `renamed-${isEnded}-new.txt`] as const;
      const job = jobOn(await openFile(names[0], TEXT, PROMPT), 'preview');
      job.begin([0], 'restart');
      const controller = job.activeRuns.reserve([0]);
      job.append(0, 'answer');
      if (isEnded) assert.equal(await job.end(0, 'ended'), true);
      const before = await rightSide();
      await rename(...names);
      await until(window.tabGroups.onDidChangeTabs, () => isPreviewOf(names[1]));
      assert.notEqual((await rightSide()).uri.toString(), before.uri.toString());
      assert.equal(controller?.signal.aborted, false);
      if (!isEnded) assert.equal(await job.end(0, 'ended'), true);
      await activatePreview();
      assert.equal(await acceptSeen(), true);
      assert.equal(job.document.uri.path, fileUri(names[1]).path);
      assert.equal(job.document.getText(), 'top\nanswer\nend');
    });
  }

  it('is discarded if its tab is closed after its file is renamed @nightly', async () => {
    const names = ['discarded.txt', 'discarded-new.txt'] as const;
    const job = jobOn(await openFile(names[0], TEXT, PROMPT), 'preview');
    const { aborted } = await streaming(job);
    await rename(...names);
    await until(window.tabGroups.onDidChangeTabs, () => isPreviewOf(names[1]));
    await activatePreview();
    await commands.executeCommand('workbench.action.closeActiveEditor');
    await aborted;
    assert.equal(job.isPending, false);
  });

  it('is discarded if its tab is closed after a failed rename', async () => {
    const job = jobOn(await openFile('stays.txt', TEXT, PROMPT), 'preview');
    const { aborted } = await streaming(job);
    const started = new Promise<unknown>((resolve) => {
      const listener = workspace.onWillRenameFiles((event) => {
        listener.dispose();
        resolve(event);
      });
    });
    // This rename fails on disk, because letter.txt is a file, not a folder.
    const edit = new WorkspaceEdit();
    edit.renameFile(fileUri('stays.txt'), fileUri('letter.txt/stays.txt'));
    assert.equal(await workspace.applyEdit(edit), false);
    await started;
    assert.equal(isPreviewOf('stays.txt'), true);
    await commands.executeCommand('workbench.action.closeActiveEditor');
    await aborted;
    assert.equal(job.isPending, false);
  });

  it('is discarded if its file is deleted @nightly', async () => {
    const job = jobOn(await openFile('deleted.txt', TEXT, PROMPT), 'preview');
    const { aborted } = await streaming(job);
    const edit = new WorkspaceEdit();
    edit.deleteFile(fileUri('deleted.txt'));
    assert.equal(await workspace.applyEdit(edit), true);
    await aborted;
    assert.equal(previewTabs().length, 0);
    assert.equal(job.isPending, false);
  });

  it('is discarded if its file becomes an auto-run file @nightly', async () => {
    const job = jobOn(await openFile('moved.json', TEXT, PROMPT), 'preview');
    await answer(job, 'answer');
    await rename('moved.json', '.vscode/moved.json');
    assert.equal(previewTabs().length, 0);
    assert.equal(job.isPending, false);
  });

  it('stays open when its tab is moved to another group @nightly', async () => {
    const { editor } = await previewed();
    await commands.executeCommand('workbench.action.moveEditorToNextGroup');
    await rightSide();
    assert.equal(await acceptSeen(), true);
    assert.equal(editor.document.getText(), 'top\nanswer\nend');
  });

  it('reopens for a retry after being discarded @nightly', async () => {
    const { editor, job } = await previewed();
    await openPreviews().discard();
    job.begin([0], 'restart');
    job.append(0, 'another');
    await rightSide();
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(await acceptSeen(), true);
    assert.equal(editor.document.getText(), 'top\nanother\nend');
  });

  it("leaves out a discarded response when another selection's response arrives", async () => {
    const editor = await openWith(TEXT, [PROMPT, new Range(2, 0, 2, 3)]);
    const job = jobOn(editor, 'preview');
    await answer(job, 'FIRST');
    await openPreviews().discard();
    job.begin([1], 'restart');
    await show(job, 'SECOND', 1);
    assert.equal(await acceptSeen(), true);
    assert.equal(editor.document.getText(), 'top\nprompt\nSECOND');
  });

  it('contains the whole text when a discarded response is continued', async () => {
    const { editor, job } = await previewed();
    await openPreviews().discard();
    job.begin([0], 'continue');
    await show(job, ' and more');
    assert.equal(await acceptSeen(), true);
    assert.equal(editor.document.getText(), 'top\nanswer and more\nend');
  });

  it('reopens when an accepted response is continued @nightly', async () => {
    const { editor, job } = await previewed();
    await acceptSeen();
    job.begin([0], 'continue');
    job.append(0, ' and more');
    const right = await rightSide();
    await untilText(right, (text) => text === 'top\nanswer and more\nend');
    assert.equal(await job.end(0, 'ended'), true);
    assert.equal(editor.document.getText(), 'top\nanswer\nend');
    assert.equal(await acceptSeen(), true);
    assert.equal(editor.document.getText(), 'top\nanswer and more\nend');
    assert.equal(await job.undo(), 'undone');
    assert.equal(editor.document.getText(), TEXT);
  });

  it("doesn't insert text that arrives while the preview is being accepted @nightly", async () => {
    const { editor, job } = await previewed();
    const accepted = openPreviews().accept();
    job.begin([0], 'continue');
    job.append(0, ' and more');
    await accepted;
    assert.equal(editor.document.getText(), 'top\nanswer\nend');
    assert.equal(await job.end(0, 'ended'), true);
    const right = await rightSide();
    await untilText(right, (text) => text === 'top\nanswer and more\nend');
    assert.equal(editor.document.getText(), 'top\nanswer\nend');
  });

  it('can be undone before and after it is accepted @nightly', async () => {
    const { editor, job } = await previewed();
    assert.equal(await job.undo(), 'undone');
    assert.equal(previewTabs().length, 0);
    assert.equal(await job.undo(), 'nothing');
    job.begin([0], 'restart');
    job.append(0, 'another');
    await rightSide();
    await job.end(0, 'ended');
    await acceptSeen();
    assert.equal(editor.document.getText(), 'top\nanother\nend');
    assert.equal(await job.undo(), 'undone');
    assert.equal(editor.document.getText(), TEXT);
  });

  it('is undone separately from the earlier response if it was accepted after a retry', async () => {
    const { editor, job } = await previewed();
    await acceptSeen();
    job.begin([0], 'restart');
    job.append(0, 'another');
    await rightSide();
    await job.end(0, 'ended');
    assert.equal(await acceptSeen(), true);
    assert.equal(editor.document.getText(), 'top\nanother\nend');
    await window.showTextDocument(editor.document);
    await commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'top\nanswer\nend');
  });

  it('can be open alongside another preview of the same document @nightly', async () => {
    const editor = await open('one\ntwo\n', new Range(0, 0, 0, 3));
    const first = jobOn(editor, 'preview');
    await answer(first, 'FIRST');
    const again = await window.showTextDocument(editor.document, { preview: false });
    again.selection = new Selection(1, 0, 1, 3);
    const second = jobOn(again, 'preview');
    await answer(second, 'SECOND');
    assert.equal(previewTabs().length, 2);
    await acceptSeen();
    assert.equal(editor.document.getText(), 'one\nSECOND\n');
    await activatePreview();
    await acceptSeen();
    assert.equal(editor.document.getText(), 'FIRST\nSECOND\n');
  });

  it("doesn't prevent a direct insertion into its document @nightly", async () => {
    const { editor } = await previewed();
    const [left] = window.visibleTextEditors.filter(({ document }) => document === editor.document);
    assert.ok(left);
    left.selection = new Selection(2, 0, 2, 3);
    assert.equal(await stream(left, 'after', ['!']), true);
    assert.equal(editor.document.getText(), 'top\nprompt\nend!');
    assert.equal(await acceptSeen(), true);
    assert.equal(editor.document.getText(), 'top\nanswer\nend!');
  });

  it('reopens its document if the document is closed before the preview is accepted @nightly', async () => {
    const editor = await openFile('previewed.txt', TEXT, PROMPT);
    const { document } = editor;
    const job = jobOn(editor, 'preview');
    await answer(job, 'answer');
    const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
    await window.tabGroups.close(tabs.filter(({ input }) => !(input instanceof TabInputTextDiff)));
    assert.equal(await acceptSeen(), true);
    assert.equal(window.activeTextEditor?.document.uri.path, document.uri.path);
    assert.equal(window.activeTextEditor?.document.getText(), 'top\nanswer\nend');
  });

  it('of a notebook cell changes the cell only when accepted @nightly', async () => {
    const cells = ['prompt', 'another'].map(
      (text) => new NotebookCellData(NotebookCellKind.Code, text, 'python'),
    );
    const notebook = await workspace.openNotebookDocument(
      'jupyter-notebook',
      new NotebookData(cells),
    );
    await window.showNotebookDocument(notebook);
    await commands.executeCommand('notebook.cell.edit');
    const { document } = notebook.cellAt(0);
    const find = () => window.visibleTextEditors.find((each) => each.document === document);
    await until(window.onDidChangeVisibleTextEditors, () => find() !== undefined);
    const editor = find();
    assert.ok(editor);
    editor.selection = new Selection(0, 0, 0, 6);
    const job = jobOn(editor, 'preview');
    await answer(job, 'answer');
    const right = await rightSide();
    assert.equal(right.getText(), 'answer');
    assert.equal(activeFolder(right.uri), workspace.workspaceFolders?.[0]);
    assert.equal(document.getText(), 'prompt');
    assert.equal(await acceptSeen(), true);
    assert.equal(document.getText(), 'answer');
    assert.equal(await job.undo(), 'undone');
    assert.equal(document.getText(), 'prompt');
  });

  it('offers its text in a message if the line endings changed @nightly', async () => {
    let rescues = 0;
    const { editor } = await previewed(TEXT, () => {
      rescues += 1;
    });
    const shown = await window.showTextDocument(editor.document);
    await shown.edit((builder) => builder.setEndOfLine(EndOfLine.CRLF));
    await activatePreview();
    await acceptSeen();
    assert.equal(editor.document.getText(), TEXT.replaceAll('\n', '\r\n'));
    assert.equal(rescues, 1);
  });
});

async function previewed(
  text = TEXT,
  rescue = () => {},
): Promise<{ readonly editor: TextEditor; readonly job: Job }> {
  const editor = await open(text, PROMPT);
  const job = jobOn(editor, 'preview', rescue);
  await answer(job, 'answer');
  return { editor, job };
}

/** Adds a whole response to a job, and waits until a preview shows it. */
async function answer(job: Job, text: string): Promise<void> {
  job.begin([0], 'restart');
  await show(job, text);
}

/** Adds text to a response that has begun, ends the response, and waits for its preview. */
async function show(job: Job, text: string, index = 0): Promise<void> {
  const before = previewTabs().length;
  job.append(index, text);
  assert.equal(await job.end(index, 'ended'), true);
  await until(window.tabGroups.onDidChangeTabs, () => previewTabs().length > before);
  await upToDate(previewTabs().at(-1));
}

async function upToDate(tab: Tab | undefined): Promise<void> {
  const shown = tab?.input;
  assert.ok(shown instanceof TabInputTextDiff);
  const isUpToDate = () => openPreviews().isUpToDate(shown.modified);
  await until(workspace.onDidChangeTextDocument, isUpToDate);
}

/** Waits until the active preview is up to date, and accepts it. */
async function acceptSeen(): Promise<boolean> {
  await upToDate(window.tabGroups.activeTabGroup.activeTab);
  return openPreviews().accept();
}

/** Simulates a request that runs until it's aborted, and then fails. */
function running(job: Job): { readonly aborted: Promise<void>; readonly ended: Promise<boolean> } {
  const controller = job.activeRuns.reserve([0]);
  assert.ok(controller);
  const aborted = new Promise<void>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve());
  }).finally(() => job.activeRuns.release(controller));
  return { aborted, ended: aborted.then(() => job.end(0, 'failed')) };
}

/** Simulates a request, and waits until a preview shows the first text of its response. */
async function streaming(job: Job): Promise<{ readonly aborted: Promise<void> }> {
  job.begin([0], 'restart');
  const { aborted } = running(job);
  job.append(0, 'half');
  await rightSide();
  return { aborted };
}

async function insert({ document }: TextEditor, offset: number, text: string): Promise<void> {
  const shown = window.visibleTextEditors.find((each) => each.document === document);
  assert.ok(shown);
  await shown.edit((builder) => builder.insert(document.positionAt(offset), text));
}

function previewTabs() {
  return window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => input instanceof TabInputTextDiff);
}

/** True if the first open preview is for this file in the window's folder. */
function isPreviewOf(name: string): boolean {
  const [{ input } = {}] = previewTabs();
  return input instanceof TabInputTextDiff && `${input.original}` === `${fileUri(name)}`;
}

/** Waits until an editor shows the right side of a preview, and returns its document. */
async function rightSide(): Promise<TextDocument> {
  // `visibleTextEditors` may still contain the editor of a preview that was just closed.
  const isOpen = ({ document: { uri } }: TextEditor) =>
    previewTabs().some(({ input }) => {
      return input instanceof TabInputTextDiff && input.modified.toString() === uri.toString();
    });
  const find = () => window.visibleTextEditors.find(isOpen);
  const events = [window.onDidChangeVisibleTextEditors, window.tabGroups.onDidChangeTabs];
  await until(events, () => find() !== undefined);
  const found = find();
  assert.ok(found);
  return found.document;
}

/** Activates the tab of the only open preview. */
async function activatePreview(): Promise<void> {
  const isActive = () =>
    window.tabGroups.activeTabGroup.activeTab?.input instanceof TabInputTextDiff;
  if (!isActive()) await commands.executeCommand('workbench.action.nextEditor');
  const { onDidChangeTabs, onDidChangeTabGroups } = window.tabGroups;
  await until([onDidChangeTabs, onDidChangeTabGroups], isActive);
}
