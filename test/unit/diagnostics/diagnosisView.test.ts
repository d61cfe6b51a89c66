import assert from 'node:assert/strict';
import { shownCheck } from '../../../src/diagnostics/checkSentences.ts';
import {
  conclusionOf,
  finalRows,
  reportText,
  runningRows,
  type ShownCheck,
} from '../../../src/diagnostics/diagnosisView.ts';
import { CHECKS, type CheckResult } from '../../../src/service/checks/diagnose.ts';
import { ServiceError } from '../../../src/service/errors.ts';

const passed = (title: string): ShownCheck => ({ title, state: 'passed', text: `${title} is.` });
const failed: ShownCheck = {
  title: 'Token',
  state: 'failed',
  text: 'It was refused.',
  fix: 'setApiKey',
  facts: 'key-refused (status 400)',
};
const warned: ShownCheck = { title: 'Clock', state: 'warning', text: 'It is off.', fix: 'retry' };
const notRun: ShownCheck = { title: 'Project', state: 'not-run', text: '' };
const shown = (result: CheckResult) => shownCheck(result).text;

describe('the list of a diagnosis', () => {
  it('says each state in words, beside its icon', () => {
    const running: ShownCheck = { title: 'Host', state: 'running', text: '' };
    const rows = runningRows([passed('Settings'), running, warned, failed, notRun]);
    assert.deepEqual(
      rows.map(({ label }) => label),
      [
        '$(pass-filled) Settings: passed',
        '$(loading~spin) Host: checking',
        '$(warning) Clock: warning',
        '$(error) Token: failed',
        '$(circle-slash) Project: not run',
      ],
    );
    assert.deepEqual(
      rows.map(({ description, detail }) => description ?? detail),
      ['Settings is.', undefined, 'It is off.', 'It was refused.', undefined],
    );
  });

  it('ends with the cause, one fix and the report above the checks', () => {
    const rows = finalRows([passed('Settings'), warned, failed, notRun], 'not-tried');
    assert.deepEqual(
      rows.slice(0, 4).map(({ does, label, detail }) => [does, label, detail]),
      [
        ['none', '$(error) Cause: Token', undefined],
        ['fix', '$(wand) Set API Key', 'It was refused.'],
        ['copy', '$(copy) Copy Report', undefined],
        ['none', 'Checks', undefined],
      ],
    );
    assert.equal(rows.filter(({ does }) => does === 'fix').length, 1);
    assert.equal(rows.length, 8);
  });

  it('names the first failure, else the first warning, else that all is well', () => {
    const other = { ...failed, text: 'Another.' };
    assert.equal(conclusionOf([warned, failed, other]).text, 'It was refused.');
    assert.deepEqual(conclusionOf([passed('Token'), warned]).state, 'warning');
    assert.equal(conclusionOf([passed('Token')]).state, 'passed');
    const rows = finalRows([passed('Token')], 'done');
    assert.deepEqual(
      rows.slice(0, 2).map(({ label }) => label),
      ['$(pass-filled) All checks passed', '$(check) Report Copied'],
    );
  });

  it('offers another diagnosis where a message would offer another try', () => {
    const labels = finalRows([warned], 'not-tried').map(({ label }) => label);
    assert.ok(labels.includes('$(wand) Check Again'));
    assert.ok(labels.includes('$(warning) Worth knowing: Clock'));
  });

  it('becomes a report that anybody can read', () => {
    const header = { versions: ['Hosted Model 1.2.3', 'Editor 4.5'], date: new Date(0) };
    assert.equal(
      reportText([passed('Settings'), failed, notRun], header),
      [
        'Hosted Model 1.2.3',
        'Editor 4.5',
        '1970-01-01T00:00:00.000Z',
        '',
        'Settings: passed. Settings is.',
        'Token: failed. It was refused. [key-refused (status 400)]',
        'Project: not run',
        '',
        'It was refused. Fix: Set API Key',
        '',
      ].join('\n'),
    );
  });
});

describe('the sentences of the checks', () => {
  it('are there for each check, whether it found something or not', () => {
    for (const check of CHECKS) {
      for (const state of ['passed', 'warning'] as const) {
        const text = shown({ check, state, facts: {} });
        assert.match(text, /^[A-Z].*\.$/, check);
        assert.doesNotMatch(text, /undefined|NaN/);
      }
      assert.equal(shown({ check, state: 'running' }), '');
    }
  });

  const ahead = (minutes: number) =>
    shown({ check: 'clock', state: 'warning', facts: { clockAheadMs: minutes * 60_000 } });
  const rest =
    'Tokens do not mind, since their life is counted, but certificates may fail. Set the clock.';
  for (const [minutes, text] of [
    [7, `This machine's clock is 7 minutes ahead of the clock of the service. ${rest}`],
    [-600, `This machine's clock is 10 hours behind the clock of the service. ${rest}`],
    [1, "This machine's clock is 1 minute ahead of the clock of the service."],
    [4_320, `This machine's clock is 3 days ahead of the clock of the service. ${rest}`],
    [-1_051_200, `This machine's clock is 2 years behind the clock of the service. ${rest}`],
    [0.5, 'It agrees with the clock of the service.'],
  ] as const) {
    it(`tell a clock that is off by ${minutes} minutes`, () => assert.equal(ahead(minutes), text));
  }

  it('tell the life of a token and the limit, in whole words', () => {
    const life = (lifeMs: number) => shown({ check: 'token', state: 'passed', facts: { lifeMs } });
    assert.match(life(3_599_000), /lives 60 minutes\.$/);
    assert.match(life(60_000), /lives 1 minute\.$/);
    assert.match(life(9_000), /lives less than a minute\.$/);
    const limit = (perSecond: number, left: number | undefined) =>
      shown({
        check: 'request-limit',
        state: 'passed',
        facts: { requestLimit: { perSecond, left } },
      });
    assert.equal(limit(8, 7), '8 requests a second, 7 left in this one.');
    assert.equal(limit(1, undefined), '1 request a second.');
  });

  it('tell what becomes of a model', () => {
    const fate = (stage: 'deprecated' | 'withdrawn', until: string | undefined) =>
      shown({
        check: 'access',
        state: 'warning',
        facts: { model: { stage, since: '2026-09-01', until, successors: ['maker/next'] } },
      });
    assert.match(fate('deprecated', '2027-01-15'), /will be withdrawn on 2027-01-15/);
    assert.match(fate('deprecated', undefined), /deprecated since 2026-09-01.*names maker\/next/);
    assert.match(fate('withdrawn', undefined), /was withdrawn on 2026-09-01/);
  });

  it('are those of the messages for a failure, with its first fix and its facts', () => {
    const error = new ServiceError('quota-used-up', { status: 403 });
    const check = shownCheck({ check: 'access', state: 'failed', error });
    assert.match(check.text, /quota of the plan is used up/);
    assert.deepEqual([check.fix, check.facts], ['retry', 'quota-used-up (status 403)']);
  });
});
