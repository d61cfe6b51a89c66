import { type Loss, Losses } from './losses.ts';

/** One change of a document, as VS Code reports it; offsets count UTF-16 units before the change. */
export interface TextChange {
  readonly rangeOffset: number;
  readonly rangeLength: number;
  readonly text: string;
}

/** A stretch of a document: offsets in UTF-16 units, the end excluded. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** What is known of a change besides what it does. */
export interface Origin {
  /** What it inserts exactly at the end of the place stays behind it. */
  readonly belongsBehind?: boolean;
  /** An undo or redo made it, so that it may bring back what another change took away. */
  readonly isReplay?: boolean;
  /** It was the only one and replaced nothing, as typing does; a formatter's are many, or replace. */
  readonly isTyping?: boolean;
}

/**
 * A place in a document and what we wrote there, while others edit before, behind and inside it.
 * VS Code has no tracked range of its own; this one knows nothing but the changes it is told of.
 *
 * - A change before the place shifts it. A change behind it, or typing right at its end, leaves it.
 * - What others write inside our text divides it and never becomes ours; what they delete is gone,
 *   until an undo or redo brings it back.
 * - A change that reaches over one of its ends, or that replaces all of it, breaks it: writing on
 *   would mix with what somebody did there. What is left of ours stays known.
 */
export class OwnText {
  /** What the first text replaces; once it is written, from where on ours stands. */
  #start: number;
  /** Where the next text goes. */
  #end: number;
  /** Ours, in order; pieces that touch are one. */
  #pieces: readonly Stretch[] = [];
  /** What others typed inside ours, in order. */
  #typed: readonly Stretch[] = [];
  #isWritten = false;
  #isTouched = false;
  #isBroken = false;
  /** Where all of it was, and what stands there since one change replaced exactly all of it. */
  #successor: Stretch | undefined;
  readonly #losses = new Losses();

  constructor(start: number, end: number) {
    this.#start = start;
    this.#end = end;
  }

  get isWritten(): boolean {
    return this.#isWritten;
  }

  /** True once writing here would overwrite or mix with what somebody did. */
  get isBroken(): boolean {
    return this.#isBroken || (!this.isWritten && this.#isTouched);
  }

