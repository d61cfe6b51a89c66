import assert from 'node:assert/strict';
import { Range } from 'vscode';
import { generate, type Order } from '../../src/generate/generate.ts';
import { runJob } from '../../src/generate/runJob.ts';
import { gate } from '../emulator/faults.ts';
import type { ReceivedRequest } from '../emulator/requests.ts';
import { answerFor } from '../emulator/text.ts';
import { open, openWith } from './jobs.ts';
import { CUT_SHORT, chatPath, closingMessages, World } from './world.ts';

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

  it('J17: generates for each selection, all at the same time, and one undo takes all back', async () => {
    const text = 'one\ntwo\nthree\n';
    const editor = await openWith(text, [line(0, 3), line(1, 3), line(2, 5)]);
    const before = world.emulator.count(chatPath);
    await generate(world.options, below);
    const want = ['one', 'two', 'three'].map((word) => `${word}\n${answerFor(word)}\n`).join('');
    assert.equal(editor.document.getText(), want);
    assert.equal(world.emulator.count(chatPath), before + 3);
    assert.equal(await world.jobs.undo(), 'undone');
    assert.equal(editor.document.getText(), text);
  });

  it('reports the lines of what failed in their order, whichever failed first', async () => {
    await openWith('one\ntwo\nthree\n', [line(0, 3), line(1, 3), line(2, 5)]);
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
    const editor = await openWith('one\ntwo\nthree\n', [line(0, 3), line(1, 3), line(2, 5)]);
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

  it('can still go on when going on has failed once @nightly', async () => {
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
