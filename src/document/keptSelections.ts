import { Selection, type TextDocument, type TextEditor, window } from 'vscode';
import { rangeOf } from './documentEdit.ts';
import { endOfText } from './target.ts';
import { selectionAfter } from './textChange.ts';
import type { OffsetRange, TextChange } from './trackedText.ts';

/** How selections come out of edits of ours: as the same characters that they were. */

/** Remembers what is selected in a document. @returns selects it again, right after these changes */
export function keepSelections(document: TextDocument, changes: readonly TextChange[]): () => void {
  const kept = window.visibleTextEditors
    .filter((editor) => editor.document === document)
    .map((editor) => keepIn(editor, changes));
  return () => {
    for (const restore of kept) restore();
  };
}

function keepIn(editor: TextEditor, changes: readonly TextChange[]): () => void {
  const { document, selections } = editor;
  const offsets = ({ start, end }: Selection): OffsetRange => ({
    start: document.offsetAt(start),
    end: document.offsetAt(end),
  });
  const textOf = ({ start, end }: OffsetRange) =>
    document.getText(rangeOf(document, { rangeOffset: start, rangeLength: end - start }));
  const expected = selections.map((selection) => {
    const textEnd = document.offsetAt(endOfText({ document, selection }));
    return selectionAfter({ ...offsets(selection), textEnd }, changes, textOf);
  });
  return () => {
    const now = editor.selections;
    // What the user has moved meanwhile is left alone.
    const areOurs =
      now.length === expected.length &&
      now.every((selection, index) => isBetween(offsets(selection), expected[index]));
    if (!areOurs || selections.every(({ isEmpty }) => isEmpty)) return;
    const wanted = expected.map(({ wanted: { start, end } }, index) => {
      const range = rangeOf(document, { rangeOffset: start, rangeLength: end - start });
      const isReversed = selections[index]?.isReversed ?? false;
      return isReversed
        ? new Selection(range.end, range.start)
        : new Selection(range.start, range.end);
    });
    if (wanted.some((selection, index) => !selection.isEqual(now[index] ?? selection))) {
      editor.selections = wanted;
    }
  };
}

function isBetween(
  { start, end }: OffsetRange,
  expected: ReturnType<typeof selectionAfter> | undefined,
): boolean {
  if (!expected) return false;
  const { wanted, grown } = expected;
  return [wanted.start, grown.start].includes(start) && [wanted.end, grown.end].includes(end);
}
