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

/** True if two changes replace the same range with the same text. */
export function isSame(one: TextChange, other: TextChange): boolean {
  return (
    one.rangeOffset === other.rangeOffset &&
    one.rangeLength === other.rangeLength &&
    one.text === other.text
  );
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
