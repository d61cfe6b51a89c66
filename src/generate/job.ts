import type { Disposable, TextDocument } from 'vscode';
import { offsetsOf } from '../editor/documentEdit.ts';
import { plainText } from '../editor/fit/characterFilter.ts';
import { TextFit } from '../editor/fit/textFit.ts';
import type { InsertMode, ModeDeps } from '../editor/insertMode.ts';
import { EditorDocument } from '../editor/openDocument.ts';
import type { ResponseWriter, Undone } from '../editor/streamWriter.ts';
import type { Target, Targets } from '../editor/target.ts';
import { TrackedRange } from '../editor/trackedRange.ts';
import type { Template } from '../templates/template.ts';
import {
  ActiveRuns,
  nextRunState,
  type RunEnd,
  type RunMode,
  type RunState,
  restOf,
} from './run.ts';

/** The text of one command, kept whatever happens to the document. In memory only. */
export interface Result {
  /**
   * The text from the service, without invisible characters. Several responses are separated by
   * blank lines.
   */
  readonly text: string;
  readonly languageId: string;
}

interface Answer {
  readonly target: Target;
  /** The selection, wherever it is by now. */
  readonly selection: TrackedRange;
  prompt: string;
  fit: TextFit;
  /** As the service sent it. */
  text: string;
  state: RunState;
}

/**
 * What one command generates: an answer for each selection, all of them written by one writer. It
 * outlives the command, so that answers can be continued, made anew or taken back.
 */
export class Job implements Result, Disposable {
  /** Undefined for the selected text itself. */
  readonly template: Template | undefined;
  readonly mode: InsertMode;
  /** Empty once the job is forgotten. */
  #answers: readonly Answer[];
  #writer: ResponseWriter;
  readonly #openDocument: EditorDocument;
  /** Who is at work on its answers. */
  readonly activeRuns = new ActiveRuns();

