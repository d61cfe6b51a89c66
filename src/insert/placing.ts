import type { Range } from 'vscode';
import type { AnswerPlace } from '../document/answerRange.ts';
import { DocumentWriter } from '../document/documentWriter.ts';
import { EditorDocument } from '../document/openDocument.ts';
import type { Target } from '../document/target.ts';
import type { InsertMode } from './insertMode.ts';

/**
 * An insert mode that writes into the document itself.
 * @param place where the answer to a selection goes; one to a mere cursor goes to the cursor
 */
export function placing(
  words: Pick<InsertMode, 'id' | 'label' | 'detail'>,
  place: (target: Target) => AnswerPlace,
): InsertMode & Required<Pick<InsertMode, 'placeOf'>> {
  const placeOf = (target: Target) =>
    target.selection.isEmpty ? placeAt(target, target.selection) : place(target);
  return {
    ...words,
    placeOf,
    fit: fitInPlace,
    open: (targets, { takenBack }) =>
      new DocumentWriter(pageOf(targets), targets.map(placeOf), { onTakenBack: takenBack }),
  };
}

/** Text that goes into the document of its target. */
export function fitInPlace({ document: { languageId }, indentation }: Target) {
  return { languageId, indentation };
}

/** The document that all targets of a command are in. */
export function pageOf([first]: readonly Target[]): EditorDocument {
  if (!first) throw new RangeError('No target');
  return new EditorDocument(first.document);
}

export function placeAt({ document }: Target, range: Range, lead = '', tail = ''): AnswerPlace {
  const [start, end] = [document.offsetAt(range.start), document.offsetAt(range.end)];
  return { start, end, lead, tail };
}
