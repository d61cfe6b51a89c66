import { Range } from 'vscode';
import { selectionEnd, type Target } from './capturedSelection.ts';
import { offsetsOf } from './documentEdit.ts';
import { editorOf } from './documentTabs.ts';
import { PROSE, WITH_BRACES, WITHOUT_INDENTATION, YAML } from './fit/languageRules.ts';
import type { ResponseFitOptions } from './fit/textFit.ts';
import type { InsertMode } from './insertMode.ts';
import {
  blockIndentation,
  indentationStep,
  listItemIndentation,
  spaceBetweenBraces,
} from './newLineIndentation.ts';
import type { ResponsePlace } from './responseInDocument.ts';
import { StreamWriter } from './streamWriter.ts';

/**
 * Creates an insert mode that writes into the selection's document.
 * @param id the ID of the mode in the `hostedModel.insertMode` setting
 * @param place returns where a response to selected text goes. Set an option that always applies,
 * such as a change to each line, in `placeOf` instead, because `place` isn't called for responses
 * at the cursor.
 * @param options `startsNewLine`: true to also use `place` if nothing is selected and the cursor is
 * on a line with text. The response then starts on a new line. In all other cases without a
 * selection, the response starts at the cursor.
 */
export function placing(
  id: string,
  place: (target: Target) => ResponsePlace,
  { startsNewLine = false } = {},
): InsertMode & Required<Pick<InsertMode, 'placeOf'>> {
  const placeOf = (target: Target) => {
    const isAtCursor = target.selection.isEmpty && !(startsNewLine && isOnLineWithText(target));
    return isAtCursor ? placeAtCursor(target) : place(target);
  };
  return {
    id,
    placeOf,
    open: (targets, { openDocument, undone }) =>
      new StreamWriter(openDocument, targets.map(placeOf), { onUndone: undone }),
  };
}

export function placeAt({ document }: Target, range: Range, lead = '', tail = ''): ResponsePlace {
  return { ...offsetsOf(document, range), lead, tail };
}

function placeAtCursor(target: Target): ResponsePlace {
  const { document, selection, indentation } = target;
  const { line, character } = selection.start;
  const { text, isEmptyOrWhitespace } = document.lineAt(line);
  // The whitespace or hyphen before the cursor is replaced, because a list item may need less
  // indentation.
  const replaced = placeAt(target, new Range(line, 0, line, character));
  if (isAfterHyphen(target)) {
    const firstIndentation = text.slice(0, character);
    const inside = firstIndentation.replace('-', ' ');
    return { ...replaced, firstIndentation, indentation: inside, itemIndentation: indentation };
  }
  const itemIndentation = isEmptyOrWhitespace ? listItemIndentation(document, line) : undefined;
  if (itemIndentation !== undefined && character > 0) {
    return { ...replaced, firstIndentation: indentation, itemIndentation };
  }
  const firstIndentation = indentation.slice(character);
  const place = { ...placeAt(target, selection), firstIndentation, itemIndentation };
  const leadAfterText = `\n${text.slice(0, character)}`;
  return isEmptyOrWhitespace ? { ...place, leadAfterText } : place;
}

function isOnLineWithText(target: Target): boolean {
  const { document, selection } = target;
  return !(document.lineAt(selection.start.line).isEmptyOrWhitespace || isAfterHyphen(target));
}

/** True if the cursor is in a list item that has no text yet. */
function isAfterHyphen({ document, selection: { start } }: Target): boolean {
  const { languageId } = document;
  const { text } = document.lineAt(start.line);
  const hasLists = YAML.has(languageId) || PROSE.has(languageId);
  return hasLists && /^\s*- +$/.test(text) && start.character === text.length;
}

/** Matches an indented line of text. */
const INDENTED_LINE = /^[ \t]+\S/m;

