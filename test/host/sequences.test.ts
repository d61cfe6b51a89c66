import assert from 'node:assert/strict';
import { commands, Range, Selection, type TextDocument, type TextEditor } from 'vscode';
import { generate } from '../../src/generate/generate.ts';
import type { Job } from '../../src/generate/job.ts';
import { continueResponses } from '../../src/generate/responseNotifications.ts';
import { runJob } from '../../src/generate/runJob.ts';
import { gate } from '../emulator/faults.ts';
import { randomOf } from '../random.ts';
import { fullOrShort } from '../soak/fullOrShort.ts';
import { type ByPlacingMode, open, placingModes, untilText } from './jobs.ts';
import { CUT_SHORT, chatPath, closingMessages, World } from './world.ts';

/**
 * A character in the test's copy of the document. If undo or redo restores a character, the copy
 * contains the same `Mark` object again.
 */
interface Mark {
  readonly char: string;
  /** Undefined if the user typed the character. */
  readonly response?: Response;
}

interface Response {
  readonly generation: Generation;
  /** All characters written for this response so far. */
  readonly marks: Mark[];
  /** The last character of `text`. The rest of the response is inserted after this character. */
  end: Mark | undefined;
  /** The text that the service has sent so far. */
  text: string;
}

/**
 * The place where an insert mode writes a response, the text inserted around the response, and the
 * text that the response replaces.
 */
interface Insertion {
  /** Offset in the document. */
  readonly place: number;
  /** The text inserted before and after a response. */
  readonly lead?: string;
  readonly tail?: string;
  /** The text that a response replaces. */
  readonly original?: readonly Mark[];
}

interface Generation extends Required<Omit<Insertion, 'place'>> {
  readonly job: Job;
  /** The responses, from the oldest to the newest. */
  readonly responses: Response[];
}

/** The state of the document after a step. */
interface State {
  readonly marks: readonly Mark[];
  /** Generated characters that the user deleted by hand. */
  readonly deleted: ReadonlySet<Mark>;
}

const PIECES = 16;
/** Number of chunks that arrive before the test pauses the stream. */
const HEAD = 3;
/** Number of sequences per document. A document's undo stack grows with each sequence. */
const PER_DOCUMENT = 25;
/**
 * Typed characters get consecutive code points, starting after this one, so that every typed
 * character is unique. Unlike the characters in responses, they aren't ASCII.
 */
const FIRST_CHARACTER = 0x4e00;

describe('random sequences of typing, undo, redo, and commands', () => {
  let world: World;
  before(async () => {
    world = await World.start();
  });
  after(() => world.end());

  it('leave the document in the state that a simple simulation predicts @nightly', async function () {
    // This timeout is long enough that only a hang would exceed it.
    this.timeout(18_000_000);
    const seed = Number(process.env['HOSTED_MODEL_SEED'] ?? 20_270_314);
    const count = fullOrShort(2_000, 60);
    const figures = new Map<string, number>();
    let editor: TextEditor | undefined;
    for (let index = 0; index < count; index += 1) {
      if (index % PER_DOCUMENT === 0) editor = await open('');
      assert.ok(editor);
      await new Sequence(world, editor, seed + index, figures).play();
    }
    assert.deepEqual(world.reported, []);
    const steps = [...figures.values()].reduce((sum, each) => sum + each, 0);
    const list = [...figures].map(([name, times]) => `${times} ${name}`).join(', ');
    console.log(`      ${count} sequences, ${steps} steps, seed ${seed}: ${list}`);
  });
});

/**
 * Performs the random steps of one sequence. After each step, compares the document with a model of
 * it.
 */
class Sequence {
  readonly #world: World;
  readonly #editor: TextEditor;
  readonly #seed: number;
  readonly #random: () => number;
  readonly #figures: Map<string, number>;
  readonly #generations: Generation[] = [];
  readonly #steps: string[] = [];
  /**
   * The states that undo and redo can restore, from the oldest to the newest. One undo or redo can
   * skip several states.
   */
  #states: State[] = [{ marks: [], deleted: new Set() }];
  #at = 0;
  #typed = 0;
  #requests = 0;

  constructor(world: World, editor: TextEditor, seed: number, figures: Map<string, number>) {
    this.#world = world;
    this.#editor = editor;
    this.#seed = seed;
    this.#random = randomOf(seed);
    this.#figures = figures;
    world.emulator.settings.answer = () => {
      this.#requests += 1;
      return this.#piecesOf(this.#requests);
    };
  }

