import type { EditorDocument } from './openDocument.ts';
import type { Previews } from './previews.ts';
import type { AnswerPlace } from './responseInDocument.ts';
import type { ResponseWriter } from './streamWriter.ts';
import type { Target, Targets } from './target.ts';

/**
 * IDs of the insert modes, as settings and templates name them, the default first. Template files
 * need no more, and so don't load what edits documents.
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

/** A way for answers to reach the user. Each one is an entry of `insertModes`. */
export interface InsertMode {
  /** One of `insertModeIds`. */
  readonly id: string;
  /** Said once an answer is there, where it waits for somebody to look at it. */
  readonly doneText?: string;
  /**
   * Where an answer goes in the document itself, and is fitted to; only of modes that write into it.
   */
  readonly placeOf?: (target: Target) => AnswerPlace;
  /** @param targets one for each answer, in the order of the document */
  readonly open: (targets: Targets, deps: ModeDeps) => ResponseWriter;
}

/** What a mode may need of the command that it serves. */
export interface ModeDeps {
  /** The one that all targets are in. */
  readonly openDocument: EditorDocument;
  readonly previews: Previews;
  /** Stops what still streams. */
  readonly cancel: () => void;
  /** The user has undone all that was written of the answers that still come. */
  readonly takenBack: () => void;
  /** Offers an answer that could not be written when the user asked for it. */
  readonly rescue: () => void;
}
