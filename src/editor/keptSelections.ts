import { Selection, type TextEditor } from 'vscode';
import { rangeOf } from './documentEdit.ts';
import type { Stretch, TextChange } from './ownText.ts';

/** How selections come out of edits of ours. */

/**
 * Where a selection should be after changes of ours, and how far VS Code lets it grow: one that
 * ends where text is inserted grows over it (measured). In place of one that is replaced from its
 * start on comes the cursor behind the new text, so that typing does not replace it.
 * @param changes that do not touch, at the offsets before all of them
 */
export function selectionAfter(
  { start, end }: Stretch,
  changes: readonly TextChange[],
): { readonly wanted: Stretch; readonly grown: Stretch } {
  let [before, inside, atStart, atEnd] = [0, 0, 0, 0];
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
    else if (rangeOffset < end) inside += growth;
    if (changeEnd === start) atStart += growth;
    if (rangeOffset === end && start < end) atEnd += growth;
  }
  const wanted = { start: start + before, end: end + before + inside };
  return { wanted, grown: { start: wanted.start - atStart, end: wanted.end + atEnd } };
}

/** Remembers the selections of an editor. @returns sets them right after these changes */
export function keepSelections(editor: TextEditor, changes: readonly TextChange[]): () => void {
  const { document, selections } = editor;
  const offsets = ({ start, end }: Selection): Stretch => ({
    start: document.offsetAt(start),
    end: document.offsetAt(end),
  });
  const expected = selections.map((selection) => selectionAfter(offsets(selection), changes));
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
  { start, end }: Stretch,
  expected: ReturnType<typeof selectionAfter> | undefined,
): boolean {
  if (!expected) return false;
  const { wanted, grown } = expected;
  return [wanted.start, grown.start].includes(start) && [wanted.end, grown.end].includes(end);
}
