import type { LifecycleStage, Model } from '../../../src/service/api/modelTypes.ts';

/** Creates a model. Omitted fields are empty, except for `id` and `asOf`, which have defaults. */
export function modelOf(facts: Partial<Model> = {}): Model {
  return {
    id: 'maker/model',
    label: '',
    provider: '',
    description: '',
    contextLength: undefined,
    maxOutputTokens: undefined,
    tasks: [],
    functions: [],
    lifecycle: [],
    asOf: '2026-11-21',
    ...facts,
  };
}

export function stageOf(
  stage: string,
  from: string,
  ...alternatives: readonly string[]
): LifecycleStage {
  return { stage, from, alternatives };
}
