import assert from 'node:assert/strict';
import { sunsetOf } from '../../../../src/service/models/modelLifecycle.ts';
import type { LifecycleStage } from '../../../../src/service/models/modelList.ts';
import { modelOf, stageOf } from '../modelFixtures.ts';

const today = '2026-11-21';
const model = (lifecycle: readonly LifecycleStage[]) => modelOf({ lifecycle });

describe('the fate of a model', () => {
  it('is none while it is available', () => {
    assert.equal(sunsetOf(model([])), undefined);
    const later = model([stageOf('available', '2025-01-01'), stageOf('withdrawn', '2026-11-22')]);
    assert.equal(sunsetOf(later), undefined);
  });

  it('is deprecated up to the day of its withdrawal, and names that day', () => {
    const stages = [stageOf('deprecated', today, 'maker/next'), stageOf('withdrawn', '2027-01-15')];
    assert.deepEqual(sunsetOf(model(stages)), {
      stage: 'deprecated',
      since: today,
      until: '2027-01-15',
      successors: ['maker/next'],
    });
  });

  it('is withdrawn from its last day on, in whatever order the stages come', () => {
    const stages = [stageOf('withdrawn', today), stageOf('deprecated', '2026-01-01', 'maker/next')];
    const { stage: name, since, until } = sunsetOf(model(stages)) ?? {};
    assert.deepEqual([name, since, until], ['withdrawn', today, undefined]);
  });

  it('is none where its dates are no days', () => {
    assert.equal(sunsetOf(model([stageOf('withdrawn', ''), stageOf('withdrawn', '1')])), undefined);
  });

  it('is none where the service did not say its time', () => {
    const lifecycle = [stageOf('withdrawn', '2020-01-01')];
    assert.equal(sunsetOf(modelOf({ lifecycle, asOf: undefined })), undefined);
  });
});
