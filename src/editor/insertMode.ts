import type { Target, Targets } from './capturedSelection.ts';
import type { EditorDocument } from './editorDocument.ts';
import type { Previews } from './previews.ts';
import type { ResponsePlace } from './responseInDocument.ts';
import type { ResponseWriter } from './streamWriter.ts';

/**
 * IDs of the insert modes in settings and templates, with the default first. They are in this file
 * so that template files don't load the code that edits documents.
 */
export const insertModeIds: readonly string[] = [
  'below',
  'after',
  'above',
  'replace',
  'newDocument',
  'clipboard',
  'preview',
];

/** A destination for responses. */
export interface InsertMode {
  /** One of `insertModeIds`. */
  readonly id: string;
  /** Message about a complete response that waits for the user to review it. */
  readonly doneText?: string;
  /**
   * Returns the place of a response in the document, which it is also fitted to. Undefined for
   * modes that don't write into the document.
   */
  readonly placeOf?: (target: Target) => ResponsePlace;
  /** @param targets one for each response, in document order */
  readonly open: (targets: Targets, deps: ModeDeps) => ResponseWriter;
}

/** Dependencies of an insert mode, provided by the command. */
export interface ModeDeps {
  /** The document of all targets. */
  readonly openDocument: EditorDocument;
  readonly previews: Previews;
  /** Cancels the responses that are still streaming. */
  readonly cancel: () => void;
  /** Called when the user has undone all text of the responses that are still streaming. */
  readonly undone: () => void;
  /** Offers a response that couldn't be written after the user accepted it. */
  readonly rescue: () => void;
}
