import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { queryObjects } from 'node:v8';
import { commands, Range, window, workspace } from 'vscode';
import type { App } from '../../src/commands/commandTypes.ts';
import { handlers } from '../../src/commands/handlers.ts';
import { currentSnapshot, type EditorSnapshot } from '../../src/editor/editorSnapshot.ts';
import { TextFit } from '../../src/editor/fit/textFit.ts';
import { type GenerateOverrides, generate } from '../../src/generate/generate.ts';
import type { Job } from '../../src/generate/job.ts';
import { runJob } from '../../src/generate/runJob.ts';
import { gate } from '../emulator/faults.ts';
import { answerFor } from '../emulator/text.ts';
import { until as eventually } from '../vscode/deadline.ts';
import { jobOn, open, openFile, rename, typeAt, until, untilText } from './jobs.ts';
import { CUT_SHORT, chatPath, closingMessages, World } from './world.ts';

const PROMPT = new Range(0, 0, 0, 6);
const cut: GenerateOverrides = { insertMode: 'below', template: CUT_SHORT };

/** Tests commands for an existing job, including commands that run at the same time. */
describe('a job', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.end());

  const generated = async (order: GenerateOverrides = { insertMode: 'below' }) => {
    const editor = await open('prompt', PROMPT);
    await closingMessages(generate(world.options, order));
    const job = world.jobs.latest;
    assert.ok(job);
    return { editor, job };
  };

  const continueNewest = () => {
    const app = { ...world.options, usage: { record: async () => {} } } as unknown as App;
    const invocation = { args: {}, snapshot: undefined };
    return closingMessages(handlers.continueGeneration(app, invocation));
  };

  it('continues a response only once, even if two commands run simultaneously', async () => {
    const { editor, job } = await generated(cut);
    const before = world.emulator.count(chatPath);
    const runs = [1, 2].map(() => runJob(world.options, job, job.truncated, 'continue'));
    await closingMessages(Promise.all(runs).then(() => {}));
    assert.equal(world.emulator.count(chatPath), before + 1);
    const whole = `prompt\n${answerFor('prompt')}`;
    assert.equal(editor.document.getText(), whole.slice(0, editor.document.getText().length));
  });

  it('J30: generates only once if its command runs again while the user enters credentials', async () => {
    const asked = gate();
    world.beforeCredentials = asked.opened.then(() => true);
    const editor = await open('prompt', PROMPT);
    const first = generate(world.options, { insertMode: 'below' });
    await generate(world.options, { insertMode: 'below' });
    asked.open();
    await first;
    assert.equal(editor.document.getText(), `prompt\n${answerFor('prompt')}`);
  });

  it('I24: starts only once, even if the shortcut is pressed twice', async () => {
    for (const opened of [
      () => open('prompt', PROMPT),
      () => openFile('twice.txt', 'prompt', PROMPT),
    ]) {
      const editor = await opened();
      const before = world.emulator.requests.length;
      const presses = [1, 2].map(() => generate(world.options, { insertMode: 'below' }));
      await Promise.all(presses);
      const paths = world.emulator.requests.slice(before).map(({ path }) => path);
      assert.deepEqual(
        paths.filter((path) => path === chatPath),
        [chatPath],
      );
      assert.equal(editor.document.getText(), `prompt\n${answerFor('prompt')}`);
      assert.equal(await world.jobs.undo(), 'undone');
      assert.equal(await world.jobs.undo(), 'nothing');
    }
  });

  it('can still be canceled after its file is renamed', async () => {
    await openFile('escape.txt', 'prompt', PROMPT);
    world.emulator.faults.always(chatPath, { neverAnswers: true });
    const generating = generate(world.options, { insertMode: 'below' });
    await world.emulator.nextRequest(({ path }) => path === chatPath);
    const calls = mock.method(commands, 'executeCommand').mock;
    await rename('escape.txt', 'escape-new.txt');
    await until(window.onDidChangeActiveTextEditor, () => world.jobs.latest !== undefined);
    const updates = calls.calls
      .map((call): readonly unknown[] => call.arguments)
      .filter(([, key]) => key === 'hostedModel.isGenerating');
    calls.restore();
    assert.equal(updates.at(-1)?.[2], true);
    world.jobs.cancel();
    await generating;
  });

  it('can continue its truncated response, even if a newer response is complete', async () => {
    const { editor } = await generated(cut);
    const truncated = editor.document.getText();
    await generate(world.options, { insertMode: 'above' });
    const above = editor.document.getText().replace(truncated, '');
    await continueNewest();
    const text = editor.document.getText();
    assert.ok(text.startsWith(above + truncated) && text.length > (above + truncated).length);
  });

  it('can be continued if the user has undone a newer job in the editor', async () => {
    const { editor } = await generated(cut);
    const truncated = editor.document.getText();
    await closingMessages(generate(world.options, { ...cut, insertMode: 'above' }));
    await commands.executeCommand('undo');
    assert.equal(editor.document.getText(), truncated);
    await continueNewest();
    const text = editor.document.getText();
    assert.ok(text.startsWith(truncated) && text.length > truncated.length, text);
  });

  it('keeps its response until a retry returns new text', async () => {
    const { editor, job } = await generated();
    const before = editor.document.getText();
    world.beforeCredentials = Promise.resolve(false);
    await runJob(world.options, job, job.indices);
    assert.equal(world.jobs.result?.text, answerFor('prompt'));
    world.beforeCredentials = Promise.resolve(true);
    world.emulator.faults.next(chatPath, { recording: 22 }, 4);
    await runJob(world.options, job, job.indices);
    assert.equal(editor.document.getText(), before);
    assert.equal(world.jobs.result?.text, answerFor('prompt'));
    world.emulator.settings.answer = () => 'another';
    await runJob(world.options, job, job.indices);
    assert.equal(editor.document.getText(), 'prompt\nanother');
  });

  it('replaces a response on a retry, even after undo and redo', async () => {
    const { editor, job } = await generated();
    await commands.executeCommand('undo');
    await commands.executeCommand('redo');
    world.emulator.settings.answer = () => 'another';
    await runJob(world.options, job, job.indices);
    assert.equal(editor.document.getText(), 'prompt\nanother');
  });

  it("isn't retried if the user has typed into its response", async () => {
    const { editor, job } = await generated();
    await typeAt(editor.document, 'Hello', ' MINE');
    const before = [world.emulator.count(chatPath), editor.document.getText()];
    await runJob(world.options, job, job.indices);
    assert.deepEqual([world.emulator.count(chatPath), editor.document.getText()], before);
  });

  it('can retry, but not continue, a response undone in the editor', async () => {
    const { editor, job } = await generated(cut);
    await commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'prompt');
    const before = world.emulator.count(chatPath);
    await runJob(world.options, job, job.truncated, 'continue');
    assert.equal(world.emulator.count(chatPath), before);
    await closingMessages(runJob(world.options, job, job.indices));
    assert.equal(world.emulator.count(chatPath), before + 1);
    assert.match(editor.document.getText(), /^prompt\nHello/);
  });

  it('is undone before earlier jobs in the same document', async () => {
    const { editor } = await generated();
    const once = editor.document.getText();
    await generate(world.options, { insertMode: 'above' });
    assert.notEqual(editor.document.getText(), once);
    assert.equal(await world.jobs.undo(), 'undone');
    assert.equal(editor.document.getText(), once);
    assert.equal(await world.jobs.undo(), 'undone');
    assert.equal(editor.document.getText(), 'prompt');
    assert.equal(await world.jobs.undo(), 'nothing');
  });

  it("isn't undone while another document is active @nightly", async () => {
    const { editor } = await generated();
    const before = editor.document.getText();
    await window.showTextDocument(await workspace.openTextDocument({ content: 'another' }));
    assert.equal(world.jobs.latest, undefined);
    assert.equal(await world.jobs.undo(), 'nothing');
    assert.equal(editor.document.getText(), before);
  });

  it('can be undone from the new document that it created @nightly', async () => {
    await open('prompt', PROMPT);
    await generate(world.options, { insertMode: 'newDocument' });
    const shown = window.visibleTextEditors.find(({ document }) =>
      document.getText().startsWith('Hello'),
    );
    assert.ok(shown);
    await window.showTextDocument(shown.document, shown.viewColumn);
    assert.equal(await world.jobs.undo(), 'undone');
    assert.equal(shown.document.getText(), '');
  });

  it("isn't forgotten while its response is in an open preview @nightly", async () => {
    const { job } = await generated({ insertMode: 'preview' });
    const editor = await open('prompt', PROMPT);
    for (let count = 0; count < 25; count += 1) world.jobs.add(jobOn(editor, 'clipboard'));
    assert.equal(job.isIdle, false);
    assert.notEqual(job.activeRuns.reserve([0]), undefined, 'the job can still be retried');
  });

  it('frees its memory after 20 more jobs, even if a message is still open @nightly', async () => {
    const editor = await open('prompt', PROMPT);
    const countFits = () => Number(queryObjects(TextFit, { format: 'count' }));
    const fits = countFits();
    const asked: WeakRef<EditorSnapshot>[] = [];
    const jobs: Job[] = [];
    const order = { ...cut, insertMode: 'clipboard' };
    while (jobs.length < 25) {
      const snapshot = currentSnapshot();
      assert.ok(snapshot);
      asked.push(new WeakRef(snapshot));
      // The promise isn't awaited, because the message about the truncated response stays open.
      void generate(world.options, order, snapshot);
      const job = await eventually('the response', 60_000, () => {
        const { latest } = world.jobs;
        return latest === jobs.at(-1) || latest?.isRunning ? undefined : latest;
      });
      jobs.push(job);
    }
    const old = jobs.slice(0, 5);
    assert.deepEqual([...new Set(old.map(({ text }) => text))], ['']);
    const before = world.emulator.count(chatPath);
    for (const job of old) await runJob(world.options, job, [0], 'continue');
    assert.equal(world.emulator.count(chatPath), before);
    // `countFits` calls `queryObjects`, which collects garbage first.
    assert.ok(countFits() - fits <= 20);
    assert.deepEqual([...new Set(asked.slice(0, 5).map((each) => each.deref()))], [undefined]);
    assert.equal(editor.document.getText(), 'prompt');
    await commands.executeCommand('notifications.clearAll');
  });

  it("can't be continued after it is forgotten @nightly", async () => {
    const { editor, job } = await generated(cut);
    const before = editor.document.getText();
    world.jobs.forget(job);
    await commands.executeCommand('workbench.action.focusActiveEditorGroup');
    await runJob(world.options, job, job.truncated, 'continue');
    assert.equal(editor.document.getText(), before);
  });

  it('generates a new response instead of continuing one that Undo Generation removed @nightly', async () => {
    const { editor, job } = await generated(cut);
    const answers = job.truncated;
    assert.equal(await job.undo(), 'undone');
    assert.deepEqual(job.truncated, []);
    await closingMessages(runJob(world.options, job, answers, 'continue'));
    const text = editor.document.getText();
    assert.ok(text.startsWith('prompt\nHello') && !text.includes('Hello', 10), text);
  });

  it('stops without a message if the user undoes everything it inserted', async () => {
    const held = gate();
    world.emulator.faults.next(chatPath, {
      beforePart: (index) => (index === 3 ? held.opened : undefined),
    });
    const editor = await open('prompt\nend', PROMPT);
    const request = world.emulator.nextRequest(chatPath);
    const work = generate(world.options, { insertMode: 'below' });
    const gone = world.emulator.disconnected(await request);
    await untilText(editor.document, (text) => text.includes('Hello'));
    await commands.executeCommand('undo');
    await gone;
    await work;
    assert.equal(editor.document.getText(), 'prompt\nend');
    assert.deepEqual(world.reported, []);
  });
});
