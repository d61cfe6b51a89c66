import type { Disposable, TextDocument } from 'vscode';
import { selectionEnd, type Target, type Targets } from '../editor/capturedSelection.ts';
import { offsetsOf, rangeOf } from '../editor/documentEdit.ts';
import { plainText } from '../editor/fit/characterFilter.ts';
import type { LeftOut } from '../editor/fit/codeFence.ts';
import { type ResponseFitOptions, TextFit } from '../editor/fit/textFit.ts';
import { fitOptionsFor, replace } from '../editor/inPlaceModes.ts';
import type { InsertMode, ModeDeps } from '../editor/insertMode.ts';
import type { ResponseWriter, Undone } from '../editor/streamWriter.ts';
import { doOverlap, type Piece } from '../editor/textChange.ts';
import { TrackedDocument } from '../editor/trackedDocument.ts';
import { TrackedRange } from '../editor/trackedRange.ts';
import type { Template } from '../templates/template.ts';
import { ActiveRuns, type RunEnd, type RunMode } from './activeRuns.ts';

/**
 * The text that a job has generated. Never saved, but kept in memory until the job is forgotten,
 * even if the document is closed or changed.
 */
export interface Result {
  /**
   * The text from the service, without unwanted invisible characters. Responses are separated by a
   * blank line.
   */
  readonly text: string;
  readonly languageId: string;
}

interface SelectionResponse {
  readonly fitOptions: ResponseFitOptions;
  /** The current range of the selection. */
  readonly selection: TrackedRange;
  readonly replacesText: boolean;
  prompt: string;
  fit: TextFit;
  /** The unmodified text from the service. */
  text: string;
  /**
   * Initially `ended`. The first chunk of a new response sets the state back to `ended`. At the end
   * of a run, the state becomes `ended` or `truncated` if the run succeeded, and stays the same if
   * it failed. An undo sets the state to `undone`.
   */
  state: 'ended' | 'truncated' | 'undone';
  /**
   * Set at the start of a run if the next chunk replaces `text`. Shared by the run's responses so
   * that together they start at most one undo step.
   */
  pendingRestart: { needsUndoStep: boolean } | undefined;
}

/**
 * The responses that a command generates, one for each selection. A single writer inserts them all.
 * A job outlives its command so that responses can be continued, regenerated, or undone.
 */
export class Job implements Result, Disposable {
  /** Undefined if the selected or typed text is the whole prompt. */
  readonly template: Template | undefined;
  readonly mode: InsertMode;
  /** Empty once the job is forgotten. */
  #responses: readonly SelectionResponse[];
  #writer: ResponseWriter;
  readonly #openDocument: TrackedDocument;
  readonly #responseLanguage: string;
  readonly activeRuns = new ActiveRuns();

