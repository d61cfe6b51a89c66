import {
  type NotebookDocument,
  type Tab,
  TabInputNotebook,
  TabInputText,
  TabInputTextDiff,
  type TextDocument,
  type TextEditor,
  ViewColumn,
  window,
  workspace,
} from 'vscode';

/** Finds the editors and tabs for a document, and shows documents. */

export function editorsOf(document: TextDocument): TextEditor[] {
  return window.visibleTextEditors.filter((editor) => editor.document === document);
}

/**
 * Returns an editor that shows the document. Prefers the active editor, because commands apply to
 * its selections.
 */
export function editorOf(document: TextDocument): TextEditor | undefined {
  const { activeTextEditor } = window;
  if (activeTextEditor?.document === document) return activeTextEditor;
  return editorsOf(document)[0];
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
