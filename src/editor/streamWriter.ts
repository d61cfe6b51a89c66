import type { TextDocument } from 'vscode';
import { answerOf, EditAttempts, isLate } from './editAttempts.ts';
import type { OpenDocument } from './openDocument.ts';
import type { Replay } from './replayStates.ts';
import { type AnswerPlace, type NextChange, ResponseInDocument } from './responseInDocument.ts';
import { replacedRange, type TextChange } from './textChange.ts';

/** What became of the wish to take text back. */
export type Undone =
  | 'undone'
  /** There was nothing to take away. */
  | 'nothing'
  /** Not all of it could be taken away: the document is closed, say, or cannot be written to. */
  | 'refused';

/** Takes the answers of one command as they stream, each by its number. Text has LF line ends. */
export interface ResponseWriter {
  /** The document that it has opened for them. */
  readonly document?: TextDocument | undefined;
  /** Whether text of it waits to be written. */
  readonly isPending: boolean;
  /** @param isNew true for a new response, false to continue the current one */
  canInsert(index: number, isNew: boolean): boolean;
  /** @param text never empty */
  append(index: number, text: string): void;
  /** Nothing more comes for now. @returns false if not all of the text stands where it should */
  end(index: number): Promise<boolean>;
  /** What comes next takes the place of the answer so far. */
  restart(index: number): void;
  /** Takes away exactly what was written, and puts back what it replaced; undefined if it never can. */
  undo?(): Promise<Undone>;
  dispose?(): void;
}

/** In milliseconds. */
export interface Timing {
  /** From the start of one edit to that of the next: each one wakes the file's language servers. */
  readonly intervalMs: number;
  /** For whoever waits for an edit that VS Code does not answer, besides the time its length takes. */
  readonly deadlineMs: number;
}

/** Not a tenth of what VS Code writes on an idle machine (measured). */
const CHARACTERS_PER_MS = 500;
/**
 * 30 edits a second at the most. One of a single word took 8.5 s in a window on a slowed machine
 * (measured).
 */
const TIMING: Timing = { intervalMs: 34, deadlineMs: 30_000 };

interface WriterOptions {
  readonly timing?: Timing;
  /** Called when the user has undone all that was written of the answers that still come. */
  readonly onTakenBack?: () => void;
}

/** A change under way, until it is reported. */
interface ExpectedChange extends NextChange {
  readonly answer: ResponseInDocument;
}

/** Times that text is taken back, before it is left where it is: the user may always be quicker. */
const REMOVALS = 10;

/**
 * Writes streamed answers into a document, each at its place: one edit in flight for all of them,
 * each edit checked, all of them one undo step as long as nobody else edits. Follows the places
 * from the moment it is made, so that what the user does meanwhile is never overwritten.
 *
 * What VS Code says about an edit proves nothing (see `OpenDocument.write`); what counts is the change that
 * the document then reports.
 */
export class StreamWriter implements ResponseWriter {
  readonly #openDocument: OpenDocument;
  readonly #answers: readonly ResponseInDocument[];
  readonly #timing: Timing;
  readonly #onTakenBack: () => void;
  /** Somebody else edited since our last edit, so that the next one begins an undo step. */
  #isForeign = true;
  #expected: readonly ExpectedChange[] = [];
  /** The edit under way is past its deadline, and may come about at any time. */
  #isLate = false;
  #isRunning = false;
  #running = Promise.resolve();
  #turn = 0;
  #attempts = new EditAttempts();

