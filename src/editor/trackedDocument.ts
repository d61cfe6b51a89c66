import {
  Disposable,
  EndOfLine,
  type FileRenameEvent,
  type TextDocument,
  TextDocumentChangeReason,
  workspace,
} from 'vscode';
import { isAutoRunFile } from './autoRunFiles.ts';
import { hasWritableScheme } from './capturedSelection.ts';
import { joinedChanges, splitAtLineBreak, splitReplacement } from './cursorKeepingEdits.ts';
import { editDocument, editEditor, offsetsOf, rangedIn, rangeOf } from './documentEdit.ts';
import { editorOf, editorsOf, hasTab } from './documentTabs.ts';
import { captureSelections } from './restoredSelections.ts';
import { type OffsetRange, replacedRange, type TextChange } from './textChange.ts';
import type { Replay } from './undoStates.ts';

/**
 * Called once for each change event, with all changes in the event, in order. Each change's offsets
 * refer to the document as it is after the preceding changes.
 */
export type ChangeListener = (changes: readonly TextChange[], replay: Replay | undefined) => void;

/**
 * The public members of `TrackedDocument`. Unit tests replace the class with a fake that has the
 * same members.
 */
export type OpenDocument = Pick<TrackedDocument, keyof TrackedDocument>;

/**
 * If an edit has at least this many changes, VS Code merges all of them into one:
 * https://github.com/microsoft/vscode/blob/1.139.1/src/vs/editor/common/model/pieceTreeTextBuffer/pieceTreeTextBuffer.ts
 */
const MERGED_CHANGES = 1_000;

/** An open document, tracked across editors and renames. Offsets are in UTF-16 code units. */
export class TrackedDocument implements Disposable {
  #document: TextDocument;
  readonly #followed: Disposable;
  readonly #listeners: ChangeListener[] = [];
  readonly #followListeners: (() => void)[] = [];
  /**
   * The changes passed to the last `write` call. The listeners expect these changes, not the parts
   * that they were split into.
   */
  #sent: readonly TextChange[] = [];

