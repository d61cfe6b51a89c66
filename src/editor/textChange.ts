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

/**
 * Splits an insertion before a line break into two changes: one that inserts another line break
 * after the existing one, and one that replaces the existing line break with the text, which must
 * start with a line break. The resulting document is the same.
 *
 * VS Code moves cursors and extends selections that end where text is inserted, but leaves them
 * alone at the start of text that is replaced (confirmed by testing). Restoring them afterward would
 * be too late for the keys that the user presses in the meantime.
 */
export function splitAtLineBreak({ rangeOffset, text }: TextChange, lineEnd: string): TextChange[] {
  const { length } = lineEnd;
  return [
    { rangeOffset: rangeOffset + length, rangeLength: 0, text: lineEnd },
    { rangeOffset, rangeLength: length, text },
  ];
}

/** Turns the pairs from `splitAtLineBreak` in an event back into single insertions. */
export function joinedAtLineBreaks(changes: readonly TextChange[], lineEnd: string): TextChange[] {
  const whole: TextChange[] = [];
  for (const change of changes) {
    const last = whole.at(-1);
    const { rangeOffset, rangeLength, text } = change;
    const isPair =
      last?.text === lineEnd &&
      last.rangeLength === 0 &&
      last.rangeOffset === rangeOffset + rangeLength &&
      rangeLength === lineEnd.length &&
      text.startsWith(lineEnd);
    if (isPair) whole[whole.length - 1] = { rangeOffset, rangeLength: 0, text };
    else whole.push(change);
  }
  return whole;
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
