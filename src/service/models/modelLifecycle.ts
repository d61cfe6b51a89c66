import type { Model } from '../api/modelList.ts';
import { type ServiceError, safeWord } from '../errors.ts';

/** The one rule for where a model is in its life, by the service's own list and clock. Pure. */

/** What the list says about the life of a model. */
export interface ModelLifecycle {
  /** Where it is now; undefined where it stays, or where the service did not say its time. */
  readonly stage: 'deprecated' | 'withdrawn' | undefined;
  /** The day, past or to come, YYYY-MM-DD. */
  readonly deprecated: string | undefined;
  /** The same. */
  readonly withdrawn: string | undefined;
  /** Other stages it is in, such as `constricted`; short words. */
  readonly others: readonly string[];
  /** Ids of the models in its place, those of its withdrawal first. */
  readonly successors: readonly string[];
}

/** The form of a day in the life of a model; what has another form says nothing. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The later one first. */
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

/** A failure for which the model is the reason, with what becomes of the model. */
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
