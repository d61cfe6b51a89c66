import type { TextDocument } from 'vscode';
import { editorOf } from './documentEdit.ts';
import { OPENS_BLOCK, TRAILING_COMMENT } from './fit/indentation.ts';
import { PROSE, WITHOUT_INDENTATION } from './fit/languageRules.ts';

/** Matches the indentation and hyphens at the start of a YAML list item. */
const LIST_ITEM = /^\s*(?:- +)+/;
/** Matches a line that ends the block above it. */
const CLOSES_BLOCK = /^(?:[)\]}]|<\/|(?:elif|else|except|finally)\b[^=]*:)/;
/** Matches the start of a comment or a string in many languages, but not of a CSS rule (`#id {`). */
const COMMENT_OR_STRING = /^(?:\/\/|\/\*|\*|#(?!.*\{$)|--|;|<!--|"""|''')/;

/**
 * Returns the indentation for a new line below `line`. It depends on the nearest non-blank lines
 * above and below the new line. (The one above can be `line` itself.) The line below determines it,
 * unless the line above opens a block that the line below isn't in, or the line below closes the
 * block that the line above is in. In prose, the shorter indentation is used. Empty if one line is
 * indented with tabs and the other with spaces, and in languages in which leading whitespace is
 * content.
 */
export function blockIndentation(document: TextDocument, line: number): string {
  if (WITHOUT_INDENTATION.has(document.languageId)) return '';
  const nearest = (from: number, step: 1 | -1): string => {
    for (let near = from; near >= 0 && near < document.lineCount; near += step) {
      const { text, isEmptyOrWhitespace } = document.lineAt(near);
      if (!isEmptyOrWhitespace) return text;
    }
    return '';
  };
  const [above, below] = [nearest(line, -1), nearest(line + 1, 1)];
  const [ofAbove, ofBelow] = [indentationOf(above), indentationOf(below)];
  const isBelowInside = ofBelow.startsWith(ofAbove);
  const isAboveInside = ofAbove.startsWith(ofBelow);
  if (!isBelowInside && !isAboveInside) return '';
  if (PROSE.has(document.languageId)) return isBelowInside ? ofAbove : ofBelow;
  if (isBelowInside && ofBelow !== ofAbove) return ofBelow;
  if (openerOf(above) !== '' && !isUnindentedContent(above, below)) {
    const ofContent = indentationOf(
      above.replace(LIST_ITEM, (start) => start.replaceAll('-', ' ')),
    );
    return ofContent + indentationStep(document, ofAbove);
  }
  return CLOSES_BLOCK.test(below.trim()) ? ofAbove : ofBelow;
}

/**
 * True if `below` is the content of the block that `above` opens, even though it isn't indented
 * more. In YAML, the items of a list can have the same indentation as the key above them. In other
 * languages, the content of some blocks isn't indented, such as that of a namespace.
 */
function isUnindentedContent(above: string, below: string): boolean {
  if (below.trim() === '' || indentationOf(below) !== indentationOf(above)) return false;
  if (below.trim().startsWith('- ')) return !LIST_ITEM.test(above);
  return openerOf(above) === '{' && !CLOSES_BLOCK.test(below.trim());
}

function indentationOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}

/** Returns the `{` or `:` that opens a block at the end of the line; empty if there is none. */
function openerOf(line: string): string {
  const text = line.trim();
  if (COMMENT_OR_STRING.test(text)) return '';
  // A CSS selector can contain ` #`, which would count as the start of a comment.
  const code = text.endsWith('{') ? text : text.replace(TRAILING_COMMENT, '').trimEnd();
  return OPENS_BLOCK.exec(code)?.[0] ?? '';
}

/**
 * Returns one level of indentation: like `outer` if it isn't empty, or as the document's editor
 * inserts it.
 */
function indentationStep(document: TextDocument, outer: string): string {
  const { insertSpaces = true, tabSize = 4 } = editorOf(document)?.options ?? {};
  const usesTabs = outer === '' ? insertSpaces === false : outer.includes('\t');
  return usesTabs ? '\t' : ' '.repeat(Number(tabSize));
}
