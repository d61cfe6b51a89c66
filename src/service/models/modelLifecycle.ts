import type { Model } from '../api/modelList.ts';
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
  const stages = lifecycle.filter(({ from }) => DAY.test(from));
  const named = (name: string) => stages.find(({ stage }) => stage === name);
  const [withdrawn, deprecated] = ENDS.map(named);
  const others = stages.filter(({ stage, from }) => !isNamed(stage) && hasCome(from, asOf));
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

function isNamed(stage: string): boolean {
  return ['available', 'deprecated', 'withdrawn'].includes(stage);
}

/** Returns the stages in which a model is deprecated or withdrawn, at most one of each kind. */
export function endStages({ lifecycle }: Model): Model['lifecycle'] {
  return ENDS.flatMap((name) => lifecycle.find(({ stage }) => stage === name) ?? []);
}
