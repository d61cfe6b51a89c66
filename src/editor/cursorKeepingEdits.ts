import { isSame, type TextChange } from './textChange.ts';

/** Edits that keep the cursor at a line break. Pure. */

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
 * VS Code moves cursors and extends selections that end where text is inserted, but leaves them
 * alone at the start of text that is replaced (confirmed by testing). Restoring the cursors and
 * selections afterward would be too late, because the user may have typed in the meantime.
 */
export function splitAtLineBreak({ rangeOffset, text }: TextChange, lineEnd: string): TextChange[] {
  const { length } = lineEnd;
  return [
    { rangeOffset: rangeOffset + length, rangeLength: 0, text: lineEnd },
    { rangeOffset, rangeLength: length, text },
  ];
}

/**
 * Simplifies the changes in an event that replace a line break with itself: the two parts from
 * `splitAtLineBreak`, and their undo and redo, which VS Code may merge. The result is what VS Code
 * would have reported for the insertion that was split.
 * @param changes the changes as VS Code reports them, from the end of the document to its start
 * @param exact changes to return unchanged
 */
export function withoutKeptLineBreaks(
  changes: readonly ReportedChange[],
  lineEnd: string,
  exact: readonly TextChange[],
): TextChange[] {
  const simple: TextChange[] = [];
  let alreadyJoined: ReportedChange | undefined;
  for (const [index, change] of changes.entries()) {
    if (change === alreadyJoined) continue;
    if (exact.some((one) => isSame(one, change))) {
      simple.push(change);
      continue;
    }
    const preceding = changes[index + 1];
    const pair = preceding && withoutLineBreak(merged(preceding, change), lineEnd);
    if (pair) alreadyJoined = preceding;
    simple.push(pair ?? withoutLineBreak(change, lineEnd) ?? change);
  }
  return simple;
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
 * If the old and the new text both end with a line break, leaves it out of the change. Undefined if
 * they don't, or if the result isn't a pure insertion or deletion.
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
