import assert from 'node:assert/strict';
import type { Settings } from '../../../src/config/settings.ts';
import type { ShownCheck } from '../../../src/diagnose/checkMessages.ts';
import { buildReport, type ReportFacts } from '../../../src/diagnose/reportText.ts';
import { services } from '../../../src/service/builtInServices.ts';
import { type ErrorDetails, ServiceError } from '../../../src/service/errors.ts';
import { SessionHistory } from '../../../src/status/sessionHistory.ts';
import { initialFacts } from '../../../src/status/statusView.ts';
import { choiceOf, envFile, environment, found, noFile, REGION } from '../connection/sources.ts';
import { ibm } from '../service/fixtures.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const still = { now: () => now, monotonic: () => 0 };
const settings: Settings = {
  service: ibm,
  isServiceSet: false,
  services,
  authUrl: ibm.authUrl,
  url: REGION,
  projectId: 'project-1',
  isProjectOverridden: false,
  modelId: ibm.defaultModelId,
  operation: 'chat',
  parameters: { temperature: 0.5 },
  insertMode: 'below',
  limits: { limit: 3, minIntervalMs: 0, queue: 50 },
  offersTool: false,
  credentialSource: 'auto',
  dailyTokenBudget: 0,
  templates: { user: [], remote: [], workspace: [], folder: [] },
};
const factsOf = (changes: Partial<ReportFacts> = {}): ReportFacts => {
  const all = found({ external: [noFile] });
  return {
    now,
    versions: ['Hosted Model 0.1.0', 'Node 24'],
    checks: [],
    settings,
    insertModes: ['below'],
    looked: { found: all, choice: choiceOf(all) },
    status: initialFacts,
    loads: [],
    history: new SessionHistory(still),
    ...changes,
  };
};

const textOf = (facts: ReportFacts) => buildReport(facts).text;

