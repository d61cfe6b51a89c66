import {
  joined,
  lengthOf,
  moved,
  type OffsetRange,
  type Piece,
  remainingAfter,
  type TextChange,
} from './textChange.ts';
import { type Replay, UndoStates } from './undoStates.ts';

/** Information about a change beyond its offsets and text. */
export interface ChangeContext {
  /**
   * True if text inserted exactly at the end of the range belongs after the range, even if the
   * range is empty.
   */
  readonly belongsBehind?: boolean;
  readonly replay?: Replay | undefined;
  /**
   * True if the event is a single insertion, which is probably typing. Formatters usually replace
   * text or make several changes.
   */
  readonly isTyping?: boolean;
}

/** The tracked range and its generated text at a given point in time. */
interface RangeState {
  /**
   * The range to replace when the response starts. Once text is written, the range ends where the
   * next chunk goes.
   */
  readonly range: OffsetRange;
  /** The remaining generated text, in order. Pieces that touch are joined. */
  readonly pieces: readonly Piece[];
  /** Ranges of text that the user typed between the pieces. */
  readonly typed: readonly Piece[];
  /** Sequence number of the response that the pieces belong to, or 0 before the first response. */
  readonly response: number;
  /** Number of characters of this response that were written and not undone. */
  readonly written: number;
  /** True if the next chunk would overwrite another edit or mix with it. */
  readonly isBroken: boolean;
  /** True if an undo or redo may have restored generated text that isn't in any piece. */
  readonly isUncertain: boolean;
  /**
   * The range of the replacement text if a single change replaced all pieces or, if there are no
   * pieces, the whole range.
   */
  readonly successor: OffsetRange | undefined;
  /** Number of characters by which changes before the range have shifted it. */
  readonly shift: number;
  /**
   * Number of characters by which the document has grown since tracking started. Negative if the
   * document has shrunk.
   */
  readonly growth: number;
}

/** The effect of one change event on the tracked range. */
interface PendingEvent {
  readonly before: RangeState;
  /** True if the event changed text inside the range or right next to it. */
  isTouched: boolean;
  /** Text that an undo or redo inserted inside the range or right next to it. */
  inserted: readonly Piece[];
  /** Number of characters by which changes right before the range have shifted it. */
  shiftAtStart: number;
}

/** Information about an event beyond its changes. */
interface EventContext {
  readonly replay?: Replay | undefined;
  /** True if the event is an edit by the writer that starts an undo step. */
  readonly startsUndoStep?: boolean;
}

/**
 * Tracks a range of a document and the generated text in it while the document is edited. VS Code
 * has no API for tracked ranges, so the range is computed from the reported changes.
 *
 * - A change before the range shifts the range. A change after the range, or typing at its end, has
 *   no effect.
 * - Text inserted inside the range splits the generated text into pieces. Deleted text is removed
 *   from the pieces.
 * - An undo or redo restores a known state if the document contains all pieces of that state. If no
 *   state matches, the restored text might be generated text. The range may then become uncertain.
 * - A change that replaces the whole range or crosses one of its ends breaks the range, because the
 *   next chunk would mix with that edit. The remaining pieces are still tracked. If the change
 *   removes only whitespace at the start, the range isn't broken.
 * - The range also counts as broken while part of the response is undone, because the next chunk
 *   would leave a gap.
 */
export class TrackedRange {
  readonly #isOriginal: (range: OffsetRange) => boolean;
  #now: RangeState;
  /** Sequence number of the response that is being written. */
  #response = 1;
  /**
   * Number of characters written so far for the current response, including characters that were
   * undone.
   */
  #written = 0;
  readonly #states = new UndoStates<RangeState>();
  /** The event whose changes are being recorded. */
  #event: PendingEvent | undefined;

