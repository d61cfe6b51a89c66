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

/**
 * Edits documents, and finds or shows their editors. No other module writes generated text into
 * documents. Edits insert plain text, never snippets.
 */

/**
 * Applies changes in a single edit. The changes must not overlap or touch each other.
 * @param undoStopBefore true if the edit starts a new undo step
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
        // Unlike `replace`, `insert` doesn't extend selections that start at the insertion point.
        // Extended selections could touch each other, and VS Code would merge them (confirmed by
        // testing).
        if (range.isEmpty) builder.insert(range.start, text);
        else builder.replace(range, text);
      }
    },
    { undoStopBefore, undoStopAfter: false },
  );
}

/**
 * Applies changes to an open document in a single edit, even if no editor shows it. The changes
 * must not overlap or touch each other. The edit is always a separate undo step.
 */
export function editDocument(
  { uri }: TextDocument,
  changes: readonly (readonly [range: Range, text: string])[],
): Thenable<boolean> {
  const edit = new WorkspaceEdit();
  for (const [range, text] of changes) edit.replace(uri, range, text);
  return workspace.applyEdit(edit);
}

/**
 * Returns an editor that shows the document. Prefers the active editor, because commands apply to
 * its selections.
 */
export function editorOf(document: TextDocument): TextEditor | undefined {
  const { activeTextEditor } = window;
  if (activeTextEditor?.document === document) return activeTextEditor;
  return window.visibleTextEditors.find((editor) => editor.document === document);
}

/**
 * Shows a document in the editor group that contains its tab, or in the active group if the
 * document has no tab. For a notebook cell, shows the notebook.
 * @throws if the document is closed, because VS Code would replace a closed untitled document with
 * an empty document
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
 * True if a tab contains the document. VS Code may keep a document in memory for several minutes,
 * even if it has no tab. An edit would reopen such a document and leave it unsaved (confirmed by
 * testing).
 */
export function hasTab(document: TextDocument): boolean {
  return window.tabGroups.all.some(({ tabs }) => tabs.some((tab) => holds(tab, document)));
}

function holds({ input }: Tab, { uri }: TextDocument): boolean {
  if (input instanceof TabInputText) return input.uri.toString() === uri.toString();
  if (input instanceof TabInputTextDiff) return input.modified.toString() === uri.toString();
  return input instanceof TabInputNotebook && input.uri.path === uri.path;
}

/** Converts changes to ranges and strings for the VS Code API. */
export function rangedIn(
  document: TextDocument,
  changes: readonly TextChange[],
): (readonly [range: Range, text: string])[] {
  return changes.map((change) => [rangeOf(document, replacedRange(change)), change.text] as const);
}

export function rangeOf(document: TextDocument, { start, end }: OffsetRange): Range {
  return new Range(document.positionAt(start), document.positionAt(end));
}

export function offsetsOf(document: TextDocument, { start, end }: Range): OffsetRange {
  return { start: document.offsetAt(start), end: document.offsetAt(end) };
}