/** Returns the options for fitting a response to the place of its target. */
export function fitOptionsFor({ placeOf }: InsertMode, target: Target): ResponseFitOptions {
  const { document, responseLanguage } = target;
  if (!placeOf) return { languageId: responseLanguage, indentation: '', leadingLineBreaks: 0 };
  const place = placeOf(target);
  const { firstIndentation, indentation = target.indentation, itemIndentation } = place;
  const { languageId } = document;
  const hasStep = WITH_BRACES.has(languageId) && editorOf(document) !== undefined;
  const step = hasStep ? indentationStep(document, indentation) : undefined;
  return {
    languageId,
    firstIndentation,
    indentation,
    itemIndentation,
    hasIndentedPrompt: INDENTED_LINE.test(target.selectedText),
    step,
    isInserted: true,
    leadingLineBreaks: leadingLineBreaks(target, place),
  };
}

/**
 * Returns the maximum number of line breaks at the start of a response. If the response starts
 * after other text on the same line, the number is unlimited, because line breaks separate the
 * response from that text. In prose, a line of text may be followed by one extra line break so that
 * a blank line can separate paragraphs. Otherwise, no line breaks are allowed.
 */
function leadingLineBreaks({ document }: Target, place: ResponsePlace): number {
  const { start, lead, firstIndentation = '' } = place;
  // The range to replace includes a hyphen that must be written again.
  if (firstIndentation.trim() !== '') return 0;
  const { line, character } = document.positionAt(start);
  const previous = line === 0 ? '' : document.lineAt(line - 1).text;
  const before = `${previous}\n${document.lineAt(line).text.slice(0, character)}${lead}`;
  const [above = '', lineSoFar = ''] = before.split('\n').slice(-2);
  if (lineSoFar.trim() !== '') return Number.POSITIVE_INFINITY;
  return PROSE.has(document.languageId) && above.trim() !== '' ? 1 : 0;
}

export const below = placing('below', placeBelowLine, { startsNewLine: true });

function placeBelowLine(target: Target): ResponsePlace {
  const inBraces = placeBetweenBraces(target);
  if (inBraces) return inBraces;
  const { line } = selectionEnd(target);
  const { end } = target.document.lineAt(line).range;
  const indentation = indentationBelow(target);
  const itemIndentation = listItemIndentation(target.document, line);
  const place = placeAt(target, new Range(end, end), '\n');
  return { ...place, firstIndentation: indentation, indentation, itemIndentation };
}

/**
 * If nothing is selected and the cursor is between two braces, returns a place that moves the
 * closing brace to a new line below the response. VS Code does the same when the user presses Enter
 * there.
 */
function placeBetweenBraces(target: Target): ResponsePlace | undefined {
  const { document, selection, indentation: outer } = target;
  const { languageId } = document;
  if (!selection.isEmpty || PROSE.has(languageId) || WITHOUT_INDENTATION.has(languageId)) {
    return undefined;
  }
  const space = spaceBetweenBraces(document, selection.start);
  if (!space) return undefined;
  const indentation = outer + indentationStep(document, outer);
  const place = placeAt(target, space, '\n', `\n${outer}`);
  return { ...place, firstIndentation: indentation, indentation };
}

/**
 * Returns the indentation for a new line below the selection. If nothing is selected, it's the
 * indentation of the block that the new line is in.
 */
function indentationBelow({ document, selection, indentation }: Target): string {
  if (!selection.isEmpty) return indentation;
  const ofBlock = blockIndentation(document, selection.start.line);
  return ofBlock.startsWith(indentation) ? ofBlock : indentation;
}

export const after = placing('after', (target) => {
  const end = selectionEnd(target);
  return placeAt(target, new Range(end, end));
});

export const above = placing('above', placeAboveLine, { startsNewLine: true });

function placeAboveLine(target: Target): ResponsePlace {
  const { start } = target.document.lineAt(target.selection.start.line).range;
  const place = placeAt(target, new Range(start, start), '', '\n');
  return { ...place, firstIndentation: target.indentation };
}

export const replace = placing('replace', (target) => {
  const { start } = target.selection;
  // If the selection includes part of its first line's indentation, that part is replaced, too, so
  // it must be written again.
  const firstIndentation = target.indentation.slice(start.character);
  return { ...placeAt(target, new Range(start, selectionEnd(target))), firstIndentation };
});
