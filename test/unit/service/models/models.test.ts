import assert from 'node:assert/strict';
import { Http } from '../../../../src/service/http/http.ts';
import { type ModelQuery, Models } from '../../../../src/service/models/models.ts';
import { FakeTime, fakeNetwork, ibm, never } from '../fixtures.ts';
import { modelOf } from '../modelFixtures.ts';

const from: ModelQuery = { service: ibm, serviceUrl: 'https://a.example', operation: 'chat' };
const access = { origin: 'https://a.example', secrets: [], fixedHeaders: [] };
const minutesMs = 60_000;

describe('the model cache', () => {
  let time: FakeTime;
  let models: Models;
  let label: string;
  let limits: object;
  beforeEach(async () => {
    time = new FakeTime();
    label = 'old';
    limits = {};
    const { fetch } = fakeNetwork(() => ({
      json: {
        resources: ['one', 'two'].map((model_id) => ({ model_id, label, model_limits: limits })),
      },
    }));
    models = new Models(new Http({ fetch }), () => [], time);
    await models.list(from, access, 'one', never);
  });
  afterEach(() => time.end());

  it('keeps models for an hour, including any time the machine is asleep', async () => {
    await time.pass(59 * minutesMs);
    assert.equal(models.knownModel(from, 'two')?.id, 'two');
    time.sleep(2 * minutesMs);
    assert.equal(models.knownModel(from, 'two'), undefined);
  });

  it("doesn't return a model listed for a different service or operation", () => {
    assert.equal(models.knownModel(from, 'three'), undefined);
    assert.equal(models.knownModel({ ...from, operation: 'generation' }, 'one'), undefined);
    assert.equal(models.knownModel({ ...from, serviceUrl: 'https://b.example' }, 'one'), undefined);
  });

  it("uses the caller's limits only for models whose limits aren't cached", async () => {
    const listed = (maxOutputTokens: number) => modelOf({ id: 'one', maxOutputTokens });
    assert.equal(models.knownModel(from, 'one', listed(512))?.maxOutputTokens, 512);
    models.clear();
    assert.equal(models.knownModel(from, 'one', listed(512))?.maxOutputTokens, 512);
    limits = { max_output_tokens: 256 };
    await models.list(from, access, 'one', never);
    assert.equal(models.knownModel(from, 'one', listed(512))?.maxOutputTokens, 256);
  });

  it('returns the latest data for each model until the cache is cleared', async () => {
    label = 'new';
    await models.fetchModel(from, access, 'one', never);
    assert.deepEqual(
      [models.knownModel(from, 'one')?.label, models.knownModel(from, 'two')?.label],
      ['new', 'old'],
    );
    models.clear();
    assert.equal(models.knownModel(from, 'one'), undefined);
  });
});
