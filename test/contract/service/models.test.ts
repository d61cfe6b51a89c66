import assert from 'node:assert/strict';
import { publicAccess } from '../../../src/service/auth/requestAccess.ts';
import { listModels } from '../../../src/service/models/models.ts';
import { recordedModels } from '../../emulator/models.ts';
import { assertUntouched, startUnapproved } from '../../emulator/unapproved.ts';
import { endWorlds, failureOf, ibm, kindOf, startWorld, type World } from './world.ts';

const never = new AbortController().signal;
const path = '/ml/v1/foundation_model_specs';
const date = 'Wed, 15 Jul 2026 12:00:00 GMT';
const list = ({ http, credentials }: World, operation: 'chat' | 'generation' = 'chat') => {
  const from = { service: ibm, serviceUrl: credentials.serviceUrl, operation };
  return listModels(http, from, publicAccess(credentials), never);
};
const page = (model_id: string, href?: string) => ({
  json: { resources: [{ model_id }], ...(href && { next: { href } }) },
});

describe('the model list', () => {
  afterEach(endWorlds);

  it('is requested without a token or a key', async () => {
    const world = await startWorld();
    const { models } = await list(world);
    assert.deepEqual(
      models.map(({ id }) => id),
      recordedModels.map(({ model_id }) => model_id),
    );
    const [request, ...others] = world.emulator.requests;
    assert.equal(others.length, 0);
    assert.equal(request?.headers.authorization, undefined);
    assert.deepEqual(Object.fromEntries(request?.query ?? []), {
      version: '2025-02-11',
      limit: '200',
      filters: 'function_text_chat,!lifecycle_withdrawn:and',
    });
  });

  it('is filtered by operation', async () => {
    const world = await startWorld();
    await list(world, 'generation');
    const filters = world.emulator.requests[0]?.query.get('filters');
    assert.equal(filters, 'function_text_generation,!lifecycle_withdrawn:and');
  });

  it("includes each model's label, provider, limits, and lifecycle", async () => {
    const world = await startWorld();
    world.emulator.faults.next(path, { headers: { date } });
    const model = (await list(world)).models[1];
    assert.deepEqual(model, {
      id: 'ibm/granite-3-3-8b-instruct',
      label: 'granite-3-3-8b-instruct',
      provider: 'IBM',
      tasks: [],
      description: 'General use',
      contextLength: 131_072,
      maxOutputTokens: 16_384,
      functions: ['text_chat', 'text_generation'],
      lifecycle: [
        { stage: 'available', from: '2025-04-01', alternatives: [] },
        { stage: 'deprecated', from: '2026-09-01', alternatives: ['ibm/granite-4-h-small'] },
        { stage: 'withdrawn', from: '2027-01-15', alternatives: ['ibm/granite-4-h-small'] },
      ],
      asOf: '2026-07-15',
    });
  });

  it('uses only the `start` parameter of the next-page link', async () => {
    const other = await startUnapproved();
    const world = await startWorld();
    const { faults } = world.emulator;
    faults.next(path, page('first', `${other.url}/evil?start=20&version=1999-01-01&limit=1`));
    faults.next(path, page('second', `${other.url}${path}?start=${encodeURIComponent('a&b=c')}`));
    faults.next(path, page('third'));
    const { models } = await list(world);
    assert.deepEqual(
      models.map(({ id }) => id),
      ['first', 'second', 'third'],
    );
    const starts = world.emulator.requests.map(({ query }) => query.get('start'));
    assert.deepEqual(starts, [null, '20', 'a&b=c']);
    for (const { path: asked, query } of world.emulator.requests) {
      assert.deepEqual(
        [asked, query.get('version'), query.get('limit')],
        [path, '2025-02-11', '200'],
      );
    }
    assertUntouched(other);
  });

  it('ends at an unusable next-page link or after ten pages', async () => {
    for (const href of ['not a link', `${ibm.authUrl}/x`, '/relative?start=1']) {
      const world = await startWorld();
      world.emulator.faults.next(path, page('only', href));
      const { models, hasMore } = await list(world);
      assert.deepEqual([models.length, hasMore], [1, false]);
    }
    const world = await startWorld();
    world.emulator.faults.always(path, page('again', 'https://x.example/?start=1'));
    const { models, hasMore } = await list(world);
    assert.deepEqual([models.length, hasMore], [10, true]);
  });

  it('is capped at 1,000 models, and indicates whether the service has more', async () => {
    const world = await startWorld();
    const many = (length: number) =>
      Array.from({ length }, (_, index) => ({ model_id: `maker/model-${index}` }));
    const next = { href: 'https://x.example/?start=1' };
    world.emulator.faults.next(path, { json: { resources: many(36_000), next } });
    const { models, hasMore } = await list(world);
    assert.deepEqual([models.length, models.at(-1)?.id], [1_000, 'maker/model-999']);
    assert.deepEqual([hasMore, world.emulator.requests.length], [true, 1]);
    world.emulator.faults.next(path, { json: { resources: many(400), next } }, 3);
    assert.deepEqual(
      [(await list(world)).models.length, world.emulator.requests.length],
      [1_000, 4],
    );
    world.emulator.faults.next(path, { json: { resources: many(1_000) } });
    assert.equal((await list(world)).hasMore, false);
  });

  it('is rejected if a page exceeds 16 MiB', async () => {
    const world = await startWorld();
    const resources = [{ model_id: 'maker/model', label: 'x'.repeat(16_777_216) }];
    world.emulator.faults.next(path, { json: { resources } });
    assert.equal(await kindOf(list(world)), 'too-large');
  });

  it('leaves out IDs that could be markup, and is rejected if malformed', async () => {
    const world = await startWorld();
    world.emulator.faults.next(path, page('[x](command:y)'));
    assert.deepEqual((await list(world)).models, []);
    world.emulator.faults.next(path, { json: { resources: 'none' } });
    assert.equal(await kindOf(list(world)), 'unexpected-answer');
  });

  it('keeps the valid parts of malformed entries', async () => {
    const world = await startWorld();
    const odd: readonly unknown[] = [
      null,
      'a model',
      { model_id: 'with a blank' },
      {
        model_id: 'odd',
        label: null,
        provider: 7,
        short_description: null,
        functions: null,
        model_limits: { max_sequence_length: 0, max_output_tokens: null },
        lifecycle: [
          null,
          { id: 'deprecated', start_date: null },
          { id: 'withdrawn', start_date: '2027-01-01', alternative_model_ids: ['a b', 'm/next'] },
        ],
      },
      {
        model_id: 'odder',
        functions: [null, { id: 'text_chat' }],
        model_limits: null,
        lifecycle: null,
      },
    ];
    const next = { href: null };
    const json = { resources: [...odd, ...recordedModels], next };
    world.emulator.faults.next(path, { headers: { date }, json });
    const [first, second, ...others] = (await list(world)).models;
    assert.equal(others.length, recordedModels.length);
    const nothing = { provider: '', description: '', tasks: [] };
    const unlimited = {
      ...nothing,
      contextLength: undefined,
      maxOutputTokens: undefined,
    };
    const asOf = '2026-07-15';
    assert.deepEqual(first, {
      ...unlimited,
      id: 'odd',
      label: 'odd',
      functions: [],
      lifecycle: [
        { stage: 'deprecated', from: '', alternatives: [] },
        { stage: 'withdrawn', from: '2027-01-01', alternatives: ['m/next'] },
      ],
      asOf,
    });
    assert.deepEqual(second, {
      ...unlimited,
      id: 'odder',
      label: 'odder',
      functions: ['text_chat'],
      lifecycle: [],
      asOf,
    });
  });

  it("leaves out a limit that isn't a number", async () => {
    const world = await startWorld();
    const odd = {
      model_id: 'odd',
      model_limits: { max_sequence_length: 10, max_output_tokens: 'many' },
    };
    world.emulator.faults.next(path, { json: { resources: [odd] } });
    const [model] = (await list(world)).models;
    assert.deepEqual([model?.contextLength, model?.maxOutputTokens], [10, undefined]);
  });

  it('is requested up to four times if the service returns a 503', async () => {
    const world = await startWorld();
    world.emulator.faults.next(path, { status: 503 }, 3);
    assert.equal((await list(world)).models.length, 2);
    world.emulator.faults.always(path, { status: 503 });
    const { kind, details } = await failureOf(list(world));
    assert.deepEqual([kind, details.attempts], ['server-failed', 4]);
  });
});
