import { isDeepStrictEqual } from 'node:util';
import {
  type Position,
  type Range,
  TabInputTextDiff,
  type TextDocument,
  type TextEditor,
  window,
  workspace,
} from 'vscode';
import { editorOf } from './documentTabs.ts';
import { type EditorSnapshot, snapshotOf } from './editorSnapshot.ts';
import { WITHOUT_INDENTATION } from './fit/languageRules.ts';
import { blockIndentation } from './newLineIndentation.ts';

/** A selection to generate text for, captured when the command ran. */
export interface Target {
  readonly document: TextDocument;
  readonly selection: Range;
  /** The editor's state when the command ran. Includes selections that aren't targets. */
  readonly snapshot: EditorSnapshot;
  /** The selected text, with LF line endings. Empty if nothing is selected. */
  readonly selectedText: string;
  /**
   * The leading whitespace of the line where the selection starts. For a cursor on a blank line,
   * the whitespace before the cursor or, if there is none, the indentation of the surrounding
   * block. Always empty in languages in which leading whitespace is part of the content.
   */
  readonly indentation: string;
  /**
   * Language ID for a response that doesn't go into this document. Defaults to the document's
   * language.
   */
  readonly responseLanguage: string;
}

/** One or more targets with the same document, snapshot, and response language. */
export type Targets = readonly [Target, ...Target[]];

/**
 * Captures an editor's selections, in document order. Skips empty and whitespace-only selections.
 * If no selection is left, captures only the primary selection so that an instruction typed by the
 * user gets a single response.
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
      indentation: indentationAt(document, selection),
      responseLanguage,
    }));
}

/**
 * Returns the end of the selected text. A selection of whole lines ends at the start of the next
 * line, but its last line break doesn't count as selected text.
 */
export function selectionEnd({
  document,
  selection: { start, end },
}: Pick<Target, 'document' | 'selection'>): Position {
  const isOfWholeLines = end.character === 0 && end.line > start.line;
  return isOfWholeLines ? document.lineAt(end.line - 1).range.end : end;
}

/**
 * True for untitled documents, notebook cells, and files in a writable file system. False for
 * output channels, user settings, and git history. Also false for the original side of the active
 * diff: it's read-only, but `TextEditor.edit` would change it anyway (confirmed by testing).
 */
export function isWritable(document: TextDocument): boolean {
  const input = window.tabGroups.activeTabGroup.activeTab?.input;
  if (input instanceof TabInputTextDiff) {
    const uri = document.uri.toString();
    if (input.original.toString() === uri && input.modified.toString() !== uri) return false;
  }
  return hasWritableScheme(document);
}

/** True if the document's URI scheme allows writing. */
export function hasWritableScheme({ uri: { scheme } }: TextDocument): boolean {
  if (WRITABLE_SCHEMES.has(scheme)) return true;
  return !SETTINGS_SCHEMES.has(scheme) && workspace.fs.isWritableFileSystem(scheme) === true;
}

const WRITABLE_SCHEMES: ReadonlySet<string> = new Set(['file', 'untitled', 'vscode-notebook-cell']);
const SETTINGS_SCHEMES: ReadonlySet<string> = new Set(['vscode-userdata', 'vscode-settings']);

function indentationAt(document: TextDocument, { start, isEmpty }: Range): string {
  if (WITHOUT_INDENTATION.has(document.languageId)) return '';
  const line = document.lineAt(start.line);
  if (!isEmpty || !line.isEmptyOrWhitespace) {
    return line.text.slice(0, line.firstNonWhitespaceCharacterIndex);
  }
  return line.text.slice(0, start.character) || blockIndentation(document, start.line);
}

/**
 * Returns an updated snapshot, because VS Code moves the selections when the document is edited.
 * @returns undefined if any selected text has changed, or if no editor shows the changed document
 */
export function upToDate(snapshot: EditorSnapshot): EditorSnapshot | undefined {
  const { document, version, texts } = snapshot;
  if (document.version === version) return snapshot;
  const editor = editorOf(document);
  const now = editor && snapshotOf(editor);
  return isDeepStrictEqual(now?.texts, texts) ? now : undefined;
}

/**
 * True if the active editor still shows the snapshot's document, text, and selections. If so, a new
 * editor can take focus without interrupting the user.
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
