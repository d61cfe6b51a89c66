import { inferenceFailure } from '../failures.ts';
import type { Http } from '../http/http.ts';
import type { Operation, Vendor } from '../vendors.ts';
import { parseJson } from '../wire.ts';
import { MOST_MODELS, type Model, type ModelList, readModels } from './modelList.ts';

const DEADLINE_MS = 30_000;
/** 4 KB for each model, where a service puts all that are looked at on one page. */
const MAX_PAGE_BYTES = 4_194_304;
const MAX_PAGES = 10;
const PAGE_SIZE = 200;

/** Ids that the filter of the list can hold: its own signs are colon, comma and exclamation mark. */
const FILTERED_ID = /^[\w./-]{1,128}$/;

/** Whose list of models, and for what. */
export interface ModelSource {
  readonly vendor: Vendor;
  /** Origin and path prefix, already checked. */
  readonly serviceUrl: string;
  readonly operation: Operation;
}

/**
 * The models a service offers for an operation. Needs no credential, so that a model can be
 * picked before a key is set.
 * @throws {ServiceError}
 */
export async function listModels(
  http: Http,
  from: ModelSource,
  signal: AbortSignal,
): Promise<ModelList> {
  const { vendor, serviceUrl, operation } = from;
  const filters = `function_${functionOf(operation)},!lifecycle_withdrawn:and`;
  const budget = http.budget(DEADLINE_MS);
  const models: Model[] = [];
  let start: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = new URLSearchParams({
      version: vendor.apiVersion,
      limit: String(PAGE_SIZE),
      filters,
      ...(start && { start }),
    });
    const left = MOST_MODELS - models.length;
    const read = await http.send({
      method: 'GET',
      url: `${serviceUrl}${vendor.paths.models}?${query}`,
      origin: new URL(serviceUrl).origin,
      accept: 'application/json',
      budget,
      maxBytes: MAX_PAGE_BYTES,
      signal,
      failure: inferenceFailure,
      read: async ({ body, header }) =>
        readModels(parseJson(await body.text()), header('date'), left),
    });
    models.push(...read.models);
    start = startOf(read.next);
    if (read.hasMore || !start) return { models, hasMore: read.hasMore };
    if (models.length >= MOST_MODELS) break;
  }
  return { models, hasMore: true };
}

/** The filter that leaves one model in the list; undefined where no filter can say its id. */
export function idFilter(modelId: string): string | undefined {
  return FILTERED_ID.test(modelId) ? `modelid_${modelId}` : undefined;
}

/** What the list calls an operation, among the functions of a model. */
export function functionOf(operation: Operation): string {
  return operation === 'chat' ? 'text_chat' : 'text_generation';
}

/** Only the marker is taken from the link to the next page; the address stays ours. */
function startOf(next: string | undefined): string | undefined {
  if (!next || !URL.canParse(next)) return undefined;
  return new URL(next).searchParams.get('start') ?? undefined;
}
