import type { Disposable, TextDocument } from 'vscode';
import type { FitOptions } from '../formatting/textFit.ts';
import type { Previews } from '../insert/previews.ts';
import type { Place } from './passage.ts';
import type { Target } from './target.ts';

/** What became of the wish to take text back. */
export type Undone =
  | 'undone'
  /** There was nothing to take away. */
  | 'nothing'
  /** Not all of it could be taken away: the document is closed, say, or cannot be written to. */
  | 'refused';

/** Takes the answers of one command as they stream, each by its number. Text has LF line ends. */
export interface AnswerWriter extends Disposable {
  /** The documents that text goes to; none where it goes somewhere else, or nothing came yet. */
  readonly documents: readonly TextDocument[];
  /** Whether text of it waits to be written. */
  readonly isPending: boolean;
  append(answer: number, text: string): void;
  /** Nothing more comes for now. @returns false if not all of the text stands where it should */
  end(answer: number): Promise<boolean>;
  /** What comes next takes the place of the answer so far. */
  restart(answer: number): void;
  /** Takes away exactly what was written, and puts back what it replaced. */
  undo(): Promise<Undone>;
}

/** A way for answers to reach the user. Each one is a file, and an entry of `insertModes`. */
export interface InsertMode {
  /** As in the setting `hostedModel.insertMode`. */
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  /** Said once an answer is there, where it waits for somebody to look at it. */
  readonly whenDone?: string;
  /** Where an answer goes in the document itself; only of modes that write into it. */
  readonly placeOf?: (target: Target) => Place;
  /** How text is fitted to where it goes. */
  readonly fit: (target: Target) => FitOptions;
  /** @param targets one for each answer, in the order of the document */
  readonly open: (targets: readonly Target[], stage: Stage) => AnswerWriter;
}

/** What a mode may need of the command that it serves. */
export interface Stage {
  readonly previews: Previews;
  /** Stops what still streams. */
  readonly cancel: () => void;
  /** The user has undone all that was written of the answers that still come. */
  readonly takenBack: () => void;
  /** Offers an answer that could not be written when the user asked for it. */
  readonly rescue: () => void;
}
