import {
  type NotebookDocument,
  Range,
  type Tab,
  TabInputNotebook,
  TabInputText,
  TabInputTextDiff,
  type TextDocument,
  type TextEditor,
  ViewColumn,
  WorkspaceEdit,
  window,
  workspace,
} from 'vscode';
import { type OffsetRange, replacedRange, type TextChange } from './textChange.ts';

/** The only calls that change documents. Plain text: nothing in it is expanded or run. */

/**
 * Edits at several places that do not touch.
 * @param undoStopBefore whether an undo step begins with this edit
 */
export function editEditor(
  editor: TextEditor,
  changes: readonly TextChange[],
  undoStopBefore: boolean,
): Thenable<boolean> {
  const ranged = rangedIn(editor.document, changes);
  return editor.edit(
    (builder) => {
      for (const [range, text] of ranged) {
        // Selections that begin here must not grow, or two of them that touch become one (measured).
        if (range.isEmpty) builder.insert(range.start, text);
        else builder.replace(range, text);
      }
    },
    { undoStopBefore, undoStopAfter: false },
  );
}

/**
 * Edits an open document, shown or not, at several places that do not touch; always an undo step
 * of its own.
 */
export function editDocument(
  { uri }: TextDocument,
  changes: readonly (readonly [range: Range, text: string])[],
): Thenable<boolean> {
  const edit = new WorkspaceEdit();
  for (const [range, text] of changes) edit.replace(uri, range, text);
  return workspace.applyEdit(edit);
}

/** An editor that shows the document: the one in use if it does, since its selection matters. */
export function editorOf(document: TextDocument): TextEditor | undefined {
  const { activeTextEditor } = window;
  if (activeTextEditor?.document === document) return activeTextEditor;
  return window.visibleTextEditors.find((editor) => editor.document === document);
}

/**
 * Brings a document to the front, where a tab holds it; a cell with its notebook.
 * @throws if it is closed: of an untitled one VS Code would make another, empty one
 */
export async function showDocument(document: TextDocument): Promise<void> {
  if (document.isClosed) throw new Error(`${document.uri} is closed`);
  const isCell = (notebook: NotebookDocument) =>
    notebook.getCells().some((cell) => cell.document === document);
  const notebook = workspace.notebookDocuments.find(isCell);
  if (notebook) {
    await window.showNotebookDocument(notebook);
    return;
  }
  const group = window.tabGroups.all.find(({ tabs }) => tabs.some((tab) => holds(tab, document)));
  await window.showTextDocument(document, { viewColumn: group?.viewColumn ?? ViewColumn.Active });
}

/**
 * Whether a tab holds the document. Without one it counts as closed, though VS Code may keep it in
 * memory for minutes; an edit would open it again and leave it unsaved (measured).
 */
export function hasTab(document: TextDocument): boolean {
  return window.tabGroups.all.some(({ tabs }) => tabs.some((tab) => holds(tab, document)));
}

function holds({ input }: Tab, { uri }: TextDocument): boolean {
  if (input instanceof TabInputText) return input.uri.toString() === uri.toString();
  if (input instanceof TabInputTextDiff) return input.modified.toString() === uri.toString();
  return input instanceof TabInputNotebook && input.uri.path === uri.path;
}

/** Changes as VS Code is given them. */
export function rangedIn(
  document: TextDocument,
  changes: readonly TextChange[],
): (readonly [range: Range, text: string])[] {
  return changes.map((change) => [rangeOf(document, replacedRange(change)), change.text] as const);
}

/** Offsets count UTF-16 units. */
export function rangeOf(document: TextDocument, { start, end }: OffsetRange): Range {
  return new Range(document.positionAt(start), document.positionAt(end));
}

export function offsetsOf(document: TextDocument, { start, end }: Range): OffsetRange {
  return { start: document.offsetAt(start), end: document.offsetAt(end) };
}
