import assert from 'node:assert/strict';
import { Range, workspace } from 'vscode';
import { generate, type Order } from '../../src/generate/generate.ts';
import { runJob } from '../../src/generate/runJob.ts';
import { gate } from '../emulator/faults.ts';
import type { ReceivedRequest } from '../emulator/requests.ts';
import { answerFor } from '../emulator/text.ts';
import { CUT_SHORT, chatPath, closingMessages, open, World } from './world.ts';

const below: Order = { insertMode: 'below' };
const line = (index: number, length: number) => new Range(index, 0, index, length);

describe('generating in a real editor', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.end());

  /** An answer that the service has cut. */
  const generatedCut = async () => {
    const editor = await open('prompt', line(0, 6));
    await closingMessages(generate(world.options, { ...below, template: CUT_SHORT }));
    const job = world.jobs.latest;
    assert.ok(job);
    return { editor, job };
  };

  it('at 100 tokens a second makes at most 31 edits a second, and two at most behind the last event', async () => {
    world.emulator.settings.tokenDelayMs = 10;
    world.emulator.settings.answer = () => Array.from({ length: 300 }, () => 'word ');
    const sent: number[] = [];
    world.emulator.faults.next(chatPath, {
      beforePart: async () => {
        sent.push(performance.now());
      },
    });
    const editor = await open('prompt', line(0, 6));
    const edits: number[] = [];
    const listener = workspace.onDidChangeTextDocument((event) => {
      if (event.document === editor.document && event.contentChanges.length > 0) {
        edits.push(performance.now());
      }
    });
    await generate(world.options, below);
    listener.dispose();
    const perSecond = Math.max(
      ...edits.map((at) => edits.filter((other) => other >= at && other < at + 1_000).length),
    );
    const [first = 0, last = 0] = [edits[0], edits.at(-1)];
    const lastSent = sent.at(-1) ?? 0;
    console.log(
      `      ${sent.length} events in ${((lastSent - (sent[0] ?? 0)) / 1_000).toFixed(2)} s; ${edits.length} edits in ${((last - first) / 1_000).toFixed(2)} s, at most ${perSecond} in a second; last character ${(last - lastSent).toFixed(0)} ms after the last event`,
    );
    assert.equal(editor.document.getText(), `prompt\n${'word '.repeat(300)}`);
    assert.ok(perSecond <= 31);
    // The one that is under way, and the rest. How long they take is up to the machine.
    assert.ok(edits.filter((at) => at > lastSent).length <= 3);
  });

  it('J17: generates for each selection, all at the same time, and one undo takes all back', async () => {
    const text = 'one\ntwo\nthree\n';
    const editor = await open(text, line(0, 3), line(1, 3), line(2, 5));
    const before = world.emulator.count(chatPath);
    await generate(world.options, below);
    const want = ['one', 'two', 'three'].map((word) => `${word}\n${answerFor(word)}\n`).join('');
    assert.equal(editor.document.getText(), want);
    assert.equal(world.emulator.count(chatPath), before + 3);
    assert.equal(await world.jobs.undo(), 'undone');
    assert.equal(editor.document.getText(), text);
  });

  it('reports the lines of what failed in their order, whichever failed first', async () => {
    await open('one\ntwo\nthree\n', line(0, 3), line(1, 3), line(2, 5));
    const held = gate();
    const isOf = (word: string) => (request: ReceivedRequest) =>
      request.path === chatPath && request.text.includes(word);
    world.emulator.faults.next(isOf('one'), { hold: held.opened, resetBeforeHeaders: true });
    for (const word of ['two', 'three']) {
      world.emulator.faults.next(isOf(word), { resetBeforeHeaders: true });
    }
    const generating = generate(world.options, below);
    const others = await world.emulator.nextRequest(isOf('three'));
    await world.emulator.disconnected(others);
    held.open();
    await generating;
    assert.deepEqual(world.reported, [{ kind: 'connection-lost', lines: [1, 2, 3] }]);
  });

  it('reports what failed with its line, and tries that alone again', async () => {
    const editor = await open('one\ntwo\nthree\n', line(0, 3), line(1, 3), line(2, 5));
    const isOfTwo = ({ path, text }: ReceivedRequest) => path === chatPath && text.includes('two');
    world.emulator.faults.next(isOfTwo, { recording: 22 }, 4);
    world.isRetryWanted = true;
    const before = world.emulator.count(chatPath);
    await generate(world.options, below);
    // Where it stands by now: the answer to the first line is above it.
    assert.deepEqual(world.reported, [{ kind: 'server-failed', lines: [6] }]);
    assert.equal(world.emulator.count(chatPath), before + 2 + 4 + 1);
    const want = ['one', 'two', 'three'].map((word) => `${word}\n${answerFor(word)}\n`).join('');
    assert.equal(editor.document.getText(), want);
  });

  it('goes on from the exact end as often as the service cuts, and takes all of it back at once', async () => {
    const { editor, job } = await generatedCut();
    let rounds = 0;
    for (; job.cut.length > 0; rounds += 1) {
      await closingMessages(runJob(world.options, job, job.cut, 'continue'));
    }
    assert.ok(rounds > 2, `${rounds} rounds`);
    assert.equal(editor.document.getText(), `prompt\n${answerFor('prompt')}`);
    assert.equal(await job.undo(), 'undone');
    assert.equal(editor.document.getText(), 'prompt');
  });

  it('can still go on when going on has failed once', async () => {
    const { editor, job } = await generatedCut();
    const before = editor.document.getText();
    world.emulator.faults.next(chatPath, { recording: 22 }, 4);
    await closingMessages(runJob(world.options, job, job.cut, 'continue'));
    assert.equal(world.reported.length, 1);
    assert.equal(editor.document.getText(), before);
    assert.deepEqual(job.cut, [0]);
    while (job.cut.length > 0)
      await closingMessages(runJob(world.options, job, job.cut, 'continue'));
    assert.equal(editor.document.getText(), `prompt\n${answerFor('prompt')}`);
  });
});
