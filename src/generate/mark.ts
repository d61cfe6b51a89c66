import { Range, type TextDocument, ThemeColor, window } from 'vscode';
import { editorOf } from '../document/documentEdit.ts';

/**
 * Says at the end of a line that text is on its way. VS Code moves the words with the line.
 * @param line one-based
 * @returns takes the words away
 */
export function markLine(document: TextDocument, line: number): () => void {
  const mark = window.createTextEditorDecorationType({
    after: {
      contentText: 'generating…',
      margin: '0 0 0 2ch',
      fontStyle: 'italic',
      color: new ThemeColor('editorGhostText.foreground'),
    },
  });
  const { end } = document.lineAt(Math.min(line, document.lineCount) - 1).range;
  editorOf(document)?.setDecorations(mark, [new Range(end, end)]);
  return () => mark.dispose();
}
