import {
  type Disposable,
  EndOfLine,
  Selection,
  type TextDocument,
  type TextEditor,
  workspace,
} from 'vscode';
import { editEditor, editorOf, editUnseen, hasTab, rangeOf } from './documentEdit.ts';
import type { Target } from './target.ts';
import { TextFit } from './textFit.ts';
import { type TextChange, TrackedRange } from './trackedRange.ts';

/** 30 edits a second at the most: each one wakes the language servers of the file. */
const MIN_EDIT_INTERVAL_MS = 34;
/** Edits that nothing came of, before the text is given up. */
const TRIES = 3;
/** Edits that were rejected in a row: an editor is rejected for a moment while its tab is switched. */
const REJECTIONS = 10;
/** Edits that came too late since somebody else was quicker. */
const RACES = 50;

/**
 * Writes streamed text into a document: one edit in flight, each one checked, all of them one
 * undo step as long as nobody else edits. Follows its place from the moment it is made, so that
 * what the user does meanwhile is never overwritten.
 *
 * `TextEditor.edit` says true for edits that changed nothing, and false for those that came too
 * late (both measured); so what counts is the change that the document then reports.
 */
export class Insertion implements Disposable {
  readonly #target: Target;
  readonly #document: TextDocument;
  readonly #eol: EndOfLine;
  /** What stood in the place before anything was written. */
  readonly #original: string;
  readonly #range: TrackedRange;
  readonly #listener: Disposable;
  #fit: TextFit;
  /** Written before the first text; nothing is written for an answer that never came. */
  #lead: string;
  #waiting = '';
  /** True until the first edit, which replaces the range. */
  #untouched = true;
  /** Somebody else edited since our last edit, so that the next one begins an undo step. */
  #foreign = true;
  #expected: TextChange | undefined;
  #written = false;
  #pump: Promise<void> | undefined;
  #rejections = 0;
  #lost = false;

  constructor(target: Target) {
    const { document, range, lead } = target;
    this.#target = target;
    this.#document = document;
    this.#eol = document.eol;
    this.#original = document.getText(range);
    this.#lead = lead;
    this.#fit = this.#newFit();
    this.#range = new TrackedRange(document.offsetAt(range.start), document.offsetAt(range.end));
    this.#listener = workspace.onDidChangeTextDocument((event) => {
      if (event.document === document) this.#follow(event.contentChanges);
    });
  }

  append(text: string): void {
    this.#waiting += this.#lead + this.#fit.add(text);
    this.#lead = '';
    this.#start();
  }

  /** Writes what is left. @returns false if not all of the text stands in the document */
  async finish(): Promise<boolean> {
    this.#waiting += this.#fit.end();
    this.#start();
    await this.#pump;
    while (this.#waiting !== '' && !this.#lost) await this.#writeUnseen();
    return !this.#lost && !(this.#range.broken && !this.#untouched);
  }

  /** Begins again in place of what was written so far, or where it was if it has been undone. */
  restart(): void {
    const { start, end } = this.#range;
    const place = rangeOf(this.#document, { rangeOffset: start, rangeLength: end - start });
    if (this.#document.getText(place) === this.#original) this.#range.renew();
    this.#rejections = 0;
    this.#lost = false;
    this.#waiting = '';
    this.#lead = this.#target.lead;
    this.#fit = this.#newFit();
    this.#untouched = true;
    this.#foreign = true;
  }

  dispose(): void {
    this.#listener.dispose();
  }

  #newFit(): TextFit {
    const lineEnd = this.#eol === EndOfLine.CRLF ? '\r\n' : '\n';
    return new TextFit(lineEnd, this.#target.indentation);
  }

  #start(): void {
    this.#pump ??= this.#run().finally(() => {
      this.#pump = undefined;
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting !== '' && !this.#lost) {
      const editor = editorOf(this.#document);
      if (!editor) return;
      const startedAt = performance.now();
      const { selection, selections } = editor;
      const isFirst = this.#untouched;
      await this.#write((change) => editEditor(editor, change, this.#foreign));
      const isWritten = isFirst && !this.#untouched;
      if (isWritten && selections.length === 1) this.#restoreSelection(editor, selection);
      const restMs = MIN_EDIT_INTERVAL_MS - (performance.now() - startedAt);
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  }

  /** No editor shows the document: one edit for all that is left. */
  async #writeUnseen(): Promise<void> {
    if (hasTab(this.#document)) await this.#write((change) => editUnseen(this.#document, change));
    else this.#lost = true;
  }

  async #write(edit: (change: TextChange) => Thenable<boolean>): Promise<void> {
    const text = this.#waiting;
    for (let tries = 0, races = 0; tries < TRIES && races < RACES; ) {
      if (this.#isGone()) break;
      const change = this.#next(text);
      const { version } = this.#document;
      this.#expected = change;
      this.#written = false;
      const accepted = await edit(change).then(Boolean, () => undefined);
      this.#expected = undefined;
      if (this.#written) {
        this.#waiting = this.#waiting.slice(text.length);
        this.#rejections = 0;
        return;
      }
      if (accepted === undefined) {
        // The editor was closed in this moment. Whoever called looks for another way to write.
        this.#rejections += 1;
        if (this.#rejections < REJECTIONS) return;
        break;
      }
      const changed = this.#document.version !== version;
      // Accepted, but altered beyond recognition: a second try would write the text twice.
      if (accepted && changed) break;
      if (changed) races += 1;
      else tries += 1;
    }
    this.#lost = true;
  }

  #isGone(): boolean {
    const { broken, touched } = this.#range;
    // Text that the user has edited since is not replaced.
    const edited = this.#untouched && touched;
    return broken || edited || this.#document.isClosed || this.#document.eol !== this.#eol;
  }

  #next(text: string): TextChange {
    const { start, end } = this.#range;
    return this.#untouched
      ? { rangeOffset: start, rangeLength: end - start, text }
      : { rangeOffset: end, rangeLength: 0, text };
  }

  /** VS Code may add a change of its own to ours, such as taking blanks off the line before. */
  #follow(changes: readonly TextChange[]): void {
    const ours = changes.find((change) => isSame(change, this.#expected));
    for (const change of changes) {
      if (change === ours) this.#range.grow(change);
      else this.#range.follow(change);
    }
    if (ours) {
      this.#expected = undefined;
      this.#written = true;
      this.#untouched = false;
      this.#foreign = false;
    } else if (changes.length > 0) {
      this.#foreign = true;
    }
  }

  /**
   * A selection that ends where text is inserted grows over it. It is set back, so that it still is
   * the prompt and typing does not replace the answer; in place of a replaced one comes the cursor.
   * A selection that the user has moved meanwhile is left alone.
   */
  #restoreSelection(editor: TextEditor, before: Selection): void {
    const start = this.#document.positionAt(this.#range.start);
    const end = this.#document.positionAt(this.#range.end);
    const now = editor.selection;
    const isOurs = now.start.isEqual(before.start) && now.end.isEqual(end);
    if (before.isEmpty || !(now.isEqual(before) || isOurs)) return;
    if (before.end.isEqual(start)) editor.selection = before;
    else if (before.start.isEqual(start)) editor.selection = new Selection(end, end);
  }
}

function isSame(change: TextChange, expected: TextChange | undefined): boolean {
  return (
    expected !== undefined &&
    change.rangeOffset === expected.rangeOffset &&
    change.rangeLength === expected.rangeLength &&
    change.text === expected.text
  );
}
