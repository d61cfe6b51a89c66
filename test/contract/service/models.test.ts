import assert from 'node:assert/strict';
import { listModels } from '../../../src/service/models.ts';
import { startEmulator } from '../../emulator/emulator.ts';
import { recordedModels } from '../../emulator/models.ts';
import { endWorlds, failureOf, ibm, kindOf, startWorld, type World } from './world.ts';

const never = new AbortController().signal;
const path = '/ml/v1/foundation_model_specs';
const list = ({ http, credentials }: World, operation: 'chat' | 'generation' = 'chat') =>
  listModels(http, { vendor: ibm, serviceUrl: credentials.serviceUrl, operation }, never);
const page = (model_id: string, href?: string) => ({
  json: { resources: [{ model_id }], ...(href && { next: { href } }) },
});

describe('the model list', () => {
  afterEach(endWorlds);

  it('needs no token and no key', async () => {
    const world = await startWorld();
    const models = await list(world);
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

  it('is that of the operation', async () => {
    const world = await startWorld();
    await list(world, 'generation');
    const filters = world.emulator.requests[0]?.query.get('filters');
    assert.equal(filters, 'function_text_generation,!lifecycle_withdrawn:and');
  });

  it('says label, provider, length and lifecycle', async () => {
    const model = (await list(await startWorld()))[1];
    assert.deepEqual(model, {
      id: 'ibm/granite-3-3-8b-instruct',
      label: 'granite-3-3-8b-instruct',
      provider: 'IBM',
      description: 'General use',
      contextLength: 131_072,
      functions: ['text_chat', 'text_generation'],
      lifecycle: [
        { stage: 'available', from: '2025-04-01', alternatives: [] },
        { stage: 'deprecated', from: '2026-09-01', alternatives: ['ibm/granite-4-h-small'] },
        { stage: 'withdrawn', from: '2027-01-15', alternatives: ['ibm/granite-4-h-small'] },
      ],
    });
  });

  it('takes only the marker from the link to the next page', async () => {
    const other = await startEmulator();
    const world = await startWorld();
    const { faults } = world.emulator;
    faults.next(path, page('first', `${other.url}/evil?start=20&version=1999-01-01&limit=1`));
    faults.next(path, page('second', `${other.url}${path}?start=${encodeURIComponent('a&b=c')}`));
    faults.next(path, page('third'));
    const models = await list(world);
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
    assert.equal(other.openConnections, 0);
    await other.close();
  });

  it('ends where a link leads nowhere, and after ten pages', async () => {
    for (const href of ['not a link', `${ibm.authUrl}/x`, '/relative?start=1']) {
      const world = await startWorld();
      world.emulator.faults.next(path, page('only', href));
      assert.equal((await list(world)).length, 1);
    }
    const world = await startWorld();
    world.emulator.faults.always(path, page('again', 'https://x.example/?start=1'));
    assert.equal((await list(world)).length, 10);
  });

  it('keeps no id that could be anything but an id', async () => {
    const world = await startWorld();
    world.emulator.faults.next(path, page('[x](command:y)'));
    assert.equal(await kindOf(list(world)), 'unexpected-answer');
  });

  it('is retried and fails like any other request', async () => {
    const world = await startWorld();
    world.emulator.faults.next(path, { status: 503 }, 3);
    assert.equal((await list(world)).length, 2);
    world.emulator.faults.always(path, { status: 503 });
    const { kind, details } = await failureOf(list(world));
    assert.deepEqual([kind, details.attempts], ['server-failed', 4]);
  });
});
