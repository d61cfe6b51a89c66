import { Range } from 'vscode';
import { selectionEnd, type Target } from './capturedSelection.ts';
import { offsetsOf } from './documentEdit.ts';
import { PROSE } from './fit/languageRules.ts';
import type { ResponseFitOptions } from './fit/textFit.ts';
import type { InsertMode } from './insertMode.ts';
import type { ResponsePlace } from './responseInDocument.ts';
import { StreamWriter } from './streamWriter.ts';

/**
 * Creates an insert mode that writes into the selection's document.
 * @param id the ID of the mode in the `hostedModel.insertMode` setting
 * @param place returns where a response to selected text goes
 * @param placeWithoutSelection returns where a response goes if nothing is selected; defaults to
 * the cursor
 */
export function placing(
  id: string,
  place: (target: Target) => ResponsePlace,
  placeWithoutSelection = placeAtCursor,
): InsertMode & Required<Pick<InsertMode, 'placeOf'>> {
  const placeOf = (target: Target) =>
    target.selection.isEmpty ? placeWithoutSelection(target) : place(target);
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
  const { selection, indentation } = target;
  return placeAt(target, selection, indentation.slice(selection.start.character));
}

/** Returns how to fit a target's response to its place. */
export function fitOptionsFor({ placeOf }: InsertMode, target: Target): ResponseFitOptions {
  const { document, indentation, responseLanguage } = target;
  return placeOf
    ? {
        languageId: document.languageId,
        indentation,
        isInserted: true,
        leadingLineBreaks: leadingLineBreaks(target, placeOf(target)),
      }
    : { languageId: responseLanguage, indentation: '', leadingLineBreaks: 0 };
}

/**
 * Returns the maximum number of line breaks at the start of a response. If the response starts
 * after other text on the same line, the number is unlimited, because line breaks separate it from
 * that text. In prose, one line break is allowed below a line with text, so that a blank line can
 * separate the paragraphs. Otherwise, no line break is allowed.
 */
function leadingLineBreaks({ document }: Target, { start, lead }: ResponsePlace): number {
  const { line, character } = document.positionAt(start);
  const previous = line === 0 ? '' : document.lineAt(line - 1).text;
  const before = `${previous}\n${document.lineAt(line).text.slice(0, character)}${lead}`;
  const [above = '', lineSoFar = ''] = before.split('\n').slice(-2);
  if (lineSoFar.trim() !== '') return Number.POSITIVE_INFINITY;
  return PROSE.has(document.languageId) && above.trim() !== '' ? 1 : 0;
}

// If the cursor is at the end of a line with text, the response starts a new line. Without this,
// code generated from a comment would start inside the comment.
export const below = placing('below', placeBelowLine, (target) =>
  isAtEndOfText(target) ? placeBelowLine(target) : placeAtCursor(target),
);

function placeBelowLine(target: Target): ResponsePlace {
  const { end } = target.document.lineAt(selectionEnd(target).line).range;
  return placeAt(target, new Range(end, end), `\n${target.indentation}`);
}

/** True if the cursor's line has text before the cursor, but none after it. */
function isAtEndOfText({ document, selection: { start } }: Target): boolean {
  const { text } = document.lineAt(start.line);
  return text.trim() !== '' && text.slice(start.character).trim() === '';
}

export const after = placing('after', (target) => {
  const end = selectionEnd(target);
  return placeAt(target, new Range(end, end));
});

export const above = placing('above', (target) => {
  const { start } = target.document.lineAt(target.selection.start.line).range;
  return placeAt(target, new Range(start, start), target.indentation, '\n');
});

export const replace = placing('replace', (target) => {
  const { start } = target.selection;
  // If the selection includes some of its first line's indentation, that part is replaced, too, so
  // it must be written again.
  const lead = target.indentation.slice(start.character);
  return placeAt(target, new Range(start, selectionEnd(target)), lead);
});
