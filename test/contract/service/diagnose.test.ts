import assert from 'node:assert/strict';
import type { CheckFacts, CheckName } from '../../../src/service/checks.ts';
import type { ErrorDetails, ErrorKind } from '../../../src/service/errors.ts';
import type { Emulator } from '../../emulator/emulator.ts';
import { gate } from '../../emulator/faults.ts';
import { recordedModels } from '../../emulator/models.ts';
import type { CauseName } from '../../unit/causes.ts';
import {
  assertNamed,
  type ExaminationOptions,
  endExaminations,
  type Found,
  settings,
  startExamination,
} from './diagnoseWorld.ts';
import { kindOf, modelId, tokenPath } from './world.ts';

const modelsPath = '/ml/v1/foundation_model_specs';
const accessPath = '/ml/v1/text/tokenization';

/** Requests of each path; the identity service gets one without a key before each with one. */
const counts = ({ emulator }: { readonly emulator: Emulator }) => [
  emulator.count(({ path, method }) => path === tokenPath && method === 'GET'),
  emulator.count(modelsPath),
  emulator.count(({ path, method }) => path === tokenPath && method === 'POST'),
  emulator.count(accessPath),
];

const factsOf = ({ diagnosis }: Found, name: CheckName): CheckFacts => {
  const result = diagnosis.results.find(({ check }) => check === name);
  return result && 'facts' in result ? result.facts : {};
};

interface Planted {
  readonly cause: string;
  /** What the README calls it. */
  readonly named?: CauseName;
  readonly options?: ExaminationOptions;
  readonly plant?: (emulator: Emulator) => void;
  readonly check: CheckName;
  readonly kind: ErrorKind;
  readonly details?: ErrorDetails;
  /** Of the four requests a diagnosis can make; nothing is sent after the check that failed. */
  readonly sent: readonly number[];
}

const refusal = (status: number, code: string, message = '') => ({
  status,
  json: { errors: [{ code, message }], trace: 'abc', status_code: status },
});
const page = { status: 200, body: '<html>log in</html>', headers: { 'content-type': 'text/html' } };
const withdrawn = (alternatives: readonly string[]) => ({
  ...recordedModels[0],
  model_id: modelId,
  functions: [{ id: 'text_chat' }],
  lifecycle: [
    { id: 'available', start_date: '2025-01-01' },
    { id: 'withdrawn', start_date: '2026-09-01', alternative_model_ids: alternatives },
  ],
});

