import assert from 'node:assert/strict';
import type { CheckFacts, CheckName } from '../../../src/service/checks/connectionChecks.ts';
import { gate } from '../../emulator/faults.ts';
import {
  accessPath,
  assertNamed,
  counts,
  endExaminations,
  type Found,
  modelsPath,
  rejection,
  settings,
  startExamination,
} from './diagnoseWorld.ts';
import { kindOf, modelId } from './world.ts';

const factsOf = ({ diagnosis }: Found, name: CheckName): CheckFacts => {
  const result = diagnosis.results.find(({ check }) => check === name);
  return result && 'facts' in result ? result.facts : {};
};

describe('a diagnosis', () => {
  afterEach(endExaminations);

  it('runs all checks one after another, and they pass on a working connection', async () => {
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

  it("warns that it can't check a model that doesn't support token counting", async () => {
    const { examine, emulator } = await startExamination();
    emulator.faults.always(accessPath, rejection(400, 'model_no_support_for_function'));
    const found = await examine();
    assert.ok(found.states.includes('access warning'));
    assertNamed(found.diagnosis, 'model without support for test requests');
    assert.equal(found.diagnosis.failure, undefined);
  });

  it('warns that the service requested a pause', async () => {
    const { examine, runtime, credentials } = await startExamination();
    const limit = runtime.limit(credentials.approved.service, settings.limits);
    const slot = await limit.acquire(new AbortController().signal);
    slot.release('throttled', 25_000);
    const found = await examine();
    assert.ok(found.states.includes('request-limit warning'));
    assertNamed(found.diagnosis, 'pause requested by the service');
    assert.equal(found.diagnosis.failure, undefined);
  });

  it('omits a request ID that equals the project ID', async () => {
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
    it(`stops sending requests if the credentials change before the ${step} check`, async () => {
      let asked = 0;
      const mayUse = async () => asked++ < allowed;
      const examination = await startExamination({ mayUse });
      const { diagnosis, states } = await examination.examine();
      assert.equal(diagnosis.failure?.kind, 'credentials-changed');
      assert.ok(states.includes(`${step} failed`));
      assert.deepEqual(counts(examination), sent);
    });
  }

  it("doesn't discard the tokens of a key that replaced the tested key", async () => {
    const { examine, runtime, credentials } = await startExamination({
      mayUse: async () => false,
    });
    const others = { ...credentials, apiKey: 'the-key-that-replaced-it' };
    const tokens = runtime.tokenService(others);
    await examine();
    assert.equal(runtime.tokenService(others), tokens);
  });

  it("doesn't wait for generations to finish", async () => {
    const { examine, runtime, credentials, emulator } = await startExamination();
    const chat = '/ml/v1/text/chat';
    const held = gate();
    emulator.faults.always(chat, { hold: held.opened });
    const one = { ...settings, limits: { ...settings.limits, limit: 1 } };
    const generation = runtime.client(credentials, one).generateText('Hi', {});
    await emulator.requestCount(chat, 1);
    const { failure } = (await examine()).diagnosis;
    assert.equal(failure, undefined);
    held.open();
    await generation;
  });

  it('reports the retry that a check is waiting for', async () => {
    const { examine, emulator } = await startExamination();
    emulator.faults.next(accessPath, { status: 503 });
    const { events, retries } = await examine();
    assert.deepEqual(
      events.filter((event) => event.startsWith('access')),
      ['access running', 'access running', 'access passed'],
    );
    assert.deepEqual(retries, ['Retrying (attempt 2 of 4, 503)']);
  });

  it('retests a key that was rejected earlier', async () => {
    const { emulator, examine } = await startExamination({ emulator: { apiKeys: ['another'] } });
    assert.equal((await examine()).diagnosis.failure?.kind, 'key-rejected');
    emulator.settings.apiKeys = ['C4nary-Key_0123456789'];
    assert.equal((await examine()).diagnosis.failure, undefined);
  });

  for (const [offsetSeconds, state, minutes] of [
    [-420, 'warning', 7],
    [420, 'warning', -7],
    [-80, 'passed', 1],
    [0, 'passed', 0],
  ] as const) {
    it(`reports "${state}" for a local clock offset of ${minutes} min`, async () => {
      const { examine } = await startExamination({
        emulator: { clockOffsetSeconds: offsetSeconds },
      });
      const found = await examine();
      assert.ok(found.states.includes(`clock ${state}`));
      if (minutes === 7) assertNamed(found.diagnosis, 'wrong clock');
      assert.equal(Math.round((factsOf(found, 'clock').clockAheadMs ?? 0) / 60_000), minutes);
      assert.equal(found.diagnosis.failure, undefined, "a wrong clock doesn't stop the diagnosis");
    });
  }

  it('warns that a model will be withdrawn, and gives the date and the successor', async () => {
    const { examine } = await startExamination({ modelId: 'ibm/granite-3-3-8b-instruct' });
    const found = await examine();
    assert.ok(found.states.includes('access warning'));
    assertNamed(found.diagnosis, 'model that will be withdrawn');
    assert.deepEqual(factsOf(found, 'access').model, {
      stage: 'deprecated',
      deprecated: '2026-09-01',
      withdrawn: '2027-01-15',
      others: [],
      successors: ['ibm/granite-4-h-small'],
    });
  });

  it('filters the model list by model ID, unless the ID could inject filters', async () => {
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
    it(`reports that the service host check passed, even if the service returns ${JSON.stringify(answer)}`, async () => {
      const { examine, emulator } = await startExamination();
      emulator.faults.always(modelsPath, answer);
      const { states } = await examine();
      assert.ok(states.includes('service-host passed'));
      assert.equal(emulator.count(modelsPath), 1);
    });
  }

  it("ignores rate limit headers that aren't plain numbers", async () => {
    const { examine, emulator } = await startExamination();
    const headers = { 'x-requests-limit-rate': 'C4nary', 'x-requests-limit-remaining': '1e9' };
    emulator.faults.next(accessPath, { headers });
    const { requestLimit } = factsOf(await examine(), 'request-limit');
    assert.deepEqual(requestLimit, { perSecond: undefined, left: undefined });
  });

  it('stops sending requests when it is canceled', async () => {
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
