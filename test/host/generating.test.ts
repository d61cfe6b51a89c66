import assert from 'node:assert/strict';
import { mock } from 'node:test';
import {
  ConfigurationTarget,
  commands,
  Range,
  type TextEditor,
  type TextEditorDecorationType,
  window,
  workspace,
} from 'vscode';
import { currentSnapshot } from '../../src/editor/editorSnapshot.ts';
import { type GenerateOverrides, generate } from '../../src/generate/generate.ts';
import { runJob } from '../../src/generate/runJob.ts';
import { gate } from '../emulator/faults.ts';
import type { ReceivedRequest } from '../emulator/requests.ts';
import { answerFor } from '../emulator/text.ts';
import { becomes } from '../vscode/deadline.ts';
import { jobOn, open, openNew, openWith, typeAt, until } from './jobs.ts';
import { CUT_SHORT, chatPath, closingMessages, World } from './world.ts';

const below: GenerateOverrides = { insertMode: 'below' };
const line = (index: number, length: number) => new Range(index, 0, index, length);

describe('a job in a real editor', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.end());

  /** Generates a response that the service truncates, and returns its editor and job. */
  const generatedCut = async () => {
    const editor = await open('prompt', line(0, 6));
    await closingMessages(generate(world.options, { ...below, template: CUT_SHORT }));
    const job = world.jobs.latest;
    assert.ok(job);
    return { editor, job };
  };

  it('J17: sends one request for each selection, and undo removes all responses', async () => {
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

  describe('the selection at the time of the command', () => {
    const run = async (meanwhile: (editor: TextEditor) => Promise<void>) => {
      const editor = await open('one\ntwo\n', line(1, 3));
      const snapshot = currentSnapshot();
      await meanwhile(editor);
      const before = [world.emulator.count(chatPath), editor.document.getText()];
      await generate(world.options, below, snapshot);
      const isSent = world.emulator.count(chatPath) > Number(before[0]);
      if (!isSent) assert.equal(editor.document.getText(), before[1]);
      return isSent && editor.document.getText();
    };
    const isSelected = (editor: TextEditor, at: number) =>
      until(window.onDidChangeTextEditorSelection, () => editor.selection.start.line === at);

    it('is used even if the cursor has moved', async () => {
      const text = await run(async (editor) => {
        await commands.executeCommand('cursorTop');
        await isSelected(editor, 0);
      });
      assert.equal(text, `one\ntwo\n${answerFor('two')}\n`);
    });

    it('is used even if the selected text has moved', async () => {
      const text = await run(async (editor) => {
        await typeAt(editor.document, 'one', '\nmore');
        await isSelected(editor, 2);
      });
      assert.equal(text, `one\nmore\ntwo\n${answerFor('two')}\n`);
    });

    it("isn't sent if the selected text has been edited", async () => {
      assert.equal(await run((editor) => typeAt(editor.document, 'tw', 'MINE')), false);
    });
  });

  it("doesn't start its waiting generations once it is canceled", async () => {
    const ranges = Array.from({ length: 12 }, (_, index) => line(index, 3));
    const editor = await openWith('one\n'.repeat(12), ranges);
    const job = jobOn(editor, 'below');
    world.emulator.faults.always(chatPath, { neverAnswers: true });
    let startedCount = 0;
    const startWatch: typeof world.options.startWatch = (connection) => {
      startedCount += 1;
      if (startedCount === 8) setImmediate(() => job.cancel());
      return world.options.startWatch(connection);
    };
    await runJob({ ...world.options, startWatch }, job, job.indices);
    assert.equal(startedCount, 8);
  });

  it('doesn’t treat the line after a whole-line selection as selected', async () => {
    const wholeLines = [new Range(0, 0, 1, 0), new Range(2, 0, 4, 0)];
    const editor = await openWith('one\ntwo\nthree\nfour\nfive\n', wholeLines);
    const job = jobOn(editor, 'below');
    const lines = [
      { first: 1, last: 1 },
      { first: 3, last: 4 },
    ];
    assert.deepEqual(
      job.indices.map((index) => job.linesOf(index)),
      lines,
    );
  });

  /** Tracks which end-of-line decorations currently exist, until `restore` is called. */
  const watchDecorations = () => {
    const left = new Set<TextEditorDecorationType>();
    const { createTextEditorDecorationType } = window;
    const { mock: made } = mock.method(
      window,
      'createTextEditorDecorationType',
      (given: object) => {
        const type = createTextEditorDecorationType(given);
        left.add(type);
        const dispose = () => {
          left.delete(type);
          type.dispose();
        };
        return { ...type, dispose };
      },
    );
    return { left, made };
  };

  it('removes its end-of-line decorations after an unexpected error', async () => {
    const editor = await openWith('one\ntwo\n', [line(0, 3), line(1, 3)]);
    const job = jobOn(editor, 'below');
    const { left, made } = watchDecorations();
    const startWatch = () => assert.fail('unforeseen');
    await runJob({ ...world.options, startWatch }, job, job.indices).catch(() => {});
    made.restore();
    assert.deepEqual([made.callCount(), left.size], [2, 0]);
  });

  it('shows its end-of-line decoration until it writes text', async () => {
    const job = jobOn(await open('one\n', line(0, 3), 'typescript'), 'below');
    world.emulator.settings.answer = () => ['Here it is:\n\n', '```ts\n', 'a', ';\n```'];
    const { left, made } = watchDecorations();
    const append = mock.method(job, 'append');
    const counts: number[] = [];
    append.mock.mockImplementation((index: number, text: string) => {
      counts.push(left.size);
      Object.getPrototypeOf(job).append.call(job, index, text);
    });
    await runJob(world.options, job, job.indices);
    made.restore();
    assert.deepEqual(counts, [1, 1, 1, 0]);
  });

  for (const [inSettings, inTemplate, inKeybinding, used] of [
    ['preview', 'replace', undefined, 'preview'],
    ['preview', 'replace', 'replace', 'replace'],
    ['preview', 'above', undefined, 'above'],
    ['below', 'replace', undefined, 'replace'],
  ] as const) {
    it(`uses the template's insert mode (${inTemplate}), except that a replacement can be shown as a preview first (settings: ${inSettings}, keybinding: ${inKeybinding ?? 'none'})`, async () => {
      const settings = workspace.getConfiguration('hostedModel');
      await settings.update('insertMode', inSettings, ConfigurationTarget.Global);
      try {
        await open('prompt', line(0, 6));
        const template = { ...CUT_SHORT, parameters: {}, insertMode: inTemplate };
        await generate(world.options, { template, insertMode: inKeybinding });
        assert.equal(world.jobs.latest?.mode.id, used);
      } finally {
        await settings.update('insertMode', undefined, ConfigurationTarget.Global);
      }
    });
  }

  it('reports failed lines in document order, regardless of which failed first', async () => {
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
    assert.deepEqual(world.reported, [{ kind: 'connection-lost', prefix: 'Lines 1, 2, and 3: ' }]);
  });

  it('names the document in a failure message if another document is active', async () => {
    const { document } = await openWith('one\n', [line(0, 3)]);
    const held = gate();
    world.emulator.faults.next(chatPath, { hold: held.opened, resetBeforeHeaders: true });
    const generating = generate(world.options, below);
    await world.emulator.nextRequest(chatPath);
    await openNew('other', [line(0, 5)]);
    held.open();
    await generating;
    assert.deepEqual(world.reported, [
      { kind: 'connection-lost', prefix: `${document.uri.path}: ` },
    ]);
  });

  it('names the document in a failure message if a message about another document is still shown', async () => {
    const choice = Promise.withResolvers<boolean>();
    world.isRetryWanted = choice.promise;
    const failing = async () => {
      const { document } = await openNew('one\n', [line(0, 3)]);
      world.emulator.faults.next(chatPath, { resetBeforeHeaders: true });
      const generating = generate(world.options, below);
      const { length } = world.reported;
      await becomes('a reported failure', () => world.reported.length > length);
      return { document, generating };
    };
    const first = await failing();
    const second = await failing();
    choice.resolve(false);
    await Promise.all([first.generating, second.generating]);
    const prefixes = world.reported.map(({ prefix }) => prefix);
    assert.deepEqual(prefixes, ['', `${second.document.uri.path}: `]);
  });

  it('reports the line of a failed selection, and retries only that selection', async () => {
    const editor = await openWith('one\ntwo\nthree\n', [line(0, 3), line(1, 3), line(2, 5)]);
    const isOfTwo = ({ path, text }: ReceivedRequest) => path === chatPath && text.includes('two');
    world.emulator.faults.next(isOfTwo, { recording: 22 }, 4);
    world.isRetryWanted = true;
    const before = world.emulator.count(chatPath);
    await generate(world.options, below);
    // The failed selection's line has moved down, because the response to the first line was
    // inserted above it.
    assert.deepEqual(world.reported, [{ kind: 'server-failed', prefix: 'Line 6: ' }]);
    assert.equal(world.emulator.count(chatPath), before + 2 + 4 + 1);
    const want = ['one', 'two', 'three'].map((word) => `${word}\n${answerFor(word)}\n`).join('');
    assert.equal(editor.document.getText(), want);
  });

  it('continues a response exactly where it was truncated, and can be undone completely', async () => {
    const { editor, job } = await generatedCut();
    let rounds = 0;
    for (; job.truncated.length > 0; rounds += 1) {
      await closingMessages(runJob(world.options, job, job.truncated, 'continue'));
    }
    assert.ok(rounds > 2, `${rounds} rounds`);
    assert.equal(editor.document.getText(), `prompt\n${answerFor('prompt')}`);
    assert.equal(await job.undo(), 'undone');
    assert.equal(editor.document.getText(), 'prompt');
  });

  it('continues a response even if an earlier attempt to continue it failed @nightly', async () => {
    const { editor, job } = await generatedCut();
    const before = editor.document.getText();
    world.emulator.faults.next(chatPath, { recording: 22 }, 4);
    await closingMessages(runJob(world.options, job, job.truncated, 'continue'));
    assert.equal(world.reported.length, 1);
    assert.equal(editor.document.getText(), before);
    assert.deepEqual(job.truncated, [0]);
    while (job.truncated.length > 0)
      await closingMessages(runJob(world.options, job, job.truncated, 'continue'));
    assert.equal(editor.document.getText(), `prompt\n${answerFor('prompt')}`);
  });
});
