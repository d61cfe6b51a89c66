import type { LifecycleStage, Model } from '../api/modelTypes.ts';
import { plainWord, type ServiceError } from '../errors.ts';

/** A model's lifecycle, based on the service's model list and clock. Pure. */
export interface ModelLifecycle {
  /**
   * Undefined if the model is neither deprecated nor withdrawn, or if the response with the model
   * list had no valid `Date` header.
   */
  readonly stage: 'deprecated' | 'withdrawn' | undefined;
  /** The date (YYYY-MM-DD) on which the model was or will be deprecated. */
  readonly deprecated: string | undefined;
  /** The date (YYYY-MM-DD) on which the model was or will be withdrawn. */
  readonly withdrawn: string | undefined;
  /** Other stages that have started, such as `constricted`. Never includes `available`. */
  readonly others: readonly string[];
  /** IDs of replacement models. Those from the withdrawal stage come first. */
  readonly successors: readonly string[];
}

/**
 * The format of a stage's start date. A stage whose start date is in any other format is ignored.
 */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The later stage comes first, because it takes precedence if a model has reached both. */
const ENDS = ['withdrawn', 'deprecated'] as const;

export function lifecycleOf({ lifecycle, asOf }: Model): ModelLifecycle {
  const stages = lifecycle.filter(hasDay);
  const named = (name: string) => stages.find(({ stage }) => stage === name);
  const [withdrawn, deprecated] = ENDS.map(named);
  const others = stages.filter(({ stage, from }) => !isUsual(stage) && hasCome(from, asOf));
  const successors = [withdrawn, deprecated].flatMap((stage) => stage?.alternatives ?? []);
  return {
    stage: ENDS.find((name) => hasCome(named(name)?.from, asOf)),
    deprecated: deprecated?.from,
    withdrawn: withdrawn?.from,
    others: others.flatMap(({ stage }) => plainWord(stage) ?? []),
    successors: [...new Set(successors)],
  };
}

/**
 * Adds the model's successors to a failure if the model is deprecated or withdrawn. Also adds the
 * withdrawal date if the model is withdrawn.
 */
export function withLifecycle(error: ServiceError, lifecycle: ModelLifecycle): ServiceError {
  const { stage, withdrawn, successors } = lifecycle;
  if (!stage) return error;
  const since = stage === 'withdrawn' ? withdrawn : undefined;
  return error.with({ successors, since });
}

function hasCome(day: string | undefined, today: string | undefined): boolean {
  return day !== undefined && today !== undefined && day <= today;
}

function hasDay({ from }: LifecycleStage): boolean {
  return DAY.test(from);
}

function isUsual(stage: string): boolean {
  return stage === 'available' || ENDS.some((end) => end === stage);
}

/**
 * Returns the stages in which a model is deprecated or withdrawn, without replacement models.
 * Returns at most one stage of each kind: the one that `lifecycleOf` uses.
 */
export function endStages({ lifecycle }: Model): LifecycleStage[] {
  const stages = lifecycle.filter(hasDay);
  const ends = ENDS.flatMap((name) => stages.find(({ stage }) => stage === name) ?? []);
  return ends.map((stage) => ({ ...stage, alternatives: [] }));
}