describe('the diagnostic report', () => {
  it('E07: lists versions, settings, sources, states, and recent events', () => {
    let at = now - 90_000;
    const history = new SessionHistory({ now: () => at, monotonic: () => at });
    history.recordTokenState({ kind: 'fetching' });
    at += 250;
    history.recordTokenState({ kind: 'valid', expiresAt: now, refreshesAt: now });
    const details = {
      status: 429,
      code: 'rate_limit_reached_requests',
      attempts: 4,
      host: new URL(REGION).host,
    };
    history.recordFailure(new ServiceError('rate-limited', details));
    history.recordGeneration({ firstTextMs: 120, wholeMs: 900, end: 'complete' });
    history.recordGeneration({ firstTextMs: undefined, wholeMs: 40, end: 'cancelled' });
    const text = textOf(
      factsOf({
        history,
        loads: [
          { isInUse: false, state: { inFlight: 0, waiting: 0, limit: 3 } },
          { isInUse: true, state: { inFlight: 1, waiting: 2, limit: 3 } },
          { isInUse: false, state: { inFlight: 0, waiting: 0, limit: 1, loweredFrom: 3 } },
        ],
        status: {
          ...initialFacts,
          isSetUp: true,
          token: { kind: 'valid', expiresAt: now + 60_000, refreshesAt: now + 30_000 },
        },
      }),
    );
    assert.deepEqual(/## Settings\n\n(.*?)\n\n/s.exec(text)?.[1]?.split('\n'), [
      '- Service: ibm (apiKeyGrant, watsonx)',
      '- Identity service: iam.cloud.ibm.com',
      '- Service URL: us-south.ml.cloud.ibm.com',
      '- Project: set',
      `- Model: the default, ${ibm.defaultModelId}`,
      '- Operation: chat',
      '- Parameters: 1 set',
      '- Insert mode: below',
      '- Concurrent requests: at most 3, minimum interval 0 ms',
      '- Templates in the settings: 0',
    ]);
    for (const line of [
      'Hosted Model 0.1.0',
      '- In use: secret storage and user settings',
      '- Source in the settings: auto',
      '- In the .env file: not read (no-file), no decision',
      '- Token: valid, 60 s left, refresh in 30 s',
      '- Requests: 1 in progress, 2 waiting, limit 3',
      '- Requests to another service: limit lowered from 3 to 1 after a 429 response, limit 1',
      '- 90 s ago: rate-limited, status 429, rate_limit_reached_requests, 4 attempts, us-south.ml.cloud.ibm.com',
      '- 90 s ago: first text after 120 ms, complete after 900 ms',
      '- 90 s ago: no text, canceled after 40 ms',
      '- 90 s ago: 250 ms',
    ]) {
      assert.ok(text.split('\n').includes(line), `${line} in ${text}`);
    }
    assert.equal(
      text.match(/^- Requests(:| to)/gm)?.length,
      2,
      'no line for an idle service that is not in use',
    );
  });

  it('E07: omits user input and all hosts except those of built-in services', () => {
    const typed = (name: string) => `canary-${name}`;
    const values = { key: typed('key'), project: typed('project'), url: 'https://canary.example' };
    const all = found({
      record: { apiKey: typed('stored'), authUrl: ibm.authUrl, serviceUrl: REGION },
      folder: { uri: 'file:///canary', path: '/canary', name: 'canary', workspaceFolder: null },
      external: [envFile(values), environment(values)],
    });
    const history = new SessionHistory(still);
    history.recordFailure(new ServiceError('server-failed', { host: 'canary.example:8443' }));
    history.recordFailure(undefined);
    const text = textOf(
      factsOf({
        looked: {
          found: all,
          choice: { kind: 'bad-address', setting: 'url', problem: 'not-https' },
        },
        history,
        settings: {
          ...settings,
          service: {
            ...settings.service,
            ...{ word: 'canary', name: 'canary', defaultModelId: typed('model') },
            definition: '{}',
          },
          authUrl: 'https://canary.example',
          url: 'canary',
          projectId: typed('project'),
          modelId: typed('model'),
          insertMode: typed('mode'),
          parameters: { canary: 'canary' },
          templates: { user: ['canary'], remote: [], workspace: ['canary', {}], folder: [] },
        },
        status: { ...initialFacts, provenance: ['canary'] },
      }),
    );
    assert.doesNotMatch(text, /canary/i);
    assert.match(text, /Identity service: not a built-in host/);
    assert.match(text, /Service URL: invalid address/);
    assert.match(text, /Templates in the settings: 3/);
    assert.match(text, /server-failed, not a built-in host/);
    assert.match(text, /: unknown$/m);
  });

  it('E07: includes error codes from responses only if they are known', () => {
    const words = (details: ErrorDetails) => {
      const history = new SessionHistory(still);
      history.recordFailure(new ServiceError('server-failed', details));
      return /server-failed(.*)$/m.exec(textOf(factsOf({ history })))?.[1];
    };
    for (const code of ['model_not_supported', 'invalid_input_argument', 'BXNIM0415E']) {
      assert.equal(words({ status: 400, code }), `, status 400, ${code}`);
    }
    assert.equal(words({ status: 400, code: 'of-an-answer' }), ', status 400, unrecognized code');
    assert.equal(words({ status: 400, code: 'ECONNRESET' }), ', status 400, unrecognized code');
    // Without a response, the code comes from this machine, so the report may contain it.
    assert.equal(words({ code: 'ECONNRESET' }), ', ECONNRESET');
  });

  it('describes each token state in words', () => {
    const error = new ServiceError('key-rejected');
    const words = (
      [
        { kind: 'none' },
        { kind: 'fetching' },
        { kind: 'expired' },
        { kind: 'rejected', error },
        { kind: 'failed', error },
        { kind: 'valid', expiresAt: now, refreshesAt: now },
        {
          kind: 'valid',
          expiresAt: now + 1_000,
          refreshesAt: now,
          clockAheadMs: -5_000,
          refreshError: error,
        },
      ] as const
    ).map((token) => /^- Token: (.*)$/m.exec(textWith(token))?.[1]);
    function textWith(token: typeof initialFacts.token): string {
      return textOf(factsOf({ status: { ...initialFacts, token } }));
    }
    assert.deepEqual(words, [
      'none',
      'fetching',
      'expired',
      'rejected',
      'failed',
      'expired, refresh due',
      'valid, 1 s left, refresh due, clock 5 s behind, refresh failed: key-rejected',
    ]);
  });

  it('lists the checks and a suggested fix before the first section', () => {
    const checks: ShownCheck[] = [
      { title: 'Settings', state: 'passed', text: 'Settings is.' },
      {
        title: 'Token',
        state: 'failed',
        text: 'It was rejected.',
        fix: 'setUp',
        facts: 'key-rejected (status 400, code BXNIM0415E)',
        externalText: ['BXNIM0415E'],
      },
      { title: 'Project', state: 'not-run', text: '' },
    ];
    const history = new SessionHistory(still);
    history.recordFailure(new ServiceError('unreachable', { code: 'ECONNRESET' }));
    const versions = ['Hosted Model 1.2.3', 'Editor 4.5'];
    const report = buildReport(factsOf({ now: 0, versions, checks, history }));
    // The report's own words and the user's host may happen to contain a short key or project ID,
    // so only the codes count as external text.
    assert.equal(report.externalText, 'BXNIM0415E\nECONNRESET');
    assert.equal(
      report.text.slice(0, report.text.indexOf('## Settings')),
      [
        'Hosted Model 1.2.3',
        'Editor 4.5',
        '1970-01-01T00:00:00.000Z',
        '',
        'Settings: passed. Settings is.',
        'Token: failed. It was rejected. [key-rejected (status 400, code BXNIM0415E)]',
        'Project: not run',
        '',
        'It was rejected. Fix: Set Up...',
        '',
        '',
      ].join('\n'),
    );
  });
});

