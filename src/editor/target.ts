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

/** Where somebody was at work at some moment. */
export interface EditorSnapshot {
  readonly document: TextDocument;
  /** Of the document. */
  readonly version: number;
  readonly selections: readonly Selection[];
  /** The selected texts, with the line ends of the document. */
  readonly texts: readonly string[];
}

/** One selection that text is generated for, as it was when the command ran. */
export interface Target {
  readonly document: TextDocument;
  readonly selection: Range;
  /** What the user was at, with all selections. */
  readonly snapshot: EditorSnapshot;
  /** With LF line ends. Empty if nothing is selected. */
  readonly selectedText: string;
  /** Of the first line of the selection. */
  readonly indentation: string;
  /** What an answer is written in that goes somewhere else: the document's, unless one was chosen. */
  readonly responseLanguage: string;
}

/** The first of them stands for what they share: the document, the snapshot, the language. */
export type Targets = readonly [Target, ...Target[]];

/**
 * The selections of an editor, in the order of the document. Cursors and blanks beside
 * selections do not count; of those alone only the first one does, since a typed prompt has one answer.
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
 * Where the selected text ends. A selection of whole lines ends at the start of the next one: its
 * last line break is not part of the text.
 */
export function selectionEnd({
  document,
  selection: { start, end },
}: Pick<Target, 'document' | 'selection'>): Position {
  const isOfWholeLines = end.character === 0 && end.line > start.line;
  return isOfWholeLines ? document.lineAt(end.line - 1).range.end : end;
}

/**
 * Whether text may be written into this document: a file of any file system that can be written to,
 * an untitled document or a cell of a notebook. Not into output, settings, the past of git, or the
 * original side of a comparison, which `TextEditor.edit` would change all the same (measured).
 */
export function isWritable(document: TextDocument): boolean {
  const input = window.tabGroups.activeTabGroup.activeTab?.input;
  if (input instanceof TabInputTextDiff) {
    const uri = document.uri.toString();
    if (input.original.toString() === uri && input.modified.toString() !== uri) return false;
  }
  return isPlaceToWrite(document);
}

/** Whether documents at this kind of address can be written to. */
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

/** In the editor in use; undefined without one. */
export function currentSnapshot(): EditorSnapshot | undefined {
  return window.activeTextEditor && snapshotOf(window.activeTextEditor);
}

/**
 * Returns the same selections in the current document. VS Code moves them with each edit.
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
 * Whether the user has gone nowhere and done nothing since: then something that opens may take the
 * keyboard, and no letter that is typed lands in it by mistake.
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
