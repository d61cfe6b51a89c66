import type { Model } from '../api/modelList.ts';
import type { Parameters } from '../api/parameters.ts';
import { type ErrorKind, isKind, ServiceError } from '../errors.ts';
import { lifecycleOf, withLifecycle } from './modelLifecycle.ts';
import { modelProblem } from './modelLimits.ts';

/** What the checks may find to be the cause of a refusal; anything else only kept them from looking. */
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
 * The cause of a refusal, by the checks that were run after it.
 * @param failure what they found; undefined if all passed
 */
export function explain(refusal: ServiceError, failure: ServiceError | undefined): ServiceError {
  if (failure) return isKind(failure, ...CAUSES) ? failure : refusal.with({ isUnchecked: true });
  // The checks prove the token, but not the right to generate.
  return refusal.kind === 'unauthorized'
    ? new ServiceError('refused-once', refusal.details)
    : refusal;
}

/** The cause of a refusal, by what the service says about the model, where that tells it. Pure. */
export function explainByModel(
  refusal: ServiceError,
  model: Model,
  parameters: Parameters,
): ServiceError {
  if (refusal.kind === 'model-unknown') return withLifecycle(refusal, lifecycleOf(model));
  // The code says no more than that the request was bad.
  const { status, host, attempts, requestId } = refusal.details;
  return modelProblem(model, parameters)?.with({ status, host, attempts, requestId }) ?? refusal;
}
