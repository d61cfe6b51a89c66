import type { TextDocument } from 'vscode';
import type { OffsetRange, TextChange } from '../../../src/editor/textChange.ts';
import type { ChangeListener, OpenDocument } from '../../../src/editor/trackedDocument.ts';
import type { Replay } from '../../../src/editor/undoStates.ts';

export type Owner = 'user' | 'writer' | 'original';

export interface Mark {
  readonly unit: string;
  readonly owner: Owner;
}

interface Replacement {
  readonly at: number;
  readonly removed: readonly Mark[];
  readonly inserted: readonly Mark[];
}

/** All replacements that VS Code reports in one change event. */
type Event = readonly Replacement[];

/** The outcome of an edit. Each of these outcomes was observed in VS Code. */
export type Fate = 'apply' | 'refuse' | 'ignore' | 'reject' | 'applyAndTrim' | 'never';

/**
 * A fake document that records who wrote each character. The writer's edits wait for `turn`, and
 * are refused if the document changes while they wait, as in VS Code.
 */
export class FakeDocument implements OpenDocument {
  readonly document = {} as TextDocument;
  marks: readonly Mark[];
  version = 1;
  lineEnd = '\n';
  isVisible = true;
  isOpen = true;
  fate: Fate = 'apply';
  /** The number of the writer's edits that were applied and started an undo step. */
  steps = 0;
  /** Whitespace trimmed by edits with the `applyAndTrim` fate. */
  readonly trimmed: Mark[] = [];
  /** Characters that the user removed with an edit, undo, or redo, and hasn't restored. */
  readonly deleted = new Set<Mark>();
  /** The user's characters that the writer removed, except for those in `trimmed`. */
  taken = '';
  #listener: ChangeListener = () => {};
  #done: Event[][] = [];
  #undone: Event[][] = [];
  #waiting: (() => void)[] = [];

  constructor(text: string) {
    this.marks = marksOf(text, 'original');
  }

  get text(): string {
    return this.#textBy(() => true);
  }

  textBy(owner: Owner): string {
    return this.#textBy((mark) => mark.owner === owner);
  }

  textOf({ start, end }: OffsetRange): string {
    return this.text.slice(start, end);
  }

