import type { Model } from '../api/modelList.ts';
import { type ServiceError, safeWord } from '../errors.ts';

/** The lifecycle of a model, determined by the service's model list and clock. Pure. */
export interface ModelLifecycle {
  /** The current stage; undefined if it is neither, or if the response had no date. */
  readonly stage: 'deprecated' | 'withdrawn' | undefined;
  /** The day of deprecation, past or future, YYYY-MM-DD. */
  readonly deprecated: string | undefined;
  /** The day of withdrawal, past or future, YYYY-MM-DD. */
  readonly withdrawn: string | undefined;
  /** Other current stages, short words such as `constricted`. */
  readonly others: readonly string[];
  /** IDs of replacement models. Replacements listed for the withdrawal stage come first. */
  readonly successors: readonly string[];
}

/** Stages with a start date in any other format are ignored. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The later stage comes first. */
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
    others: others.flatMap(({ stage }) => safeWord(stage) ?? []),
    successors: [...new Set(successors)],
  };
}

/** Adds the successors and the withdrawal date to a failure that the model caused. */
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
