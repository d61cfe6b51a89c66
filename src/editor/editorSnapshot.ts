import { type Selection, type TextDocument, type TextEditor, window } from 'vscode';

/** An editor's document and selections at a point in time. */
export interface EditorSnapshot {
  readonly document: TextDocument;
  readonly version: number;
  readonly selections: readonly Selection[];
  /** The text of each selection, with the document's line endings. */
  readonly texts: readonly string[];
}

export function snapshotOf({
  document,
  selections,
}: Pick<TextEditor, 'document' | 'selections'>): EditorSnapshot {
  const texts = selections.map((selection) => document.getText(selection));
  return { document, version: document.version, selections, texts };
}

/** Returns a snapshot of the active editor; undefined if no editor is active. */
export function currentSnapshot(): EditorSnapshot | undefined {
  return window.activeTextEditor && snapshotOf(window.activeTextEditor);
}
