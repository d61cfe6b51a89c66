import assert from 'node:assert/strict';
import {
  commands,
  type Disposable,
  EndOfLine,
  type Event,
  Range,
  Selection,
  type TextDocument,
  type TextEditor,
  Uri,
  WorkspaceEdit,
  window,
  workspace,
} from 'vscode';
import { captureTargets } from '../../src/editor/capturedSelection.ts';
import { hasTab } from '../../src/editor/documentTabs.ts';
import type { InsertMode } from '../../src/editor/insertMode.ts';
import { insertModes } from '../../src/editor/insertModes.ts';
import { Previews } from '../../src/editor/previews.ts';
import { Job } from '../../src/generate/job.ts';
import { until as becomes } from '../vscode/deadline.ts';
import type { InsertModeId } from '../vscode/keybindings.ts';

/** The insert modes that write into the document. Exclude only modes that write elsewhere. */
export type PlacingMode = Exclude<InsertModeId, 'newDocument' | 'clipboard' | 'preview'>;

/**
 * A value for each insert mode that writes into the document. The value is usually the document's
 * expected text.
 */
export type ByPlacingMode<Value = string> = Readonly<Record<PlacingMode, Value>>;

/**
 * The name of each insert mode in test titles. The daily tests cover two modes. Add `@nightly` to
 * the name of any other mode.
 */
const titles: ByPlacingMode = {
  below: 'below',
  after: 'after @nightly',
  above: 'above @nightly',
  replace: 'replace',
};

/** The insert modes that write into the document, and their names in test titles. */
export const placingModes = Object.entries(titles) as [mode: PlacingMode, title: string][];

let previews: Previews | undefined;
const toDispose: Disposable[] = [];

/** Creates a job for an editor's selections. The test supplies the responses. */
export function jobOn(editor: TextEditor, mode: string | InsertMode, rescue = () => {}): Job {
  const [first, ...more] = captureTargets(editor);
  const found = typeof mode === 'string' ? insertModes.find(({ id }) => id === mode) : mode;
  if (!first || !found) throw new RangeError(`No target, or no mode ${mode}`);
  const stage = { previews: openPreviews(), rescue };
  const job = new Job([first, ...more], undefined, found, stage);
  toDispose.push(job);
  return job;
}

export function openPreviews(): Previews {
  previews ??= new Previews();
  return previews;
}

/**
 * Opens an untitled document. VS Code may restore the untitled document that the previous test
 * closed, so this function retries until the content is right.
 */
