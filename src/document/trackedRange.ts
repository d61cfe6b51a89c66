/** One change of a document, as VS Code reports it; offsets count UTF-16 units before the change. */
export interface TextChange {
  readonly rangeOffset: number;
  readonly rangeLength: number;
  readonly text: string;
}

/** Offsets in a document: in UTF-16 units, the end excluded. */
export interface OffsetRange {
  readonly start: number;
  readonly end: number;
}

/** What a change takes away; where it inserts only, nothing at its place. */
export function replacedRange({ rangeOffset, rangeLength }: TextChange): OffsetRange {
  return { start: rangeOffset, end: rangeOffset + rangeLength };
}

/** What is known of a change besides what it does. */
export interface ChangeContext {
  /** What it inserts exactly at the end of the place stays behind it. */
  readonly belongsBehind?: boolean;
  /** An undo or redo made it, so that what it inserts may have been ours. */
  readonly isUndoRedo?: boolean;
  /** It was the only one and replaced nothing, as typing does; a formatter's are many, or replace. */
  readonly isTyping?: boolean;
}

/**
 * A place in a document and what we wrote there, while others edit before, behind and inside it.
 * VS Code has no tracked range of its own; this one knows nothing but the changes it is told of.
 *
 * - A change before the place shifts it. A change behind it, or typing right at its end, leaves it.
 * - What others write inside our text divides it and never becomes ours; what they delete is gone.
 * - What an undo or redo brings back is not ours either. Where it brings it back right at the end,
 *   it breaks the place: the next text may belong behind it.
 * - A change that reaches over one of its ends, or that replaces all of it, breaks it: writing on
 *   would mix with what somebody did there. What is left of ours stays known.
 */
export class TrackedRange {
  /** What the first text replaces; then from where on ours stands to where the next text goes. */
  #range: OffsetRange;
  /** Ours, in order; pieces that touch are one. */
  #pieces: readonly OffsetRange[] = [];
  /** What others typed inside ours. */
  #typed: readonly OffsetRange[] = [];
  #isWritten = false;
  #isBroken = false;
  /** Where all of it was, and what stands there since one change replaced exactly all of it. */
  #successor: OffsetRange | undefined;

  constructor(range: OffsetRange) {
    this.#range = range;
  }

  get isWritten(): boolean {
    return this.#isWritten;
  }

  /** True once writing here would overwrite or mix with what somebody did. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** From where it begins to where the next text goes. */
  get range(): OffsetRange {
    return this.#range;
  }

  /** What is left of ours, in order. */
  get pieces(): readonly OffsetRange[] {
    return this.#pieces;
  }

  /** Whether anything that somebody typed stands between two pieces. */
  hasTyping({ start, end }: OffsetRange): boolean {
    return this.#typed.some((typed) => typed.start < end && start < typed.end);
  }

  /** The change that writes text here; the first one takes the place of what was there. */
  changeFor(text: string): TextChange {
    const { start, end } = this.#range;
    const rangeLength = this.isWritten ? 0 : end - start;
    return { rangeOffset: end - rangeLength, rangeLength, text };
  }

  /**
   * Takes over what `changeFor` described, now that it stands in the document.
   * @param tailLength of what the text ends with and the next text goes before
   */
  grow({ rangeOffset, rangeLength, text }: TextChange, tailLength = 0): void {
    const written = { start: rangeOffset, end: rangeOffset + text.length };
    const left = (range: OffsetRange) =>
      without(range, rangeOffset, rangeOffset + rangeLength, text.length - rangeLength);
    const others = this.#pieces.flatMap(left);
    this.#typed = this.#typed.flatMap(left);
    this.#pieces = joined([...others, written]);
    this.#isWritten = true;
    const start = Math.min(this.#range.start, written.start);
    this.#range = { start, end: written.end - tailLength };
  }

  /** Follows a change that somebody else made. */
  follow(change: TextChange, origin: ChangeContext = {}): void {
    const { belongsBehind = false, isUndoRedo = false, isTyping = false } = origin;
    const { rangeOffset, rangeLength, text } = change;
    const changeEnd = rangeOffset + rangeLength;
    const growth = text.length - rangeLength;
    const { start, end } = this.#range;
    const lastEnd = this.#pieces.at(-1)?.end ?? end;
    const isWhole = rangeOffset === start && changeEnd === lastEnd && changeEnd > start;
    const isInside = rangeOffset > start && rangeOffset < lastEnd;
    const inserted = { start: rangeOffset, end: rangeOffset + text.length };
    const left = (range: OffsetRange) => without(range, rangeOffset, changeEnd, growth);
    this.#pieces = joined(this.#pieces.flatMap(left));
    this.#typed = this.#typed.flatMap(left);
    if (isTyping && isInside) this.#typed = [...this.#typed, inserted];
    if (isUndoRedo && this.#isWritten && rangeOffset === end && text !== '') {
      this.#isBroken = true;
      this.#successor = undefined;
    } else if (changeEnd <= start && !(belongsBehind && rangeOffset === end)) {
      this.#range = moved(this.#range, growth);
      this.#successor &&= moved(this.#successor, growth);
    } else if (rangeOffset < end) {
      this.#successor = isWhole && !this.#isBroken ? inserted : undefined;
      const coversAll = rangeOffset <= start && changeEnd >= end;
      // What the first text would replace is not what it was, whatever was changed of it.
      this.#isBroken ||= !this.#isWritten || coversAll || rangeOffset < start || changeEnd > end;
      this.#range = {
        start: rangeOffset < start ? inserted.end : start,
        end: Math.max(end, changeEnd) + growth,
      };
    }
  }

  /**
   * Makes the next text take the place of all that was written.
   * @param isUndone whether what stands there now is what stood there before anything was written
   * @returns false if others have written in between, or the place is lost
   */
  rewind(isUndone: (range: OffsetRange) => boolean): boolean {
    if (!this.#isWritten) return !this.isBroken;
    const [only, ...more] = this.#pieces;
    const successor = this.#successor && isUndone(this.#successor) ? this.#successor : undefined;
    const place = successor ?? (this.#isBroken || more.length > 0 ? undefined : only);
    if (!place) return false;
    this.#range = place;
    this.#isWritten = false;
    this.#isBroken = false;
    this.#successor = undefined;
    return true;
  }
}

/** What a change leaves of a range, at the offsets after it. */
function without(piece: OffsetRange, start: number, end: number, growth: number): OffsetRange[] {
  const before = { start: piece.start, end: Math.min(piece.end, start) };
  const behind = moved({ start: Math.max(piece.start, end), end: piece.end }, growth);
  return [before, behind].filter((left) => left.start < left.end);
}

function moved({ start, end }: OffsetRange, by: number): OffsetRange {
  return { start: start + by, end: end + by };
}

function joined(pieces: readonly OffsetRange[]): OffsetRange[] {
  const whole: OffsetRange[] = [];
  for (const piece of pieces.toSorted((one, other) => one.start - other.start)) {
    const last = whole.at(-1);
    if (last && last.end >= piece.start) whole[whole.length - 1] = { ...last, end: piece.end };
    else whole.push(piece);
  }
  return whole;
}
