import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import { Connection } from '../../../src/service/connection.ts';
import type { Service } from '../../../src/service/service.ts';
import type { Usage, UsageDeps } from '../../../src/status/dailyUsage.ts';
import type { UsageRow, UsedRequest } from '../../../src/status/usageLedger.ts';
import type { usageText } from '../../../src/status/usageMessages.ts';
import { installEditor } from '../connection/fakeEditor.ts';
import { FakeState, settled } from '../connection/fakes.ts';
import { connectionOf, credentials } from '../service/fixtures.ts';
import { UsageEditor } from './usageEditor.ts';

const noon = new Date(2026, 2, 10, 12).getTime();
const connectionWith = (apiKey: string) =>
  connectionOf({ credentials: { ...credentials, apiKey, projectId: 'a project' } });
const connection = connectionWith('a key');
const ofClient = {
  ...credentials.service,
  authentication: { kind: 'clientCredentials' },
} as Service;
const asked = (tokens: number, changes: Partial<UsedRequest> = {}): UsedRequest => ({
  ...{ model: 'maker/model', caller: 'chat', inputTokens: tokens, outputTokens: 0 },
  ...{ isEstimate: false, ...changes },
});
const row = (changes: Partial<UsageRow>): UsageRow => ({
  ...{ fingerprint: 'one', requests: 1, ...asked(1_000) },
  ...changes,
});