  /**
   * @param isOriginal returns true if a range contains the text that the first response replaces
   */
  constructor(range: OffsetRange, isOriginal: (range: OffsetRange) => boolean = () => true) {
    this.#isOriginal = isOriginal;
    this.#now = {
      range,
      pieces: [],
      typed: [],
      response: 0,
      written: 0,
      isBroken: false,
      isUncertain: false,
      successor: undefined,
      shift: 0,
      growth: 0,
    };
  }

  /** True if any text from the current response was written, even if it has been undone since. */
  get hasBegun(): boolean {
    return this.#written > 0;
  }

  /**
   * True if the next chunk continues the current response instead of replacing other text. Stays
   * true even if an edit removes the response's text.
   */
  get isWritten(): boolean {
    return this.#now.response === this.#response;
  }

  /**
   * True if the next chunk would overwrite an edit, leave a gap, or continue an earlier response.
   */
  get isBroken(): boolean {
    const { isBroken, written } = this.#now;
    if (this.isWritten) return isBroken || written < this.#written;
    return this.hasBegun || this.#nextPlace === undefined;
  }

  /** True if the document may contain generated text that isn't in any piece. */
  get isUncertain(): boolean {
    return this.#now.isUncertain;
  }

  get range(): OffsetRange {
    return this.#now.range;
  }

  get pieces(): readonly Piece[] {
    return this.#now.pieces;
  }

  /** True if the user typed in this gap between two pieces. */
  hasTyping({ start, end }: OffsetRange): boolean {
    return this.#now.typed.some((typed) => typed.start < end && start < typed.end);
  }

  /**
   * Returns the change that writes `text` to the document. Must not be called while the range is
   * broken.
   */
  changeFor(text: string): TextChange {
    if (this.isWritten) return { rangeOffset: this.range.end, rangeLength: 0, text };
    const { start, end } = this.#nextPlace ?? this.range;
    return { rangeOffset: start, rangeLength: end - start, text };
  }

  /**
   * Records a change from `changeFor` after a change event has reported it.
   * @param tailLength length of the tail at the end of the text; later text goes before the tail
   */
  grow({ rangeOffset, rangeLength, text }: TextChange, tailLength = 0): void {
    const { range, pieces, typed, isBroken } = this.#now;
    const start = this.isWritten ? Math.min(range.start, rangeOffset) : rangeOffset;
    const written = { start: rangeOffset, end: rangeOffset + text.length, text };
    const left = remainingAfter({ rangeOffset, rangeLength, text });
    const event = this.#begin();
    event.isTouched ||= rangeLength > 0;
    this.#written += text.length;
    this.#now = {
      ...this.#now,
      range: { start, end: written.end - tailLength },
      pieces: joined([...pieces.flatMap(left), written]),
      typed: typed.flatMap(left),
      response: this.#response,
      written: this.#written,
      isBroken: this.isWritten && isBroken,
      successor: undefined,
      growth: this.#now.growth + text.length - rangeLength,
    };
  }

  /**
   * Records a change that wasn't made by this range's `changeFor`, such as an edit by the user or
   * text from another response.
   */
  follow(change: TextChange, origin: ChangeContext = {}): void {
    const { belongsBehind = false, replay, isTyping = false } = origin;
    const before = this.#now;
    const { range, isBroken } = before;
    const { rangeOffset, rangeLength, text } = change;
    const changeEnd = rangeOffset + rangeLength;
    const growth = text.length - rangeLength;
    const { start, end } = range;
    const lastEnd = before.pieces.at(-1)?.end ?? end;
    const isWhole = rangeOffset === start && changeEnd === lastEnd && changeEnd > start;
    const isInside = rangeOffset > start && rangeOffset < lastEnd;
    const isHere = rangeOffset <= Math.max(end, lastEnd) && changeEnd >= start;
    const inserted = { start: rangeOffset, end: rangeOffset + text.length, text };
    const left = remainingAfter(change);
    const pieces = joined(before.pieces.flatMap(left));
    // The typed text itself is never used, so only its range is kept.
    const added = isTyping && isInside ? [{ ...inserted, text: '' }] : [];
    const typed = joined([...before.typed.flatMap(left), ...added]);
    const event = this.#begin();
    event.isTouched ||= isHere && (rangeLength > 0 || text !== '');
    if (replay)
      event.inserted = event.inserted.flatMap(left).concat(isHere && text !== '' ? inserted : []);
    const undone = replay === 'undo' ? lengthOf(before.pieces) - lengthOf(pieces) : 0;
    const written = before.written - undone;
    const now = { ...before, pieces, typed, written, growth: before.growth + growth };
    if (changeEnd <= start && !(belongsBehind && rangeOffset === end)) {
      if (changeEnd === start) event.shiftAtStart += growth;
      this.#now = {
        ...now,
        range: moved(range, growth),
        successor: before.successor && moved(before.successor, growth),
        shift: before.shift + growth,
      };
    } else if (rangeOffset < end) {
      const coversAll = rangeOffset <= start && changeEnd >= end;
      // Deleting the line above a response also deletes the response's leading line break.
      const losesText =
        rangeOffset < start &&
        withoutLeadingWhitespace(pieces) !== withoutLeadingWhitespace(before.pieces);
      // Until some text has been written, any change inside the range breaks it.
      const breaks = !this.isWritten || coversAll || losesText || changeEnd > end;
      this.#now = {
        ...now,
        range: {
          start: rangeOffset < start ? inserted.end : start,
          end: Math.max(end, changeEnd) + growth,
        },
        isBroken: isBroken || breaks,
        successor: isWhole ? inserted : undefined,
      };
    } else this.#now = now;
  }

  /**
   * Finishes handling a change event. Must be called after all changes in the event have been
   * recorded.
   * @param isThere returns true if the document contains the piece's text at the piece's offsets
   */
  conclude(
    { replay, startsUndoStep = false }: EventContext,
    isThere: (piece: Piece) => boolean,
  ): void {
    const event = this.#event;
    this.#event = undefined;
    if (!event) return;
    const { before, isTouched } = event;
    if (!replay) this.#states.forgetRedo();
    else if (isTouched) this.#recall(replay, event, isThere);
    if ((isTouched || startsUndoStep) && (before.response > 0 || this.hasBegun))
      this.#states.keep(before, replay);
  }

  /** True if the next response can replace the current response. */
  get canRewind(): boolean {
    return this.#nextPlace !== undefined;
  }

  /**
   * Makes the next chunk replace the current response.
   * @returns false if the response can't be replaced, for example because the user typed inside it
   */
  rewind(): boolean {
    if (!this.canRewind) return false;
    if (this.hasBegun) this.#response += 1;
    this.#written = 0;
    return true;
  }

  /**
   * The range to replace when the next response starts. Undefined if the next response can't be
   * written.
   */
  get #nextPlace(): OffsetRange | undefined {
    const { range, pieces, response, isBroken, isUncertain, successor } = this.#now;
    if (isUncertain) return undefined;
    if (pieces.length > 0) return pieces.length === 1 ? pieces[0] : undefined;
    if (successor && this.#isOriginal(successor)) return successor;
    return response === 0 && !isBroken && this.#isOriginal(range) ? range : undefined;
  }

  #begin(): PendingEvent {
    this.#event ??= { before: this.#now, isTouched: false, inserted: [], shiftAtStart: 0 };
    return this.#event;
  }

  /**
   * Finds the known state that an undo or redo has restored, and makes it the current state. A
   * state matches if the document contains all of its pieces. The match with the most generated
   * text wins. In case of a tie, the latest state wins.
   */
  #recall(replay: Replay, event: PendingEvent, isThere: (piece: Piece) => boolean): void {
    const { pieces, shift, growth } = this.#now;
    const { inserted, shiftAtStart } = event;
    const candidates = joined([...pieces, ...inserted]);
    const stands = (piece: Piece) =>
      candidates.some(({ start, end }) => start <= piece.start && piece.end <= end) &&
      isThere(piece);
    const ahead = this.#states.ahead(replay);
    let [known, reached] = [this.#now, -1];
    for (const [index, state] of ahead.entries()) {
      if (lengthOf(state.pieces) < lengthOf(known.pieces)) continue;
      // A state without pieces has no text to compare, so the document must have the same length as
      // in that state. An undo can skip such a state, because VS Code may undo a whole word at
      // once.
      if (state.pieces.length === 0 && state.growth !== growth) continue;
      const by = shift - state.shift;
      // Usually, the pieces are at the same offsets as in that state. They're shifted if the undo
      // or redo also changes text before the range. Text restored right before the range may or may
      // not belong to the range, so both possible shifts are tried.
      const found = [0, by - shiftAtStart, by]
        .map((each) => shifted(state, each))
        .find((placed) => placed.pieces.every(stands));
      if (found) [known, reached] = [found, index];
    }
    this.#now = { ...known, growth };
    if (reached >= 0) this.#states.reach(replay, reached);
    else if (inserted.length > 0) {
      const isMissing = ahead.some((state) => lengthOf(state.pieces) > lengthOf(pieces));
      const isUncertain = known.isUncertain || isMissing || this.#states.hasForgotten;
      this.#now = { ...this.#now, isBroken: known.isBroken || isUncertain, isUncertain };
    }
  }
}

/** Returns a state with all of its offsets shifted. */
function shifted(known: RangeState, by: number): RangeState {
  const { range, pieces, typed, successor, shift } = known;
  return {
    ...known,
    range: moved(range, by),
    pieces: pieces.map((piece) => moved(piece, by)),
    typed: typed.map((each) => moved(each, by)),
    successor: successor && moved(successor, by),
    shift: shift + by,
  };
}

/** Returns the text of all pieces without leading whitespace. */
function withoutLeadingWhitespace(pieces: readonly Piece[]): string {
  return pieces
    .map(({ text }) => text)
    .join('')
    .trimStart();
}
