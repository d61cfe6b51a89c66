import assert from 'node:assert/strict';
import type { LifecycleStage } from '../../../../src/service/api/modelTypes.ts';
import { endStages, lifecycleOf } from '../../../../src/service/models/modelLifecycle.ts';
import { modelOf, stageOf } from '../modelFixtures.ts';

const today = '2026-11-21';
const model = (lifecycle: readonly LifecycleStage[]) => modelOf({ lifecycle });

describe('the lifecycle stage of a model', () => {
  it('is undefined while the model is available', () => {
    assert.equal(lifecycleOf(model([])).stage, undefined);
    const later = model([stageOf('available', '2025-01-01'), stageOf('withdrawn', '2026-11-22')]);
    assert.equal(lifecycleOf(later).stage, undefined);
  });

  it('is “deprecated” from the deprecation date until the withdrawal date', () => {
    const stages = [stageOf('deprecated', today, 'maker/next'), stageOf('withdrawn', '2027-01-15')];
    assert.deepEqual(lifecycleOf(model(stages)), {
      stage: 'deprecated',
      deprecated: today,
      withdrawn: '2027-01-15',
      others: [],
      successors: ['maker/next'],
    });
  });

  it('is “withdrawn” on the withdrawal date, even if that stage is listed first', () => {
    const stages = [stageOf('withdrawn', today), stageOf('deprecated', '2026-01-01', 'maker/next')];
    const { stage: name, withdrawn } = lifecycleOf(model(stages));
    assert.deepEqual([name, withdrawn], ['withdrawn', today]);
  });

  it('is undefined if the dates are invalid', () => {
    const { stage: name } = lifecycleOf(
      model([stageOf('withdrawn', ''), stageOf('withdrawn', '1')]),
    );
    assert.equal(name, undefined);
  });

  it("is undefined if the service's current date is unknown", () => {
    const lifecycle = [stageOf('withdrawn', '2020-01-01')];
    assert.equal(lifecycleOf(modelOf({ lifecycle, asOf: undefined })).stage, undefined);
  });
});

describe('the end-of-life stages kept for a model', () => {
  it('yield the same current stage as the full list, even if that list includes invalid dates', () => {
    const invalid = ['withdrawn', 'deprecated'].map((stage) => stageOf(stage, '2026-01-01T00:00'));
    const valid = [stageOf('deprecated', '2026-01-01', 'maker/next'), stageOf('withdrawn', today)];
    const whole = model([...invalid, ...valid, ...valid]);
    const ends = endStages(whole);
    assert.equal(ends.length, 2);
    const successors: string[] = [];
    assert.deepEqual(lifecycleOf(model(ends)), { ...lifecycleOf(whole), successors });
  });
});
