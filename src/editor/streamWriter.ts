import type { TextDocument } from 'vscode';
import { EditRetryLimit, isLate, resultOf } from './editRetryLimit.ts';
import { type NextChange, ResponseInDocument, type ResponsePlace } from './responseInDocument.ts';
import { isSame, type Piece, replacedRange, type TextChange } from './textChange.ts';
import type { OpenDocument } from './trackedDocument.ts';
import type { Replay } from './undoStates.ts';

export type Undone =
  | 'undone'
  /** There was no text to remove. */
  | 'nothing'
  /** Some text couldn't be removed, for example because the document is closed or read-only. */
  | 'refused';

/**
 * Writes the streamed responses of one job. Responses are identified by index, and their text has
 * LF line endings.
 */
export interface ResponseWriter {
  /** The new document that the writer opened for the responses, if any. */
  readonly document?: TextDocument | undefined;
  /**
   * Returns the ranges and text of these responses in the selections' document. Not implemented by
   * writers that write elsewhere or show a preview.
   */
  writtenBy?(indices: readonly number[]): readonly Piece[];
  /** True if any text is waiting to be written or accepted. */
  readonly isPending: boolean;
  /** @param isNew true to start a new response; false to continue the current one */
  canInsert(index: number, isNew: boolean): boolean;
  /**
   * Called once per run, with the indices of its responses, before any of them ends. `end` is later
   * called for each response, even if no request was sent.
   */
  begin?(indices: readonly number[]): void;
  /** @param text never empty */
  append(index: number, text: string): void;
  /**
   * Ends a response, which may be continued later.
   * @returns false if some of the response's text couldn't be written or shown
   */
  end(index: number): Promise<boolean>;
  /** Makes the next chunk replace the response so far. */
  restart(index: number): void;
  /**
   * Makes the next edit start a new undo step. Not implemented by the clipboard writer, which makes
   * no edits.
   */
  startUndoStep?(): void;
  /**
   * Removes the written text and restores the text that it replaced. Not implemented by the
   * clipboard writer, which can't restore the clipboard's earlier contents.
   */
  undo?(): Promise<Undone>;
  dispose?(): void;
}

export interface Timing {
  /**
   * Minimum time from the start of one edit to the start of the next. Limits the load on language
   * servers, which reanalyze the file after each edit.
   */
  readonly intervalMs: number;
  /** Maximum time to wait for the result of an edit. Additional time is allowed for long text. */
  readonly deadlineMs: number;
}

/**
 * Assumed minimum speed of an edit. VS Code on an idle machine is more than ten times as fast
 * (measured).
 */
const CHARACTERS_PER_MS = 500;
/**
 * At most 30 edits per second. The deadline is long because a single-word edit took 8.5 s on a very
 * slow machine (measured).
 */
const TIMING: Timing = { intervalMs: 34, deadlineMs: 30_000 };

interface WriterOptions {
  readonly timing?: Timing;
  /**
   * Called when the user has undone all text from the responses that are still streaming. Receives
   * the indices of all responses that have no text in the document. These responses aren't written
   * until they're restarted. If this is omitted, an undo doesn't affect the pending text.
   */
  readonly onUndone?: (indices: readonly number[]) => void;
}

/** A change that was sent to VS Code but hasn't been reported by a change event yet. */
interface ExpectedChange extends NextChange {
  readonly response: ResponseInDocument;
}

/**
 * Maximum number of retries when removing text. A removal fails if the user edits the document in
 * the meantime.
 */
const MAX_REMOVALS = 10;

/**
 * Writes streamed responses into a document. Only one edit is in progress at a time, and it can
 * contain text from several responses. While an editor shows the document and nothing else edits
 * it, all edits up to the next call to `startUndoStep` form one undo step. Ranges are tracked from
 * the start so that the user's edits are never overwritten.
 *
 * The result that VS Code returns for an edit isn't reliable (see `OpenDocument.write`). An edit
 * counts as applied only when a change event reports its changes.
 */
