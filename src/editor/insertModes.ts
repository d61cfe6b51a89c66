import type { TextDocument } from 'vscode';
import { isWritable } from './capturedSelection.ts';
import { clipboard } from './clipboardMode.ts';
import { above, after, below, replace } from './inPlaceModes.ts';
import type { InsertMode } from './insertMode.ts';
import { newDocument } from './newDocumentMode.ts';
import { preview, previewing } from './previewMode.ts';

/** All insert modes, in the order of `insertModeIds`. */
export const insertModes: readonly InsertMode[] = [
  below,
  after,
  above,
  replace,
  newDocument,
  clipboard,
  preview,
];

/**
 * Returns the insert mode with this ID. A mode that writes into the document is replaced by
 * `newDocument` if the document isn't writable, or by a preview if `mustPreview` is true.
 * @returns undefined if the ID is unknown
 */
export function modeFor(
  document: TextDocument,
  id: string,
  mustPreview: boolean,
): InsertMode | undefined {
  const chosen = insertModes.find((mode) => mode.id === id);
  if (!chosen?.placeOf) return chosen;
  if (!isWritable(document)) return newDocument;
  return mustPreview ? previewing(chosen.placeOf) : chosen;
}

/** True if this mode writes into the document without a preview. */
export function writesUnseen({ id, placeOf }: InsertMode): boolean {
  return placeOf !== undefined && id !== preview.id;
}
