import assert from 'node:assert/strict';
import type { budgetState, DailyBudget } from '../../../src/status/dailyBudget.ts';
import { installEditor } from '../connection/fakeEditor.ts';
import { FakeState, settled } from '../connection/fakes.ts';
import { UsageEditor } from './usageEditor.ts';

const evening = new Date(2026, 2, 10, 23).getTime();
const HOUR_MS = 3_600_000;
const use = (tokens: number, changes = {}) => ({
  ...{ fingerprint: 'one', tokens, budget: 1_000 },
  ...changes,
});

describe('the daily budget', () => {
  let editor: UsageEditor;
  let hooks: ReturnType<typeof installEditor>;
  let stateOf: typeof budgetState;
  let Kept: typeof DailyBudget;
  let state: FakeState;
  let now: number;
  before(async () => {
    editor = new UsageEditor();
    hooks = installEditor(() => editor);
    ({ DailyBudget: Kept, budgetState: stateOf } = await import(
      '../../../src/status/dailyBudget.ts'
    ));
    editor.end();
  });
  after(() => hooks.deregister());
  beforeEach(() => {
    editor = new UsageEditor();
    state = new FakeState();
    now = evening;
  });
  afterEach(() => editor.end());
  const open = () => new Kept(state, () => now);
  const messagesAfter = async (budget: DailyBudget, ...used: readonly ReturnType<typeof use>[]) => {
    const before = editor.messages.length;
    for (const one of used) budget.notify(one);
    await settled();
    return editor.messages.slice(before);
  };

  for (const [tokens, budget, expected] of [
    [799, 1_000, 'free'],
    [800, 1_000, 'near'],
    [999, 1_000, 'near'],
    [1_000, 1_000, 'spent'],
    [5_000, 1_000, 'spent'],
    [0, 1, 'free'],
    [1, 1, 'spent'],
    [1e12, 0, 'free'],
  ] as const) {
    it(`has the state "${expected}" after ${tokens} of ${budget || 'unlimited'} tokens`, () => {
      assert.equal(stateOf({ tokens, budget }), expected);
    });
  }

  it('warns at 80% only once per key per day, even across several windows', async () => {
    const [one, other] = [open(), open()];
    const messages = await messagesAfter(one, use(799), use(800), use(900));
    assert.deepEqual(messages, ['You’ve used 800 of today’s 1,000-token budget.']);
    assert.deepEqual(await messagesAfter(other, use(950)), []);
    assert.equal((await messagesAfter(other, use(950, { fingerprint: 'two' }))).length, 1);
    now += 2 * HOUR_MS;
    assert.equal((await messagesAfter(other, use(850))).length, 1);
  });

  it('warns only once when it is used up, and blocks further requests', async () => {
    const budget = open();
    const messages = await messagesAfter(budget, use(1_200), use(1_300));
    assert.match(messages.join(), /^Today’s budget of 1,000 .*1,200 used/);
    assert.deepEqual(editor.offered, [['Continue Today', 'Show Usage']]);
    assert.deepEqual(
      [use(999), use(1_000), use(1_000, { budget: 0 })].map((one) => budget.allowsRequests(one)),
      [true, false, true],
    );
  });

  it('warns again at 80% and 100% of a raised budget', async () => {
    const budget = open();
    const raised = { budget: 10_000 };
    const messages = await messagesAfter(
      budget,
      ...[use(800), use(1_000), use(8_000, raised), use(9_000, raised)],
      ...[use(10_000, raised), use(10_500, raised)],
    );
    assert.deepEqual(
      messages.map(
        (text) => text.match(/[\d,]+-token budget|budget of [\d,]+ tokens is used up/)?.[0],
      ),
      ['1,000', '10,000'].flatMap((size) => [
        `${size}-token budget`,
        `budget of ${size} tokens is used up`,
      ]),
    );
  });

  it('isn’t reported again as used up after the user clicks Continue Today', async () => {
    const budget = open();
    editor.picks.push('Continue Today');
    await messagesAfter(budget, use(1_000));
    const raised = use(10_000, { budget: 10_000 });
    assert.deepEqual(await messagesAfter(budget, raised), []);
    assert.equal(budget.allowsRequests(raised), true);
  });

  it('allows requests with the same key until midnight if the user clicks Continue Today', async () => {
    const [one, other] = [open(), open()];
    editor.picks.push('Continue Today');
    await messagesAfter(one, use(1_000));
    for (const budget of [one, other]) assert.equal(budget.allowsRequests(use(2_000)), true);
    assert.equal(one.allowsRequests(use(2_000, { fingerprint: 'two' })), false);
    now += HOUR_MS - 1;
    assert.equal(one.allowsRequests(use(2_000)), true);
    now += 1;
    assert.equal(one.allowsRequests(use(2_000)), false);
    assert.equal((await messagesAfter(one, use(2_000))).length, 1);
  });

  it("ignores a click on Continue Today in yesterday's message", async () => {
    const budget = open();
    editor.picks.push('Continue Today');
    editor.beforeAnswer = () => {
      now += HOUR_MS;
    };
    await messagesAfter(budget, use(1_000));
    assert.equal(budget.allowsRequests(use(1_000)), false);
  });

  it('stores only the day, key fingerprints, and budgets', async () => {
    const budget = open();
    editor.picks.push('Continue Today');
    await messagesAfter(budget, use(800), use(1_000), use(900, { fingerprint: 'two' }));
    assert.deepEqual(Object.fromEntries(state.values), {
      'hostedModel.budget.near': { day: '2026-03-10', keys: ['one 1000', 'two 1000'] },
      'hostedModel.budget.spent': { day: '2026-03-10', keys: ['one 1000'] },
      'hostedModel.budget.continued': { day: '2026-03-10', keys: ['one'] },
    });
    now += HOUR_MS;
    await messagesAfter(budget, use(800));
    const kept = state.values.get('hostedModel.budget.near');
    assert.deepEqual(kept, { day: '2026-03-11', keys: ['one 1000'] });
  });
});
