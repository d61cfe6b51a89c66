import { EndOfLine, FileType, Range, type TextDocument, type Uri, window, workspace } from 'vscode';
import { isEnvFile } from '../credentials/folders.ts';
import type { LineRange } from '../dotenv/settingValue.ts';

/** The `.env` file in the editor in use, what may be written to it, and where things stand in them. */

/** The `.env` file in the editor in use. */
export function activeEnvFile(): TextDocument | undefined {
  const document = window.activeTextEditor?.document;
  return document && isEnvFile(document) ? document : undefined;
}

/** Whether a file is a link, which leads to where a repository chooses: nothing is written there. */
export async function isLink(file: Uri): Promise<boolean> {
  const stat = await workspace.fs.stat(file).then(undefined, () => undefined);
  return stat !== undefined && (stat.type & FileType.SymbolicLink) !== 0;
}

/** Saves an edit of ours; changes that were there before are the user's to save. */
export async function saveUnlessDirty(
  document: TextDocument,
  wasDirty: boolean,
): Promise<'yes' | 'others' | 'failed'> {
  if (wasDirty) return 'others';
  const isSaved = await document.save().then(undefined, () => false);
  return isSaved ? 'yes' : 'failed';
}

export function editorRange({ line, start, end }: LineRange): Range {
  return new Range(line, start, line, end);
}

/** Where lines go at the end of a document, and how they are written there. */
export function appendedLines(
  document: TextDocument,
  lines: readonly string[],
): [range: Range, text: string] {
  const lineEnd = document.eol === EndOfLine.LF ? '\n' : '\r\n';
  const last = document.lineAt(document.lineCount - 1);
  const start = last.text === '' ? '' : lineEnd;
  const { end } = last.range;
  return [new Range(end, end), start + lines.map((line) => line + lineEnd).join('')];
}
