import assert from 'node:assert/strict';
import { readModels } from '../../../../src/service/api/watsonxModelList.ts';

describe('a page of the model list', () => {
  /** Creates the entries of a list, and counts how many times their properties are read. */
  function counted(length: number, entry: (index: number) => object) {
    const looks = { count: 0 };
    const entries = Array.from({ length }, (_, index) => {
      const look = (name: string | symbol) => {
        looks.count += 1;
        return Reflect.get(entry(index), name);
      };
      return new Proxy({}, { get: (_target, name) => look(name), has: () => true });
    });
    return { looks, entries };
  }

  it("is limited to its first 1,000 entries, even if they aren't models", () => {
    for (const model_id of ['maker/model', 'not an id']) {
      const most = counted(1_000, () => ({ model_id }));
      readModels({ resources: most.entries }, undefined);
      const more = counted(36_000, () => ({ model_id }));
      const { models, hasMore } = readModels({ resources: more.entries }, undefined);
      assert.deepEqual([models.length, hasMore], [model_id === 'maker/model' ? 1_000 : 0, true]);
      assert.equal(more.looks.count, most.looks.count);
    }
  });

  it('F06: excludes models whose IDs could become links', () => {
    const ids = [
      'https://h0stile.example/x',
      'x://y',
      'www.h0stile.example',
      'a/WWW.b',
      'me@b.example',
    ];
    const resources = [...ids, 'maker/www', 'maker/model@2'].map((model_id) => ({ model_id }));
    const { models } = readModels({ resources }, undefined);
    assert.deepEqual(
      models.map(({ id }) => id),
      ['maker/www', 'maker/model@2'],
    );
  });

  it('is limited to the requested number of models', () => {
    const { entries } = counted(5, (index) => ({ model_id: `m${index}` }));
    const { models, hasMore } = readModels({ resources: entries }, undefined, 3);
    assert.deepEqual([models.map(({ id }) => id), hasMore], [['m0', 'm1', 'm2'], true]);
    assert.equal(readModels({ resources: entries }, undefined, 5).hasMore, false);
  });

  it('is limited to 20 functions and 20 stages per model, and 20 alternatives per stage', () => {
    const parts = (length: number) => Array.from({ length }, (_, index) => `m/${index}`);
    const stages = parts(100_000).map((id) => ({ id, start_date: '2026-01-01' }));
    const stage = { ...stages[0], alternative_model_ids: parts(100_000) };
    const functions = parts(100_000).map((id) => ({ id }));
    const resources = [{ model_id: 'm', functions, lifecycle: [stage, ...stages] }];
    const [model] = readModels({ resources }, undefined).models;
    assert.deepEqual(
      [model?.functions.length, model?.lifecycle.length, model?.lifecycle[0]?.alternatives.length],
      [20, 20, 20],
    );
  });
});
