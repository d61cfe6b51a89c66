import { type TextDocument, ViewColumn, window } from 'vscode';
import { isUnchanged, type Targets } from './capturedSelection.ts';
import { NOT_IN_NEW_DOCUMENT } from './insertMessages.ts';
import type { InsertMode, ModeDeps } from './insertMode.ts';
import { type ResponseWriter, StreamWriter, type Undone } from './streamWriter.ts';
import { openEmpty, TrackedDocument } from './trackedDocument.ts';

export const newDocument: InsertMode = {
  id: 'newDocument',
  failedText: NOT_IN_NEW_DOCUMENT,
  open: (targets, { undone }) => new NewDocumentWriter(targets, undone),
};

/**
 * Opens a new document when the first chunk arrives, and writes all responses into it, one after
 * another.
 */
class NewDocumentWriter implements ResponseWriter {
  readonly #targets: Targets;
  readonly #onUndone: ModeDeps['undone'];
  /** Resolves to undefined if the document couldn't be opened. `end` then returns false. */
  #writer: Promise<StreamWriter | undefined> | undefined;
  #opened: StreamWriter | undefined;
  /**
   * The new document. Set before the document is shown, because `#openDocument` isn't set yet when
   * the document becomes active.
   */
  #newDocument: TextDocument | undefined;
  #openDocument: TrackedDocument | undefined;
  #hasFailed = false;

  constructor(targets: Targets, onUndone: ModeDeps['undone']) {
    this.#targets = targets;
    this.#onUndone = onUndone;
  }

  get document(): TextDocument | undefined {
    return this.#openDocument?.document ?? this.#newDocument;
  }

  get isPending(): boolean {
    return this.#opened?.isPending ?? false;
  }

  canInsert(index: number, isNew: boolean): boolean {
    // If the document is gone, only a new response can be inserted, because a continuation doesn't
    // open another document.
    if (this.#isGone) return isNew;
    return this.#opened?.canInsert(index, isNew) ?? true;
  }

  append(index: number, text: string): void {
    this.#writer ??= this.#open().catch(() => {
      this.#hasFailed = true;
      return undefined;
    });
    void this.#writer.then((writer) => writer?.append(index, text));
  }

  async end(index: number): Promise<boolean> {
    if (!this.#writer) return true;
    const writer = await this.#writer;
    return writer ? writer.end(index) : false;
  }

  restart(index: number): void {
    if (this.#isGone) {
      this.#openDocument?.dispose();
      this.#openDocument = undefined;
      this.#newDocument = undefined;
      this.#opened = undefined;
      this.#writer = undefined;
      this.#hasFailed = false;
    }
    void this.#writer?.then((writer) => writer?.restart(index));
  }

  startUndoStep(): void {
    void this.#writer?.then((writer) => writer?.startUndoStep());
  }

  async undo(): Promise<Undone> {
    return (await this.#writer)?.undo() ?? 'nothing';
  }

  dispose(): void {
    void this.#writer?.then(() => this.#openDocument?.dispose());
  }

  /** True if the new document couldn't be opened or was closed. */
  get #isGone(): boolean {
    const document = this.#openDocument;
    return this.#hasFailed || (document !== undefined && !(document.isVisible || document.isOpen));
  }

  async #open(): Promise<StreamWriter> {
    const [{ responseLanguage, snapshot }] = this.#targets;
    const document = await openEmpty(responseLanguage);
    this.#newDocument = document;
    const preserveFocus = !isUnchanged(snapshot);
    const options = { viewColumn: ViewColumn.Beside, preview: false, preserveFocus };
    await window.showTextDocument(document, options);
    const last = this.#targets.length - 1;
    const places = this.#targets.map((_target, index) => ({
      start: 0,
      end: 0,
      lead: '',
      tail: index === last ? '' : '\n\n',
    }));
    this.#openDocument = new TrackedDocument(document);
    this.#opened = new StreamWriter(this.#openDocument, places, {
      onUndone: this.#onUndone,
    });
    return this.#opened;
  }
}
