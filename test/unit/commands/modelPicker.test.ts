import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { ModelRow } from '../../../src/commands/modelRows.ts';
import type { ModelList } from '../../../src/service/api/modelList.ts';
import { FakeEditor, installEditor } from '../connection/fakeEditor.ts';
import { modelOf } from '../service/modelFixtures.ts';

/** A pick list that a test answers or closes. */
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

  async function start() {
    const { pickModel } = await import('../../../src/commands/modelPicker.ts');
    list = new FakePick();
    const models = Promise.withResolvers<ModelList>();
    const picked = pickModel(models.promise, 'b');
    return { models, picked };
  }

  it('is open while the list is on its way, then gives the id that was picked', async () => {
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
    assert.deepEqual([await picked, list.isOpen], ['a', false]);
  });

  it('says that the service has more models than it shows, and what to do', async () => {
    const { models } = await start();
    const thousand = Array.from({ length: 1_000 }, (_, index) => modelOf({ id: `m/${index}` }));
    models.resolve({ models: thousand, hasMore: true });
    await turn();
    assert.equal(
      list.prompt,
      'The service has more models than these 1,000. Another one can be named in the setting hostedModel.modelId.',
    );
  });

  it('gives nothing where it was closed, whatever comes then', async () => {
    for (const end of ['resolve', 'reject'] as const) {
      const { models, picked } = await start();
      list.hide();
      if (end === 'resolve') models.resolve({ models: [modelOf()], hasMore: false });
      else models.reject(new Error('no list'));
      assert.equal(await picked, undefined);
    }
  });

  it('closes and fails where there is no list', async () => {
    const { models, picked } = await start();
    models.reject(new Error('no list'));
    await assert.rejects(picked, /no list/);
    assert.equal(list.isOpen, false);
  });
});