  constructor(
    openDocument: OpenDocument,
    places: readonly AnswerPlace[],
    { timing = TIMING, onTakenBack = () => {} }: WriterOptions = {},
  ) {
    this.#openDocument = openDocument;
    this.#timing = timing;
    this.#onTakenBack = onTakenBack;
    this.#answers = places.map((place) => new ResponseInDocument(openDocument, place));
    openDocument.onDidChange((changes, replay) => this.#follow(changes, replay));
  }

  get isPending(): boolean {
    return this.#answers.some(({ isPending }) => isPending);
  }

  canInsert(index: number, isNew: boolean): boolean {
    return this.#answer(index).canInsert(isNew);
  }

  append(index: number, text: string): void {
    this.#answer(index).append(text);
    this.#start();
  }

  async end(index: number): Promise<boolean> {
    const answer = this.#answer(index);
    const ended = answer.end();
    this.#start();
    this.#settle();
    await ended;
    return answer.isPlaced;
  }

  restart(index: number): void {
    const answer = this.#answer(index);
    answer.restart();
    // What is under way still comes, and the new answer would mix with it.
    if (this.#expected.some((expected) => expected.answer === answer)) answer.lose();
    this.#isForeign = true;
  }

  async undo(): Promise<Undone> {
    for (const answer of this.#answers) answer.withdraw();
    if (await isLate(this.#running, this.#timing.deadlineMs)) return 'refused';
    for (let removals = 0; removals <= REMOVALS; removals += 1) {
      const all = this.#answers.map((answer) => answer.removal());
      // Removes all of them or none.
      if (all.includes(undefined)) return 'refused';
      const changes = all.flatMap((each) => each ?? []);
      if (changes.length === 0) return removals > 0 ? 'undone' : 'nothing';
      if (!(this.#openDocument.isVisible || this.#openDocument.isOpen)) return 'refused';
      const edit = this.#openDocument.write(changes, true);
      if (await isLate(answerOf(edit), this.#deadlineMs(changes))) return 'refused';
    }
    return 'refused';
  }

  /** From now on writes what waits by now, and nothing that comes later. */
  accept(): void {
    for (const answer of this.#answers) answer.accept();
  }

  /** The document with everything that waits. */
  get preview(): string {
    let text = '';
    let from = 0;
    for (const answer of this.#answers) {
      const change = answer.upcoming;
      if (!change) continue;
      text += this.#openDocument.textOf({ start: from, end: change.rangeOffset }) + change.text;
      from = change.rangeOffset + change.rangeLength;
    }
    return text + this.#openDocument.textOf({ start: from, end: Number.MAX_SAFE_INTEGER });
  }

  #answer(index: number): ResponseInDocument {
    const answer = this.#answers[index];
    if (!answer) throw new RangeError(`No answer ${index}`);
    return answer;
  }

  /** Whether anything stands in the document of the answers that still come. */
  get #hasTextOfOpen(): boolean {
    return this.#answers.some(({ isComing, hasText }) => isComing && hasText);
  }

  #start(): void {
    if (!this.#isRunning) this.#running = this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let batch = this.#nextBatch(); batch.length > 0; batch = this.#nextBatch()) {
      const startedAt = performance.now();
      await this.#write(batch);
      this.#settle();
      const restMs = this.#timing.intervalMs - (performance.now() - startedAt);
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
    this.#settle();
    this.#isRunning = false;
  }

  #settle(): void {
    for (const answer of this.#answers) answer.settle(this.#isLate);
  }

  #nextBatch(): ExpectedChange[] {
    const batch: ExpectedChange[] = [];
    // Everybody begins a batch in turn.
    this.#turn = (this.#turn + 1) % this.#answers.length;
    const inTurn = [...this.#answers.slice(this.#turn), ...this.#answers.slice(0, this.#turn)];
    for (const answer of inTurn) {
      const next = answer.next();
      // What touches waits for the next batch: VS Code may join such changes into one.
      if (!next || batch.some((change) => doTouch(change, next))) continue;
      batch.push({ answer, ...next });
    }
    return batch;
  }

  async #write(batch: readonly ExpectedChange[]): Promise<void> {
    const { version } = this.#openDocument;
    this.#expected = batch;
    const edit = answerOf(this.#openDocument.write(batch, this.#isForeign));
    if (await isLate(edit, this.#deadlineMs(batch))) {
      // It may still come about: another try before that could write the text twice.
      this.#isLate = true;
      this.#settle();
    }
    const edited = await edit;
    this.#isLate = false;
    const isWritten = this.#expected.length === 0;
    this.#expected = [];
    if (isWritten) this.#attempts = new EditAttempts();
    else if (this.#attempts.givesUpAfter(edited, this.#openDocument.version !== version)) {
      this.#attempts = new EditAttempts();
      for (const { answer } of batch) answer.lose();
    }
  }

  #deadlineMs(changes: readonly TextChange[]): number {
    const characters = changes.reduce((sum, { text }) => sum + text.length, 0);
    return this.#timing.deadlineMs + characters / CHARACTERS_PER_MS;
  }

  /** VS Code may add a change of its own to ours, such as taking blanks off the line before. */
  #follow(changes: readonly TextChange[], replay: Replay | undefined): void {
    const ours = new Map<TextChange, ExpectedChange>();
    for (const expected of this.#expected) {
      const reported = changes.find((change) => isSame(change, expected));
      if (reported) ours.set(reported, expected);
    }
    const hadText = this.#hasTextOfOpen;
    const areOurs = ours.size > 0 && ours.size === this.#expected.length;
    const isTyping = changes.length === 1 && changes[0]?.rangeLength === 0;
    for (const change of changes) {
      const expected = areOurs ? ours.get(change) : undefined;
      const written = expected ? this.#answers.indexOf(expected.answer) : -1;
      for (const [index, { own }] of this.#answers.entries()) {
        if (index === written) own.grow(change, expected?.tailLength);
        else own.follow(change, { belongsBehind: index < written, replay, isTyping });
      }
      expected?.answer.wrote(expected);
    }
    const beginsStep = areOurs && this.#isForeign;
    for (const answer of this.#answers) answer.conclude({ replay, beginsStep });
    if (areOurs) this.#expected = [];
    if (changes.length > 0) this.#isForeign = !areOurs;
    if (replay && hadText && !this.#hasTextOfOpen) this.#onTakenBack();
  }
}

/** Whether nothing stands between the places of two changes. */
function doTouch(one: TextChange, other: TextChange): boolean {
  const [first, second] = [replacedRange(one), replacedRange(other)];
  return first.start <= second.end && second.start <= first.end;
}

function isSame(change: TextChange, expected: TextChange): boolean {
  return (
    change.rangeOffset === expected.rangeOffset &&
    change.rangeLength === expected.rangeLength &&
    change.text === expected.text
  );
}
