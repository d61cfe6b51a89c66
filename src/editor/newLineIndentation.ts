import { type Position, Range, type TextDocument } from 'vscode';
import { editorOf } from './documentTabs.ts';
import { ITEM_START, OPENS_BLOCK, TRAILING_COMMENT } from './fit/indentation.ts';
import { PROSE, WITHOUT_INDENTATION, YAML } from './fit/languageRules.ts';

/** Matches the indentation and hyphens at the start of a YAML list item. */
const LIST_ITEM = /^\s*(?:- +)+/;
/** Matches a line of YAML that is neither blank nor a comment. */
const YAML_TEXT = /^\s*[^\s#]/;
const YAML_DOCUMENT_START = /^(?:---|\.\.\.)/;
/** Matches a key or list item without a value, even if it has an anchor or a tag. */
const YAML_BLOCK_START = /(?:^-|:)(?: [&!][\w!.-]+){0,2}$/;
/** Matches the end of a YAML key. */
const KEY_END = /:(?:\s|$)/;
/** Matches a line that opens a block whose content is often not indented. */
const OPENS_UNINDENTED = /^(?:inline )?(?:extern|namespace|select|switch)\b.*\{$/;
/** Matches a comment at the end of a line, but not a private method or a CSS ID, as in ` #id {`. */
const CLEAR_COMMENT = /\s(?:\/\/|#\s).*/s;
/** Matches a line that ends the block above it. */
const CLOSES_BLOCK = /^(?:[)\]}]|<\/|(?:elif|else|except|finally)\b[^=]*:)/;
/**
 * Matches the start of a comment or a string in many languages, but not the start of a CSS rule
 * (`#id {`).
 */
const COMMENT_OR_STRING = /^(?:\/\/|\/\*|\*|#(?!.*\{$)|--|;|<!--|"""|''')/;

/**
 * Matches lines that start with `#` and are comments or macros, not private methods or selectors.
 */
const COMMENT_OR_MACRO = /^\s*#(?:\s|define\b)/;

/**
 * Returns the indentation for a new line below `line`. It depends on the nearest non-blank lines
 * above and below the new line. (The one above can be `line` itself.) The line below determines the
 * indentation, unless the line above opens a block that doesn't contain the line below, or the line
 * below closes the block that contains the line above. In prose, the shorter indentation is used.
 * Empty if one line is indented with tabs and the other with spaces, or if leading whitespace is
 * content in the document's language.
 */
export function blockIndentation(document: TextDocument, line: number): string {
  const { languageId } = document;
  if (WITHOUT_INDENTATION.has(languageId)) return '';
  const nearest = (from: number, step: 1 | -1): string => {
    for (let near = from; near >= 0 && near < document.lineCount; near += step) {
      const { text, isEmptyOrWhitespace } = document.lineAt(near);
      if (!isEmptyOrWhitespace) return text;
    }
    return '';
  };
  const [above, below] = [nearest(line, -1), nearest(line + 1, 1)];
  const isProse = PROSE.has(languageId);
  const isListItem = !isProse && LIST_ITEM.test(above) && KEY_END.test(above);
  const ofBelow = indentationOf(below);
  const ofAbove = isListItem ? indentationOfItem(above) : indentationOf(above);
  const isBelowInside = ofBelow.startsWith(ofAbove);
  const isAboveInside = ofAbove.startsWith(ofBelow);
  if (!isBelowInside && !isAboveInside) return '';
  if (isProse) return isBelowInside ? ofAbove : ofBelow;
  if (isBelowInside && ofBelow !== ofAbove) return ofBelow;
  const opening = codeOf(above.trim());
  if (OPENS_BLOCK.test(opening)) {
    const isSameLevel = below.trim() !== '' && ofBelow === ofAbove;
    // In YAML, the items of a list can have the same indentation as the key above them.
    const isItem = ITEM_START.test(below);
    const isUnindented = OPENS_UNINDENTED.test(opening) && !CLOSES_BLOCK.test(below.trim());
    if (isSameLevel && (isItem || isUnindented)) return ofAbove;
    return ofAbove + indentationStep(document, ofAbove);
  }
  return CLOSES_BLOCK.test(below.trim()) ? ofAbove : ofBelow;
}

/**
 * Returns the indentation for a new YAML list item below `line`: the indentation of the nearest
 * preceding item that the new item can follow. If `line` is an indented comment or blank line, more
 * deeply indented items don't count. If the comment or blank line isn't indented, and the next item
 * below is indented less than the item above, the item below counts instead. Undefined if there's
 * no such item, or if the line above opens a block, because a nested list can start there.
 */
export function listItemIndentation(document: TextDocument, line: number): string | undefined {
  if (!YAML.has(document.languageId)) return undefined;
  const textAt = (near: number) => document.lineAt(near).text;
  const nearestText = (from: number, step: 1 | -1): number => {
    let near = from;
    while (near >= 0 && near < document.lineCount && !YAML_TEXT.test(textAt(near))) near += step;
    return near;
  };
  const own = indentationOf(textAt(line));
  const isText = YAML_TEXT.test(textAt(line));
  // Skip lines whose block doesn't contain the new line. The remaining lines are indented by at
  // most `limit` characters.
  let limit = (!isText && own.length) || Number.POSITIVE_INFINITY;
  const above = nearestText(line, -1);
  if (above < 0) return undefined;
  const isBlockStart = YAML_BLOCK_START.test(codeOf(textAt(above).trim()));
  if (isBlockStart && indentationOf(textAt(above)).length < limit) return undefined;
  for (let near = above; near >= 0 && limit >= 0; near = nearestText(near - 1, -1)) {
    const text = textAt(near);
    if (YAML_DOCUMENT_START.test(text)) return undefined;
    const indentation = indentationOf(text);
    if (indentation.length > limit) continue;
    if (ITEM_START.test(text)) {
      const below = nearestText(line + 1, 1);
      const ofBelow = below < document.lineCount ? textAt(below) : '';
      const isBelowIndentedLess =
        ITEM_START.test(ofBelow) && indentationOf(ofBelow).length < indentation.length;
      return isBelowIndentedLess && !isText && own === '' ? indentationOf(ofBelow) : indentation;
    }
    limit = indentation.length - 1;
  }
  return undefined;
}

function indentationOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}

