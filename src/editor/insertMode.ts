import type { Target, Targets } from './capturedSelection.ts';
import type { Previews } from './previews.ts';
import type { ResponsePlace } from './responseInDocument.ts';
import type { ResponseWriter } from './streamWriter.ts';
import type { TrackedDocument } from './trackedDocument.ts';

/**
 * IDs of the insert modes in settings and templates, with the default first. Defined in this module
 * so that template code doesn't load the code that edits documents.
 */
export const insertModeIds = [
  'below',
  'after',
  'above',
  'replace',
  'newDocument',
  'clipboard',
  'preview',
] as const;

export function isInsertModeId(id: string | undefined): boolean {
  return insertModeIds.some((known) => known === id);
}

/** A destination for responses. */
export interface InsertMode {
  /** One of `insertModeIds`. */
  readonly id: string;
  /**
   * The text to announce when all responses are complete but not yet accepted by the user. Defaults
   * to a generic message.
   */
  readonly doneText?: string;
  /**
   * The message to show if a response couldn't be written. Defaults to a message about the
   * selection's document.
   */
  readonly failedText?: string;
  /**
   * Returns where a response goes in the document. Undefined for modes that write elsewhere. In
   * those modes, responses aren't indented to match the selection.
   */
  readonly placeOf?: (target: Target) => ResponsePlace;
  /**
   * Creates the writer for the responses of one job.
   * @param targets one target for each response, in document order
   */
  readonly open: (targets: Targets, deps: ModeDeps) => ResponseWriter;
}

/** Dependencies of an insert mode, provided by the job. */
export interface ModeDeps {
  /** The document that contains all targets. */
  readonly openDocument: TrackedDocument;
  readonly previews: Previews;
  /** Cancels all active runs of the job. */
  readonly cancel: () => void;
  /**
   * Called when the user has undone all text from the responses that are still streaming. The
   * argument contains the indices of all responses that have no text in the document.
   */
  readonly undone: (indices: readonly number[]) => void;
  /** Offers to open or copy the job's responses if an accepted response couldn't be written. */
  readonly rescue: () => void;
}
