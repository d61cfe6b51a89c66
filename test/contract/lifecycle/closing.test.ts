import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { services } from '../../../src/service/builtInServices.ts';
import { isFull } from '../../soak/fullOrShort.ts';
import { prove } from '../../soak/measures.ts';
import { resources } from '../../soak/resources.ts';
import { FakeTime } from '../../unit/service/fixtures.ts';
import { becomes, until } from '../../vscode/deadline.ts';
import type { SinkEditor } from '../leaks/sinkEditor.ts';
import { pathOf } from '../service/world.ts';
import { eachWithLife } from './life.ts';

const chatStream = pathOf('chat', true);
const CALLS = 8;
/** The delay between a change and the repaint of the status item, in milliseconds. */
const PAINT_AFTER_MS = 16;
/** The number of windows in each of the two measured parts. */
const ROUNDS = isFull ? 50 : 3;
/**
 * The number of windows that are opened before the measurement, so that code compiled on first use
 * isn't measured as growth.
 */
const WARM_UP = isFull ? 30 : 1;

describe('a window', () => {
  const suite = eachWithLife();

  it(`cancels ${CALLS} concurrent calls and releases all resources when it closes`, async () => {
    const { emulator, stores } = suite.life;
    // Makes one call before the measurement, because the first call loads code that stays in
    // memory.
    const first = suite.life.editor();
    await suite.opened.open(first, stores, (run) => run('generateFromSelection'));
    await becomes('closed', () => emulator.openConnections === 0);
    const before = await resources();
    const editor = suite.life.editor();
    editor.userSettings.set('maxConcurrentRequests', CALLS);
    const window = await suite.opened.start(editor, stores);
    emulator.faults.next(chatStream, { neverAnswers: true }, CALLS);
    const seen = emulator.count(chatStream);
    const calls = Array.from({ length: CALLS }, () => window.run('generateFromSelection'));
    // Also stops waiting once all calls have ended, because they might end without sending a
    // request.
    await Promise.race([emulator.requestCount(chatStream, seen + CALLS), Promise.all(calls)]);
    const inFlight = emulator.inFlight.inference;
    await window.close();
    await Promise.all(calls);
    await becomes('closed', () => emulator.openConnections === 0);
    const after = await resources();
    prove('a window that closes', [
      { name: 'concurrent calls', found: inFlight, bar: ['=', CALLS] },
      { name: 'sockets left', found: after.sockets - before.sockets, bar: ['=', 0] },
      { name: 'timers left', found: after.timers - before.timers, bar: ['=', 0] },
      {
        name: 'requests sent after closing',
        found: emulator.count(chatStream) - seen - CALLS,
        bar: ['=', 0],
      },
    ]);
    assert.deepEqual(editor.heldCounts, {});
    assert.equal(stores.keyring.listeners.size, 0);
    // On a slow machine, the window may offer a retry before it closes.
    const buttonLists = editor.sunk.get('notification')?.filter((text) => text.startsWith('['));
    for (const buttons of buttonLists ?? []) {
      assert.equal(buttons, '["Retry"]', 'a canceled call reports nothing');
    }
  });

  it(`K04: doesn't leak resources when it is opened and closed ${2 * ROUNDS} times`, async () => {
    const { emulator, stores } = suite.life;
    const editors: WeakRef<SinkEditor>[] = [];
    const left: unknown[] = [];
    const round = async () => {
      const editor = suite.life.editor();
      editors.push(new WeakRef(editor));
      await suite.opened.open(editor, stores, (run) => run('generateFromSelection'));
      assert.match(editor.textOf('document'), /content/);
      // A progress notification disappears a moment after the work ends.
      await becomes('without items', () => Object.keys(editor.heldCounts).length === 0);
      left.push(...stores.keyring.listeners);
      emulator.reset();
    };
    const rounds = async (count: number) => {
      for (let done = 0; done < count; done += 1) await round();
      await becomes('closed', () => emulator.openConnections === 0);
      return resources();
    };
    const before = await rounds(WARM_UP);
    const between = await rounds(ROUNDS);
    const after = await rounds(ROUNDS);
    // The fake `vscode` module still refers to the last editor, so this editor may remain in
    // memory.
    await until('the editors to be collected', 60_000, async () => {
      await resources();
      return editors.filter((editor) => editor.deref()).length <= 1 || undefined;
    });
    // A leak makes the heap grow in both parts, but earlier tests in this process affect only one.
    // The test therefore checks the smaller increase.
    const growth = Math.min(
      between.heapBytes - before.heapBytes,
      after.heapBytes - between.heapBytes,
    );
    prove(`${2 * ROUNDS} windows in a row`, [
      { name: 'listeners left', found: left.length, bar: ['=', 0] },
      { name: 'sockets left', found: after.sockets - before.sockets, bar: ['=', 0] },
      { name: 'timers left', found: after.timers - before.timers, bar: ['=', 0] },
      {
        name: 'heap growth after GC, MB',
        found: growth / 1_048_576,
        ...(isFull && { bar: ['≤', 1] }),
      },
    ]);
  });

  it('checks its token once a minute, even if a countdown repaints every second', async () => {
    const { StatusItem } = await import('../../../src/status/statusItem.ts');
    const editor = suite.life.editor();
    let beats = 0;
    const place = { service: services[0], authUrl: '', url: '', projectId: '', modelId: '' };
    const time = new FakeTime();
    const status = suite.opened.showing(
      editor,
      () =>
        new StatusItem(
          () => place,
          () => (beats += 1),
        ),
    );
    try {
      const token = { kind: 'valid', expiresAt: time.now() + 3_600_000, refreshesAt: 0 } as const;
      const resumesAt = time.now() + 59_000;
      const live = {
        get state() {
          const resumesInMs = resumesAt - time.now();
          return { inFlight: 0, waiting: 1, limit: 8, ...(resumesInMs > 0 && { resumesInMs }) };
        },
      };
      status.update({ isSetUp: true, token, requests: live });
      mock.timers.tick(PAINT_AFTER_MS);
      const painted = editor.tooltips.length;
      for (let second = 0; second < 59; second += 1) mock.timers.tick(1_000);
      assert.equal(beats, 0);
      assert.equal(editor.tooltips.length - painted, 59, 'each second of the pause is shown');
      for (let second = 59; second < 600; second += 1) mock.timers.tick(1_000);
      assert.equal(beats, 10);
    } finally {
      status.dispose();
      time.end();
    }
  });

  it('repaints its status item once for simultaneous changes, and never after disposal', async () => {
    const { StatusItem } = await import('../../../src/status/statusItem.ts');
    const editor = suite.life.editor();
    let readings = 0;
    const place = () => {
      readings += 1;
      return { service: services[0], authUrl: '', url: '', projectId: '', modelId: '' };
    };
    const status = suite.opened.showing(editor, () => new StatusItem(place, () => {}));
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    try {
      const requests = { state: { inFlight: 1, waiting: 0, limit: 8 } };
      status.update({ isSetUp: true, running: [{ requests, retryInMs: () => 0 }] });
      status.update({ running: [] });
      assert.equal(readings, 0, 'an update returns before the paint');
      mock.timers.tick(PAINT_AFTER_MS);
      assert.equal(readings, 1);
      assert.doesNotMatch(editor.textOf('status text'), /spin/);
      status.update({ unreachable: true });
      mock.timers.tick(PAINT_AFTER_MS);
      assert.equal(readings, 2);
      status.update({ unreachable: false });
      status.dispose();
      mock.timers.tick(PAINT_AFTER_MS);
      assert.equal(readings, 2, 'a pending paint is dropped at the end');
    } finally {
      status.dispose();
      mock.timers.reset();
    }
  });

  it('stops repaints and token checks once its status item is disposed of', async () => {
    const { StatusItem } = await import('../../../src/status/statusItem.ts');
    const editor = suite.life.editor();
    let beats = 0;
    const place = { service: services[0], authUrl: '', url: '', projectId: '', modelId: '' };
    const status = suite.opened.showing(
      editor,
      () =>
        new StatusItem(
          () => place,
          () => (beats += 1),
        ),
    );
    const time = new FakeTime();
    try {
      const token = { kind: 'valid', expiresAt: time.now() + 3_600_000, refreshesAt: 0 } as const;
      status.update({ isSetUp: true, token });
      mock.timers.tick(PAINT_AFTER_MS);
      mock.timers.tick(60_000);
      assert.equal(beats, 1);
      status.dispose();
      const painted = editor.textOf('status text');
      status.update({ token: { ...token, expiresAt: time.now() + 60_000 } });
      mock.timers.tick(3_600_000);
      assert.equal(beats, 1);
      assert.equal(editor.textOf('status text'), painted);
    } finally {
      time.end();
    }
  });
});
