import { isDeepStrictEqual } from 'node:util';
import {
  type Position,
  type Range,
  type Selection,
  TabInputTextDiff,
  type TextDocument,
  type TextEditor,
  window,
  workspace,
} from 'vscode';
import { editorOf } from './documentEdit.ts';

/** An editor's document and selections at one moment. */
export interface EditorSnapshot {
  readonly document: TextDocument;
  /** Version of the document. */
  readonly version: number;
  readonly selections: readonly Selection[];
  /** The selected texts, with the line ends of the document. */
  readonly texts: readonly string[];
}

/** A selection to generate text for, captured when the command ran. */
export interface Target {
  readonly document: TextDocument;
  readonly selection: Range;
  /** The editor when the command ran, with all selections. */
  readonly snapshot: EditorSnapshot;
  /** With LF line ends. Empty if nothing is selected. */
  readonly selectedText: string;
  /** Indentation of the selection's first line. */
  readonly indentation: string;
  /**
   * Language ID for a response that isn't inserted into the document. Defaults to the document's.
   */
  readonly responseLanguage: string;
}

/** At least one target. The first one provides the shared document, snapshot, and language. */
export type Targets = readonly [Target, ...Target[]];

/**
 * Captures the selections of an editor, in document order. Skips cursors and whitespace if any text
 * is selected. Otherwise captures only the first selection, because a typed prompt has one
 * response.
 */
export function captureTargets(
  editor: Pick<TextEditor, 'document' | 'selections'>,
  responseLanguage = editor.document.languageId,
): Target[] {
  const { document, selections } = editor;
  const snapshot = snapshotOf(editor);
  const filled = selections.filter((selection) => document.getText(selection).trim() !== '');
  const taken = filled.length > 0 ? filled : selections.slice(0, 1);
  return taken
    .toSorted((one, other) => one.start.compareTo(other.start))
    .map((selection) => ({
      document,
      selection,
      snapshot,
      selectedText: document.getText(selection).replace(/\r\n/g, '\n'),
      indentation: indentationAt(document, selection.start.line),
      responseLanguage,
    }));
}

/**
 * Returns the end of the selected text. A selection of whole lines ends at the start of the next
 * line, so its last line break isn't part of the text.
 */
export function selectionEnd({
  document,
  selection: { start, end },
}: Pick<Target, 'document' | 'selection'>): Position {
  const isOfWholeLines = end.character === 0 && end.line > start.line;
  return isOfWholeLines ? document.lineAt(end.line - 1).range.end : end;
}

/**
 * True if text may be written to this document: a file in a writable file system, an untitled
 * document, or a notebook cell. False for output, settings, git history, and the original side of a
 * diff. `TextEditor.edit` would change that side as well (measured).
 */
export function isWritable(document: TextDocument): boolean {
  const input = window.tabGroups.activeTabGroup.activeTab?.input;
  if (input instanceof TabInputTextDiff) {
    const uri = document.uri.toString();
    if (input.original.toString() === uri && input.modified.toString() !== uri) return false;
  }
  return isPlaceToWrite(document);
}

/** True if documents with this URI scheme can be written to. */
export function isPlaceToWrite({ uri: { scheme } }: TextDocument): boolean {
  if (PLACES_TO_WRITE.has(scheme)) return true;
  return !SETTINGS_SCHEMES.has(scheme) && workspace.fs.isWritableFileSystem(scheme) === true;
}

const PLACES_TO_WRITE: ReadonlySet<string> = new Set(['file', 'untitled', 'vscode-notebook-cell']);
const SETTINGS_SCHEMES: ReadonlySet<string> = new Set(['vscode-userdata', 'vscode-settings']);

function indentationAt(document: TextDocument, line: number): string {
  const { text, firstNonWhitespaceCharacterIndex } = document.lineAt(line);
  return text.slice(0, firstNonWhitespaceCharacterIndex);
}

function snapshotOf({
  document,
  selections,
}: Pick<TextEditor, 'document' | 'selections'>): EditorSnapshot {
  const texts = selections.map((selection) => document.getText(selection));
  return { document, version: document.version, selections, texts };
}

/** Captures the active editor. Returns undefined if there is none. */
export function currentSnapshot(): EditorSnapshot | undefined {
  return window.activeTextEditor && snapshotOf(window.activeTextEditor);
}

/**
 * Returns the snapshot with its current selections, because VS Code moves them with each edit.
 * @returns undefined if the selected texts have changed
 */
export function upToDate(snapshot: EditorSnapshot): EditorSnapshot | undefined {
  const { document, version, texts } = snapshot;
  if (document.version === version) return snapshot;
  const editor = editorOf(document);
  const now = editor && snapshotOf(editor);
  return isDeepStrictEqual(now?.texts, texts) ? now : undefined;
}

/**
 * True if the user hasn't edited, selected, or switched anything since. Then a new editor may take
 * the focus, because it can't catch text that the user is typing elsewhere.
 */
export function isUnchanged({ document, version, selections }: EditorSnapshot): boolean {
  const editor = window.activeTextEditor;
  return (
    editor?.document === document &&
    document.version === version &&
    editor.selections.length === selections.length &&
    editor.selections.every((selection, index) => selections[index]?.isEqual(selection))
  );
}