  constructor(
    targets: Targets,
    template: Template | undefined,
    mode: InsertMode,
    { previews, rescue }: Pick<ModeDeps, 'previews'> & { readonly rescue: (job: Job) => void },
  ) {
    const { document, responseLanguage } = targets[0];
    this.template = template;
    this.mode = mode;
    this.#openDocument = new TrackedDocument(document);
    this.#responseLanguage = responseLanguage;
    this.#responses = targets.map((target) => {
      const fitOptions = fitOptionsFor(mode, target);
      return {
        fitOptions,
        selection: new TrackedRange(offsetsOf(document, target.selection)),
        replacesText: mode.id === replace.id && target.selectedText !== '',
        prompt: target.selectedText,
        fit: new TextFit(fitOptions),
        text: '',
        state: 'ended',
        pendingRestart: undefined,
      };
    });
    this.#writer = mode.open(targets, {
      openDocument: this.#openDocument,
      previews,
      cancel: () => this.cancel(),
      rescue: () => rescue(this),
      undone: (indices) => {
        this.#markUndone(indices);
        this.cancel();
      },
    });
    this.#openDocument.onDidChange((changes) => {
      for (const change of changes) {
        for (const { selection } of this.#responses) selection.follow(change);
      }
    });
  }

  /** The selections' document, even after a rename. */
  get document(): TextDocument {
    return this.#openDocument.document;
  }

  /** Calls the listener each time a rename changes `document`. */
  onDidFollow(listener: () => void): void {
    this.#openDocument.onDidFollow(listener);
  }

  /** Indices of the responses, in document order. */
  get indices(): number[] {
    return [...this.#responses.keys()];
  }

  get text(): string {
    return this.part(this.indices).text;
  }

  /**
   * Language ID of the responses. Responses that go into the document use the document's language.
   */
  get languageId(): string {
    return this.mode.placeOf ? this.document.languageId : this.#responseLanguage;
  }

  /** Indices of the truncated responses. */
  get truncated(): number[] {
    return this.indices.filter((index) => this.#response(index).state === 'truncated');
  }

  get isRunning(): boolean {
    return this.activeRuns.isAny;
  }

  /** Number of runs whose messages are still open. */
  openReports = 0;

  /** True if no run is active and no text is waiting to be written or accepted. */
  get isIdle(): boolean {
    return !this.isRunning && !this.#writer.isPending;
  }

  get isForgotten(): boolean {
    return this.#responses.length === 0;
  }

  /** True if text is waiting to be written or accepted. */
  get isPending(): boolean {
    return this.#writer.isPending;
  }

  /** Indices of the undone responses. */
  get undone(): number[] {
    return this.indices.filter((index) => this.#response(index).state === 'undone');
  }

  get isUndone(): boolean {
    return this.undone.length === this.indices.length;
  }

  /**
   * Returns the ranges and text of these responses in the document. Empty for modes that write
   * elsewhere and for a preview.
   */
  writtenBy(indices: readonly number[]): readonly Piece[] {
    return this.#writer.writtenBy?.(indices) ?? [];
  }

  promptOf(index: number): string {
    return this.#response(index).prompt;
  }

  setPrompt(index: number, prompt: string): void {
    this.#response(index).prompt = prompt;
  }

  /**
   * Returns the responses with these indices as a single string. Removes unwanted invisible
   * characters, which users wouldn't notice when they paste the text.
   */
  part(indices: readonly number[]): Result {
    const texts = indices.map((index) => plainText(this.#response(index).text, this.languageId));
    const text = texts.filter((each) => each !== '').join('\n\n');
    return { text, languageId: this.languageId };
  }

  /** True if the document contains text from a response in place of the selected text. */
  hasReplaced(index: number): boolean {
    return this.#response(index).replacesText && this.writtenBy([index]).length > 0;
  }

  /**
   * True if a response has no text to write, for example because it consists only of line breaks or
   * an empty code fence.
   */
  isEmpty(index: number): boolean {
    return this.#response(index).fit.isEmpty;
  }

  /**
   * Counts the invisible and control characters that were removed or kept in each response's latest
   * run. Kept characters are counted only in prose.
   */
  invisible(indices: readonly number[]): { readonly removed: number; readonly kept: number } {
    const fits = indices.map((index) => this.#response(index).fit);
    return {
      removed: fits.reduce((sum, fit) => sum + fit.removed, 0),
      kept: fits.reduce((sum, fit) => sum + fit.kept, 0),
    };
  }

  /** Returns what was left out around the code in these responses; undefined if nothing was. */
  leftOut(indices: readonly number[]): LeftOut | undefined {
    const all = indices.map((index) => this.#response(index).fit.leftOut);
    return all.find((each) => each === 'code') ?? all.find((each) => each === 'text');
  }

  /** Returns the one-based numbers of the selected text's first and last lines. */
  linesOf(index: number): { readonly first: number; readonly last: number } {
    const { document } = this;
    const selection = rangeOf(document, this.#response(index).selection.range);
    const end = selectionEnd({ document, selection });
    return { first: selection.start.line + 1, last: end.line + 1 };
  }

  /** True if the document contains the selections or receives the responses. */
  usesDocument(document: TextDocument | undefined): boolean {
    return document !== undefined && [this.document, this.#writer.document].includes(document);
  }

  /** True if the job is running and one of its selections overlaps one of the targets. */
  isGeneratingFor(targets: readonly Target[]): boolean {
    return (
      this.isRunning &&
      targets.some(({ document, selection }) => {
        if (document !== this.document) return false;
        const range = offsetsOf(document, selection);
        return this.#responses.some((one) => doOverlap(one.selection.range, range));
      })
    );
  }

  /** True if a run with this `runMode` could insert the response. */
  canInsert(index: number, runMode: RunMode): boolean {
    const { state, text } = this.#response(index);
    const isNew = state === 'undone' || (runMode === 'restart' && text !== '');
    return this.#writer.canInsert(index, isNew);
  }

  cancel(): void {
    this.activeRuns.cancel();
  }

  /** Starts a run. Must be called before any of its responses ends. */
  begin(indices: readonly number[], runMode: RunMode): void {
    this.#writer.begin?.(indices);
    // Give a run that replaces text its own undo step, so that it can be undone separately.
    const restart = { needsUndoStep: indices.some((index) => this.#response(index).text !== '') };
    for (const one of indices.map((index) => this.#response(index))) {
      one.pendingRestart = runMode === 'restart' || one.state === 'undone' ? restart : undefined;
      if (!one.pendingRestart) one.fit.continue();
    }
  }

  /** Returns the text to continue, which is empty if the response starts over. */
  responseSoFar(index: number): string {
    const { pendingRestart, text } = this.#response(index);
    return pendingRestart ? '' : text;
  }

  append(index: number, text: string): void {
    const one = this.#response(index);
    // The old response stays in the document until there is text to replace it.
    if (one.pendingRestart) this.#startOver(one, index, one.pendingRestart);
    one.text += text;
    this.#write(index, one.fit.add(text));
  }

  /** @returns false if some of the response's text couldn't be written or shown */
  end(index: number, event: RunEnd): Promise<boolean> {
    const one = this.#response(index);
    if (event !== 'failed' && one.state !== 'undone') one.state = event;
    // If the response is truncated, don't write the text that is still held back. The continuation
    // may complete it, for example if it's the start of a fence line.
    if (one.state !== 'truncated')
      this.#write(index, one.fit.end({ isComplete: event !== 'failed' }));
    return this.#writer.end(index);
  }

  /** False if the insert mode doesn't write into a document. */
  get canUndo(): boolean {
    return this.#writer.undo !== undefined;
  }

  /** Cancels the job and removes its text from the document. */
  async undo(): Promise<Undone> {
    this.cancel();
    if (!this.#writer.undo) return 'nothing';
    // Responses count as undone even if their text can't be removed, because the writer discards
    // pending text anyway.
    this.#markUndone(this.indices);
    return this.#writer.undo();
  }

  dispose(): void {
    this.activeRuns.close();
    this.#writer.dispose?.();
    this.#openDocument.dispose();
    if (this.isRunning) return;
    // Messages about the job can stay open for hours, but must not keep the job's text in memory.
    this.#responses = [];
    this.#writer = FORGOTTEN_WRITER;
  }

  #write(index: number, text: string): void {
    if (text !== '') this.#writer.append(index, text);
  }

  #markUndone(indices: readonly number[]): void {
    for (const index of indices) {
      const one = this.#response(index);
      one.state = 'undone';
      one.pendingRestart = undefined;
    }
  }

  #startOver(one: SelectionResponse, index: number, restart: { needsUndoStep: boolean }): void {
    const isFirst = one.text === '' && one.state !== 'undone';
    one.pendingRestart = undefined;
    one.state = 'ended';
    if (restart.needsUndoStep) this.#writer.startUndoStep?.();
    restart.needsUndoStep = false;
    if (isFirst) return;
    one.text = '';
    one.fit = new TextFit(one.fitOptions);
    this.#writer.restart(index);
  }

  #response(index: number): SelectionResponse {
    const one = this.#responses[index];
    if (!one) throw new RangeError(`No response has the index ${index}`);
    return one;
  }
}

/** Replaces a forgotten job's writer so that the text in the old writer can be freed. */
const FORGOTTEN_WRITER: ResponseWriter = {
  isPending: false,
  canInsert: () => false,
  append() {},
  end: async () => true,
  restart() {},
};