  async play(): Promise<void> {
    try {
      await this.#begin();
      for (let left = 6 + this.#below(7); left > 0; left -= 1) await this.#step();
    } catch (error) {
      const steps = this.#steps.join('\n  ');
      const why = error instanceof Error ? error.stack : error;
      throw new Error(`seed ${this.#seed}, after these steps:\n  ${steps}\n${why}`);
    } finally {
      for (const { job } of this.#generations) this.#world.jobs.forget(job);
    }
  }

  async #begin(): Promise<void> {
    const marks = [3, 4, 3].flatMap((length, line) => [
      ...(line > 0 ? [{ char: '\n' }] : []),
      ...Array.from({ length }, () => this.#nextOfUser()),
    ]);
    const all = new Range(0, 0, Number.MAX_SAFE_INTEGER, 0);
    assert.ok(await this.#editor.edit((builder) => builder.replace(all, textIn(marks))));
    this.#states = [{ marks, deleted: new Set() }];
    this.#check();
  }

  async #step(): Promise<void> {
    const last = this.#generations.at(-1);
    const steps: readonly (readonly [weight: number, step: () => Promise<void>])[] = [
      [last ? (this.#generations.length < 3 ? 3 : 0) : 100, () => this.#generate()],
      [4, () => this.#type()],
      [2, () => this.#delete()],
      [this.#at > 0 ? 5 : 0, () => this.#undo()],
      [this.#at < this.#states.length - 1 ? 14 : 0, () => this.#redo()],
      [4, () => this.#undoGeneration()],
      [3, () => this.#tryAgain()],
      [last && last.job.truncated.length > 0 ? 3 : 0, () => this.#continue()],
    ];
    const drawn = steps.flatMap(([weight, step]) => Array.from({ length: weight }, () => step));
    await this.#draw(drawn)?.();
  }

  async #type(): Promise<void> {
    const offset = this.#offset();
    const times = 1 + this.#below(2);
    this.#note('typing', `${times} at ${offset}`);
    await this.#select(offset, offset);
    for (let typed = 0; typed < times; typed += 1) {
      const mark = this.#nextOfUser();
      await commands.executeCommand('type', { text: mark.char });
      this.#become(this.#marks.toSpliced(offset + typed, 0, mark));
    }
  }

  async #delete(): Promise<void> {
    const offset = this.#offset();
    const mark = this.#marks[offset - 1];
    if (!mark) return;
    this.#note('deletions', `before ${offset}`);
    await this.#select(offset, offset);
    await commands.executeCommand('deleteLeft');
    const deleted = new Set(this.#state.deleted).add(mark);
    this.#become(this.#marks.toSpliced(offset - 1, 1), deleted);
  }

  async #undo(): Promise<void> {
    if (this.#at === 0) return;
    this.#note('undo');
    await commands.executeCommand('undo');
    this.#land(this.#states.findLastIndex((state, at) => at < this.#at && this.#isShown(state)));
  }

  async #redo(): Promise<void> {
    if (this.#at === this.#states.length - 1) return;
    this.#note('redo');
    await commands.executeCommand('redo');
    this.#land(this.#states.findIndex((state, at) => at > this.#at && this.#isShown(state)));
  }

  async #generate(): Promise<void> {
    const marks = this.#marks;
    const isUsers = (at: number) => marks[at]?.response === undefined && marks[at]?.char !== '\n';
    const from = this.#draw([...marks.keys()].filter(isUsers));
    if (from === undefined) return;
    let to = from + 1;
    while (to < marks.length && isUsers(to) && this.#below(3) > 0) to += 1;
    const mode = this.#draw(placingModes)?.[0] ?? 'below';
    const isCut = this.#below(2) === 0;
    const held = this.#below(2) === 0 ? gate() : undefined;
    this.#note(
      'Generate',
      `${mode}, ${from} to ${to}${isCut ? ', cut' : ''}${held ? ', held' : ''}`,
    );
    await this.#select(from, to);
    const head = this.#piecesOf(this.#requests + 1)
      .slice(0, HEAD)
      .join('');
    if (held) {
      const beforePart = (index: number) => (index > HEAD ? held.opened : undefined);
      this.#world.emulator.faults.next(chatPath, { beforePart });
    }
    const order = { insertMode: mode, template: isCut ? CUT_SHORT : undefined };
    const run = closingMessages(generate(this.#world.options, order));
    await (held ? untilText(this.#document, (text) => text.includes(head)) : run);
    const job = this.#world.jobs.latest;
    assert.ok(job);
    const text = textIn(marks);
    const lineEnd = text.indexOf('\n', to) < 0 ? text.length : text.indexOf('\n', to);
    const lineStart = text.lastIndexOf('\n', from - 1) + 1;
    // `job.text` is the text before it's fitted. If a mode changes lines, apply the same change to
    // the text here, in `#tryAgain`, and in `#append`.
    const insertions: ByPlacingMode<Insertion> = {
      below: { place: lineEnd, lead: '\n' },
      after: { place: to },
      above: { place: from === 0 ? 0 : lineStart, tail: '\n' },
      replace: { place: from, original: marks.slice(from, to) },
    };
    const { place, lead = '', tail = '', original = [] } = insertions[mode];
    const generation: Generation = { job, lead, tail, original, responses: [] };
    this.#generations.push(generation);
    const response = this.#respond(generation, place, original.length, held ? head : job.text);
    if (held) await this.#meanwhile(response, held.open, run);
  }

  /**
   * Types, undoes, or redoes up to three times while a stream is paused. Then calls `goOn`, and
   * waits for the rest of the response.
   */
  async #meanwhile(response: Response, goOn: () => void, run: Promise<void>): Promise<void> {
    let isStopped = false;
    for (let left = this.#below(4); left > 0; left -= 1) {
      await this.#draw([() => this.#type(), () => this.#undo(), () => this.#redo()])?.();
      isStopped ||= !this.#marks.some((mark) => response.marks.includes(mark));
    }
    this.#note('rest of a stream');
    goOn();
    await run;
    if (isStopped || !this.#isWhole(response)) this.#check();
    else this.#append(response);
  }

  async #undoGeneration(): Promise<void> {
    this.#note('Undo Generation');
    const isOf = (one: Generation) => (mark: Mark) => mark.response?.generation === one;
    const last = this.#generations.findLast((one) => this.#marks.some(isOf(one)));
    const undone = await this.#world.jobs.undo();
    if (!last) {
      assert.equal(undone, 'nothing');
      return this.#check();
    }
    assert.equal(undone, 'undone');
    const first = this.#marks.findIndex(isOf(last));
    const left = this.#marks.filter((mark) => !isOf(last)(mark));
    this.#become(left.toSpliced(first, 0, ...last.original));
  }

  async #tryAgain(): Promise<void> {
    const generation = this.#generations.at(-1);
    if (!generation) return;
    const { job, original, lead, tail } = generation;
    const own = [...this.#marks.keys()].filter(
      (at) => this.#marks[at]?.response?.generation === generation,
    );
    const [first = -1] = own;
    const isOnePiece = own.every((at, index) => at === first + index);
    const isSent = await this.#run('Try Again', runJob(this.#world.options, job, job.indices));
    if (!isSent) {
      assert.ok(own.length === 0 || !isOnePiece, 'refused although the response is in one piece');
      return this.#check();
    }
    assert.ok(isOnePiece, 'sent although the response is divided');
    if (own.length > 0) {
      this.#respond(generation, first, own.length, job.text);
      return;
    }
    const place = this.#document.getText().indexOf(lead + job.text + tail);
    assert.ok(place >= 0, 'the response is inserted');
    const replaced = this.#marks.slice(place, place + original.length);
    assert.equal(textIn(replaced), textIn(original));
    this.#respond(generation, place, original.length, job.text);
  }

  async #continue(): Promise<void> {
    const generation = this.#generations.at(-1);
    const response = generation?.responses.at(-1);
    if (!generation || !response) return;
    const { job } = generation;
    const { options } = this.#world;
    const continued = continueResponses(job, (indices, how) => runJob(options, job, indices, how));
    const isSent = await this.#run('Continue', continued);
    if (!isSent) {
      const first = response.marks[0] && this.#marks.indexOf(response.marks[0]);
      const isOnePiece = response.marks.every(
        (mark, index) => this.#marks[(first ?? 0) + index] === mark,
      );
      assert.ok(!isOnePiece, 'refused although the response is in one piece');
      return this.#check();
    }
    assert.ok(this.#isWhole(response), 'sent although a part of the response is gone');
    this.#append(response);
  }

  /** @returns true if a request was sent */
  async #run(name: string, work: Promise<void>): Promise<boolean> {
    const before = this.#world.emulator.count(chatPath);
    await closingMessages(work);
    const isSent = this.#world.emulator.count(chatPath) > before;
    this.#note(isSent ? name : `${name} refused`);
    return isSent;
  }

  /** Adds a new response to the document model. */
  #respond(generation: Generation, place: number, removed: number, text: string): Response {
    const response: Response = { generation, marks: [], end: undefined, text };
    const [lead, own, tail] = [generation.lead, text, generation.tail].map((part) =>
      [...part].map((char) => ({ char, response })),
    );
    response.marks.push(...(lead ?? []), ...(own ?? []), ...(tail ?? []));
    response.end = own?.at(-1);
    generation.responses.push(response);
    this.#become(this.#marks.toSpliced(place, removed, ...response.marks));
    return response;
  }

  /**
   * Adds the rest of a response to the document model. If the user deleted the last character of
   * the response, the rest can be anywhere.
   */
  #append(response: Response): void {
    const { text } = response.generation.job;
    const added = [...text.slice(response.text.length)].map((char) => ({ char, response }));
    const place = this.#document.getText().indexOf(textIn(added));
    const end = response.end ? this.#marks.indexOf(response.end) : -1;
    if (end >= 0) assert.equal(place, end + 1);
    assert.ok(place >= 0, 'the response is inserted');
    response.marks.push(...added);
    response.end = added.at(-1);
    response.text = text;
    this.#become(this.#marks.toSpliced(place, 0, ...added));
  }

  /**
   * True if the document contains part of the response, and only characters that the user deleted
   * are missing.
   */
  #isWhole({ marks }: Response): boolean {
    const { deleted } = this.#state;
    return (
      marks.every((mark) => deleted.has(mark) || this.#marks.includes(mark)) &&
      marks.some((mark) => this.#marks.includes(mark))
    );
  }

  get #document(): TextDocument {
    return this.#editor.document;
  }

  get #state(): State {
    const state = this.#states[this.#at];
    assert.ok(state);
    return state;
  }

  get #marks(): readonly Mark[] {
    return this.#state.marks;
  }

  #become(marks: readonly Mark[], deleted = this.#state.deleted): void {
    this.#states.splice(this.#at + 1, this.#states.length, { marks, deleted });
    this.#at += 1;
    this.#check();
  }

  #land(at: number): void {
    assert.ok(at >= 0, `undo and redo lead to an earlier state:\n${this.#document.getText()}`);
    this.#at = at;
  }

  #isShown({ marks }: State): boolean {
    return textIn(marks) === this.#document.getText();
  }

  #check(): void {
    assert.equal(this.#document.getText(), textIn(this.#marks));
  }

  #piecesOf(request: number): string[] {
    const letters = [...'abcdefghijklmnop'].slice(0, PIECES);
    return letters.map((letter) => `<${request}${letter}>${letter === 'g' ? '\n' : ''}`);
  }

  #nextOfUser(): Mark {
    this.#typed += 1;
    return { char: String.fromCodePoint(FIRST_CHARACTER + this.#typed) };
  }

  /** Returns a random offset, often at the start or end of the document or in generated text. */
  #offset(): number {
    const all = this.#marks.length;
    const generated = [...this.#marks.keys()].filter((at) => this.#marks[at]?.response);
    const beside = (this.#draw(generated) ?? 0) + this.#below(2);
    return this.#draw([0, all, all, this.#below(all + 1), beside]) ?? 0;
  }

  async #select(from: number, to: number): Promise<void> {
    const wanted = new Selection(this.#document.positionAt(from), this.#document.positionAt(to));
    do {
      this.#editor.selections = [wanted];
      // A late event about the previous selection can overwrite the new selection. By the time this
      // command ends, all such events have arrived.
      await commands.executeCommand('setContext', 'hostedModel.isSelected', true);
    } while (!(this.#editor.selections.length === 1 && this.#editor.selection.isEqual(wanted)));
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #draw<Item>(from: readonly Item[]): Item | undefined {
    return from[this.#below(from.length)];
  }

  #note(name: string, detail = ''): void {
    this.#figures.set(name, (this.#figures.get(name) ?? 0) + 1);
    this.#steps.push(`${name} ${detail}`.trimEnd());
  }
}

function textIn(marks: readonly Mark[]): string {
  return marks.map(({ char }) => char).join('');
}
