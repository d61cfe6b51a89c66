import type { OpenDocument } from './editorDocument.ts';
import type { OffsetRange, Piece, TextChange } from './textChange.ts';
import { TrackedRange } from './trackedRange.ts';

/** The place of one response. Line ends are LF, regardless of the document. */
export interface ResponsePlace extends OffsetRange {
  /** Text written before the response, such as the line break and indentation of a new line. */
  readonly lead: string;
  /** Text written after the response, together with its first chunk. */
  readonly tail: string;
}

/** The next change to write. */
export interface NextChange extends TextChange {
  /** Number of characters at the end of the change that stay after the next text. */
  readonly tailLength: number;
}

/**
 * The state of a response in a document.
 *
 * | state   |                                            | append  | end    | lose   |
 * |---------|--------------------------------------------|---------|--------|--------|
 * | waiting | started or restarted, no text yet          | writing | done   | lost   |
 * | writing | text is arriving                           | writing | done   | losing |
 * | done    | ended, but may be continued                | writing | done   | lost   |
 * | losing  | place lost, text is still arriving         | losing  | lost   | losing |
 * | lost    | place lost, no more text is arriving       | losing  | lost   | lost   |
 * | undone  | removed by undo, later text is discarded   | undone  | undone | undone |
 *
 * From every state, `withdraw` leads to undone. `restart` leads to waiting, or to lost if the next
 * response can't replace this one.
 */
export type ResponseState = 'waiting' | 'writing' | 'done' | 'losing' | 'lost' | 'undone';

const AFTER: Readonly<
  Record<ResponseState, Readonly<Record<'append' | 'end' | 'lose', ResponseState>>>
> = {
  waiting: { append: 'writing', end: 'done', lose: 'lost' },
  writing: { append: 'writing', end: 'done', lose: 'losing' },
  done: { append: 'writing', end: 'done', lose: 'lost' },
  losing: { append: 'losing', end: 'lost', lose: 'losing' },
  lost: { append: 'losing', end: 'lost', lose: 'lost' },
  undone: { append: 'undone', end: 'undone', lose: 'undone' },
};

/** One response in a document: its place, the text written so far, and the text that waits. */
export class ResponseInDocument {
  readonly own: TrackedRange;
  readonly #openDocument: OpenDocument;
  readonly #place: ResponsePlace;
  /**
   * Line end of the document when the place was determined. If it changes, the offsets are wrong.
   */
  readonly #lineEnd: string;
  /** Text of the place before anything was written. */
  readonly #original: string;
  #waiting = '';
  /** Number of waiting characters that may be written. */
  #limit = Number.POSITIVE_INFINITY;
  #state: ResponseState = 'waiting';
  /** Set while a caller of `end` waits. */
  #ended: PromiseWithResolvers<void> | undefined;

  constructor(openDocument: OpenDocument, place: ResponsePlace) {
    this.#openDocument = openDocument;
    this.#place = place;
    this.#lineEnd = openDocument.lineEnd;
    this.#original = openDocument.textOf(place);
    this.own = new TrackedRange(place, (range) => openDocument.textOf(range) === this.#original);
  }

  get state(): ResponseState {
    return this.#state;
  }

  /** True if all accepted text is in the document, or if the response was undone. */
  get isPlaced(): boolean {
    if (this.#state === 'undone') return true;
    return this.#accepted === '' && !(this.#isLost || (this.own.isWritten && this.own.isBroken));
  }

  /** True if accepted text waits and can still be written. */
  get isPending(): boolean {
    return this.#changeFor(this.#accepted) !== undefined;
  }

  /** True from the first chunk of a response or continuation until its end. */
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

  /**
   * Ends the response, which may be continued later. Resolves once all accepted text is written,
   * its place is lost, or the edit is late.
   */
  async end(): Promise<void> {
    this.#state = AFTER[this.#state].end;
    this.#ended ??= Promise.withResolvers();
    await this.#ended.promise;
    this.#ended = undefined;
  }

  /** Limits writing to the text that waits now. Later text needs another call. */
  accept(): void {
    this.#limit = this.#waiting.length;
  }

  /**
   * Resolves `end` if no accepted text is left to write.
   * @param isLate true if callers must not wait any longer
   */
  settle(isLate: boolean): void {
    if (isLate || this.#accepted === '' || this.#isLost) this.#ended?.resolve();
  }

  /**
   * Returns the next change, or undefined if there is nothing to write yet. If no editor shows the
   * document, text waits until the response ends, because each edit is then a separate undo step.
   * If the text can't be written, the place is lost.
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

  /** The change for all waiting text. Undefined if there is none, or if its place is lost. */
  get upcoming(): NextChange | undefined {
    return this.#changeFor(this.#waiting);
  }

  /** Removes the text of a written change from the waiting text. */
  wrote({ text, tailLength }: NextChange): void {
    const length = text.length - tailLength;
    this.#waiting = this.#waiting.slice(length);
    this.#limit -= length;
  }

  /** Stops writing, because the place is lost or edits fail. */
  lose(): void {
    this.#state = AFTER[this.#state].lose;
  }

  /** Discards waiting and later text until `restart`. */
  withdraw(): void {
    this.#drop();
    this.#state = 'undone';
  }

  /** Makes the next text replace the response so far, even if it was undone. */
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
   * Returns the changes that remove the generated text and restore the text it replaced. Whitespace
   * between pieces is removed if a formatter inserted it. Whitespace that the user typed stays.
   * @returns undefined if the document doesn't contain every piece exactly
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
