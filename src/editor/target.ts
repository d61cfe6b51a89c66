import { EndOfLine, type Position, Range, type TextDocument, type TextEditor } from 'vscode';
import type { InsertMode } from '../settings.ts';

/** Where generated text goes, as it was when the command ran. */
export interface Target {
  readonly document: TextDocument;
  /** The selected text with LF line ends: the prompt. Empty if nothing is selected. */
  readonly selectedText: string;
  /** What the text replaces; empty where it is only inserted. */
  readonly range: Range;
  /** Written before the text: the line break and indentation of a new line. */
  readonly lead: string;
  /** Indentation of the lines after the first. */
  readonly indentation: string;
}

export function captureTarget(editor: TextEditor, insertMode: InsertMode): Target {
  const { document, selection } = editor;
  const indentation = indentationAt(document, selection.start.line);
  const selected = document.getText(selection).replace(/\r\n/g, '\n');
  const target = { document, selectedText: selected, indentation, lead: '' };
  if (selection.isEmpty) return { ...target, range: selection };
  switch (insertMode) {
    case 'replace':
      // A selection that takes in its own indentation takes it away, too.
      return {
        ...target,
        range: selection,
        lead: selection.start.character === 0 ? indentation : '',
      };
    case 'after':
      return { ...target, range: new Range(selection.end, selection.end) };
    case 'below': {
      const end = endOfLastLine(document, selection);
      const lineEnd = document.eol === EndOfLine.CRLF ? '\r\n' : '\n';
      return { ...target, range: new Range(end, end), lead: lineEnd + indentation };
    }
  }
}

/** A selection of whole lines ends at the start of the next one, which is not part of it. */
function endOfLastLine(document: TextDocument, { start, end }: Range): Position {
  const line = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return document.lineAt(line).range.end;
}

function indentationAt(document: TextDocument, line: number): string {
  const { text, firstNonWhitespaceCharacterIndex } = document.lineAt(line);
  return text.slice(0, firstNonWhitespaceCharacterIndex);
}
