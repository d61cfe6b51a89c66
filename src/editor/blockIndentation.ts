import type { TextDocument } from 'vscode';
import { editorOf } from './documentEdit.ts';
import { COMMENT, OPENS_BLOCK } from './fit/indentation.ts';
import { PROSE } from './fit/languageRules.ts';

/** Matches the start of a line that ends a block. */
const CLOSES_BLOCK = /^\s*(?:[)\]}]|<\/|end\b)/;

/**
 * Returns the indentation for a new line between the nearest non-blank lines above and below. The
 * line below determines it, unless the line above starts an empty block, or the line below ends the
 * block of the line above. Empty if one line is indented with tabs and the other with spaces.
 */
export function blockIndentation(document: TextDocument, line: number): string {
  const nearest = (step: 1 | -1): string => {
    for (let near = line + step; near >= 0 && near < document.lineCount; near += step) {
      const { text, isEmptyOrWhitespace } = document.lineAt(near);
      if (!isEmptyOrWhitespace) return text;
    }
    return '';
  };
  const [above, below] = [nearest(-1), nearest(1)];
  const [ofAbove = '', ofBelow = ''] = [above, below].map((text) => /^\s*/.exec(text)?.[0]);
  const isInBlock = ofBelow.startsWith(ofAbove);
  if (startsBlock(above.trim(), document)) {
    return isInBlock && ofBelow !== ofAbove ? ofBelow : ofAbove + indentationStep(document);
  }
  if (isInBlock) return ofBelow;
  if (!ofAbove.startsWith(ofBelow)) return '';
  return CLOSES_BLOCK.test(below) ? ofAbove : ofBelow;
}

function startsBlock(line: string, { languageId }: TextDocument): boolean {
  return !PROSE.has(languageId) && !COMMENT.test(line) && OPENS_BLOCK.test(line);
}

/** Returns the whitespace that the Tab key inserts in the document's editor. */
function indentationStep(document: TextDocument): string {
  const { insertSpaces = true, tabSize = 4 } = editorOf(document)?.options ?? {};
  return insertSpaces === false ? '\t' : ' '.repeat(Number(tabSize));
}
