import { type ServiceError, safeWord } from '../errors.ts';
import type { Model } from './modelList.ts';

/** The one rule for where a model is in its life, by the service's own list and clock. Pure. */

/** Where a model is in its life, as far as it matters to those who use it. */
export interface ModelSunset {
  readonly stage: 'deprecated' | 'withdrawn';
  /** The day it began, YYYY-MM-DD. */
  readonly since: string;
  /** The day it will be withdrawn, if that is known and to come. */
  readonly until: string | undefined;
  readonly successors: readonly string[];
}

/** What the list says about the life of a model. */
export interface ModelLifecycle {
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

export function lifecycleOf({ lifecycle, asOf }: Model): ModelLifecycle {
  const stages = lifecycle.filter(({ from }) => DAY.test(from));
  const named = (name: string) => stages.find(({ stage }) => stage === name);
  const [deprecated, withdrawn] = [named('deprecated'), named('withdrawn')];
  const others = stages.filter(({ stage, from }) => !isNamed(stage) && hasCome(from, asOf));
  const successors = [withdrawn, deprecated].flatMap((stage) => stage?.alternatives ?? []);
  return {
    deprecated: deprecated?.from,
    withdrawn: withdrawn?.from,
    others: others.flatMap(({ stage }) => safeWord(stage) ?? []),
    successors: [...new Set(successors)],
  };
}

/** The stage a model is in, if it is one to know of; none where the service did not say its time. */
export function sunsetOf(model: Model): ModelSunset | undefined {
  const { deprecated, withdrawn, successors } = lifecycleOf(model);
  if (withdrawn !== undefined && hasCome(withdrawn, model.asOf)) {
    return { stage: 'withdrawn', since: withdrawn, until: undefined, successors };
  }
  return deprecated !== undefined && hasCome(deprecated, model.asOf)
    ? { stage: 'deprecated', since: deprecated, until: withdrawn, successors }
    : undefined;
}

/** A failure for which the model is the reason, with what becomes of the model. */
export function withSunset(
  error: ServiceError,
  { stage, since, successors }: ModelSunset,
): ServiceError {
  return error.with({ successors, ...(stage === 'withdrawn' && { since }) });
}

function hasCome(day: string, today: string | undefined): boolean {
  return today !== undefined && day <= today;
}

function isNamed(stage: string): boolean {
  return ['available', 'deprecated', 'withdrawn'].includes(stage);
}
