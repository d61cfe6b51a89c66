import type { ModelTarget } from '../api/api.ts';
import { apiOf } from '../api/apis.ts';
import type { ModelInfo } from '../api/liteLlmModelInfo.ts';
import type { Model } from '../api/modelTypes.ts';
import { ServiceError } from '../errors.ts';
import type { Http } from '../http/http.ts';
import type { Access } from '../http/httpTypes.ts';
import { parseJson } from '../schemaHelpers.ts';
import { withFacts } from './mergeModelFacts.ts';

/** A short deadline, because the user sees an empty list while the request is pending. */
const DEADLINE_MS = 5_000;
/**
 * Maximum size of the response, in bytes. Allows 1,024 models of 16 KB each. In practice, a model's
 * entry takes up 2 to 4 KB and consists mostly of prices.
 */
const MAX_BYTES = 16_777_216;

interface InfoRequest {
  readonly http: Http;
  readonly from: Pick<ModelTarget, 'service' | 'serviceUrl'>;
  readonly access: Access;
  readonly signal: AbortSignal;
}

/**
 * Adds limits and capabilities to a gateway's models if the gateway lists them separately. Leaves
 * out models that don't generate text. The models are usable without this information, so failures
 * are ignored.
 * @throws {ServiceError} `cancelled` if the signal aborts
 */
export async function withModelInfo(
  models: readonly Model[],
  request: InfoRequest,
): Promise<readonly Model[]> {
  const info = await fetchInfo(request).catch(() => undefined);
  if (request.signal.aborted) throw new ServiceError('cancelled');
  return models.flatMap((model) => {
    const known = info?.get(model.id);
    if (!known) return [model];
    return known.isForText ? [withFacts(model, known)] : [];
  });
}

/** @throws {ServiceError} */
async function fetchInfo({
  http,
  from,
  access,
  signal,
}: InfoRequest): Promise<ReadonlyMap<string, ModelInfo> | undefined> {
  const { failure, models } = apiOf(from.service);
  const { info } = models;
  if (!info) return undefined;
  return http.send({
    ...access,
    method: 'GET',
    url: info.url(from),
    accept: 'application/json',
    budget: { ...http.budget(DEADLINE_MS), retriesLeft: 0 },
    maxBytes: MAX_BYTES,
    signal,
    failure: (answer) => failure(answer),
    read: async ({ body }) => info.read(parseJson(await body.text())),
  });
}
