import { Selection, type TextDocument, type TextEditor } from 'vscode';
import { selectionEnd } from './capturedSelection.ts';
import { offsetsOf, rangeOf } from './documentEdit.ts';
import { editorsOf } from './documentTabs.ts';
import type { OffsetRange, TextChange } from './textChange.ts';

/** Keeps the same characters selected while responses are written. */

/**
 * Captures the selections in all editors that show a document.
 * @returns a function that restores the selections; call it right after the changes are applied
 */
export function captureSelections(
  document: TextDocument,
  changes: readonly TextChange[],
): () => void {
  const inOrder = changes.toSorted((one, other) => one.rangeOffset - other.rangeOffset);
  const kept = editorsOf(document).map((editor) => keepIn(editor, inOrder));
  return () => {
    for (const restore of kept) restore();
  };
}

/** @param changes changes in document order */
function keepIn(editor: TextEditor, changes: readonly TextChange[]): () => void {
  const { document, selections } = editor;
  const textOf = (range: OffsetRange) => document.getText(rangeOf(document, range));
  const expected = selections.map((selection) => {
    const textEnd = document.offsetAt(selectionEnd({ document, selection }));
    return selectionAfter({ ...offsetsOf(document, selection), textEnd }, changes, textOf);
  });
  return () => {
    const now = editor.selections;
    // If the user moved a selection during the edit, leave all selections alone.
    const areOurs =
      now.length === expected.length &&
      now.every((selection, index) => isBetween(offsetsOf(document, selection), expected[index]));
    if (!areOurs) return;
    const wanted = expected.map((each, index) => {
      const { start, end } = rangeOf(document, each.wanted);
      return selections[index]?.isReversed ? new Selection(end, start) : new Selection(start, end);
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

export interface Selected extends OffsetRange {
  /**
   * End of the selected text. A selection of whole lines also includes the line break after this
   * offset.
   */
  readonly textEnd: number;
}

/**
 * Computes two versions of a selection after changes are applied: the one to restore (`wanted`),
 * and the one that results if VS Code extends the selection (`grown`).
 *
 * - VS Code extends a selection to include text inserted at its end (confirmed by testing). A
 *   selection of whole lines includes its last line break, and text is inserted before that break,
 *   so VS Code extends this selection, too.
 * - The last line break stays selected only if the selected text is still followed by a line break.
 * - VS Code moves a cursor to the end of text inserted at its position (confirmed by testing). If a
 *   response starts there on a new line, the cursor stays put so that the user can continue typing.
 * - If a replacement starts where a selection starts, the selection becomes a cursor after the new
 *   text so that typing doesn't replace that text.
 * @param changes changes in document order that don't touch each other; all offsets refer to the
 * document before the changes
 * @param textOf returns the text in a range of the document before the changes
 */
export function selectionAfter(
  { start, end, textEnd }: Selected,
  changes: readonly TextChange[],
  textOf: (range: OffsetRange) => string,
): { readonly wanted: OffsetRange; readonly grown: OffsetRange } {
  let [before, inside, atStart, atEnd, left] = [0, 0, 0, 0, 0];
  for (const { rangeOffset, rangeLength, text, keepsCursor } of changes) {
    const changeEnd = rangeOffset + rangeLength;
    const growth = text.length - rangeLength;
    if (keepsCursor && rangeOffset === start && end === start && rangeLength === 0) {
      const at = start + before;
      return { wanted: { start: at, end: at }, grown: { start: at + growth, end: at + growth } };
    }
    if (rangeOffset === start && start < changeEnd && changeEnd <= end) {
      const behind = changeEnd + growth + before;
      return {
        wanted: { start: behind, end: behind },
        grown: { start: start + before, end: end + growth + before },
      };
    }
    if (changeEnd <= start) before += growth;
    else if (rangeOffset === textEnd && textEnd < end) {
      const lineBreak = textOf({ start: textEnd, end });
      const following = text + textOf({ start: changeEnd, end: changeEnd + lineBreak.length });
      if (!following.startsWith(lineBreak)) left -= lineBreak.length;
      // If the change replaces more than the line break, VS Code keeps the selection's end at the
      // same offset, unless the new text is shorter than the line break.
      atEnd += changeEnd > end ? Math.min(text.length - lineBreak.length, 0) : growth;
    } else if (rangeOffset < end) inside += growth;
    if (changeEnd === start) atStart += growth;
    if (rangeOffset === end && start < end) atEnd += growth;
  }
  const [from, to] = [start + before, end + before + inside];
  return {
    wanted: { start: from, end: to + left },
    grown: { start: from - atStart, end: to + atEnd },
  };
}
