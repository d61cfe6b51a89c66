import { EndOfLine, FileType, Range, type TextDocument, type Uri, workspace } from 'vscode';
import type { LineRange } from '../dotenv/settingValue.ts';

/** Positions in a `.env` document or in the `.gitignore` next to it. */

/** True if a file is a link. The repository controls the target, so we never write to it. */
export async function isLink(file: Uri): Promise<boolean> {
  const stat = await workspace.fs.stat(file).then(undefined, () => undefined);
  return stat !== undefined && (stat.type & FileType.SymbolicLink) !== 0;
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