  /** From where it begins to where the next text goes. */
  get range(): Stretch {
    return { start: this.#start, end: this.#end };
  }

  /** What is left of ours, in order. */
  get pieces(): readonly Stretch[] {
    return this.#pieces;
  }

  /** Whether anything that somebody typed stands between two pieces. */
  hasTyping({ start, end }: Stretch): boolean {
    return this.#typed.some((typed) => typed.start < end && start < typed.end);
  }

  /** The change that writes text here; the first one takes the place of what was there. */
  changeFor(text: string): TextChange {
    const rangeLength = this.isWritten ? 0 : this.#end - this.#start;
    return { rangeOffset: this.#end - rangeLength, rangeLength, text };
  }

  /**
   * Takes over what `changeFor` described, now that it stands in the document.
   * @param tailLength of what the text ends with and the next text goes before
   */
  grow({ rangeOffset, rangeLength, text }: TextChange, tailLength = 0): void {
    const written = { start: rangeOffset, end: rangeOffset + text.length };
    const left = (stretch: Stretch) =>
      without(stretch, rangeOffset, rangeOffset + rangeLength, text.length - rangeLength);
    const others = this.#pieces.flatMap(left);
    this.#typed = this.#typed.flatMap(left);
    this.#losses.follow({ rangeOffset, rangeLength, text });
    this.#pieces = joined([...others, written]);
    this.#isWritten = true;
    this.#start = Math.min(this.#start, written.start);
    this.#end = written.end - tailLength;
  }

  /** Follows a change that somebody else made. */
  follow(change: TextChange, origin: Origin = {}): void {
    const { belongsBehind = false, isReplay = false, isTyping = false } = origin;
    const { rangeOffset, rangeLength, text } = change;
    const changeEnd = rangeOffset + rangeLength;
    const growth = text.length - rangeLength;
    const [start, end] = [this.#start, this.#end];
    const isWhole =
      rangeOffset === start && changeEnd === (this.#pieces.at(-1)?.end ?? end) && changeEnd > start;
    const recovered = isReplay ? this.#losses.recover(change) : undefined;
    const isInside = rangeOffset > start && rangeOffset < (this.#pieces.at(-1)?.end ?? start);
    const taken = (stretches: readonly Stretch[]) =>
      stretches
        .flatMap((stretch) => shared(stretch, rangeOffset, changeEnd))
        .map((stretch) => moved(stretch, -rangeOffset));
    const loss = { pieces: taken(this.#pieces), typed: taken(this.#typed) };
    const left = (stretch: Stretch) => without(stretch, rangeOffset, changeEnd, growth);
    this.#pieces = joined(this.#pieces.flatMap(left));
    this.#typed = joined(this.#typed.flatMap(left));
    if (isTyping && isInside && !recovered) {
      this.#typed = joined([
        ...this.#typed,
        { start: rangeOffset, end: rangeOffset + text.length },
      ]);
    }

    const wasBroken = this.#isBroken;
    if (recovered) this.#recover(recovered, change);
    else if (changeEnd <= start && !(belongsBehind && rangeOffset === end)) {
      this.#start += growth;
      this.#end += growth;
      this.#successor &&= moved(this.#successor, growth);
    } else if (rangeOffset < end) {
      this.#isTouched = true;
      this.#successor =
        isWhole && !wasBroken ? { start: rangeOffset, end: rangeOffset + text.length } : undefined;
      const coversAll = rangeOffset <= start && changeEnd >= end;
      this.#isBroken ||= coversAll || rangeOffset < start || changeEnd > end;
      if (rangeOffset < start) this.#start = rangeOffset + text.length;
      this.#end = Math.max(end, changeEnd) + growth;
    }
    if (recovered) return;
    this.#losses.follow(change, {
      ...loss,
      length: rangeLength,
      range: moved({ start, end }, -rangeOffset),
      isBreak: this.#isBroken && !wasBroken,
      isAcross: rangeOffset < end && changeEnd > start && (rangeOffset < start || changeEnd > end),
    });
  }

  /**
   * Makes the next text take the place of all that was written.
   * @param isUndone whether what stands there now is what stood there before anything was written
   * @returns false if others have written in between, or the place is lost
   */
  rewind(isUndone: (stretch: Stretch) => boolean): boolean {
    if (!this.#isWritten) return !this.isBroken;
    const [only, ...more] = this.#pieces;
    const successor = this.#successor && isUndone(this.#successor) ? this.#successor : undefined;
    const place = successor ?? (this.#isBroken || more.length > 0 ? undefined : only);
    if (!place) return false;
    this.#start = place.start;
    this.#end = place.end;
    this.#isWritten = false;
    this.#isTouched = false;
    this.#isBroken = false;
    this.#successor = undefined;
    return true;
  }

  /** Takes back what an undo or redo brings; what else happened meanwhile stays as it is. */
  #recover(
    { pieces, typed, range, length, isBreak }: Loss,
    { rangeOffset, rangeLength }: TextChange,
  ): void {
    const back = (stretch: Stretch) => moved(stretch, rangeOffset);
    this.#pieces = joined([...this.#pieces, ...pieces.map(back)]);
    this.#typed = joined([...this.#typed, ...typed.map(back)]);
    const { start, end } = range;
    if (start >= 0) this.#start = rangeOffset + start;
    this.#end = end <= length ? rangeOffset + end : this.#end + length - rangeLength;
    if (isBreak) this.#isBroken = false;
    this.#successor = undefined;
  }
}

/** What a change takes away of a stretch, at the offsets before it. */
function shared(piece: Stretch, start: number, end: number): Stretch[] {
  const both = { start: Math.max(piece.start, start), end: Math.min(piece.end, end) };
  return both.start < both.end ? [both] : [];
}

/** What a change leaves of a stretch, at the offsets after it. */
function without(piece: Stretch, start: number, end: number, growth: number): Stretch[] {
  const before = { start: piece.start, end: Math.min(piece.end, start) };
  const behind = moved({ start: Math.max(piece.start, end), end: piece.end }, growth);
  return [before, behind].filter((left) => left.start < left.end);
}

function moved({ start, end }: Stretch, by: number): Stretch {
  return { start: start + by, end: end + by };
}

function joined(pieces: readonly Stretch[]): Stretch[] {
  const whole: Stretch[] = [];
  for (const piece of pieces.toSorted((one, other) => one.start - other.start)) {
    const last = whole.at(-1);
    if (last && last.end >= piece.start) whole[whole.length - 1] = { ...last, end: piece.end };
    else whole.push(piece);
  }
  return whole;
}
