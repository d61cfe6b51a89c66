import {
  Range,
  TabInputNotebook,
  TabInputText,
  TabInputTextDiff,
  type TextDocument,
  type TextEditor,
  WorkspaceEdit,
  window,
  workspace,
} from 'vscode';
import type { TextChange } from './trackedRange.ts';

/** The only calls that change documents. Plain text: nothing in it is expanded or run. */

/** @param undoStop whether an undo step begins with this edit */
export function editEditor(
  editor: TextEditor,
  change: TextChange,
  undoStop: boolean,
): Thenable<boolean> {
  const range = rangeOf(editor.document, change);
  return editor.edit((builder) => builder.replace(range, change.text), {
    undoStopBefore: undoStop,
    undoStopAfter: false,
  });
}

/** Edits an open document that no editor shows; always an undo step of its own. */
export function editUnseen(document: TextDocument, change: TextChange): Thenable<boolean> {
  return editDocument(document, [[rangeOf(document, change), change.text]]);
}

/** Edits an open document, shown or not, at several places that do not touch; one undo step. */
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
 * Whether a tab holds the document. Without one it counts as closed, though VS Code may keep it in
 * memory for minutes; an edit would open it again and leave it unsaved (measured).
 */
export function hasTab({ uri }: TextDocument): boolean {
  return window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .some(({ input }) => {
      if (input instanceof TabInputText) return input.uri.toString() === uri.toString();
      if (input instanceof TabInputTextDiff) return input.modified.toString() === uri.toString();
      return input instanceof TabInputNotebook && input.uri.path === uri.path;
    });
}

/** The range of a change, whose offsets count UTF-16 units. */
export function rangeOf(
  document: TextDocument,
  { rangeOffset, rangeLength }: Pick<TextChange, 'rangeOffset' | 'rangeLength'>,
): Range {
  return new Range(
    document.positionAt(rangeOffset),
    document.positionAt(rangeOffset + rangeLength),
  );
}
