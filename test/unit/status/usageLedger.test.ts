import assert from 'node:assert/strict';
import type { UsageLedger, UsedRequest } from '../../../src/status/usageLedger.ts';
import { installEditor } from '../connection/fakeEditor.ts';
import { UsageEditor } from './usageEditor.ts';

const KEY = 'fingerprint-of-a-key';
const OTHER_KEY = 'fingerprint-of-another';
const noon = (day: number) => new Date(2026, 2, day, 12).getTime();
const asked = (changes: Partial<UsedRequest> = {}): UsedRequest => ({
  model: 'maker/model',
  caller: 'selection',
  inputTokens: 100,
  outputTokens: 10,
  isEstimate: false,
  ...changes,
});

describe('the usage counters', () => {
  let editor: UsageEditor;
  let hooks: ReturnType<typeof installEditor>;
  let Ledger: typeof UsageLedger;
  let now: number;
  before(async () => {
    editor = new UsageEditor();
    hooks = installEditor(() => editor);
    Ledger = (await import('../../../src/status/usageLedger.ts')).UsageLedger;
    editor.end();
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new UsageEditor();
    now = noon(10);
  });
  afterEach(() => editor.end());
  const open = () => new Ledger(editor.storage, () => now);

  it('are summed across all windows by key, model, and caller', async () => {
    const [one, other] = [open(), open()];
    await one.record(KEY, asked());
    await other.record(KEY, asked({ outputTokens: 5 }));
    await other.record(KEY, asked({ caller: 'agent' }));
    await other.record(KEY, asked({ model: 'maker/large', isEstimate: true }));
    await other.record(OTHER_KEY, asked());
    for (const ledger of [one, other, open()]) {
      const rows = (await ledger.today(KEY))().map(({ fingerprint, ...row }) => row);
      const byUse = (row: { model: string; caller: string }) => `${row.model} ${row.caller}`;
      assert.deepEqual(
        rows.toSorted((a, b) => (byUse(a) < byUse(b) ? -1 : 1)),
        [
          { ...asked({ model: 'maker/large', isEstimate: true }), requests: 1 },
          { ...asked({ caller: 'agent' }), requests: 1 },
          { ...asked(), requests: 2, inputTokens: 200, outputTokens: 15 },
        ],
      );
    }
    const sessions = [one, other, open()].map((ledger) => ledger.session(KEY).length);
    assert.deepEqual(sessions, [1, 3, 0]);
    assert.equal(Object.keys(editor.stored).length, 2);
  });

  it('are stored without prompts, keys, hosts, or project IDs', async () => {
    const foreign = { prompt: 'secret', apiKey: 'secret', host: 'secret', projectId: 'secret' };
    await open().record(KEY, { ...asked(), ...foreign });
    const [[name, rows] = ['']] = Object.entries(editor.stored);
    assert.match(name, /^2026-03-10-[\da-f-]{36}\.json$/);
    assert.deepEqual(rows, [{ fingerprint: KEY, ...asked(), requests: 1 }]);
  });

  it('include all concurrent requests, even though only one write runs at a time', async () => {
    const ledger = open();
    await Promise.all(Array.from({ length: 1_000 }, () => ledger.record(KEY, asked())));
    const [row] = (await open().today(KEY))();
    assert.deepEqual([row?.requests, row?.inputTokens], [1_000, 100_000]);
    assert.ok(editor.writes <= 2, `${editor.writes} writes`);
    const late = Array.from({ length: 100 }, async (_, turn) => {
      for (let turns = 0; turns < turn; turns += 1) await new Promise(setImmediate);
      await ledger.record(KEY, asked());
    });
    await Promise.all(late);
    assert.equal((await open().today(KEY))()[0]?.requests, 1_100);
    assert.equal(editor.writing.most, 1);
  });

  it('exclude files that are broken or incomplete', async () => {
    await open().record(KEY, asked());
    for (const [index, text] of ['', '[{"fing', 'null', '{}', '[7]'].entries()) {
      editor.put(`2026-03-10-${index}.json`, text);
    }
    assert.equal((await open().today(KEY))()[0]?.requests, 1);
  });

  it('exclude only rows with an unknown caller, not the whole file', async () => {
    const known = { fingerprint: KEY, ...asked(), requests: 1 };
    const rows = [known, { ...known, caller: 'commit message' }];
    editor.put('2026-03-10-a.json', JSON.stringify(rows));
    assert.deepEqual((await open().today(KEY))(), [known]);
  });

  it("are kept in memory if they can't be written, and are written later", async () => {
    const ledger = open();
    editor.broken = new Error('disk full');
    await ledger.record(KEY, asked());
    assert.equal((await ledger.today(KEY))()[0]?.requests, 1);
    assert.equal((await open().today(KEY))().length, 0);
    editor.broken = undefined;
    await ledger.record(KEY, asked());
    assert.equal((await open().today(KEY))()[0]?.requests, 2);
  });

  it('are deleted after 31 days', async () => {
    const days = ['2026-02-06', '2026-02-07', '2026-03-09'];
    for (const day of days) editor.put(`${day}-a.json`, '[]');
    const ledger = open();
    assert.deepEqual((await ledger.today(KEY))(), []);
    assert.equal(editor.fileNames.length, 3);
    await ledger.deleteOldFiles();
    assert.deepEqual(editor.fileNames, ['2026-02-07-a.json', '2026-03-09-a.json']);
  });

  it('are deleted without affecting unrelated files in their folder', async () => {
    const others = ['.DS_Store', '0 my notes.txt', '2026-01', '2026-01-01-notes.txt'];
    for (const name of [...others, '2026-01-01-a.json']) editor.put(name, '[]');
    await open().deleteOldFiles();
    assert.deepEqual(editor.fileNames.toSorted(), others);
  });

  it('are reset at midnight, except for the session counters', async () => {
    const ledger = open();
    now = noon(11) - 12 * 3_600_000 - 1;
    const late = ledger.record(KEY, asked());
    now += 1;
    await Promise.all([late, ledger.record(KEY, asked({ outputTokens: 1 }))]);
    const [row] = (await ledger.today(KEY))();
    assert.deepEqual([row?.requests, row?.outputTokens], [1, 1]);
    assert.equal(ledger.session(KEY)[0]?.requests, 2);
    const days = Object.entries(editor.stored).map(([name, rows]) => [
      name.slice(0, 10),
      (rows as unknown[]).length,
    ]);
    assert.deepEqual(days, [
      ['2026-03-10', 1],
      ['2026-03-11', 1],
    ]);
    // After the clock is set back, the earlier day's counters are used again.
    now -= 1;
    assert.equal((await ledger.today(KEY))()[0]?.outputTokens, 10);
  });

  it('allow unusual model names, such as __proto__ and the empty string', async () => {
    const ledger = open();
    for (const model of ['__proto__', 'constructor', 'a b', '']) {
      await ledger.record(KEY, asked({ model }));
    }
    const models = (await open().today(KEY))().map(({ model }) => model);
    assert.deepEqual(models.sort(), ['', '__proto__', 'a b', 'constructor']);
  });
});
