import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { gate } from '../../emulator/faults.ts';
import { becomes } from '../../vscode/deadline.ts';
import { SinkEditor } from '../leaks/sinkEditor.ts';
import { type Windows, windows } from '../leaks/window.ts';
import { pathOf } from '../service/world.ts';
import { type Life, startLife } from './life.ts';

const chatStream = pathOf('chat', true);

describe('announcements in the status bar', () => {
  let opened: Windows;
  let life: Life;
  before(() => {
    opened = windows(new SinkEditor());
  });
  after(() => opened.end());
  beforeEach(async () => {
    life = await startLife();
  });
  const openEditor = () => {
    const editor = life.editor();
    editor.userSettings.set('insertMode', 'clipboard');
    return editor;
  };
  afterEach(async () => {
    mock.timers.reset();
    await life.emulator.close();
  });

  it('show how many responses are complete and which line failed', async () => {
    const { emulator, stores } = life;
    const editor = openEditor();
    editor.text = 'one two three four';
    editor.selections = [
      [0, 3],
      [4, 7],
      [8, 13],
      [14, 18],
    ];
    const isThree = ({ text }: { readonly text: string }) => text.includes('three');
    emulator.faults.next(isThree, { status: 503 }, 4);
    await opened.open(editor, stores, async (run) => {
      await run('generateFromSelection');
    });
    assert.match(editor.textOf('status text'), /3 of 4 complete, 1 failed \(line 1\)/);
    assert.doesNotMatch(editor.textOf('status text'), /All responses are complete/);
  });

  it('disappear when the next generation starts', async () => {
    const { emulator, stores } = life;
    const editor = openEditor();
    editor.keepDocument();
    await opened.open(editor, stores, async (run) => {
      const items = () => [...(editor.held.get('status item') ?? [])];
      const atRest = items();
      // Stops the clock so that no announcement expires.
      mock.timers.enable({ apis: ['setTimeout'] });
      await run('generateFromSelection');
      assert.match(editor.textOf('status text'), /The response is complete/);
      const last = items().filter((item) => !atRest.includes(item));
      assert.equal(last.length, 1);
      const held = gate();
      emulator.faults.next(chatStream, { hold: held.opened });
      const generating = run('generateFromSelection');
      await becomes('sent', () => emulator.count(chatStream) === 2);
      const now = items().filter((item) => !atRest.includes(item));
      assert.equal(now.length, 1, 'only the running generation is announced');
      assert.notEqual(now[0], last[0]);
      held.open();
      await generating;
    });
  });

  it('stay when another generation fails', async () => {
    const { emulator, stores } = life;
    const editor = openEditor();
    editor.text = 'one two';
    editor.userSettings.set('maxConcurrentRequests', 2);
    editor.keepDocument();
    const [first, second] = [gate(), gate()];
    emulator.faults.next(chatStream, { hold: first.opened, status: 400 });
    emulator.faults.next(chatStream, { hold: second.opened });
    await opened.open(editor, stores, async (run) => {
      const count = () => editor.held.get('status item')?.size ?? 0;
      const atRest = count();
      mock.timers.enable({ apis: ['setTimeout'] });
      editor.selections = [[0, 3]];
      const failing = run('generateFromSelection');
      await becomes('sent', () => emulator.count(chatStream) === 1);
      editor.selections = [[4, 7]];
      const generating = run('generateFromSelection');
      await becomes('sent', () => emulator.count(chatStream) === 2);
      assert.equal(count(), atRest + 1);
      first.open();
      await failing;
      assert.equal(count(), atRest + 1);
      second.open();
      await generating;
    });
  });

  it('stay for their full duration when they replace earlier ones', async () => {
    const { stores } = life;
    const editor = openEditor();
    editor.keepDocument();
    await opened.open(editor, stores, async (run) => {
      const count = () => editor.held.get('status item')?.size ?? 0;
      const atRest = count();
      mock.timers.enable({ apis: ['setTimeout'] });
      await run('generateFromSelection');
      mock.timers.tick(3_000);
      await run('generateFromSelection');
      assert.equal(count(), atRest + 1);
      mock.timers.tick(4_999);
      assert.equal(count(), atRest + 1);
      mock.timers.tick(1);
      assert.equal(count(), atRest);
    });
  });
});
