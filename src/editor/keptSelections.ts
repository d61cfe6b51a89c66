import { Selection, type TextDocument, type TextEditor, window } from 'vscode';
import { offsetsOf, rangeOf } from './documentEdit.ts';
import { selectionEnd } from './target.ts';
import type { OffsetRange, TextChange } from './textChange.ts';

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
  const textOf = (range: OffsetRange) => document.getText(rangeOf(document, range));
  const expected = selections.map((selection) => {
    const textEnd = document.offsetAt(selectionEnd({ document, selection }));
    return selectionAfter({ ...offsetsOf(document, selection), textEnd }, changes, textOf);
  });
  return () => {
    const now = editor.selections;
    // What the user has moved meanwhile is left alone.
    const areOurs =
      now.length === expected.length &&
      now.every((selection, index) => isBetween(offsetsOf(document, selection), expected[index]));
    if (!areOurs || selections.every(({ isEmpty }) => isEmpty)) return;
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

/** What is selected. */
export interface Selected extends OffsetRange {
  /** Where its text ends: before the line break that a selection of whole lines ends with. */
  readonly textEnd: number;
}

/**
 * Where a selection should be after changes of ours, and how far VS Code lets it grow: one that
 * ends where text is inserted grows over it (measured), and so does one of whole lines, since text
 * that goes below or after them is inserted before their last line break. That line break stays
 * selected as long as one like it follows the selected text, and is not selected otherwise. In
 * place of a selection that is replaced from its start on comes the cursor behind the new text, so
 * that typing does not replace it.
 * @param changes that do not touch, at the offsets before all of them
 * @param textOf what stands in the document before the changes
 */
export function selectionAfter(
  { start, end, textEnd }: Selected,
  changes: readonly TextChange[],
  textOf: (range: OffsetRange) => string,
): { readonly wanted: OffsetRange; readonly grown: OffsetRange } {
  let [before, inside, atStart, atEnd, left] = [0, 0, 0, 0, 0];
  for (const { rangeOffset, rangeLength, text } of changes) {
    const changeEnd = rangeOffset + rangeLength;
    const growth = text.length - rangeLength;
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
      // Where more than the line break is replaced, VS Code leaves the end where it is, if it can.
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
