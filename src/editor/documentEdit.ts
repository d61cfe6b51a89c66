import { Range, type TextDocument, type TextEditor, WorkspaceEdit, workspace } from 'vscode';
import { type OffsetRange, replacedRange, type TextChange } from './textChange.ts';

/**
 * Edits documents. No other module writes generated text into documents. Edits insert plain text,
 * never snippets.
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
