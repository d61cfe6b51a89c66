import type { TextDocument } from 'vscode';
import { clipboard } from './clipboard.ts';
import type { InsertMode } from './insertMode.ts';
import { newDocument } from './newDocument.ts';
import { above, after, below, replace } from './placing.ts';
import { preview, previewing } from './preview.ts';
import { isWritable } from './target.ts';

/** Every way for an answer to reach the user, in the order of `insertModeIds`. */
export const insertModes: readonly [InsertMode, ...InsertMode[]] = [
  below,
  after,
  above,
  replace,
  newDocument,
  clipboard,
  preview,
];

/**
 * The mode of this id, or the one that takes its place in this document.
 * @param mustPreview whether nothing may land there without a look at it
 */
export function modeFor(document: TextDocument, id: string, mustPreview: boolean): InsertMode {
  const chosen = insertModes.find((mode) => mode.id === id) ?? insertModes[0];
  if (!chosen.placeOf) return chosen;
  if (!isWritable(document)) return newDocument;
  return mustPreview ? previewing(chosen.placeOf) : chosen;
}

/** True if this mode writes into the document before the user has seen the text. */
export function writesUnseen({ id, placeOf }: InsertMode): boolean {
  return placeOf !== undefined && id !== preview.id;
}