  constructor(document: TextDocument) {
    this.#document = document;
    this.#followed = Disposable.from(
      workspace.onDidChangeTextDocument(({ document, contentChanges, reason }) => {
        if (document !== this.#document) return;
        const replay = replayOf(reason);
        // A redo can repeat the last edit that was sent. Join its parts anyway, because the redo
        // must reverse the undo, whose parts are joined, too.
        const exact = replay ? [] : this.#sent;
        const changes = joinedChanges(contentChanges, this.lineEnd, exact);
        for (const listener of this.#listeners) listener(changes, replay);
      }),
      workspace.onDidRenameFiles((event) => this.#followFile(event)),
    );
  }

  get document(): TextDocument {
    return this.#document;
  }

  get version(): number {
    return this.#document.version;
  }

  get lineEnd(): string {
    return this.#document.eol === EndOfLine.CRLF ? '\r\n' : '\n';
  }

  /** True if an editor shows the document. */
  get isVisible(): boolean {
    return editorOf(this.#document) !== undefined;
  }

  /**
   * True if the document has a tab and can be written to. Without a tab, an edit would reopen the
   * document.
   */
  get isOpen(): boolean {
    const document = this.#document;
    // Check the scheme, because `WorkspaceEdit` would change even a read-only document if no editor
    // shows it (confirmed by testing).
    return !document.isClosed && hasTab(document) && hasWritableScheme(document);
  }

  textOf(range: OffsetRange): string {
    return this.#document.getText(rangeOf(this.#document, range));
  }

  /**
   * Applies changes in a single edit. The changes must not overlap or touch each other.
   * @param undoStopBefore true if the edit starts a new undo step
   * @returns false if a change is out of bounds; otherwise, the result from VS Code. VS Code can
   * return true for an edit that changed nothing, and false if another change reached the document
   * first (both confirmed by testing).
   * @throws if the editor closes before the edit is applied
   */
  async write(changes: readonly TextChange[], undoStopBefore: boolean): Promise<boolean> {
    if (!changes.every((change) => this.#has(change))) return false;
    this.#sent = changes;
    const editor = editorOf(this.#document);
    if (!editor) return editDocument(this.#document, rangedIn(this.#document, changes));
    const restoreSelections = captureSelections(this.#document, changes);
    const replacesText = changes.some(({ rangeLength }) => rangeLength > 0);
    const selections = replacesText ? this.#selections : [];
    const parts = changes.flatMap((change) => this.#partsOf(change, changes, selections));
    const sent = parts.length < MERGED_CHANGES ? parts : changes;
    const accepted = await editEditor(editor, sent, undoStopBefore);
    if (accepted) restoreSelections();
    return accepted;
  }

  /** Calls the listener for each change event, until `dispose` is called. */
  onDidChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** Calls the listener each time a rename changes `document`, until `dispose` is called. */
  onDidFollow(listener: () => void): void {
    this.#followListeners.push(listener);
  }

  dispose(): void {
    this.#followed.dispose();
    this.#listeners.length = 0;
    this.#followListeners.length = 0;
  }

  /**
   * Splits a change that replaces a selection or starts a new line before a line break. Any other
   * change is returned whole, as is a change at a line break if its parts would touch another
   * change that starts at the end of that line break.
   */
  #partsOf(
    change: TextChange,
    all: readonly TextChange[],
    selections: readonly OffsetRange[],
  ): readonly TextChange[] {
    const { lineEnd } = this;
    const { rangeOffset: start, rangeLength, keepsCursor } = change;
    if (replacesSelection(change, selections)) return splitReplacement(change);
    const end = start + lineEnd.length;
    if (!keepsCursor || rangeLength > 0 || this.textOf({ start, end }) !== lineEnd) return [change];
    const wouldTouch = all.some((one) => start < one.rangeOffset && one.rangeOffset <= end);
    return wouldTouch ? [change] : splitAtLineBreak(change, lineEnd);
  }

  /** The cursors and selections in all editors that show the document. */
  get #selections(): OffsetRange[] {
    const document = this.#document;
    return editorsOf(document).flatMap(({ selections }) =>
      selections.map((selection) => offsetsOf(document, selection)),
    );
  }

  /**
   * True if the change is within the document. VS Code silently clamps out-of-range changes
   * (confirmed by testing).
   */
  #has(change: TextChange): boolean {
    const document = this.#document;
    const { start, end } = replacedRange(change);
    return [start, end].every((at) => document.offsetAt(document.positionAt(at)) === at);
  }

  /**
   * Switches to the new document that VS Code creates for a renamed file. Keeps the old document if
   * the file would run automatically under its new name, because generated text goes into such
   * files only after a preview.
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
      if (!isAutoRunFile(this.#document) && isAutoRunFile(renamed)) continue;
      this.#document = renamed;
      for (const listener of this.#followListeners) listener();
    }
  }
}

/**
 * True if every selection that touches the change's start begins there and covers the whole change.
 * False if no selection touches it, or if one that does is empty, as a cursor is.
 */
function replacesSelection(change: TextChange, selections: readonly OffsetRange[]): boolean {
  const { start, end } = replacedRange(change);
  if (start === end || change.text === '') return false;
  const here = selections.filter((one) => one.start <= start && start <= one.end);
  return here.length > 0 && here.every((one) => one.start === start && end <= one.end);
}

function replayOf(reason: TextDocumentChangeReason | undefined): Replay | undefined {
  if (reason === TextDocumentChangeReason.Undo) return 'undo';
  return reason === TextDocumentChangeReason.Redo ? 'redo' : undefined;
}

/**
 * Maximum number of attempts to open an empty document. If the last attempt also returns a
 * non-empty document, that document is used, because an extension has probably added a file header
 * or other text.
 */
const ATTEMPTS = 3;

/**
 * Opens an empty untitled document. VS Code reuses the names of closed untitled documents, and may
 * restore a closed document instead of opening an empty one. In tests, this happened one time in
 * four right after closing a document that had been changed a second earlier. The restored document
 * is left open so that the next attempt gets a different name.
 */
export async function openEmpty(language: string): Promise<TextDocument> {
  for (let attempt = 1; ; attempt += 1) {
    const document = await workspace.openTextDocument({ content: '', language });
    if (document.getText() === '' || attempt === ATTEMPTS) return document;
  }
}
