import {
  type Disposable,
  EndOfLine,
  Range,
  Selection,
  TabInputNotebook,
  TabInputText,
  TabInputTextDiff,
  type TextDocument,
  type TextEditor,
  WorkspaceEdit,
  window,
  workspace,
} from 'vscode';
import type { Target } from './target.ts';
import { TextFit } from './textFit.ts';
import { type TextChange, TrackedRange } from './trackedRange.ts';

/** 30 edits a second at the most: each one wakes the language servers of the file. */
const MIN_EDIT_INTERVAL_MS = 34;
const TRIES = 3;

/**
 * Writes streamed text into a document: one edit in flight, each one checked, all of them one
 * undo step as long as nobody else edits. The only place that edits documents.
 *
 * `TextEditor.edit` says true for edits that changed nothing, and false for those that came too
 * late (both measured); so what counts is the text that stands in the document afterwards.
 */
export class Insertion implements Disposable {
  readonly #document: TextDocument;
  readonly #fit: TextFit;
  readonly #range: TrackedRange;
  readonly #listener: Disposable;
  /** Written before the first text; nothing is written for an answer that never came. */
  #lead: string;
  #waiting = '';
  /** True until the first edit, which replaces the range if the target says so. */
  #untouched = true;
  /** Somebody else edited since our last edit, so that the next one begins an undo step. */
  #foreign = true;
  #expected: TextChange | undefined;
  #written = false;
  #pump: Promise<void> | undefined;
  #lost = false;

  constructor({ document, range, indentation, lead }: Target) {
    this.#document = document;
    this.#fit = new TextFit(document.eol === EndOfLine.CRLF ? '\r\n' : '\n', indentation);
    this.#range = new TrackedRange(document.offsetAt(range.start), document.offsetAt(range.end));
    this.#lead = lead;
    this.#listener = workspace.onDidChangeTextDocument((event) => {
      if (event.document === document) this.#follow(event.contentChanges);
    });
  }

  /** True once text could not be placed; more text is then ignored. */
  get lost(): boolean {
    return this.#lost;
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
    if (this.#waiting !== '' && !this.#lost) await this.#writeUnseen();
    return !this.#lost;
  }

  dispose(): void {
    this.#listener.dispose();
  }

  #start(): void {
    this.#pump ??= this.#run().finally(() => {
      this.#pump = undefined;
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting !== '' && !this.#lost) {
      const editor = this.#visibleEditor();
      if (!editor) return;
      const startedAt = performance.now();
      const { selection } = editor;
      const isFirst = this.#untouched;
      await this.#write((change) => editEditor(editor, change, this.#foreign));
      if (isFirst && !this.#lost) this.#restoreSelection(editor, selection);
      const restMs = MIN_EDIT_INTERVAL_MS - (performance.now() - startedAt);
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  }

  /**
   * A selection that ends where text is inserted grows over it. It is set back, so that it still is
   * the prompt and typing does not replace the answer; in place of a replaced one comes the cursor.
   */
  #restoreSelection(editor: TextEditor, before: Selection): void {
    if (before.isEmpty) return;
    const { start, end } = this.#range;
    if (before.end.isEqual(this.#document.positionAt(start))) editor.selection = before;
    else if (before.start.isEqual(this.#document.positionAt(start))) {
      const after = this.#document.positionAt(end);
      editor.selection = new Selection(after, after);
    }
  }

  /**
   * No editor shows the document: one edit for all that is left, if it has a tab. Without one it
   * counts as closed; an edit would open it again and leave it unsaved (measured).
   */
  async #writeUnseen(): Promise<void> {
    if (hasTab(this.#document)) await this.#write((change) => editDocument(this.#document, change));
    else this.#lost = true;
  }

  async #write(edit: (change: TextChange) => Thenable<boolean>): Promise<void> {
    const text = this.#waiting;
    let triedVersion = -1;
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (this.#isGone()) break;
      // An edit that lost the race against somebody typing is no sign of trouble.
      if (this.#document.version !== triedVersion) tries = 0;
      triedVersion = this.#document.version;
      const change = this.#next(text);
      this.#expected = change;
      this.#written = false;
      // A rejection means that the editor was closed in this moment; the document may still be open.
      await edit(change).then(undefined, () => false);
      this.#expected = undefined;
      if (this.#written) {
        this.#waiting = this.#waiting.slice(text.length);
        return;
      }
    }
    this.#lost = true;
  }

  #isGone(): boolean {
    const { broken, touched } = this.#range;
    // A selection that the user has edited since is not replaced: that would lose their text.
    return broken || this.#document.isClosed || (this.#untouched && touched);
  }

  #next(text: string): TextChange {
    const { start, end } = this.#range;
    return this.#untouched
      ? { rangeOffset: start, rangeLength: end - start, text }
      : { rangeOffset: end, rangeLength: 0, text };
  }

  #follow(changes: readonly TextChange[]): void {
    const [change] = changes;
    if (change && changes.length === 1 && isSame(change, this.#expected)) {
      this.#expected = undefined;
      this.#written = true;
      this.#untouched = false;
      this.#foreign = false;
      this.#range.grow(change);
      return;
    }
    if (changes.length > 0) this.#foreign = true;
    for (const foreign of changes) this.#range.follow(foreign);
  }

  #visibleEditor(): TextEditor | undefined {
    return window.visibleTextEditors.find((editor) => editor.document === this.#document);
  }
}

function hasTab({ uri }: TextDocument): boolean {
  return window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .some(({ input }) => {
      if (input instanceof TabInputText) return input.uri.toString() === uri.toString();
      if (input instanceof TabInputTextDiff) return input.modified.toString() === uri.toString();
      return input instanceof TabInputNotebook && input.uri.path === uri.path;
    });
}

function isSame(change: TextChange, expected: TextChange | undefined): boolean {
  return (
    expected !== undefined &&
    change.rangeOffset === expected.rangeOffset &&
    change.rangeLength === expected.rangeLength &&
    change.text === expected.text
  );
}

function editEditor(editor: TextEditor, change: TextChange, undoStop: boolean): Thenable<boolean> {
  const range = rangeOf(editor.document, change);
  return editor.edit((builder) => builder.replace(range, change.text), {
    undoStopBefore: undoStop,
    undoStopAfter: false,
  });
}

function editDocument(document: TextDocument, change: TextChange): Thenable<boolean> {
  const edit = new WorkspaceEdit();
  edit.replace(document.uri, rangeOf(document, change), change.text);
  return workspace.applyEdit(edit);
}

function rangeOf(document: TextDocument, { rangeOffset, rangeLength }: TextChange): Range {
  return new Range(
    document.positionAt(rangeOffset),
    document.positionAt(rangeOffset + rangeLength),
  );
}
