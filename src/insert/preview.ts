import type { InsertMode } from './insertMode.ts';
import { fitInPlace, pageOf } from './placing.ts';
import { PreviewWriter } from './previewWriter.ts';
import { replace } from './replace.ts';

export const preview = previewing(replace.placeOf);

/** Shows what the document would become, and makes it that once it is accepted. */
export function previewing(placeOf: NonNullable<InsertMode['placeOf']>): InsertMode {
  return {
    id: 'preview',
    label: 'Preview',
    detail: 'Beside the selected text, to accept or discard',
    whenDone: 'the preview is complete: accept or discard it',
    fit: fitInPlace,
    open: (targets, stage) =>
      new PreviewWriter(pageOf(targets), targets.map(placeOf), stage, targets[0]?.situation),
  };
}