  get hasEditWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  write(changes: readonly TextChange[], undoStopBefore: boolean): Promise<boolean> {
    const { version } = this;
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        const { fate } = this;
        this.fate = 'apply';
        if (fate === 'never') return;
        if (fate === 'reject') return reject(new Error('closed editor'));
        if (fate === 'refuse' || version !== this.version) return resolve(false);
        if (fate === 'ignore') return resolve(true);
        if (undoStopBefore) this.steps += 1;
        const trimmed = fate === 'applyAndTrim' ? this.#blankBefore(changes) : [];
        for (const { rangeOffset } of trimmed)
          this.trimmed.push(...this.marks.slice(rangeOffset, rangeOffset + 1));
        this.#edit([...changes, ...trimmed], 'writer', undoStopBefore);
        resolve(true);
      });
    });
  }

  /** Applies the pending edits, and then lets other code run. */
  async turn(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const run of waiting) run();
    await new Promise(setImmediate);
  }

  /** Applies pending edits until a promise settles. */
  async turnUntil<Result>(promise: Promise<Result>): Promise<Result> {
    let isOver = false;
    const over = promise.finally(() => {
      isOver = true;
    });
    while (!isOver) await this.turn();
    return over;
  }

  change(rangeOffset: number, rangeLength: number, text: string): void {
    this.changeAll([{ rangeOffset, rangeLength, text }]);
  }

  /**
   * Applies several changes at once, as a formatter does. The changes must not overlap or touch
   * each other.
   */
  changeAll(changes: readonly TextChange[]): void {
    this.#edit(changes, 'user', true);
  }

  /** Types text, with one event for each character, but only one undo step for the whole text. */
  type(at: number, text: string): void {
    for (const [index, unit] of text.split('').entries()) {
      const change = { rangeOffset: at + index, rangeLength: 0, text: unit };
      this.#edit([change], 'user', index === 0);
    }
  }

  /** @returns the changes, or an empty list if there is nothing to undo */
  undo(): Event {
    const step = this.#done.pop() ?? [];
    const inverse = step.toReversed().map((event) => event.toReversed().map(inverted));
    if (step.length > 0) this.#undone.push(step);
    for (const event of inverse) this.#apply(event, 'undo');
    return inverse.flat();
  }

  /** @returns the changes, or an empty list if there is nothing to redo */
  redo(): Event {
    const step = this.#undone.pop() ?? [];
    if (step.length > 0) this.#done.push(step);
    for (const event of step) this.#apply(event, 'redo');
    return step.flat();
  }

  onDidChange(listener: ChangeListener): void {
    this.#listener = listener;
  }

  onDidFollow(): void {}

  dispose(): void {}

  #edit(changes: readonly TextChange[], owner: Owner, undoStopBefore: boolean): void {
    // VS Code reports changes in reverse order, from the end of the document to the start.
    const ordered = changes.toSorted((one, other) => other.rangeOffset - one.rangeOffset);
    const event = ordered.map(({ rangeOffset, rangeLength, text }) => ({
      at: rangeOffset,
      removed: this.marks.slice(rangeOffset, rangeOffset + rangeLength),
      inserted: marksOf(text, owner),
    }));
    if (owner === 'writer') {
      const removed = event.flatMap((each) => each.removed);
      const ofUser = removed.filter(
        (mark) => mark.owner === 'user' && !this.trimmed.includes(mark),
      );
      this.taken += ofUser.map(({ unit }) => unit).join('');
    }
    this.#keep(event, undoStopBefore);
    this.#apply(event, undefined, owner);
  }

  /** Records an event in an undo step. Merges consecutive insertions, as VS Code does. */
  #keep(event: Event, undoStopBefore: boolean): void {
    this.#undone = [];
    const step = undoStopBefore ? undefined : this.#done.at(-1);
    const [before, ...others] = step?.at(-1) ?? [];
    const [next, ...more] = event;
    if (!step) this.#done.push([event]);
    else if (before && next && others.length + more.length === 0 && isBehind(next, before)) {
      step[step.length - 1] = [{ ...before, inserted: [...before.inserted, ...next.inserted] }];
    } else step.push(event);
  }

  #apply(event: Event, replay: Replay | undefined, owner: Owner = 'user'): void {
    for (const { at, removed, inserted } of event) {
      this.marks = [
        ...this.marks.slice(0, at),
        ...inserted,
        ...this.marks.slice(at + removed.length),
      ];
      if (owner === 'writer') continue;
      for (const mark of removed) this.deleted.add(mark);
      for (const mark of inserted) this.deleted.delete(mark);
    }
    this.version += 1;
    const changes = event.map(({ at, removed, inserted }) => ({
      rangeOffset: at,
      rangeLength: removed.length,
      text: inserted.map(({ unit }) => unit).join(''),
    }));
    this.#listener(changes, replay);
  }

  /**
   * Returns a change that removes the character two positions before the edit, or no change if that
   * character isn't a space. VS Code makes such a change when it trims the line that the cursor
   * leaves.
   */
  #blankBefore([first]: readonly TextChange[]): TextChange[] {
    const at = (first?.rangeOffset ?? 0) - 2;
    return this.text[at] === ' ' ? [{ rangeOffset: at, rangeLength: 1, text: '' }] : [];
  }

  #textBy(isWanted: (mark: Mark) => boolean): string {
    return this.marks
      .filter(isWanted)
      .map(({ unit }) => unit)
      .join('');
  }
}

function marksOf(text: string, owner: Owner): Mark[] {
  return text.split('').map((unit) => ({ unit, owner }));
}

function inverted({ at, removed, inserted }: Replacement): Replacement {
  return { at, removed: inserted, inserted: removed };
}

function isBehind(next: Replacement, before: Replacement): boolean {
  return next.removed.length === 0 && next.at === before.at + before.inserted.length;
}
