import type { OffsetRange, TextChange } from './trackedText.ts';

/** Whether nothing stands between the places of two changes. */
export function doTouch(one: TextChange, other: TextChange): boolean {
  return (
    one.rangeOffset <= other.rangeOffset + other.rangeLength &&
    other.rangeOffset <= one.rangeOffset + one.rangeLength
  );
}

export function isSame(change: TextChange, expected: TextChange): boolean {
  return (
    change.rangeOffset === expected.rangeOffset &&
    change.rangeLength === expected.rangeLength &&
    change.text === expected.text
  );
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
  textOf: (stretch: OffsetRange) => string,
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
