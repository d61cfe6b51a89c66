import assert from 'node:assert/strict';
import { fateOf } from '../../../src/service/reach.ts';
import type { LifecycleStage, Model } from '../../../src/service/wire.ts';

const today = '2026-11-21';
const model = (lifecycle: readonly LifecycleStage[]): Model => ({
  id: 'maker/model',
  label: '',
  provider: '',
  description: '',
  contextLength: undefined,
  functions: [],
  lifecycle,
});
const stage = (name: string, from: string, ...alternatives: string[]): LifecycleStage => ({
  stage: name,
  from,
  alternatives,
});

describe('the fate of a model', () => {
  it('is none while it is available', () => {
    assert.equal(fateOf(model([]), today), undefined);
    const later = model([stage('available', '2025-01-01'), stage('withdrawn', '2026-11-22')]);
    assert.equal(fateOf(later, today), undefined);
  });

  it('is deprecated up to the day of its withdrawal, and names that day', () => {
    const stages = [stage('deprecated', today, 'maker/next'), stage('withdrawn', '2027-01-15')];
    assert.deepEqual(fateOf(model(stages), today), {
      stage: 'deprecated',
      since: today,
      until: '2027-01-15',
      successors: ['maker/next'],
    });
  });

  it('is withdrawn from its last day on, in whatever order the stages come', () => {
    const stages = [stage('withdrawn', today), stage('deprecated', '2026-01-01', 'maker/next')];
    const { stage: name, since, until } = fateOf(model(stages), today) ?? {};
    assert.deepEqual([name, since, until], ['withdrawn', today, undefined]);
  });

  it('is none where its dates are no days', () => {
    assert.equal(
      fateOf(model([stage('withdrawn', ''), stage('withdrawn', '1')]), today),
      undefined,
    );
  });
});
