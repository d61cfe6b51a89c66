import type { TextDocument } from 'vscode';
import { type AnswerPlace, AnswerRange, type NextChange } from './answerRange.ts';
import type { AnswerWriter, Undone } from './answerWriter.ts';
import { answerOf, EditAttempts } from './editAttempts.ts';
import type { OpenDocument } from './openDocument.ts';
import { doTouch, isSame } from './textChange.ts';
import type { TextChange } from './trackedText.ts';

/** In milliseconds. */
export interface Timing {
  /** From the start of one edit to that of the next: each one wakes the file's language servers. */
  readonly intervalMs: number;
  /** For an edit that VS Code never answers. */
  readonly deadlineMs: number;
}

/** 30 edits a second at the most. */
const TIMING: Timing = { intervalMs: 34, deadlineMs: 5_000 };

interface WriterOptions {
  readonly timing?: Timing;
  /** Called when the user has undone all that was written of the answers that still come. */
  readonly onTakenBack?: () => void;
}

/** A change under way. */
interface Expected extends NextChange {
  readonly passage: AnswerRange;
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
export class DocumentWriter implements AnswerWriter {
  readonly #page: OpenDocument;
  readonly #passages: readonly AnswerRange[];
  readonly #listener: { dispose(): void };
  readonly #timing: Timing;
  readonly #onTakenBack: () => void;
  /** Somebody else edited since our last edit, so that the next one begins an undo step. */
  #isForeign = true;
  #expected: readonly Expected[] = [];
  #isWritten = false;
  #isHeld = false;
  #isRunning = false;
  #running = Promise.resolve();
  #turn = 0;
  readonly #attempts = new EditAttempts();

  constructor(
    page: OpenDocument,
    places: readonly AnswerPlace[],
    { timing = TIMING, onTakenBack = () => {} }: WriterOptions = {},
  ) {
    this.#page = page;
    this.#timing = timing;
    this.#onTakenBack = onTakenBack;
    this.#passages = places.map((place) => new AnswerRange(page, place));
    this.#listener = page.onDidChange((changes, isReplay) => this.#follow(changes, isReplay));
  }

  get documents(): readonly TextDocument[] {
    return [this.#page.document];
  }

  get isPending(): boolean {
    return this.#passages.some(({ isPending }) => isPending);
  }

  append(answer: number, text: string): void {
    if (text === '') return;
    this.#passage(answer).append(text);
    this.#start();
  }

  async end(answer: number): Promise<boolean> {
    const passage = this.#passage(answer);
    const ended = passage.end();
    this.#start();
    await ended;
    return passage.isPlaced;
  }

  restart(answer: number): void {
    this.#passage(answer).restart();
    this.#isForeign = true;
  }

  async undo(): Promise<Undone> {
    for (const passage of this.#passages) passage.withdraw();
    await this.#running;
    for (let removals = 0; removals <= REMOVALS; removals += 1) {
      const changes = this.#passages.flatMap((passage) => passage.removal());
      if (changes.length === 0) return removals > 0 ? 'undone' : 'nothing';
      if (!(this.#page.isShown || this.#page.isOpen)) return 'refused';
      const edit = this.#page.write(changes, true);
      if ((await answerOf(edit, this.#timing.deadlineMs)) === 'late') return 'refused';
    }
    return 'refused';
  }

  /** Writes nothing until `release`; what comes meanwhile waits. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Lets `release` write what waits by now, and nothing that comes later. */
  accept(): void {
    for (const passage of this.#passages) passage.accept();
  }

  release(): void {
    this.#isHeld = false;
    this.#start();
  }

  /** The document with everything that waits. */
  get preview(): string {
    let text = '';
    let from = 0;
    for (const passage of this.#passages) {
      const { change } = passage.upcoming ?? {};
      if (!change) continue;
      text += this.#page.textOf({ start: from, end: change.rangeOffset }) + change.text;
      from = change.rangeOffset + change.rangeLength;
    }
    return text + this.#page.textOf({ start: from, end: Number.MAX_SAFE_INTEGER });
  }

  dispose(): void {
    this.#listener.dispose();
    this.#page.dispose();
  }

  #passage(answer: number): AnswerRange {
    const passage = this.#passages[answer];
    if (!passage) throw new RangeError(`No answer ${answer}`);
    return passage;
  }

  /** Whether anything stands in the document of the answers that still come. */
  get #hasTextOfOpen(): boolean {
    return this.#passages.some(({ isComing, own }) => isComing && own.pieces.length > 0);
  }

  #start(): void {
    if (!this.#isRunning) this.#running = this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let batch = this.#nextBatch(); batch.length > 0; batch = this.#nextBatch()) {
      const startedAt = performance.now();
      await this.#write(batch);
      for (const passage of this.#passages) passage.settle();
      const restMs = this.#timing.intervalMs - (performance.now() - startedAt);
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    }
    for (const passage of this.#passages) passage.settle();
    this.#isRunning = false;
  }

  #nextBatch(): Expected[] {
    const batch: Expected[] = [];
    if (this.#isHeld) return batch;
    // Everybody begins a batch in turn.
    this.#turn = (this.#turn + 1) % this.#passages.length;
    const inTurn = [...this.#passages.slice(this.#turn), ...this.#passages.slice(0, this.#turn)];
    for (const passage of inTurn) {
      const next = passage.next();
      // What touches waits for the next batch: VS Code may join such changes into one.
      if (!next || batch.some(({ change }) => doTouch(change, next.change))) continue;
      batch.push({ passage, ...next });
    }
    return batch;
  }

  async #write(batch: readonly Expected[]): Promise<void> {
    const { version } = this.#page;
    this.#expected = batch;
    this.#isWritten = false;
    const edit = this.#page.write(
      batch.map(({ change }) => change),
      this.#isForeign,
    );
    const answer = await answerOf(edit, this.#timing.deadlineMs);
    this.#expected = [];
    if (this.#isWritten) this.#attempts.succeeded();
    else if (this.#attempts.failed(answer, this.#page.version !== version)) {
      for (const { passage } of batch) passage.giveUp();
    }
  }

  /** VS Code may add a change of its own to ours, such as taking blanks off the line before. */
  #follow(changes: readonly TextChange[], isReplay: boolean): void {
    const ours = new Map<TextChange, Expected>();
    for (const expected of this.#expected) {
      const reported = changes.find((change) => isSame(change, expected.change));
      if (reported) ours.set(reported, expected);
    }
    const hadText = this.#hasTextOfOpen;
    const areOurs = ours.size > 0 && ours.size === this.#expected.length;
    const isTyping = changes.length === 1 && changes[0]?.rangeLength === 0;
    for (const change of changes) {
      const expected = areOurs ? ours.get(change) : undefined;
      const writer = expected ? this.#passages.indexOf(expected.passage) : -1;
      for (const [index, { own }] of this.#passages.entries()) {
        if (index === writer) own.grow(change, expected?.tailLength);
        else own.follow(change, { belongsBehind: index < writer, isReplay, isTyping });
      }
      expected?.passage.wrote(expected);
    }
    if (areOurs) {
      this.#expected = [];
      this.#isWritten = true;
    }
    if (changes.length > 0) this.#isForeign = !areOurs;
    if (isReplay && hadText && !this.#hasTextOfOpen) this.#onTakenBack();
  }
}