async function untitled(content: string, language = 'plaintext'): Promise<TextDocument> {
  for (;;) {
    const document = await workspace.openTextDocument({ content, language });
    if (document.getText() === content) return document;
    await window.showTextDocument(document);
    await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
}

/**
 * An untitled document that tests share. Opening a new document takes about five times as long as
 * replacing the text of an open document.
 */
let reused: TextDocument | undefined;
let isReusedTaken = false;

/** Shows an untitled document with this content, and selects a range in it. */
export async function open(
  content: string,
  selection = new Range(0, 0, 0, 0),
  language = 'plaintext',
): Promise<TextEditor> {
  return openWith(content, [selection], language);
}

/** Shows an untitled document with this content, and selects these ranges. */
export async function openWith(
  content: string,
  ranges: readonly Range[],
  language = 'plaintext',
): Promise<TextEditor> {
  if (isReusedTaken) return openNew(content, ranges, language);
  if (reused?.isClosed === false && reused.languageId === language) await rewrite(reused, content);
  else {
    await closeTabs();
    reused = await untitled(content, language);
  }
  isReusedTaken = true;
  return select(reused, ranges);
}

/** Like `openWith`, but shows a new document that no other test uses. */
export async function openNew(
  content: string,
  ranges: readonly Range[],
  language = 'plaintext',
): Promise<TextEditor> {
  return select(await untitled(content, language), ranges);
}

async function rewrite(document: TextDocument, content: string): Promise<void> {
  const editor = await window.showTextDocument(document, { preview: false });
  const lineEnd = content.includes('\r\n') ? EndOfLine.CRLF : EndOfLine.LF;
  while (document.getText() !== content || document.eol !== lineEnd) {
    await editor.edit((builder) => {
      builder.replace(new Range(0, 0, document.lineCount, 0), content);
      builder.setEndOfLine(lineEnd);
    });
  }
}

/** Writes a file into the window's folder, opens it, and selects a range in it. */
export async function openFile(
  name: string,
  content: string,
  selection = new Range(0, 0, 0, 0),
): Promise<TextEditor> {
  const uri = fileUri(name);
  await workspace.fs.writeFile(uri, Buffer.from(content));
  return select(await workspace.openTextDocument(uri), [selection]);
}

/** Returns the URI of a file in the window's folder. */
export function fileUri(name: string): Uri {
  const [folder] = workspace.workspaceFolders ?? [];
  assert.ok(folder);
  return Uri.joinPath(folder.uri, name);
}

/** Renames a file or folder in the window's folder, as a user would in the Explorer. */
export async function rename(from: string, to: string): Promise<void> {
  const edit = new WorkspaceEdit();
  edit.renameFile(fileUri(from), fileUri(to));
  assert.equal(await workspace.applyEdit(edit), true);
}

export function unsavedFiles(): TextDocument[] {
  return workspace.textDocuments.filter(({ isDirty, isUntitled }) => isDirty && !isUntitled);
}

async function select(document: TextDocument, ranges: readonly Range[]): Promise<TextEditor> {
  const editor = await window.showTextDocument(document, { preview: false });
  const wanted = ranges.map(({ start, end }) => new Selection(start, end));
  const isSelected = () =>
    editor.selections.length === wanted.length &&
    editor.selections.every((selection, index) => wanted[index]?.isEqual(selection));
  do {
    editor.selections = wanted;
    // A late event about the previous selection can overwrite the new selection. By the time this
    // command ends, all such events have arrived.
    await commands.executeCommand('setContext', 'hostedModel.isSelected', true);
  } while (!isSelected());
  return editor;
}

/** Streams a whole response, and returns true if all of it was inserted. */
export async function stream(
  editor: TextEditor,
  mode: string | InsertMode,
  pieces: readonly string[],
): Promise<boolean> {
  const job = jobOn(editor, mode);
  for (const piece of pieces) job.append(0, piece);
  return job.end(0, 'ended');
}

/** Appends a chunk to a response, and waits until the document contains the chunk. */
export async function appendTo(
  job: Job,
  document: TextDocument,
  piece: string,
  answer = 0,
): Promise<void> {
  const count = (text: string) => text.split(piece.trim()).length;
  const before = count(document.getText());
  job.append(answer, piece);
  await untilText(document, (text) => count(text) > before);
}

/** Inserts text after a word. Applies an edit instead of simulating typing. */
export async function typeAt(document: TextDocument, word: string, text = '*'): Promise<void> {
  const editor = window.visibleTextEditors.find((one) => one.document === document);
  assert.ok(editor);
  for (let done = false; !done; ) {
    const position = document.positionAt(document.getText().indexOf(word) + word.length);
    done = await editor.edit((builder) => builder.insert(position, text));
  }
}

/** Counts a document's edits until the counter is disposed of. */
export function countEdits(document: TextDocument): Disposable & { readonly count: number } {
  let count = 0;
  const listener = workspace.onDidChangeTextDocument((event) => {
    if (event.document === document && event.contentChanges.length > 0) count += 1;
  });
  return {
    get count() {
      return count;
    },
    dispose: () => listener.dispose(),
  };
}

export function untilText(
  document: TextDocument,
  isWanted: (text: string) => boolean,
): Promise<void> {
  return until(workspace.onDidChangeTextDocument, () => isWanted(document.getText()));
}

/**
 * Waits until a condition is true. Checks the condition immediately, and whenever one of these
 * events fires.
 */
export async function until(
  events: Event<unknown> | readonly Event<unknown>[],
  isSo: () => boolean,
): Promise<void> {
  if (isSo()) return;
  await new Promise<void>((resolve) => {
    const listeners = [events].flat().map((event) =>
      event(() => {
        if (!isSo()) return;
        for (const listener of listeners) listener.dispose();
        resolve();
      }),
    );
  });
}

/**
 * Waits until `work` ends. Meanwhile, repeatedly runs these commands to close the messages that
 * `work` waits for.
 */
export async function closing<Result>(
  names: readonly string[],
  work: Promise<Result>,
): Promise<Result> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  // Polls, because VS Code has no event for when a message or question opens.
  await becomes('the work to end', 60_000, async () => {
    for (const name of names) await commands.executeCommand(name);
    return isOver || undefined;
  });
  return over;
}

/**
 * Disposes of all jobs, and closes all tabs without saving. If the shared document's tab is the
 * only one, it stays open.
 */
export async function close(): Promise<void> {
  for (const each of toDispose.splice(0)) each.dispose();
  isReusedTaken = false;
  const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
  const isReusable = tabs.length === 1 && reused?.isClosed === false && hasTab(reused);
  if (!isReusable) await closeTabs();
}

/** Closes all tabs without saving. */
export async function closeTabs(): Promise<void> {
  while (window.tabGroups.all.some(({ tabs }) => tabs.length > 0)) {
    await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
  // Waits until the documents are closed, because a new untitled document could otherwise get the
  // name and line endings of a closed document.
  await until(workspace.onDidCloseTextDocument, () =>
    workspace.textDocuments.every(({ isUntitled }) => !isUntitled),
  );
}
