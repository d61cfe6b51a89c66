import type { Model } from '../api/modelTypes.ts';
import type { Parameters } from '../api/parameters.ts';
import { ServiceError } from '../errors.ts';
import { lifecycleOf, withLifecycle } from './modelLifecycle.ts';
import { modelProblem } from './modelLimitRules.ts';

/**
 * Returns the error to report for a rejection, based on the checks that ran after the rejection. If
 * a check failed for a reason that explains the rejection, returns the check's failure. If a check
 * failed for another reason, returns the rejection with `isUnchecked` set. If all checks passed,
 * returns `rejected-once` for an `unauthorized` rejection, and returns any other rejection
 * unchanged.
 * @param failure the failure of the first check that failed; undefined if all checks passed
 */
export function explain(rejection: ServiceError, failure: ServiceError | undefined): ServiceError {
  if (failure) {
    return failure.handling.explainsRejection ? failure : rejection.with({ isUnchecked: true });
  }
  // A new token passed all checks, so an `unauthorized` error probably won't recur. A `forbidden`
  // error might recur, because the account might lack permission to generate text.
  return rejection.kind === 'unauthorized'
    ? new ServiceError('rejected-once', rejection.details)
    : rejection;
}

/**
 * Returns a more specific error if the model's lifecycle or limits explain a rejection. Otherwise,
 * returns the rejection unchanged. Pure.
 */
export function explainByModel(
  rejection: ServiceError,
  model: Model,
  parameters: Parameters,
): ServiceError {
  if (rejection.handling.explainedBy === 'lifecycle') {
    return withLifecycle(rejection, lifecycleOf(model));
  }
  // Leave out the error code, because it's less specific than the cause that was found.
  const { status, host, attempts, requestId } = rejection.details;
  return modelProblem(model, parameters)?.with({ status, host, attempts, requestId }) ?? rejection;
}
