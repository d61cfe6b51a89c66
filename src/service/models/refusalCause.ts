import type { Model } from '../api/modelList.ts';
import type { Parameters } from '../api/parameters.ts';
import { type ErrorKind, isKind, ServiceError } from '../errors.ts';
import { lifecycleOf, withLifecycle } from './modelLifecycle.ts';
import { modelProblem } from './modelLimits.ts';

/**
 * Kinds of check failures that explain a refusal. After any other failure, the cause remains
 * unknown.
 */
const CAUSES: readonly ErrorKind[] = [
  'key-refused',
  'token-request-refused',
  'unauthorized',
  'forbidden',
  'project-missing',
  'project-unknown',
  'project-without-runtime',
  'quota-used-up',
  'model-unknown',
  'operation-unsupported',
];

/**
 * Returns the error to report for a refusal, based on the checks that ran after the refusal. If a
 * check failed for a reason that explains the refusal, returns the check's failure. If a check
 * failed for another reason, returns the refusal, marked as `isUnchecked`. If all checks passed,
 * returns `refused-once` for an `unauthorized` refusal, and returns any other refusal unchanged.
 * @param failure the first failure of a check; undefined if all checks passed
 */
export function explain(refusal: ServiceError, failure: ServiceError | undefined): ServiceError {
  if (failure) return isKind(failure, ...CAUSES) ? failure : refusal.with({ isUnchecked: true });
  // A new token passed all checks, so an `unauthorized` error probably won't recur. A `forbidden`
  // error might recur, because the account might lack permission to generate text.
  return refusal.kind === 'unauthorized'
    ? new ServiceError('refused-once', refusal.details)
    : refusal;
}

/**
 * Returns a more specific error if the model's lifecycle or limits explain a refusal. Otherwise,
 * returns the refusal unchanged. Pure.
 */
export function explainByModel(
  refusal: ServiceError,
  model: Model,
  parameters: Parameters,
): ServiceError {
  if (refusal.kind === 'model-unknown') return withLifecycle(refusal, lifecycleOf(model));
  // Leave out the error code, because it's less specific than the cause that was found.
  const { status, host, attempts, requestId } = refusal.details;
  return modelProblem(model, parameters)?.with({ status, host, attempts, requestId }) ?? refusal;
}