describe('SessionHistory', () => {
  it('keeps the last five failures', () => {
    const history = new SessionHistory(still);
    for (let status = 500; status < 507; status += 1) {
      history.recordFailure(new ServiceError('server-failed', { status }));
    }
    assert.deepEqual(
      history.failures.map(({ error }) => error?.details.status),
      [502, 503, 504, 505, 506],
    );
  });

  it('records only the first of several consecutive failed background refreshes', () => {
    const history = new SessionHistory(still);
    const valid = { kind: 'valid', expiresAt: 0, refreshesAt: 0 } as const;
    const failing = (kind: 'unreachable' | 'timeout') =>
      history.recordTokenState({ ...valid, refreshError: new ServiceError(kind) });
    failing('unreachable');
    failing('timeout');
    history.recordTokenState(valid);
    failing('timeout');
    assert.deepEqual(
      history.failures.map(({ error }) => error?.kind),
      ['unreachable', 'timeout'],
    );
  });

  it('measures each successful wait for a token from the first “fetching” state', () => {
    let at = 0;
    // The measured wait must not depend on the system clock, which the user can set back.
    const history = new SessionHistory({ now: () => now - 7 * at, monotonic: () => at });
    const valid = { kind: 'valid', expiresAt: 0, refreshesAt: 0 } as const;
    history.recordTokenState(valid);
    history.recordTokenState({ kind: 'fetching' });
    at = 10;
    history.recordTokenState({ kind: 'fetching' });
    at = 30;
    history.recordTokenState(valid);
    history.recordTokenState({ kind: 'fetching' });
    history.recordTokenState({ kind: 'failed', error: new ServiceError('timeout') });
    history.recordTokenState(valid);
    assert.deepEqual(history.tokenWaits, [{ at: now - 210, ms: 30 }]);
  });
});
