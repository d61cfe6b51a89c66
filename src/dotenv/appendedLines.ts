import { EndOfLine, type Position, type TextDocument } from 'vscode';

/** Where lines go at the end of a document, and how they are written there. */
export function appendedLines(
  document: TextDocument,
  lines: readonly string[],
): { readonly at: Position; readonly text: string } {
  const lineEnd = document.eol === EndOfLine.LF ? '\n' : '\r\n';
  const last = document.lineAt(document.lineCount - 1);
  const start = last.text === '' ? '' : lineEnd;
  return { at: last.range.end, text: start + lines.map((line) => line + lineEnd).join('') };
}