  constructor(
    targets: Targets,
    template: Template | undefined,
    mode: InsertMode,
    { previews, rescue }: Pick<ModeDeps, 'previews'> & { readonly rescue: (job: Job) => void },
  ) {
    const { document } = targets[0];
    this.template = template;
    this.mode = mode;
    this.#openDocument = new EditorDocument(document);
    this.#answers = targets.map((target) => ({
      target,
      selection: new TrackedRange(offsetsOf(document, target.selection)),
      prompt: target.selectedText,
      fit: fitFor(mode, target),
      text: '',
      state: { kind: 'new' },
    }));
    this.#writer = mode.open(targets, {
      openDocument: this.#openDocument,
      previews,
      cancel: () => this.cancel(),
      rescue: () => rescue(this),
      takenBack: () => {
        this.#takeBack();
        this.cancel();
      },
    });
    this.#openDocument.onDidChange((changes) => {
      for (const change of changes) {
        for (const { selection } of this.#answers) selection.follow(change);
      }
    });
  }

  /** The one that its selections are in, also after it was renamed. */
  get document(): TextDocument {
    return this.#openDocument.document;
  }

  /** Of its answers, in the order of the document. */
  get indices(): number[] {
    return [...this.#answers.keys()];
  }

  get text(): string {
    return this.part(this.indices).text;
  }

  get languageId(): string {
    return this.document.languageId;
  }

  /** Of the answers that the service cut, since a limit was reached. */
  get cut(): number[] {
    return this.indices.filter((index) => restOf(this.#answer(index).state) === 'cut');
  }

  get isRunning(): boolean {
    return this.activeRuns.isAny;
  }

  /** True if nothing of it can be lost when it is forgotten. */
  get isIdle(): boolean {
    return !this.isRunning && !this.#writer.isPending;
  }

  get isForgotten(): boolean {
    return this.#answers.length === 0;
  }

  /** True once the user has undone all of it, so that it need not be rescued. */
  get isTakenBack(): boolean {
    return this.#answers.every(({ state }) => restOf(state) === 'undone');
  }

  /** How many invisible and control characters were taken out. */
  get removed(): number {
    return this.#answers.reduce((sum, { fit }) => sum + fit.removed, 0);
  }

  /** Number of invisible characters kept in prose. */
  get kept(): number {
    return this.#answers.reduce((sum, { fit }) => sum + fit.kept, 0);
  }

  promptOf(index: number): string {
    return this.#answer(index).prompt;
  }

  setPrompt(index: number, prompt: string): void {
    this.#answer(index).prompt = prompt;
  }

  /**
   * Returns some of the responses without invisible characters, since users can't check those
   * before they paste the text.
   */
  part(indices: readonly number[]): Result {
    const texts = indices.map((index) => plainText(this.#answer(index).text, this.languageId));
    const text = texts.filter((each) => each !== '').join('\n\n');
    return { text, languageId: this.languageId };
  }

  /** Of the selection, one-based as editors count. */
  linesOf(index: number): { readonly first: number; readonly last: number } {
    const { start, end } = this.#answer(index).selection.range;
    const lineAt = (offset: number) => this.document.positionAt(offset).line + 1;
    return { first: lineAt(start), last: lineAt(end) };
  }

  /** Whether its text goes to this document, or its selections are there. */
  isAbout(document: TextDocument | undefined): boolean {
    return document !== undefined && [this.document, this.#writer.document].includes(document);
  }

  /** Whether it is at work on any of these selections. */
  isAtWorkOn(targets: readonly Target[]): boolean {
    return (
      this.isRunning &&
      targets.some(({ document, selection }) => {
        if (document !== this.document) return false;
        const { start, end } = offsetsOf(document, selection);
        return this.#answers.some(({ selection: { range } }) => {
          return range.start <= end && start <= range.end;
        });
      })
    );
  }

  /** True if the text of a run could be inserted. */
  canInsert(index: number, runMode: RunMode): boolean {
    const { state, text } = this.#answer(index);
    const isUndone = restOf(state) === 'undone';
    const isNew = isUndone || (runMode === 'restart' && text !== '');
    return this.#writer.canInsert(index, isNew);
  }

  cancel(): void {
    this.activeRuns.cancel();
  }

  /** @returns the text that the answer goes on from; none for a new one, or one that was taken back */
  begin(index: number, runMode: RunMode): string {
    const one = this.#answer(index);
    one.state = nextRunState(one.state, runMode);
    if (one.state.kind === 'replacing') return '';
    one.fit.continue();
    return one.text;
  }

  append(index: number, text: string): void {
    const one = this.#answer(index);
    // Not before there is something to take the place of the answer so far.
    if (one.state.kind === 'replacing') this.#restart(one, index);
    one.state = nextRunState(one.state, 'text');
    one.text += text;
    this.#write(index, one.fit.add(text));
  }

  /** @returns false if not all of the text stands where it should */
  end(index: number, event: RunEnd): Promise<boolean> {
    const one = this.#answer(index);
    one.state = nextRunState(one.state, event);
    // What is held back of an answer that was cut can still become something else.
    if (one.state.kind !== 'cut') this.#write(index, one.fit.end());
    return this.#writer.end(index);
  }

  /** Stops it, and takes away what it has written. */
  async undo(): Promise<Undone> {
    this.cancel();
    if (!this.#writer.undo) return 'nothing';
    // Whatever comes of it, the writer writes nothing more of what came until now.
    this.#takeBack();
    return this.#writer.undo();
  }

  dispose(): void {
    this.activeRuns.close();
    this.#writer.dispose?.();
    this.#openDocument.dispose();
    if (this.isRunning) return;
    // Messages about the job can stay open for hours and must not keep its texts in memory.
    this.#answers = [];
    this.#writer = FORGOTTEN_WRITER;
  }

  #write(index: number, text: string): void {
    if (text !== '') this.#writer.append(index, text);
  }

  #takeBack(): void {
    for (const one of this.#answers) one.state = nextRunState(one.state, 'undone');
  }

  #restart(one: Answer, index: number): void {
    if (one.text === '' && restOf(one.state) !== 'undone') return;
    one.text = '';
    one.fit = fitFor(this.mode, one.target);
    this.#writer.restart(index);
  }

  #answer(index: number): Answer {
    const one = this.#answers[index];
    if (!one) throw new RangeError(`No answer ${index}`);
    return one;
  }
}

/** The writer of a forgotten job. */
const FORGOTTEN_WRITER: ResponseWriter = {
  isPending: false,
  canInsert: () => false,
  append() {},
  end: async () => true,
  restart() {},
};

function fitFor({ placeOf }: InsertMode, target: Target): TextFit {
  const { document, indentation, responseLanguage } = target;
  return placeOf
    ? new TextFit({ languageId: document.languageId, indentation, isInserted: true })
    : new TextFit({ languageId: responseLanguage, indentation: '' });
}
