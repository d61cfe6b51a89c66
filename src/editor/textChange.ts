/**
 * A change to a document, in the format of VS Code's change events. The offset and length are in
 * UTF-16 code units and refer to the document before the change.
 */
export interface TextChange {
  readonly rangeOffset: number;
  readonly rangeLength: number;
  readonly text: string;
  /**
   * True if a cursor right before the new text should stay there. By default, VS Code moves it to
   * the end of the text.
   */
  readonly keepsCursor?: boolean;
}

/** A range of a document, in UTF-16 code units. The end is exclusive. */
export interface OffsetRange {
  readonly start: number;
  readonly end: number;
}

/** A change in a change event. */
export interface ReportedChange extends TextChange {
  readonly range: {
    readonly start: { readonly line: number };
    readonly end: { readonly line: number; readonly character: number };
  };
}

/** True if two changes replace the same range with the same text. */
export function isSame(one: TextChange, other: TextChange): boolean {
  return (
    one.rangeOffset === other.rangeOffset &&
    one.rangeLength === other.rangeLength &&
    one.text === other.text
  );
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

/** Returns the range that a change replaces; empty for an insertion. */
export function replacedRange({ rangeOffset, rangeLength }: TextChange): OffsetRange {
  return { start: rangeOffset, end: rangeOffset + rangeLength };
}

/** A range in a document and the text that it contains. */
export interface Piece extends OffsetRange {
  readonly text: string;
}

/**
 * Creates a function that applies a change to a piece. The function returns the remaining parts of
 * the piece, at their new offsets.
 */
export function remainingAfter({
  rangeOffset,
  rangeLength,
  text,
}: TextChange): (piece: Piece) => Piece[] {
  const end = rangeOffset + rangeLength;
  return (piece) => {
    const before = partOf(piece, piece.start, Math.min(piece.end, rangeOffset));
    const behind = partOf(piece, Math.max(piece.start, end), piece.end);
    const parts = [before, moved(behind, text.length - rangeLength)];
    return parts.filter((left) => left.start < left.end);
  };
}

function partOf(piece: Piece, start: number, end: number): Piece {
  const text = piece.text.slice(start - piece.start, Math.max(end - piece.start, 0));
  return { start, end, text };
}

export function moved<Range extends OffsetRange>(range: Range, by: number): Range {
  return { ...range, start: range.start + by, end: range.end + by };
}

export function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** Sorts pieces and joins those that touch. */
export function joined(pieces: readonly Piece[]): Piece[] {
  const whole: Piece[] = [];
  for (const piece of pieces.toSorted((one, other) => one.start - other.start)) {
    const last = whole.at(-1);
    if (last && last.end >= piece.start) {
      whole[whole.length - 1] = { ...last, end: piece.end, text: last.text + piece.text };
    } else whole.push(piece);
  }
  return whole;
}

/** True if two ranges overlap. An empty range overlaps any range that contains or touches it. */
export function doOverlap(one: OffsetRange, other: OffsetRange): boolean {
  const isEitherEmpty = one.start === one.end || other.start === other.end;
  const start = Math.max(one.start, other.start);
  const end = Math.min(one.end, other.end);
  return start < end || (start === end && isEitherEmpty);
}
