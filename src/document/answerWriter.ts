import type { Disposable, TextDocument } from 'vscode';

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
