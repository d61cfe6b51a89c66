import { type Selection, type TextDocument, type TextEditor, window } from 'vscode';

/** Where somebody was at work at some moment. */
export interface EditorSnapshot {
  readonly document: TextDocument;
  /** Of the document. */
  readonly version: number;
  readonly selections: readonly Selection[];
}

export function snapshotOf({ document, selections }: TextEditor): EditorSnapshot {
  return { document, version: document.version, selections };
}

/** In the editor in use; undefined without one. */
export function currentSnapshot(): EditorSnapshot | undefined {
  return window.activeTextEditor && snapshotOf(window.activeTextEditor);
}

/**
 * Whether the user has gone nowhere and done nothing since: then something that opens may take the
 * keyboard, and no letter that is typed lands in it by mistake.
 */
export function isUnchanged({ document, version, selections }: EditorSnapshot): boolean {
  const editor = window.activeTextEditor;
  return (
    editor?.document === document &&
    document.version === version &&
    editor.selections.length === selections.length &&
    editor.selections.every((selection, index) => selections[index]?.isEqual(selection))
  );
}
