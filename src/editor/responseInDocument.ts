import type { PlaceIndentation } from './fit/indentation.ts';
import type { OffsetRange, Piece, TextChange } from './textChange.ts';
import type { OpenDocument } from './trackedDocument.ts';
import { TrackedRange } from './trackedRange.ts';

/**
 * The range that a response replaces, and the text to add around the response. The added text has
 * LF line endings, even if the document uses CRLF.
 */
export interface ResponsePlace extends OffsetRange, PlaceIndentation {
  /**
   * Text to insert before the response, such as the line break of a new line. Several responses can
   * go to the same offset, for example if two selections are on one line. Each response then gets
   * its own `lead`, which must separate it from the previous response.
   */
  readonly lead: string;
  /**
   * Used instead of `lead` if the user has typed text before the response on the same line. Needed
   * if a response can start on an empty line without a `lead`.
   */
  readonly leadAfterText?: string;
  /** Text to insert after the response. It's written with the first chunk. */
  readonly tail: string;
}

/** Maximum distance, in characters, to search before a response for text on the same line. */
const MAX_SEARCH_LENGTH = 1_000;

export interface NextChange extends TextChange {
  /**
   * Length of the tail (`ResponsePlace.tail`) at the end of `text`; 0 if the tail was written
   * earlier. Later chunks are inserted before the tail.
   */
  readonly tailLength: number;
}

/** Only `restart` can change the state from `lost` or `undone` back to `open`. */
type ResponseState =
  | 'open'
  /** The pending text can't be written. */
  | 'lost'
  /** The user undid the job, so text that arrives later is discarded. */
  | 'undone';

/**
 * One response in a document: its range, the text written so far, and the text still to be written.
 */
export class ResponseInDocument {
  readonly own: TrackedRange;
  readonly #openDocument: OpenDocument;
  readonly #place: ResponsePlace;
  /**
   * The document's line ending when the offsets were computed. If the line ending has changed since
   * then, the offsets are wrong.
   */
  readonly #lineEnd: string;
  /** The text that the response replaces. */
  readonly #original: string;
  #waiting = '';
  /** True if the response starts on a new line, after text that the user may be typing. */
  #startsNewLine = false;
  /** The number of characters in `#waiting` that may be written. Finite only for a preview. */
  #limit = Number.POSITIVE_INFINITY;
  #state: ResponseState = 'open';
  #isStreaming = false;
  /** Set while a call to `end` is pending. */
  #ended: PromiseWithResolvers<void> | undefined;