const planted: readonly Planted[] = [
  {
    cause: 'the key is unknown, expired or disabled',
    named: 'key refused',
    options: { emulator: { apiKeys: ['another'] } },
    check: 'token',
    kind: 'key-refused',
    details: { status: 400, code: 'BXNIM0415E' },
    sent: [1, 1, 1, 0],
  },
  {
    cause: 'the identity address leads to the service itself',
    named: 'identity address wrong',
    options: { credentials: (url) => ({ authUrl: `${url}/ml` }) },
    check: 'token',
    kind: 'unexpected-answer',
    sent: [0, 1, 0, 0],
  },
  {
    cause: 'the identity service fails',
    named: 'service failing',
    plant: ({ faults }) => faults.always(tokenPath, { status: 503 }),
    check: 'token',
    kind: 'server-failed',
    details: { status: 503, attempts: 4 },
    sent: [1, 1, 4, 0],
  },
  {
    cause: 'the project does not exist, or is of another account',
    named: 'project or region wrong',
    options: { emulator: { projectIds: ['another'] } },
    check: 'access',
    kind: 'project-unknown',
    details: { status: 403 },
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'the project is of another region',
    named: 'project or region wrong',
    plant: ({ faults }) => faults.always(accessPath, refusal(404, 'container_not_found')),
    check: 'access',
    kind: 'project-unknown',
    details: { status: 404, code: 'container_not_found' },
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'something else speaks of a project that is not found',
    plant: ({ faults }) => faults.always(accessPath, { status: 404, body: 'no such project' }),
    check: 'access',
    kind: 'unexpected-answer',
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'the project has no runtime',
    named: 'project without runtime',
    options: {
      emulator: { projectIdsWithoutRuntime: ['c4nary-project-0123'] },
    },
    check: 'access',
    kind: 'project-without-runtime',
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'the quota is used up (403)',
    named: 'quota used up',
    options: { emulator: { quotaReached: true } },
    check: 'access',
    kind: 'quota-used-up',
    details: { status: 403 },
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'the quota is used up (429)',
    named: 'quota used up',
    plant: ({ faults }) => faults.always(accessPath, refusal(429, 'token_quota_reached')),
    check: 'access',
    kind: 'quota-used-up',
    details: { status: 429 },
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'the account has no rights',
    named: 'no rights',
    plant: ({ faults }) => faults.always(accessPath, refusal(403, 'user_authorization_failed')),
    check: 'access',
    kind: 'forbidden',
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'a firewall answers in place of the service (403)',
    named: 'refused on the way',
    plant: ({ faults }) => faults.always(accessPath, { status: 403, body: '<html>blocked</html>' }),
    check: 'access',
    kind: 'intercepted',
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'a gateway answers in place of the service (401)',
    plant: ({ faults }) => faults.always(accessPath, { status: 401, body: '<html>log in</html>' }),
    check: 'access',
    kind: 'intercepted',
    sent: [1, 1, 2, 2],
  },
  {
    cause: 'the token gets lost on the way',
    named: 'token lost on the way',
    plant: ({ faults }) => faults.always(accessPath, refusal(401, 'authentication_no_token')),
    check: 'access',
    kind: 'unauthorized',
    sent: [1, 1, 2, 2],
  },
  {
    cause: 'the network wants a login first, and gets no key',
    named: 'login page of the network',
    plant: ({ faults }) => faults.always(tokenPath, page),
    check: 'identity-host',
    kind: 'unexpected-answer',
    sent: [1, 0, 0, 0],
  },
  {
    cause: 'a page answers in place of the public list',
    plant: ({ faults }) => faults.always(modelsPath, page),
    check: 'service-host',
    kind: 'unexpected-answer',
    sent: [1, 1, 0, 0],
  },
  {
    cause: 'the identity service is asked too often',
    named: 'too many token requests',
    plant: ({ faults }) => faults.always(tokenPath, { status: 429 }),
    check: 'token',
    kind: 'rate-limited',
    sent: [1, 1, 4, 0],
  },
  {
    cause: 'the model does not support the operation',
    named: 'operation not supported',
    options: {
      emulator: {
        models: [
          { ...recordedModels[0], model_id: modelId, functions: [{ id: 'text_generation' }] },
        ],
      },
    },
    check: 'access',
    kind: 'operation-unsupported',
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'every token is called expired',
    named: 'token expired',
    plant: ({ faults }) => faults.always(accessPath, refusal(401, 'authentication_token_expired')),
    check: 'access',
    kind: 'unauthorized',
    details: { code: 'authentication_token_expired' },
    sent: [1, 1, 2, 2],
  },
  {
    cause: 'every token is called not valid, as for a key of another environment',
    named: 'key of another account',
    plant: ({ faults }) =>
      faults.always(accessPath, refusal(401, 'authentication_token_not_valid')),
    check: 'access',
    kind: 'unauthorized',
    details: { code: 'authentication_token_not_valid' },
    sent: [1, 1, 2, 2],
  },
  {
    cause: 'the model is unknown',
    named: 'model unknown',
    options: { modelId: 'ibm/no-such-model' },
    check: 'access',
    kind: 'model-unknown',
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'the model is withdrawn',
    named: 'model withdrawn',
    options: { emulator: { models: [withdrawn(['ibm/next', '[x](command:y)'])] } },
    check: 'access',
    kind: 'model-unknown',
    details: { since: '2026-09-01', successors: ['ibm/next'] },
    sent: [1, 1, 1, 1],
  },
  {
    cause: 'the service redirects',
    named: 'redirect',
    plant: ({ faults, url }) => faults.always(modelsPath, { redirectTo: `${url}/elsewhere` }),
    check: 'service-host',
    kind: 'redirected',
    sent: [1, 1, 0, 0],
  },
  {
    cause: 'a proxy wants a login',
    named: 'proxy wants a login',
    plant: ({ faults }) => faults.always(tokenPath, { status: 407 }),
    check: 'identity-host',
    kind: 'proxy',
    details: { status: 407 },
    sent: [1, 0, 0, 0],
  },
  {
    cause: 'the host is not the approved one',
    options: {
      credentials: (url) => ({ approved: { auth: 'https://other.example', service: url } }),
    },
    check: 'identity-host',
    kind: 'host-not-approved',
    sent: [0, 0, 0, 0],
  },
];