export class StreamWriter implements ResponseWriter {
  readonly #openDocument: OpenDocument;
  readonly #responses: readonly ResponseInDocument[];
  readonly #timing: Timing;
  readonly #onUndone: WriterOptions['onUndone'];
  /**
   * True if the next edit starts an undo step: initially, after `startUndoStep`, and after a change
   * that the writer didn't make.
   */
  #nextEditStartsUndoStep = true;
  /** True if the current edit starts an undo step. */
  #editStartsUndoStep = false;
  #expected: readonly ExpectedChange[] = [];
  /** True while the current edit is past its deadline. VS Code may still apply the edit. */
  #isLate = false;
  #isRunning = false;
  #running = Promise.resolve();
  #firstIndex = 0;
  #attempts = new EditRetryLimit();

  constructor(
    openDocument: OpenDocument,
    places: readonly ResponsePlace[],
    { timing = TIMING, onUndone }: WriterOptions = {},
  ) {
    this.#openDocument = openDocument;
    this.#timing = timing;
    this.#onUndone = onUndone;
    this.#responses = places.map((place) => new ResponseInDocument(openDocument, place));
    openDocument.onDidChange((changes, replay) => this.#follow(changes, replay));
  }

  writtenBy(indices: readonly number[]): readonly Piece[] {
    return indices.flatMap((index) => this.#response(index).own.pieces);
  }

  get isPending(): boolean {
    return this.#responses.some(({ isPending }) => isPending);
  }

  canInsert(index: number, isNew: boolean): boolean {
    return this.#response(index).canInsert(isNew);
  }

  startUndoStep(): void {
    this.#nextEditStartsUndoStep = true;
  }

  append(index: number, text: string): void {
    this.#response(index).append(text);
    this.#start();
  }

  async end(index: number): Promise<boolean> {
    const response = this.#response(index);
    const ended = response.end();
    this.#start();
    this.#settle();
    await ended;
    return response.isPlaced;
  }

  restart(index: number): void {
    const response = this.#response(index);
    response.restart();
    // Don't write the new response if an edit for the old response is still in progress. Otherwise,
    // the old text would mix with the new text.
    if (this.#expected.some((expected) => expected.response === response)) response.lose();
  }

  async undo(): Promise<Undone> {
    for (const response of this.#responses) response.withdraw();
    if (await isLate(this.#running, this.#timing.deadlineMs)) return 'refused';
    for (let removals = 0; removals <= MAX_REMOVALS; removals += 1) {
      const all = this.#responses.map((response) => response.removal());
      // Remove all responses or none.
      if (all.includes(undefined)) return 'refused';
      const changes = all.flatMap((each) => each ?? []);
      if (changes.length === 0) return removals > 0 ? 'undone' : 'nothing';
      if (!(this.#openDocument.isVisible || this.#openDocument.isOpen)) return 'refused';
      const edit = this.#openDocument.write(changes, true);
      if (await isLate(resultOf(edit), this.#deadlineMs(changes))) return 'refused';
    }
    return 'refused';
  }

  /**
   * Allows the pending text of these responses to be written. Text that arrives later is held back
   * until the next call. Applies to all responses by default.
   */
  accept(indices: Iterable<number> = this.#responses.keys()): void {
    for (const index of indices) this.#response(index).accept();
  }

  /** Returns the document's text as it would be after writing these responses' pending text. */
  previewOf(indices: ReadonlySet<number>): string {
    let text = '';
    let from = 0;
    for (const [index, response] of this.#responses.entries()) {
      const change = indices.has(index) ? response.upcoming : undefined;
      if (!change) continue;
      text += this.#openDocument.textOf({ start: from, end: change.rangeOffset }) + change.text;
      from = change.rangeOffset + change.rangeLength;
    }
    return text + this.#openDocument.textOf({ start: from, end: Number.MAX_SAFE_INTEGER });
  }

  /**
   * True if writing these responses' pending text would leave the document's text unchanged. False
   * if a response has no text that can be written.
   */
  isSameText(indices: ReadonlySet<number>): boolean {
    return [...indices].every((index) => {
      const change = this.#response(index).upcoming;
      if (!change) return false;
      const { rangeOffset: start, rangeLength, text } = change;
      return this.#openDocument.textOf({ start, end: start + rangeLength }) === text;
    });
  }

  #response(index: number): ResponseInDocument {
    const response = this.#responses[index];
    if (!response) throw new RangeError(`No response at index ${index}`);
    return response;
  }

  /** True if the document contains text from responses that are still streaming. */
  get #hasTextOfOpen(): boolean {
    return this.#responses.some(({ isStreaming, hasText }) => isStreaming && hasText);
  }

  get #withoutText(): number[] {
    return [...this.#responses.keys()].filter((index) => !this.#response(index).hasText);
  }

  #start(): void {
    if (!this.#isRunning) this.#running = this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let batch = this.#nextBatch(); batch.length > 0; batch = this.#nextBatch()) {
      const startedAt = performance.now();
      await this.#write(batch);
      this.#settle();
      const restMs = this.#timing.intervalMs - (performance.now() - startedAt);
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
    this.#settle();
    this.#isRunning = false;
  }

  #settle(): void {
    for (const response of this.#responses) response.settle(this.#isLate);
  }

  #nextBatch(): ExpectedChange[] {
    const batch: ExpectedChange[] = [];
    // Start with a different response each time so that every response makes progress.
    this.#firstIndex = (this.#firstIndex + 1) % this.#responses.length;
    const inTurn = [
      ...this.#responses.slice(this.#firstIndex),
      ...this.#responses.slice(0, this.#firstIndex),
    ];
    for (const response of inTurn) {
      const next = response.next();
      // VS Code may merge adjacent or overlapping changes, so the later change waits for the next
      // batch.
      if (!next || batch.some((change) => doTouch(change, next))) continue;
      batch.push({ response, ...next });
    }
    return batch;
  }

  async #write(batch: readonly ExpectedChange[]): Promise<void> {
    const { version } = this.#openDocument;
    this.#expected = batch;
    this.#editStartsUndoStep = this.#nextEditStartsUndoStep;
    this.#nextEditStartsUndoStep = false;
    const edit = resultOf(this.#openDocument.write(batch, this.#editStartsUndoStep));
    if (await isLate(edit, this.#deadlineMs(batch))) {
      // Resolve `end`, but keep waiting for the edit. VS Code may still apply it, so an immediate
      // retry could write the text twice.
      this.#isLate = true;
      this.#settle();
    }
    const edited = await edit;
    this.#isLate = false;
    const isWritten = this.#expected.length === 0;
    this.#expected = [];
    if (!isWritten && this.#editStartsUndoStep) this.#nextEditStartsUndoStep = true;
    if (isWritten) this.#attempts = new EditRetryLimit();
    else if (this.#attempts.givesUpAfter(edited, this.#openDocument.version !== version)) {
      this.#attempts = new EditRetryLimit();
      for (const { response } of batch) response.lose();
    }
  }

  #deadlineMs(changes: readonly TextChange[]): number {
    const characters = changes.reduce((sum, { text }) => sum + text.length, 0);
    return this.#timing.deadlineMs + characters / CHARACTERS_PER_MS;
  }

  /**
   * Updates the responses after a change event. VS Code may add changes to an edit, for example to
   * remove whitespace from the previous line.
   */
  #follow(changes: readonly TextChange[], replay: Replay | undefined): void {
    const ours = new Map<TextChange, ExpectedChange>();
    for (const expected of this.#expected) {
      const reported = changes.find((change) => isSame(change, expected));
      if (reported) ours.set(reported, expected);
    }
    const hadText = this.#hasTextOfOpen;
    const areOurs = ours.size > 0 && ours.size === this.#expected.length;
    const isTyping = changes.length === 1 && changes[0]?.rangeLength === 0;
    for (const change of changes) {
      const expected = areOurs ? ours.get(change) : undefined;
      const written = expected ? this.#responses.indexOf(expected.response) : -1;
      for (const [index, { own }] of this.#responses.entries()) {
        if (index === written) own.grow(change, expected?.tailLength);
        else own.follow(change, { belongsBehind: index < written, replay, isTyping });
      }
      expected?.response.wrote(expected);
    }
    const startsUndoStep = areOurs && this.#editStartsUndoStep;
    for (const response of this.#responses) response.conclude({ replay, startsUndoStep });
    if (areOurs) this.#expected = [];
    else if (changes.length > 0) this.#nextEditStartsUndoStep = true;
    if (this.#onUndone && replay && hadText && !this.#hasTextOfOpen) {
      const undone = this.#withoutText;
      // The first edit for one of these responses may still be waiting.
      for (const index of undone) this.#response(index).lose();
      this.#onUndone(undone);
    }
  }
}

/** True if the ranges of two changes overlap or touch. */
function doTouch(one: TextChange, other: TextChange): boolean {
  const [first, second] = [replacedRange(one), replacedRange(other)];
  return first.start <= second.end && second.start <= first.end;
}