  constructor(openDocument: OpenDocument, place: ResponsePlace) {
    this.#openDocument = openDocument;
    this.#place = place;
    this.#lineEnd = openDocument.lineEnd;
    this.#original = openDocument.textOf(place);
    this.own = new TrackedRange(place, (range) => openDocument.textOf(range) === this.#original);
  }

  /**
   * True if all accepted text was written, the response isn't lost, and, if any text was written,
   * its range isn't broken. Also true if the response was undone.
   */
  get isPlaced(): boolean {
    if (this.#state === 'undone') return true;
    return this.#accepted === '' && !(this.#isLost || (this.own.isWritten && this.own.isBroken));
  }

  /** True if accepted text is waiting and can still be written. */
  get isPending(): boolean {
    return this.#changeFor(this.#accepted) !== undefined;
  }

  /** True from the first chunk of a response or continuation until its end. */
  get isStreaming(): boolean {
    return this.#isStreaming;
  }

  /**
   * True if text can be inserted now or, for a preview, once the user accepts it.
   * @param isNew true to start a new response; false to continue the current one
   */
  canInsert(isNew: boolean): boolean {
    const { isVisible, isOpen, lineEnd } = this.#openDocument;
    // Only a preview has a finite limit. Its document doesn't have to be open yet, because the
    // document is shown before accepted text is written.
    const isHeldBack = Number.isFinite(this.#limit);
    if (!(isVisible || isOpen || isHeldBack) || lineEnd !== this.#lineEnd) return false;
    return isNew ? this.own.canRewind : !(this.#isLost || this.own.isBroken);
  }

  append(text: string): void {
    if (this.#state === 'undone') return;
    this.#isStreaming = true;
    const isFirst = this.#waiting === '' && !this.own.hasBegun;
    const lead = isFirst ? this.#lead : '';
    if (isFirst) this.#startsNewLine = lead.startsWith('\n');
    this.#waiting += this.#inDocument(lead + text);
  }

  /**
   * Ends the response, which may be continued later. Resolves once all accepted text is written, no
   * more text can be written, or an edit exceeds its deadline.
   */
  async end(): Promise<void> {
    this.#isStreaming = false;
    this.#ended ??= Promise.withResolvers();
    await this.#ended.promise;
    this.#ended = undefined;
  }

  /**
   * Allows the pending text to be written. Text that arrives later is held back until the next
   * call.
   */
  accept(): void {
    this.#limit = this.#waiting.length;
  }

  /**
   * Resolves a pending `end` if all accepted text is written or the response is lost.
   * @param isLate true if an edit exceeded its deadline; in that case, `end` resolves without
   * waiting for it
   */
  settle(isLate: boolean): void {
    if (isLate || this.#accepted === '' || this.#isLost) this.#ended?.resolve();
  }

  /**
   * Returns the next change, or undefined if nothing can be written now. If no editor shows the
   * document, each edit is a separate undo step. A response that isn't previewed is therefore held
   * back until it ends. Marks the response as lost if its text can't be written.
   */
  next(): NextChange | undefined {
    const { isVisible, isOpen } = this.#openDocument;
    const isEarly = !isVisible && this.#isStreaming && this.#limit === Number.POSITIVE_INFINITY;
    if (this.#accepted === '' || this.#isLost || isEarly) return undefined;
    const next = isVisible || isOpen ? this.#changeFor(this.#accepted) : undefined;
    if (!next) this.lose();
    return next;
  }

  /**
   * The change that would write all pending text, including text that hasn't been accepted yet.
   * Undefined if no text is waiting, or if the text can't be written.
   */
  get upcoming(): NextChange | undefined {
    return this.#changeFor(this.#waiting);
  }

  /** Removes a written change's text from the pending text. */
  wrote({ text, tailLength }: NextChange): void {
    const length = text.length - tailLength;
    this.#waiting = this.#waiting.slice(length);
    this.#limit -= length;
  }

  /** Marks the response as lost so that nothing more is written. */
  lose(): void {
    if (this.#state === 'open') this.#state = 'lost';
  }

  /**
   * Marks the response as undone. Discards pending text and any text that arrives before `restart`
   * is called.
   */
  withdraw(): void {
    this.#drop();
    this.#state = 'undone';
    this.#isStreaming = false;
  }

  /**
   * Makes the next chunk replace the response so far, even if the response was undone. If the
   * response can't be replaced, it's marked as lost.
   */
  restart(): void {
    this.#drop();
    this.#state = this.own.rewind() ? 'open' : 'lost';
    this.#isStreaming = false;
  }

  /**
   * Finishes handling a change event. Must be called after `own` has tracked all changes in the
   * event.
   */
  conclude(event: Parameters<TrackedRange['conclude']>[0]): void {
    this.own.conclude(event, (piece) => this.#isThere(piece));
  }

  /** True if the document contains text from the current response. */
  get hasText(): boolean {
    return this.own.isWritten && this.own.pieces.length > 0;
  }

  /**
   * Returns the changes that remove the generated text and restore the text that it replaced. The
   * changes also remove whitespace that a formatter added between parts of the generated text, but
   * not whitespace that the user typed.
   * @returns undefined if the generated text can't be identified exactly
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
    return this.#state === 'lost';
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
    const isFirst = !this.own.isWritten;
    const tail = isFirst ? this.#inDocument(this.#place.tail) : '';
    const keepsCursor = isFirst && this.#startsNewLine;
    return { ...this.own.changeFor(text + tail), tailLength: tail.length, keepsCursor };
  }

  get #lead(): string {
    const { lead, leadAfterText } = this.#place;
    if (leadAfterText === undefined) return lead;
    const { start } = this.own.range;
    const range = { start: Math.max(0, start - MAX_SEARCH_LENGTH), end: start };
    const textOfLine =
      this.#openDocument
        .textOf(range)
        .split(/[\r\n]/)
        .at(-1) ?? '';
    return textOfLine.trim() === '' ? lead : leadAfterText;
  }

  #inDocument(text: string): string {
    return this.#lineEnd === '\n' ? text : text.replaceAll('\n', this.#lineEnd);
  }
}