describe('usage', () => {
  let editor: UsageEditor;
  let hooks: ReturnType<typeof installEditor>;
  let Kept: typeof Usage;
  let textOf: typeof usageText;
  let now: number;
  let line: () => string | undefined;
  let globalState: Memento;
  before(async () => {
    editor = new UsageEditor();
    hooks = installEditor(() => editor);
    ({ Usage: Kept } = await import('../../../src/status/dailyUsage.ts'));
    ({ usageText: textOf } = await import('../../../src/status/usageMessages.ts'));
    editor.end();
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new UsageEditor();
    globalState = new FakeState();
    now = noon;
    line = () => undefined;
  });
  afterEach(() => editor.end());
  const open = () => {
    const fingerprintOf = async (one: Connection) => {
      const { apiKey } = Connection.credentials(one);
      return apiKey ? `of ${apiKey}` : one.fingerprint('salt', []);
    };
    const update: UsageDeps['status']['update'] = ({ usageToday }) => {
      line = usageToday ?? (() => undefined);
    };
    const deps = { globalState, connections: { fingerprintOf }, status: { update } };
    return new Kept(deps, editor.storage, () => now);
  };

  it('older than 31 days is deleted when a request is recorded', async () => {
    editor.put('2026-02-06-a.json', '[]');
    editor.put('2026-03-10-a.json', '[]');
    const usage = open();
    await settled();
    assert.equal(editor.fileNames.length, 2, 'nothing is deleted at the start');
    await usage.record(connection, asked(1));
    await settled();
    assert.ok(!editor.fileNames.includes('2026-02-06-a.json'));
    assert.ok(editor.fileNames.includes('2026-03-10-a.json'));
  });

  it('is known in a new window even before the tooltip shows it', async () => {
    assert.equal(await open().hasUsage(connection), false);
    await open().record(connection, asked(1));
    await settled();
    assert.equal(await open().hasUsage(connection), true);
    assert.equal(await open().hasUsage(undefined), false);
  });

  it('is shown in the tooltip as today’s total for all windows', async () => {
    editor.userSettings.set('dailyTokenBudget', 100_000);
    const start = 'Today’s usage with this API key in all windows: ';
    const usage = open();
    await usage.setActive(connection);
    assert.equal(line(), `${start}0 requests, 0 of 100,000 tokens`);
    await usage.record(connection, asked(34_000, { outputTokens: 567 }));
    assert.equal(line(), `${start}1 request, 34,567 of 100,000 tokens`);
    await open().record(connection, asked(1, { isEstimate: true }));
    await open().setActive(connection);
    assert.equal(line(), `${start}2 requests, ≈34,568 of 100,000 tokens`);
    editor.userSettings.set('dailyTokenBudget', 'many');
    assert.equal(line(), `${start}2 requests, ≈34,568 tokens`);
    now += 12 * 3_600_000;
    assert.equal(line(), undefined);
  });

  it('is shown in the tooltip only for the active key', async () => {
    const usage = open();
    const other = connectionOf({
      credentials: { ...credentials, apiKey: 'another', service: ofClient },
    });
    await usage.record(connection, asked(1_000));
    assert.equal(line(), undefined, 'no key is active');
    await usage.setActive(connection);
    assert.match(line() ?? '', /API key.*: 1 request, 1,000 tokens$/);
    await usage.record(other, asked(7));
    await usage.show(other);
    assert.match(line() ?? '', /API key.*: 1 request, 1,000 tokens$/);
    const changed = usage.setActive(other);
    assert.equal(line(), undefined, 'the old count is gone before the new count is known');
    await changed;
    assert.match(line() ?? '', /client secret.*: 1 request, 7 tokens$/);
    // The later of two changes wins, even if it finishes first.
    await Promise.all([usage.setActive(connection), usage.setActive(undefined)]);
    assert.equal(line(), undefined);
  });

  it('is shown for a service without a key only if that service is active', async () => {
    const usage = open();
    const [one, other] = ['one', 'other'].map((word) => {
      const service = { ...credentials.service, word, authentication: { kind: 'none' } as const };
      return connectionOf({ credentials: { ...credentials, apiKey: '', service } });
    });
    assert.ok(one && other);
    await usage.setActive(one);
    await usage.record(one, asked(1_000));
    await usage.record(other, asked(7));
    assert.match(line() ?? '', /: 1 request, 1,000 tokens$/);
    await usage.setActive(other);
    assert.match(line() ?? '', /with this service .*: 1 request, 7 tokens$/);
  });

  it('blocks chat in all windows once it reaches the daily budget', async () => {
    editor.userSettings.set('dailyTokenBudget', 1_000);
    const [one, other] = [open(), open()];
    assert.equal(await one.rejection(connection), undefined);
    await one.record(connection, asked(1_000));
    for (const usage of [one, other]) {
      assert.match((await usage.rejection(connection)) ?? '', /^Nothing was sent, .* 1,000 tokens/);
    }
    assert.equal(editor.offered.length, 1, 'the warning is shown once');
    // Each key has its own budget.
    assert.equal(await one.rejection(connectionWith('another')), undefined);
    editor.picks.push('Continue Today');
    await other.show(connection);
    assert.equal(await one.rejection(connection), undefined);
    now += 24 * 3_600_000;
    await one.record(connection, asked(2_000));
    assert.ok(await other.rejection(connection));
    editor.userSettings.set('dailyTokenBudget', 0);
    assert.equal(await other.rejection(connection), undefined);
  });

  for (const [what, value] of [
    ['text', '50000'],
    ['a negative number', -5],
    ['too large for a number', Number.POSITIVE_INFINITY],
    ['a list', [1_000]],
    ['null', null],
  ] as const) {
    it(`blocks chat if the daily budget is ${what}`, async () => {
      editor.userSettings.set('dailyTokenBudget', value);
      const usage = open();
      const text =
        /^Nothing was sent, because hostedModel\.dailyTokenBudget is invalid\. .{1,100}$/;
      assert.match((await usage.rejection(connection)) ?? '', text);
      assert.match((await usage.claim(connection, 1)).rejection ?? '', text);
      await usage.record(connection, asked(10));
      await usage.show(connection);
      assert.match(
        editor.shown.join(),
        /Daily budget: invalid\. .*`hostedModel\.dailyTokenBudget`/,
      );
      assert.equal(editor.offered.length, 0, 'the budget is not used up');
      editor.userSettings.set('dailyTokenBudget', 0);
      assert.equal(await usage.rejection(connection), undefined);
    });
  }

  it('is limited to one token per day if the budget is 0.4', async () => {
    editor.userSettings.set('dailyTokenBudget', 0.4);
    const usage = open();
    await usage.record(connection, asked(1));
    assert.match((await usage.rejection(connection)) ?? '', /budget of 1 tokens is used up/);
  });

  it('includes an estimate for each request in progress', async () => {
    editor.userSettings.set('dailyTokenBudget', 1_000);
    const usage = open();
    const recorded = await usage.claim(connection, 600);
    const failed = await usage.claim(connection, 600);
    const rejected = await usage.claim(connection, 1);
    assert.match(rejected.rejection ?? '', /1,000 tokens/);
    assert.deepEqual([recorded.rejection, failed.rejection], [undefined, undefined]);
    assert.equal(editor.offered.length, 0, 'the budget is not used up yet');
    for (const claim of [rejected, failed, failed]) claim.end();
    await usage.record(connection, asked(300), recorded);
    recorded.end();
    const [next] = await Promise.all([1, 2].map(() => usage.claim(connection, 700)));
    assert.equal(next?.rejection, undefined);
    assert.equal(await usage.rejection(connectionWith('another')), undefined);
    assert.ok(await usage.rejection(connection));
  });

  it("isn't read from files before a chat request if there is no budget", async () => {
    const usage = open();
    const { folder } = editor;
    await usage.rejection(connection);
    assert.equal(line(), undefined);
    assert.throws(() => editor.fileNames, { code: 'ENOENT', path: folder });
  });

  it("doesn't cause an error if it can't be stored", async () => {
    const broken = { get: () => assert.fail('broken'), update: () => assert.fail('broken') };
    globalState = { ...broken, keys: () => [] } as unknown as Memento;
    editor.userSettings.set('dailyTokenBudget', 1);
    editor.broken = new Error('disk full');
    await open().record(connection, asked(1));
  });

  it('is stored without the key or the project ID', async () => {
    const fingerprintOf = async () => 'f1';
    const deps = { globalState, connections: { fingerprintOf }, status: { update() {} } };
    await new Kept(deps, editor.storage, () => now).record(connection, asked(1));
    const text = JSON.stringify(editor.stored);
    assert.match(text, /f1/);
    assert.doesNotMatch(text, /a key|a project/);
  });

  it("is stored without revealing the deployment's ID", async () => {
    const ofDeployment = { ...credentials, resource: 'deployment', projectId: 'an ID' } as const;
    const used = connectionOf({ credentials: ofDeployment });
    await open().record(used, asked(1, { model: used.modelId }));
    const text = JSON.stringify(editor.stored);
    assert.match(text, /deployment/);
    assert.doesNotMatch(text, /an ID/);
  });

  it('is shown in a table only for the active key', async () => {
    const usage = open();
    await usage.show(undefined);
    assert.match(editor.messages.join(), /No service is ready/);
    assert.deepEqual(editor.shown, []);
    await usage.record(connection, asked(10));
    await usage.record(connectionWith('another'), asked(99));
    await usage.show(connection);
    assert.match(
      editor.shown[0] ?? '',
      /^preview of # Usage[\s\S]*Today, 2026-03-10[\s\S]*maker\/model/,
    );
    assert.doesNotMatch(editor.shown[0] ?? '', /99|a key/);
    await settled();
    assert.equal(editor.offered.length, 0);
  });

  it('is shown as text if Markdown previews are disabled', async () => {
    const usage = open();
    await usage.record(connection, asked(10));
    editor.hasPreviews = false;
    await usage.show(connection);
    assert.match(editor.shown.join(), /^# Usage/);
  });

  it('is sorted by token count, with estimates marked', () => {
    const today = [
      row({ caller: 'selection', inputTokens: 5, outputTokens: 2, isEstimate: true }),
      row({ caller: 'agent', requests: 12, inputTokens: 170_000, outputTokens: 3_000 }),
    ];
    const shown = textOf({ day: '2026-03-10', today, session: [], budget: 200_000 });
    assert.deepEqual(shown.split('\n').slice(0, 14), [
      '# Usage',
      '',
      'Daily budget: 173,007 of 200,000 tokens used (86%).',
      '',
      '## Today, 2026-03-10',
      '',
      '| Model | Caller | Requests | Tokens in | Tokens out |',
      '|---|---|--:|--:|--:|',
      '| `maker/model` | agent | 12 | 170,000 | 3,000 |',
      '| `maker/model` | selection | 1 | ≈5 | ≈2 |',
      '| Total |  | 13 | ≈170,005 | ≈3,002 |',
      '',
      '## This session',
      '',
    ]);
    assert.match(shown, /No requests\.\n\n.*The ≈ sign marks estimates/);
    const none = textOf({ day: '', today: [], session: [], budget: 0 });
    assert.match(none, /Daily budget: none\./);
  });

  it('is shown with model names as plain text', () => {
    const model = 'a | b`[x](command:y)\n# c\u202e\\ $(gear)';
    const shown = textOf({ day: '', today: [row({ model })], session: [], budget: 0 });
    assert.match(shown, /^\| `a {3}b \[x\] \(command:y\) # c {3}\$ \(gear\)` \| chat \|/m);
  });
});
