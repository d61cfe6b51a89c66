import { isSame, type TextChange } from './textChange.ts';

/**
 * Splits edits so that VS Code leaves the cursor where the user expects it, and puts the parts back
 * together in change events. Pure.
 *
 * Moving the cursor after an edit could be too late, because the user may have typed in the
 * meantime. This risk remains after a response replaces whole lines: the last line break stays
 * selected until the cursor is moved.
 */

/** A change in a change event. */
export interface ReportedChange extends TextChange {
  readonly range: {
    readonly start: { readonly line: number };
    readonly end: { readonly line: number; readonly character: number };
  };
}

/**
 * Splits an insertion before a line break into two changes: one that inserts another line break
 * after the existing one, and one that replaces the existing line break with the text. The
 * resulting document is the same, because the new line break takes the place of the existing one.
 *
 * If text is inserted at a cursor or at the end of a selection, VS Code moves the cursor or extends
 * the selection. It leaves both alone at the start of text that is replaced (confirmed by testing).
 */
export function splitAtLineBreak({ rangeOffset, text }: TextChange, lineEnd: string): TextChange[] {
  const { length } = lineEnd;
  return [
    { rangeOffset: rangeOffset + length, rangeLength: 0, text: lineEnd },
    { rangeOffset, rangeLength: length, text },
  ];
}

/**
 * Splits a replacement into a deletion and an insertion at the same place.
 *
 * VS Code keeps text selected if it's replaced, but moves selections to the end of inserted text
 * (confirmed by testing).
 */
export function splitReplacement({ rangeOffset, rangeLength, text }: TextChange): TextChange[] {
  return [
    { rangeOffset, rangeLength, text: '' },
    { rangeOffset, rangeLength: 0, text },
  ];
}

/**
 * Joins the parts from `splitReplacement` and `splitAtLineBreak` in an event, and the parts of
 * their undo and redo, which VS Code may merge. The result is what VS Code would have reported for
 * the edit that was split. Other changes of the same form are joined, too, which is harmless,
 * because the joined change describes the same edit.
 * @param changes the changes as VS Code reports them, from the end of the document to its start
 * @param exact changes to return unchanged
 */
export function joinedChanges(
  changes: readonly ReportedChange[],
  lineEnd: string,
  exact: readonly TextChange[],
): TextChange[] {
  const isExact = (change: TextChange) => exact.some((one) => isSame(one, change));
  const whole: TextChange[] = [];
  let alreadyJoined: ReportedChange | undefined;
  for (const [index, change] of changes.entries()) {
    if (change === alreadyJoined) continue;
    if (isExact(change)) {
      whole.push(change);
      continue;
    }
    const preceding = changes[index + 1];
    const pair =
      preceding && !isExact(preceding) ? joinedPair(preceding, change, lineEnd) : undefined;
    if (pair) alreadyJoined = preceding;
    whole.push(pair ?? withoutLineBreak(change, lineEnd) ?? change);
  }
  return whole;
}

/** Joins two changes if they're the parts of a replacement or of an insertion at a line break. */
function joinedPair(
  first: ReportedChange,
  second: ReportedChange,
  lineEnd: string,
): TextChange | undefined {
  const both = merged(first, second);
  return isDeletionAndInsertion(first, second) ? both : withoutLineBreak(both, lineEnd);
}

/** True if one of the changes only deletes text, and the other one only inserts text. */
function isDeletionAndInsertion(one: TextChange, other: TextChange): boolean {
  return (
    (one.text === '' && other.rangeLength === 0) || (one.rangeLength === 0 && other.text === '')
  );
}

/** Merges two changes if the first one ends where the second one starts. */
function merged(first: ReportedChange, second: ReportedChange): ReportedChange | undefined {
  const { rangeOffset, rangeLength, text } = first;
  if (rangeOffset + rangeLength !== second.rangeOffset) return undefined;
  return {
    rangeOffset,
    rangeLength: rangeLength + second.rangeLength,
    text: text + second.text,
    range: { start: first.range.start, end: second.range.end },
  };
}

/**
 * If the old and the new text both end with a line break, leaves that line break out of the change.
 * Undefined if they don't, or if the result isn't a pure insertion or deletion.
 */
function withoutLineBreak(
  change: ReportedChange | undefined,
  lineEnd: string,
): TextChange | undefined {
  if (!change?.text.endsWith(lineEnd)) return undefined;
  const { start, end } = change.range;
  if (end.line === start.line || end.character !== 0) return undefined;
  const rangeLength = change.rangeLength - lineEnd.length;
  const text = change.text.slice(0, -lineEnd.length);
  const isPure = (rangeLength === 0) !== (text === '');
  return isPure ? { rangeOffset: change.rangeOffset, rangeLength, text } : undefined;
}
