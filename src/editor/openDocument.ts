import {
  Disposable,
  EndOfLine,
  type FileRenameEvent,
  type TextDocument,
  TextDocumentChangeReason,
  workspace,
} from 'vscode';
import { isConfigFile } from './configFiles.ts';
import { editDocument, editEditor, editorOf, hasTab, rangedIn, rangeOf } from './documentEdit.ts';
import { keepSelections } from './keptSelections.ts';
import type { Replay } from './replayStates.ts';
import { isPlaceToWrite } from './target.ts';
import { type OffsetRange, replacedRange, type TextChange } from './textChange.ts';

/**
 * Called with all changes of an event. Each offset takes the changes before it in the list into
 * account.
 */
export type ChangeListener = (changes: readonly TextChange[], replay: Replay | undefined) => void;

/** What a writer needs of a document. */
export type OpenDocument = Pick<EditorDocument, keyof EditorDocument>;

/** A document of VS Code, wherever it is shown, split, or renamed to; offsets count UTF-16 units. */
export class EditorDocument implements Disposable {
  #document: TextDocument;
  readonly #followed: Disposable;
  readonly #listeners: ChangeListener[] = [];

  constructor(document: TextDocument) {
    this.#document = document;
    this.#followed = Disposable.from(
      workspace.onDidChangeTextDocument(({ document, contentChanges, reason }) => {
        if (document !== this.#document) return;
        for (const listener of this.#listeners) listener(contentChanges, replayOf(reason));
      }),
      workspace.onDidRenameFiles((event) => this.#followFile(event)),
    );
  }

  get document(): TextDocument {
    return this.#document;
  }

  /** Grows with every change. */
  get version(): number {
    return this.#document.version;
  }

  get lineEnd(): string {
    return this.#document.eol === EndOfLine.CRLF ? '\r\n' : '\n';
  }

  /** Whether an editor shows it. */
  get isVisible(): boolean {
    return editorOf(this.#document) !== undefined;
  }

  /** Whether it can be written to at all; of one without a tab VS Code would open it again. */
  get isOpen(): boolean {
    const document = this.#document;
    // An edit behind the scenes would change also what nobody can write to (measured).
    return !document.isClosed && hasTab(document) && isPlaceToWrite(document);
  }

  textOf(range: OffsetRange): string {
    return this.#document.getText(rangeOf(this.#document, range));
  }

  /**
   * Makes changes that do not touch, in one edit.
   * @param undoStopBefore whether an undo step begins with them
   * @returns what VS Code says: true also for edits that changed nothing, false for those that
   * came too late (both measured)
   * @throws if the editor was closed in this moment
   */
  async write(changes: readonly TextChange[], undoStopBefore: boolean): Promise<boolean> {
    if (!changes.every((change) => this.#has(change))) return false;
    const editor = editorOf(this.#document);
    if (!editor) return editDocument(this.#document, rangedIn(this.#document, changes));
    const restoreSelections = keepSelections(this.#document, changes);
    const accepted = await editEditor(editor, changes, undoStopBefore);
    if (accepted) restoreSelections();
    return accepted;
  }

  /** Tells a listener of each change, until it is disposed of. */
  onDidChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  dispose(): void {
    this.#followed.dispose();
    this.#listeners.length = 0;
  }

  /** VS Code would write what lies outside of the document at its nearest end (measured). */
  #has(change: TextChange): boolean {
    const document = this.#document;
    const { start, end } = replacedRange(change);
    return [start, end].every((at) => document.offsetAt(document.positionAt(at)) === at);
  }

  /**
   * VS Code makes a new document of a renamed one. Into a name that is obeyed nothing follows: what
   * comes there was to be looked at first.
   */
  #followFile({ files }: FileRenameEvent): void {
    const text = this.#document.getText();
    for (const { oldUri, newUri } of files) {
      const [from, to] = [oldUri.toString(), newUri.toString()];
      const here = this.#document.uri.toString();
      if (here !== from && !here.startsWith(`${from}/`)) continue;
      const there = to + here.slice(from.length);
      const renamed = workspace.textDocuments.find(({ uri }) => uri.toString() === there);
      if (renamed?.getText() !== text) continue;
      if (isConfigFile(this.#document) || !isConfigFile(renamed)) this.#document = renamed;
    }
  }
}

function replayOf(reason: TextDocumentChangeReason | undefined): Replay | undefined {
  if (reason === TextDocumentChangeReason.Undo) return 'undo';
  return reason === TextDocumentChangeReason.Redo ? 'redo' : undefined;
}

/** Text that is there still is the editor's own doing, such as a file header. */
const ATTEMPTS = 3;

/**
 * Opens an empty untitled document. In its place VS Code may bring back what it kept of one of the
 * same name (measured: one time in four, where that was changed a second ago and closed just now).
 * That stays open, so the next one has another name.
 */
export async function openEmpty(language: string): Promise<TextDocument> {
  for (let attempt = 1; ; attempt += 1) {
    const document = await workspace.openTextDocument({ content: '', language });
    if (document.getText() === '' || attempt === ATTEMPTS) return document;
  }
}
