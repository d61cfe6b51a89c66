import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { FakeTime, settled } from '../../unit/service/fixtures.ts';
import { SinkEditor } from '../leaks/sinkEditor.ts';
import { type Windows, windows } from '../leaks/window.ts';
import { pathOf, tokenPath } from '../service/world.ts';
import { type Life, startLife } from './life.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const chatPath = pathOf('chat', true);

describe('an idle window', () => {
  let opened: Windows;
  let life: Life;
  let time: FakeTime;
  before(() => {
    opened = windows(new SinkEditor());
  });
  after(() => opened.end());
  beforeEach(async () => {
    life = await startLife();
    time = new FakeTime();
    mock.method(performance, 'now', () => time.monotonic());
  });
  afterEach(async () => {
    mock.restoreAll();
    time.end();
    await life.emulator.close();
  });

  /**
   * Advances the clock in steps. After each step, waits for pending token requests.
   * @returns the times when token requests were sent
   */
  async function pass(ms: number, stepMs: number): Promise<number[]> {
    const { emulator } = life;
    const sentAt: number[] = [];
    for (let passed = 0; passed < ms; passed += stepMs) {
      const before = emulator.count(tokenPath);
      mock.timers.tick(stepMs);
      await settled();
      while (emulator.inFlight.identity > 0) await settled();
      const sent = emulator.count(tokenPath) - before;
      sentAt.push(...Array<number>(sent).fill(time.monotonic()));
    }
    return sentAt;
  }

  /** Generates a response, and asserts that the request for it contains the latest token. */
  async function generateIn(editor: SinkEditor, run: (command: string) => Promise<void>) {
    const { emulator } = life;
    await run('generateFromSelection');
    await run('showLastResponse');
    const [request] = emulator.requests.filter(({ path }) => path === chatPath);
    assert.equal(request?.headers.authorization, `Bearer ${emulator.tokensIssued.at(-1)}`);
    assert.match(editor.textOf('document'), /^Hello from/m);
    assert.equal(editor.textOf('thrown error'), '');
  }

  it('H28: retries a token refresh at most once every 30 s while offline', async () => {
    const { emulator, stores } = life;
    const editor = life.editor();
    await opened.open(editor, stores, async (run) => {
      await run('refreshToken');
      const endOutage = emulator.faults.always(tokenPath, { resetBeforeHeaders: true });
      const tries = await pass(2 * HOUR, SECOND);
      const gaps = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
      assert.ok(tries.length >= 3, `${tries.length} tries`);
      assert.ok(Math.min(...gaps) >= 30 * SECOND, `${gaps}`);
      endOutage();
      const before = emulator.count(tokenPath);
      await generateIn(editor, run);
      assert.equal(emulator.count(tokenPath), before + 1);
    });
  });

  it("H28: refreshes its token once it's back online", async () => {
    const { emulator, stores } = life;
    await opened.open(life.editor(), stores, async (run) => {
      await run('refreshToken');
      const endOutage = emulator.faults.always(tokenPath, { resetBeforeHeaders: true });
      while (emulator.count(tokenPath) < 3) await pass(SECOND, SECOND);
      endOutage();
      assert.equal((await pass(4 * MINUTE, SECOND)).length, 1);
      assert.equal(emulator.tokensIssued.length, 2);
    });
  });

  it('H29: refreshes its token only while it has focus', async () => {
    const { emulator, stores } = life;
    const editor = life.editor();
    await opened.open(editor, stores, async (run) => {
      await run('refreshToken');
      assert.equal((await pass(57 * MINUTE, 10 * SECOND)).length, 1, 'focused');
      editor.isFocused = false;
      editor.fire('window state');
      assert.deepEqual(await pass(8 * HOUR, 10 * SECOND), [], 'not focused');
      editor.fire('window state');
      await settled();
      assert.equal(emulator.count(tokenPath), 2);
      await generateIn(editor, run);
      assert.equal(emulator.count(tokenPath), 3);
    });
  });
});