describe('a diagnosis', () => {
  afterEach(endExaminations);

  it('passes where all is well, in order, and tells what it saw', async () => {
    const examination = await startExamination({ emulator: { requestsPerSecond: 2 } });
    const found = await examination.examine();
    const names = found.diagnosis.results.map(({ check }) => check);
    assert.deepEqual(
      found.events,
      names.flatMap((name) => [`${name} running`, `${name} passed`]),
    );
    assert.equal(found.diagnosis.failure, undefined);
    assert.deepEqual(counts(examination), [1, 1, 1, 1]);
    const { host } = new URL(examination.emulator.url);
    assert.deepEqual(factsOf(found, 'identity-host'), { host });
    const functions = ['text_chat', 'text_generation'];
    assert.deepEqual(factsOf(found, 'service-host'), { host, functions });
    assert.equal(Math.round((factsOf(found, 'token').lifeMs ?? 0) / 60_000), 60);
    assert.deepEqual(factsOf(found, 'clock'), { clockAheadMs: 0 });
    assert.deepEqual(factsOf(found, 'request-limit').requestLimit, { perSecond: 2, left: 1 });
  });

  for (const { cause, named, options, plant, check, kind, details, sent } of planted) {
    it(`names the cause: ${cause}`, async () => {
      const examination = await startExamination(options);
      plant?.(examination.emulator);
      const { diagnosis, states } = await examination.examine();
      assert.equal(diagnosis.failure?.kind, kind);
      const told: Record<string, unknown> = { ...diagnosis.failure?.details };
      for (const [name, value] of Object.entries(details ?? {})) {
        assert.deepEqual(told[name], value, name);
      }
      if (named) assertNamed(diagnosis, named);
      assert.deepEqual(
        states.filter((state) => state.endsWith(' failed')),
        [`${check} failed`],
      );
      const after = states.slice(states.indexOf(`${check} failed`) + 1);
      assert.ok(after.every((state) => state.endsWith(' not-run')));
      assert.deepEqual(counts(examination), sent);
    });
  }

  it('calls a model unproven that takes no call to count tokens', async () => {
    const { examine, emulator } = await startExamination();
    emulator.faults.always(accessPath, refusal(400, 'model_no_support_for_function'));
    const found = await examine();
    assert.ok(found.states.includes('access warning'));
    assertNamed(found.diagnosis, 'model that cannot be checked');
    assert.equal(found.diagnosis.failure, undefined);
  });

  it('repeats no project ID that comes back as the number of a request', async () => {
    const { examine, emulator, credentials } = await startExamination();
    const json = { errors: [{ code: 'x' }], trace: credentials.projectId, status_code: 403 };
    emulator.faults.always(accessPath, { status: 403, json });
    const { failure } = (await examine()).diagnosis;
    assert.deepEqual([failure?.kind, failure?.details.requestId], ['forbidden', undefined]);
  });

  for (const [step, allowed, sent] of [
    ['token', 0, [1, 1, 0, 0]],
    ['access', 2, [1, 1, 1, 0]],
  ] as const) {
    it(`sends nothing more once the credentials are others before: ${step}`, async () => {
      let asked = 0;
      const mayUse = async () => asked++ < allowed;
      const examination = await startExamination({ mayUse });
      const { diagnosis, states } = await examination.examine();
      assert.equal(diagnosis.failure?.kind, 'credentials-changed');
      assert.ok(states.includes(`${step} failed`));
      assert.deepEqual(counts(examination), sent);
    });
  }

  it('does not wait in the queue of the generations', async () => {
    const { examine, session, credentials, emulator } = await startExamination();
    const chat = '/ml/v1/text/chat';
    const held = gate();
    emulator.faults.always(chat, { hold: held.opened });
    const one = { ...settings, limits: { ...settings.limits, limit: 1 } };
    const generation = session.client(credentials, one).generateText('Hi', {});
    await emulator.requestCount(chat, 1);
    const { failure } = (await examine()).diagnosis;
    assert.equal(failure, undefined);
    held.open();
    await generation;
  });

  it('says what a check that takes its time waits for', async () => {
    const { examine, emulator } = await startExamination();
    emulator.faults.next(accessPath, { status: 503 });
    const { events, retries } = await examine();
    assert.deepEqual(
      events.filter((event) => event.startsWith('access')),
      ['access running', 'access running', 'access passed'],
    );
    assert.deepEqual(retries, ['attempt 2 of 4 in 1 s (503)']);
  });

  it('tries a key anew that was refused before', async () => {
    const { emulator, examine } = await startExamination({ emulator: { apiKeys: ['another'] } });
    assert.equal((await examine()).diagnosis.failure?.kind, 'key-refused');
    emulator.settings.apiKeys = ['C4nary-Key_0123456789'];
    assert.equal((await examine()).diagnosis.failure, undefined);
  });

  for (const [offsetSeconds, state, minutes] of [
    [-420, 'warning', 7],
    [420, 'warning', -7],
    [-80, 'passed', 1],
    [0, 'passed', 0],
  ] as const) {
    it(`calls a clock ${minutes} minutes ahead of the service's ${state}`, async () => {
      const { examine } = await startExamination({
        emulator: { clockOffsetSeconds: offsetSeconds },
      });
      const found = await examine();
      assert.ok(found.states.includes(`clock ${state}`));
      if (minutes === 7) assertNamed(found.diagnosis, 'clock wrong');
      assert.equal(Math.round((factsOf(found, 'clock').clockAheadMs ?? 0) / 60_000), minutes);
      assert.equal(found.diagnosis.failure, undefined, 'a wrong clock does not stop it');
    });
  }

  it('warns of a model that is to be withdrawn, with the day and the successor', async () => {
    const { examine } = await startExamination({ modelId: 'ibm/granite-3-3-8b-instruct' });
    const found = await examine();
    assert.ok(found.states.includes('access warning'));
    assertNamed(found.diagnosis, 'model to be withdrawn');
    assert.deepEqual(factsOf(found, 'access').model, {
      stage: 'deprecated',
      since: '2026-09-01',
      until: '2027-01-15',
      successors: ['ibm/granite-4-h-small'],
    });
  });

  it('asks the list for the one model, unless its id could be a filter of its own', async () => {
    for (const [id, filters] of [
      [modelId, `modelid_${modelId}`],
      ['a,!lifecycle_x:or', null],
    ] as const) {
      const { examine, emulator } = await startExamination({ modelId: id });
      await examine();
      const asked = emulator.requests.find(({ path }) => path === modelsPath);
      assert.equal(asked?.query.get('filters'), filters);
    }
  });

  for (const answer of [
    { status: 503 },
    { json: { resources: 'none' } },
    { oversizedBytes: 2_000_000 },
  ]) {
    it(`takes ${JSON.stringify(answer)} of the public list for an answer`, async () => {
      const { examine, emulator } = await startExamination();
      emulator.faults.always(modelsPath, answer);
      const { states } = await examine();
      assert.ok(states.includes('service-host passed'));
      assert.equal(emulator.count(modelsPath), 1);
    });
  }

  it('keeps nothing of headers that are no numbers', async () => {
    const { examine, emulator } = await startExamination();
    const headers = { 'x-requests-limit-rate': 'C4nary', 'x-requests-limit-remaining': '1e9' };
    emulator.faults.next(accessPath, { headers });
    const { requestLimit } = factsOf(await examine(), 'request-limit');
    assert.deepEqual(requestLimit, { perSecond: undefined, left: undefined });
  });

  it('ends when it is cancelled, whatever is under way, and sends nothing more', async () => {
    for (const path of [modelsPath, accessPath]) {
      const examination = await startExamination();
      const held = gate();
      examination.emulator.faults.always(path, { hold: held.opened });
      const controller = new AbortController();
      const running = kindOf(examination.examine(controller.signal));
      await examination.emulator.requestCount(path, 1);
      const before = examination.emulator.requests.length;
      controller.abort();
      assert.equal(await running, 'cancelled');
      held.open();
      assert.equal(examination.emulator.requests.length, before);
    }
  });
});
