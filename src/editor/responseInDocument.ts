import type { OpenDocument } from './openDocument.ts';
import type { OffsetRange, Piece, TextChange } from './textChange.ts';
import { TrackedRange } from './trackedRange.ts';

/** Where one answer goes. Line ends are LF, whatever the document has. */
export interface AnswerPlace extends OffsetRange {
  /** Written before the answer: the line break and indentation of a new line. */
  readonly lead: string;
  /** Written behind the answer together with its first text. */
  readonly tail: string;
}

/** A change that is to be written. */
export interface NextChange extends TextChange {
  /** Of what the change ends with and the next text goes before. */
  readonly tailLength: number;
}

/**
 * How an answer in a document stands.
 *
 * | state   |                                            | append  | end    | lose   |
 * |---------|--------------------------------------------|---------|--------|--------|
 * | waiting | nothing came since it began, or began anew | writing | done   | lost   |
 * | writing | text comes                                 | writing | done   | losing |
 * | done    | nothing more comes for now                 | writing | done   | lost   |
 * | losing  | its place is lost, and text still comes    | losing  | lost   | losing |
 * | lost    | its place is lost, and nothing more comes  | losing  | lost   | lost   |
 * | undone  | taken back: what still comes is not wanted | undone  | undone | undone |
 *
 * Whatever it is, `withdraw` makes it undone, and `restart` waiting, or lost where the next answer
 * cannot take its place.
 */
export type AnswerState = 'waiting' | 'writing' | 'done' | 'losing' | 'lost' | 'undone';

const AFTER: Readonly<
  Record<AnswerState, Readonly<Record<'append' | 'end' | 'lose', AnswerState>>>
> = {
  waiting: { append: 'writing', end: 'done', lose: 'lost' },
  writing: { append: 'writing', end: 'done', lose: 'losing' },
  done: { append: 'writing', end: 'done', lose: 'lost' },
  losing: { append: 'losing', end: 'lost', lose: 'losing' },
  lost: { append: 'losing', end: 'lost', lose: 'lost' },
  undone: { append: 'undone', end: 'undone', lose: 'undone' },
};

/** One answer in a document: its place, what of it stands there, and what waits to be written. */
export class ResponseInDocument {
  readonly own: TrackedRange;
  readonly #openDocument: OpenDocument;
  readonly #place: AnswerPlace;
  /** Of the document when its place was known; in another one the offsets would be wrong. */
  readonly #lineEnd: string;
  /** What stood in the place before anything was written. */
  readonly #original: string;
  #waiting = '';
  /** How much of what waits may be written. */
  #limit = Number.POSITIVE_INFINITY;
  #state: AnswerState = 'waiting';
  /** Somebody waits for its end. */
  #ended: PromiseWithResolvers<void> | undefined;

