import { type ErrorKind, isKind, ServiceError } from './errors.ts';
import type { Http } from './http.ts';
import { fateOf, withFate } from './modelLife.ts';
import { listModels, type ModelSource } from './models.ts';

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

/**
 * The refusal of a model that the service does not offer, with what the service says became of it.
 * Asks the list anew, since whatever is known of it did not foresee the refusal. Never throws.
 */
export async function explainModel(
  refusal: ServiceError,
  http: Http,
  from: ModelSource & { readonly modelId: string },
  signal: AbortSignal,
): Promise<ServiceError> {
  const list = await listModels(http, from, signal).catch(() => undefined);
  const model = list?.models.find(({ id }) => id === from.modelId);
  const fate = model && fateOf(model);
  return fate ? withFate(refusal, fate) : refusal;
}