/**
 * Returns the indentation of a YAML list item's value, which starts on the same line as the hyphen.
 */
function indentationOfItem(line: string): string {
  return indentationOf(line.replace(LIST_ITEM, (start) => start.replaceAll('-', ' ')));
}

/**
 * Returns a line without its trailing line comment, if any. Empty for most lines that are comments.
 */
function codeOf(line: string): string {
  if (COMMENT_OR_STRING.test(line)) return '';
  const code = line.replace(CLEAR_COMMENT, '').trimEnd();
  return code.endsWith('{') ? code : code.replace(TRAILING_COMMENT, '').trimEnd();
}

/**
 * Returns the whitespace between two braces if it contains the position. Undefined if the position
 * isn't between braces. Also undefined for placeholders and for most braces in strings and
 * comments.
 */
export function spaceBetweenBraces(
  document: TextDocument,
  { line, character }: Position,
): Range | undefined {
  const { text } = document.lineAt(line);
  const opening = text.slice(0, character).trimEnd();
  const closing = text.slice(character).trimStart();
  const isPlaceholder = /[{$]\{$/.test(opening);
  const isCode = codeOf(opening.trim()).endsWith('{') && !COMMENT_OR_MACRO.test(opening);
  const isQuoted = ['"', "'", '`'].some(
    (quote) => opening.split(quote).length % 2 === 0 && closing.includes(quote),
  );
  if (!closing.startsWith('}') || isPlaceholder || !isCode || isQuoted) return undefined;
  return new Range(line, opening.length, line, text.length - closing.length);
}

/**
 * Returns one level of indentation. Uses tabs or spaces to match `outer` or, if that's empty, the
 * settings of the document's editor.
 */
export function indentationStep(document: TextDocument, outer: string): string {
  const { insertSpaces = true, indentSize = 4 } = editorOf(document)?.options ?? {};
  const usesTabs = outer === '' ? insertSpaces === false : outer.includes('\t');
  return usesTabs ? '\t' : ' '.repeat(Number(indentSize));
}