  constructor(openDocument: OpenDocument, place: AnswerPlace) {
    this.#openDocument = openDocument;
    this.#place = place;
    this.#lineEnd = openDocument.lineEnd;
    this.#original = openDocument.textOf(place);
    this.own = new TrackedRange(place, (range) => openDocument.textOf(range) === this.#original);
  }

  get state(): AnswerState {
    return this.#state;
  }

  /** Whether all of the answer stands in the document, as far as it is wanted there. */
  get isPlaced(): boolean {
    if (this.#state === 'undone') return true;
    return this.#accepted === '' && !(this.#isLost || (this.own.isWritten && this.own.isBroken));
  }

  /** Whether text waits that may and can still be written. */
  get isPending(): boolean {
    return this.#changeFor(this.#accepted) !== undefined;
  }

  /** Whether more text is to be expected: some came, and it has not ended since. */
  get isComing(): boolean {
    return this.#state === 'writing' || this.#state === 'losing';
  }

  /**
   * True if text can be inserted here.
   * @param isNew true for a new response, false to continue the current one
   */
  canInsert(isNew: boolean): boolean {
    const { isVisible, isOpen, lineEnd } = this.#openDocument;
    // Text of a preview is inserted later, once its document is shown.
    const isHeldBack = Number.isFinite(this.#limit);
    if (!(isVisible || isOpen || isHeldBack) || lineEnd !== this.#lineEnd) return false;
    return isNew ? this.own.canRewind : !(this.#isLost || this.own.isBroken);
  }

  append(text: string): void {
    this.#state = AFTER[this.#state].append;
    if (this.#state === 'undone') return;
    const isFirst = this.#waiting === '' && !this.own.hasBegun;
    this.#waiting += this.#inDocument((isFirst ? this.#place.lead : '') + text);
  }

  /** Nothing more comes for now. @returns once all of it is written or lost, or is late */
  async end(): Promise<void> {
    this.#state = AFTER[this.#state].end;
    this.#ended ??= Promise.withResolvers();
    await this.#ended.promise;
    this.#ended = undefined;
  }

  /** Lets what waits by now be written, and nothing that comes later. */
  accept(): void {
    this.#limit = this.#waiting.length;
  }

  /**
   * Tells whoever waits for the end, if it is reached.
   * @param isLate whether nobody shall wait any longer
   */
  settle(isLate: boolean): void {
    if (isLate || this.#accepted === '' || this.#isLost) this.#ended?.resolve();
  }

  /**
   * What is to be written next; undefined if there is nothing, or nothing yet: text that no editor
   * shows waits until all of it came, since each edit is an undo step of its own then.
   */
  next(): NextChange | undefined {
    const { isVisible, isOpen } = this.#openDocument;
    const isEarly =
      !isVisible && this.#state === 'writing' && this.#limit === Number.POSITIVE_INFINITY;
    if (this.#accepted === '' || this.#isLost || isEarly) return undefined;
    const next = isVisible || isOpen ? this.#changeFor(this.#accepted) : undefined;
    if (!next) this.lose();
    return next;
  }

  /** All that waits; undefined if there is nothing, or if its place is lost. */
  get upcoming(): NextChange | undefined {
    return this.#changeFor(this.#waiting);
  }

  /** Takes over what `next` gave, now that it is written. */
  wrote({ text, tailLength }: NextChange): void {
    const length = text.length - tailLength;
    this.#waiting = this.#waiting.slice(length);
    this.#limit -= length;
  }

  /** Writes nothing more where it is: its place is gone, or no edit comes about. */
  lose(): void {
    this.#state = AFTER[this.#state].lose;
  }

  /** Writes nothing more, until it begins again. */
  withdraw(): void {
    this.#drop();
    this.#state = 'undone';
  }

  /** What comes next takes the place of what was written, or of what was undone. */
  restart(): void {
    this.#drop();
    this.#state = this.own.rewind() ? 'waiting' : 'lost';
  }

  /** Ends a change event after all of its changes were followed. */
  conclude(event: Parameters<TrackedRange['conclude']>[0]): void {
    this.own.conclude(event, (piece) => this.#isThere(piece));
  }

  /** True if the document holds text of the response that is being written. */
  get hasText(): boolean {
    return this.own.isWritten && this.own.pieces.length > 0;
  }

  /**
   * The changes that take away what is ours and put back what it replaced. Blanks between our
   * pieces go with them where a formatter put them there; those that somebody typed stay.
   * @returns undefined unless each piece is in the document, character by character
   */
  removal(): TextChange[] | undefined {
    if (this.own.isUncertain || !this.own.pieces.every((piece) => this.#isThere(piece))) {
      return undefined;
    }
    const removed: OffsetRange[] = [];
    for (const piece of this.own.pieces) {
      const last = removed.at(-1);
      if (last && this.#isFormatting({ start: last.end, end: piece.start }))
        removed[removed.length - 1] = { ...last, end: piece.end };
      else removed.push(piece);
    }
    return removed.map(({ start, end }, index) => ({
      rangeOffset: start,
      rangeLength: end - start,
      text: index === 0 ? this.#original : '',
    }));
  }

  #isThere(piece: Piece): boolean {
    return this.#openDocument.textOf(piece) === piece.text;
  }

  #isFormatting(gap: OffsetRange): boolean {
    return !this.own.hasTyping(gap) && this.#openDocument.textOf(gap).trim() === '';
  }

  get #isLost(): boolean {
    return this.#state === 'losing' || this.#state === 'lost';
  }

  get #accepted(): string {
    return this.#waiting.slice(0, this.#limit);
  }

  #drop(): void {
    this.#waiting = '';
    if (Number.isFinite(this.#limit)) this.#limit = 0;
  }

  #changeFor(text: string): NextChange | undefined {
    const isLost =
      this.#isLost || this.own.isBroken || this.#openDocument.lineEnd !== this.#lineEnd;
    if (text === '' || isLost) return undefined;
    const tail = this.own.isWritten ? '' : this.#inDocument(this.#place.tail);
    return { ...this.own.changeFor(text + tail), tailLength: tail.length };
  }

  #inDocument(text: string): string {
    return this.#lineEnd === '\n' ? text : text.replaceAll('\n', this.#lineEnd);
  }
}
