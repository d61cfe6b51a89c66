import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { ModelRow } from '../../../src/commands/modelRows.ts';
import type { ModelList } from '../../../src/service/api/modelTypes.ts';
import { services } from '../../../src/service/builtInServices.ts';
import { FakeEditor, installEditor } from '../connection/fakeEditor.ts';
import { modelOf } from '../service/modelFixtures.ts';

/** A fake Quick Pick that a test accepts or closes. */
class FakePick {
  items: readonly ModelRow[] = [];
  selectedItems: readonly ModelRow[] = [];
  placeholder = '';
  prompt: string | undefined;
  busy = false;
  isOpen = false;
  #accept = () => {};
  #hide = () => {};

  onDidAccept(listener: () => void): { dispose(): void } {
    this.#accept = listener;
    return { dispose: () => {} };
  }
  onDidHide(listener: () => void): { dispose(): void } {
    this.#hide = listener;
    return { dispose: () => {} };
  }
  show(): void {
    this.isOpen = true;
  }
  hide(): void {
    this.isOpen = false;
    this.#hide();
  }
  dispose(): void {
    this.isOpen = false;
  }

  pick(id: string): void {
    this.selectedItems = this.items.filter((row) => row.id === id);
    this.#accept();
  }
}

describe('Select Model', () => {
  let list = new FakePick();
  let hooks: ReturnType<typeof installEditor>;
  before(() => {
    class EditorWithList extends FakeEditor {
      override exports(): Record<string, unknown> {
        return { ...super.exports(), window: { createQuickPick: () => list } };
      }
    }
    hooks = installEditor(() => new EditorWithList());
  });
  after(() => hooks.deregister());

  async function start(hasOther = false) {
    const { pickModel } = await import('../../../src/commands/modelPicker.ts');
    list = new FakePick();
    const models = Promise.withResolvers<ModelList>();
    const own = { service: services[0], list: models.promise, current: 'b' };
    const other = Promise.withResolvers<ModelList>();
    const gateway = { service: services[1] ?? services[0], list: other.promise, current: 'c' };
    const picked = pickModel(own, hasOther ? [gateway] : []);
    return { models, other, picked };
  }

  it('opens while the list is loading, then returns the selected model', async () => {
    const { models, picked } = await start();
    assert.deepEqual([list.isOpen, list.busy], [true, true]);
    models.resolve({ models: [modelOf({ id: 'a' }), modelOf({ id: 'b' })], hasMore: false });
    await turn();
    assert.deepEqual([list.busy, list.placeholder], [false, 'Current: b']);
    assert.equal(list.prompt, undefined);
    assert.deepEqual(
      list.items.map(({ id }) => id),
      ['b', 'a'],
    );
    list.pick('nothing');
    list.pick('a');
    assert.deepEqual([await picked, list.isOpen], [{ service: services[0], modelId: 'a' }, false]);
  });

  it("groups the models by service, and omits services that can't list models", async () => {
    const { models, other, picked } = await start(true);
    models.resolve({ models: [modelOf({ id: 'b' })], hasMore: false });
    await turn();
    assert.equal(list.busy, true);
    other.resolve({ models: [modelOf({ id: 'c' })], hasMore: false });
    await turn();
    const labels = () => list.items.map(({ id, label }) => id || label);
    assert.deepEqual(labels(), [services[0].name, 'b', services[1]?.name, 'c']);
    assert.equal(list.busy, false);
    list.pick('c');
    assert.deepEqual(await picked, { service: services[1], modelId: 'c' });

    const without = await start(true);
    without.models.resolve({ models: [modelOf({ id: 'b' })], hasMore: false });
    without.other.reject(new Error('no list'));
    await turn();
    assert.deepEqual(labels(), [services[0].name, 'b']);
    list.hide();
  });

  it('explains how to use an unlisted model if the list is incomplete', async () => {
    const { models } = await start();
    const thousand = Array.from({ length: 1_000 }, (_, index) => modelOf({ id: `m/${index}` }));
    models.resolve({ models: thousand, hasMore: true });
    await turn();
    assert.equal(
      list.prompt,
      'The service has more models than the 1,000 listed here. To use another model, set hostedModel.modelId.',
    );
  });

  it('returns undefined if it is closed while the list is loading', async () => {
    for (const end of ['resolve', 'reject'] as const) {
      const { models, picked } = await start();
      list.hide();
      if (end === 'resolve') models.resolve({ models: [modelOf()], hasMore: false });
      else models.reject(new Error('no list'));
      assert.equal(await picked, undefined);
    }
  });

  it("mentions the deployment's own model if no models can be listed", async () => {
    const { pickModel } = await import('../../../src/commands/modelPicker.ts');
    list = new FakePick();
    const failed = Promise.reject(new Error('no list'));
    const picked = pickModel(undefined, [{ service: services[0], list: failed, current: '' }]);
    await turn();
    assert.deepEqual(
      [list.placeholder, list.busy],
      ['Your deployment has its own model, so you can’t select one.', false],
    );
    list.hide();
    assert.equal(await picked, undefined);
  });

  it("closes and fails if the list can't be loaded", async () => {
    const { models, picked } = await start();
    models.reject(new Error('no list'));
    await assert.rejects(picked, /no list/);
    assert.equal(list.isOpen, false);
  });
});
