import type { TextDocument } from 'vscode';
import { editorOf } from './documentEdit.ts';
import { OPENS_BLOCK, TRAILING_COMMENT } from './fit/indentation.ts';
import { PROSE } from './fit/languageRules.ts';

/** Matches a line that ends the block above it. */
const CLOSES_BLOCK = /^(?:[)\]}]|<\/|(?:elif|else|except|finally)\b[^=]*:)/;
/** Matches the start of a comment or a string in many languages, but not of a CSS rule (`#id {`). */
const COMMENT_OR_STRING = /^(?:\/\/|\/\*|\*|#(?!.*\{$)|--|;|<!--|"""|''')/;

/**
 * Returns the indentation for a new line between the nearest non-blank lines above and below. The
 * line below determines it, unless the line above starts an empty block, or the line below closes
 * the block that the line above is in. In prose, the shorter indentation is used. Empty if one line
 * is indented with tabs and the other with spaces.
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
  const [ofAbove, ofBelow] = [indentationOf(above), indentationOf(below)];
  const isBelowInside = ofBelow.startsWith(ofAbove);
  const isAboveInside = ofAbove.startsWith(ofBelow);
  if (!isBelowInside && !isAboveInside) return '';
  if (PROSE.has(document.languageId)) return isBelowInside ? ofAbove : ofBelow;
  if (isBelowInside && ofBelow !== ofAbove) return ofBelow;
  // In YAML, the items of a list can have the same indentation as the key above them.
  if (startsBlock(above.trim()) && !below.trim().startsWith('- ')) {
    return ofAbove + indentationStep(document);
  }
  return CLOSES_BLOCK.test(below.trim()) ? ofAbove : ofBelow;
}

function indentationOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}

function startsBlock(line: string): boolean {
  return (
    !COMMENT_OR_STRING.test(line) && OPENS_BLOCK.test(line.replace(TRAILING_COMMENT, '').trimEnd())
  );
}

/** Returns the whitespace that the Tab key inserts in the document's editor. */
function indentationStep(document: TextDocument): string {
  const { insertSpaces = true, tabSize = 4 } = editorOf(document)?.options ?? {};
  return insertSpaces === false ? '\t' : ' '.repeat(Number(tabSize));
}
