import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ConfigurationTarget,
  commands,
  Disposable,
  type FileSystemProvider,
  FileType,
  NotebookCellData,
  NotebookCellKind,
  NotebookData,
  NotebookEdit,
  NotebookRange,
  Range,
  Selection,
  type TextEditor,
  Uri,
  WorkspaceEdit,
  window,
  workspace,
} from 'vscode';
import { isAutoRunFile, resolvesToAutoRunFile } from '../../src/editor/autoRunFiles.ts';
import { isWritable } from '../../src/editor/capturedSelection.ts';
import { placing } from '../../src/editor/inPlaceModes.ts';
import { appendTo, close, fileUri, jobOn, open, openFile, openNew, stream, until } from './jobs.ts';

const PROMPT = new Range(0, 0, 0, 6);

describe('insertion targets:', () => {
  const folders: string[] = [];
  afterEach(async () => {
    await close();
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });

  /** Creates a temporary folder that contains a `.vscode` folder. */
  async function linkFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'hosted-model-links-'));
    folders.push(folder);
    await mkdir(join(folder, '.vscode'));
    return folder;
  }

  it("J09: a hidden read-only document isn't changed", async () => {
    const provider = workspace.registerTextDocumentContentProvider('read-only-hidden', {
      provideTextDocumentContent: () => 'prompt',
    });
    const document = await workspace.openTextDocument(Uri.parse('read-only-hidden:/prompt.txt'));
    const editor = await window.showTextDocument(document, { preview: false });
    editor.selection = new Selection(PROMPT.start, PROMPT.end);
    const job = jobOn(editor, 'below');
    await open('another');
    job.append(0, 'text');
    const isPlaced = await job.end(0, 'ended');
    provider.dispose();
    assert.equal(isPlaced, false);
    assert.equal(document.getText(), 'prompt');
  });

  it("J10: a file made read-only by a setting isn't changed", async () => {
    const files = workspace.getConfiguration('files');
    await files.update('readonlyInclude', { '**/locked.txt': true }, ConfigurationTarget.Global);
    try {
      const editor = await openFile('locked.txt', 'prompt', PROMPT);
      assert.equal(await stream(editor, 'below', ['text']), false);
      assert.equal(editor.document.getText(), 'prompt');
      assert.equal(editor.document.isDirty, false);
    } finally {
      await files.update('readonlyInclude', undefined, ConfigurationTarget.Global);
    }
  });

  it('J25: a notebook cell accepts text, and one undo removes it @nightly', async () => {
    const { editor } = await notebook();
    assert.equal(isWritable(editor.document), true);
    assert.equal(await stream(editor, 'below', ['an ', 'answer']), true);
    assert.equal(editor.document.getText(), 'prompt\nan answer');
    await commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'prompt');
  });

  it("J25: a cell that is deleted during streaming isn't restored @nightly", async () => {
    const { editor, uri } = await notebook();
    const job = jobOn(editor, 'below');
    await appendTo(job, editor.document, 'first ');
    const edit = new WorkspaceEdit();
    edit.set(uri, [NotebookEdit.deleteCells(new NotebookRange(0, 1))]);
    await workspace.applyEdit(edit);
    job.append(0, 'second');
    assert.equal(await job.end(0, 'ended'), false);
    const [document] = workspace.notebookDocuments;
    assert.deepEqual(
      document?.getCells().map((cell) => cell.document.getText()),
      ['another'],
    );
  });

  it("J26: in a diff, the modified side accepts text, but the original side doesn't @nightly", async () => {
    const [original, modified] = [fileUri('original.txt'), fileUri('modified.txt')];
    await workspace.fs.writeFile(original, Buffer.from('a\n'));
    await workspace.fs.writeFile(modified, Buffer.from('prompt\n'));
    await commands.executeCommand('vscode.diff', original, modified);
    const shown = ({ path }: Uri) =>
      window.visibleTextEditors.find((each) => each.document.uri.path === path);
    await until(window.onDidChangeVisibleTextEditors, () => shown(modified) !== undefined);
    const [left, editor] = [shown(original), shown(modified)];
    assert.ok(left && editor);
    assert.equal(isWritable(left.document), false);
    assert.equal(isWritable(editor.document), true);
    editor.selection = new Selection(PROMPT.start, PROMPT.end);
    assert.equal(await stream(editor, 'below', ['text']), true);
    assert.equal(editor.document.getText(), 'prompt\ntext\n');
  });

  for (const address of [
    'output:hosted-model',
    'git:/a.txt',
    'vscode-userdata:/settings.json',
    'vscode-settings:/settings.json',
    'vscode-scm:git/scm0/input',
    'vscode-terminal:/1',
    'search-editor:/a',
  ]) {
    it(`J26: ${address} is not writable`, () => {
      assert.equal(isWritable({ uri: Uri.parse(address) } as TextEditor['document']), false);
    });
  }

  for (const address of ['untitled:Untitled-1', 'file:///a.txt', 'vscode-notebook-cell:/a.ipynb']) {
    it(`J26: ${address} is writable`, () => {
      assert.equal(isWritable({ uri: Uri.parse(address) } as TextEditor['document']), true);
    });
  }

  for (const path of [
    '/a/.vscode/tasks.json',
    '/a/.VSCode/settings.json',
    '/a/b.code-workspace',
    '/a/.env',
    '/a/.env.local',
    '/a/.git/hooks/pre-commit',
    '/a/.git',
    '/a/package.json',
    '/data/User/settings.json',
    '/data/User/profiles/x1/snippets/a.json',
  ]) {
    it(`J27: ${path} is an auto-run file`, () => {
      const document = { uri: Uri.file(path) } as TextEditor['document'];
      assert.equal(isAutoRunFile(document), true);
    });
  }

  it("J27: a path that only resembles an auto-run path isn't treated as one", () => {
    for (const path of ['/a/vscode/tasks.json', '/a/environment.ts', '/a/git/b', '/a/.github/b']) {
      assert.equal(isAutoRunFile({ uri: Uri.file(path) } as TextEditor['document']), false, path);
    }
  });

  const links: [title: string, name: string, make: (folder: string) => Promise<unknown>][] = [
    [
      'a link to an auto-run file',
      'notes.txt',
      async (folder) => {
        await writeFile(join(folder, '.vscode', 'tasks.json'), '{}');
        await symlink(join('.vscode', 'tasks.json'), join(folder, 'notes.txt'));
      },
    ],
    [
      'a file in a linked folder of auto-run files',
      'notes/tasks.json',
      async (folder) => {
        await writeFile(join(folder, '.vscode', 'tasks.json'), '{}');
        await symlink('.vscode', join(folder, 'notes'));
      },
    ],
    ['a broken link', 'gone.txt', (folder) => symlink('nowhere', join(folder, 'gone.txt'))],
    ['a link to itself', 'self.txt', (folder) => symlink('self.txt', join(folder, 'self.txt'))],
  ];
  for (const [title, name, make] of links) {
    it(`J27: ${title} is treated as an auto-run file`, async () => {
      const folder = await linkFolder();
      await make(folder);
      const document = { uri: Uri.file(join(folder, name)) } as TextEditor['document'];
      assert.equal(isAutoRunFile(document), false);
      assert.equal(await resolvesToAutoRunFile(document), true);
    });
  }

  it("J27: untitled documents and symbolic links to plain files aren't auto-run files", async () => {
    const folder = await linkFolder();
    await writeFile(join(folder, 'plain.txt'), '');
    await symlink('plain.txt', join(folder, 'link.txt'));
    for (const name of ['plain.txt', 'link.txt']) {
      const document = { uri: Uri.file(join(folder, name)) } as TextEditor['document'];
      assert.equal(await resolvesToAutoRunFile(document), false, name);
    }
    assert.equal(await resolvesToAutoRunFile((await open('text')).document), false);
  });

  it('J27: a symbolic link in a virtual file system is treated as an auto-run file', async () => {
    const stat = (uri: Uri) => ({
      type: uri.path.includes('link') ? FileType.File | FileType.SymbolicLink : FileType.File,
      ctime: 0,
      mtime: 0,
      size: 0,
    });
    const provider = workspace.registerFileSystemProvider('linking', {
      ...unusable,
      stat,
    });
    const document = (path: string) =>
      ({ uri: Uri.from({ scheme: 'linking', path }) }) as TextEditor['document'];
    assert.equal(await resolvesToAutoRunFile(document('/a/plain.txt')), false);
    assert.equal(await resolvesToAutoRunFile(document('/a/link.txt')), true);
    assert.equal(await resolvesToAutoRunFile(document('/linked/plain.txt')), true);
    assert.equal(await resolvesToAutoRunFile(document('/a/.env')), true);
    provider.dispose();
  });

  it('J29: text that looks like a snippet or a command is inserted literally', async () => {
    const answer = `$1 \${2:two} $TM_FILENAME \\$ '\${x}' [a](command:b) \\n %s`;
    const editor = await open('prompt', PROMPT);
    assert.equal(await stream(editor, 'below', [answer]), true);
    assert.equal(editor.document.getText(), `prompt\n${answer}`);
  });

  it("J33: text for a position outside the document isn't inserted", async () => {
    const editor = await open('prompt', PROMPT);
    const outside = placing('outside', () => ({
      start: 100,
      end: 100,
      lead: '',
      tail: '',
    }));
    assert.equal(await stream(editor, outside, ['text']), false);
    assert.equal(editor.document.getText(), 'prompt');
  });

  it('J21: 8 MiB of text is inserted in one edit @nightly', async () => {
    const answer = `${`${'word '.repeat(15)}end.\n`.repeat(8 * 13_107)}end`;
    const editor = await openNew('prompt', [PROMPT]);
    const { document } = editor;
    const before = document.version;
    assert.equal(await stream(editor, 'below', [answer]), true);
    assert.equal(document.version, before + 1);
    assert.equal(document.getText().length, answer.length + 'prompt\n'.length);
  });
});

const refused = () => {
  throw new Error('not asked for');
};
const unusable: FileSystemProvider = {
  onDidChangeFile: () => new Disposable(() => {}),
  watch: () => new Disposable(() => {}),
  stat: refused,
  readFile: refused,
  readDirectory: refused,
  createDirectory: refused,
  writeFile: refused,
  delete: refused,
  rename: refused,
};

async function notebook(): Promise<{ readonly editor: TextEditor; readonly uri: Uri }> {
  const cells = ['prompt', 'another'].map(
    (text) => new NotebookCellData(NotebookCellKind.Code, text, 'python'),
  );
  const opened = await workspace.openNotebookDocument('jupyter-notebook', new NotebookData(cells));
  await window.showNotebookDocument(opened);
  await commands.executeCommand('notebook.cell.edit');
  const find = () =>
    window.visibleTextEditors.find(({ document }) => document === opened.cellAt(0).document);
  await until(window.onDidChangeVisibleTextEditors, () => find() !== undefined);
  const editor = find();
  assert.ok(editor);
  editor.selection = new Selection(PROMPT.start, PROMPT.end);
  return { editor, uri: opened.uri };
}
