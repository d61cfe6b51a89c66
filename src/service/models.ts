import { readText } from './body.ts';
import { inferenceFailure } from './failures.ts';
import type { Http } from './http.ts';
import type { Operation, Vendor } from './vendors.ts';
import { type Model, parseJson, readModels } from './wire.ts';

const DEADLINE_MS = 30_000;
const MAX_PAGE_BYTES = 8_388_608;
const MAX_PAGES = 10;
const PAGE_SIZE = 200;

/**
 * The models a service offers for an operation. Needs no credential, so that a model can be
 * picked before a key is set.
 * @param serviceUrl origin and path prefix, already checked
 * @throws {ServiceError}
 */
export async function listModels(
  http: Http,
  { vendor, serviceUrl, operation }: { vendor: Vendor; serviceUrl: string; operation: Operation },
  signal: AbortSignal,
): Promise<Model[]> {
  const budget = http.budget(DEADLINE_MS);
  const models: Model[] = [];
  let start: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = new URLSearchParams({
      version: vendor.apiVersion,
      limit: String(PAGE_SIZE),
      filters: `function_${functionOf(operation)},!lifecycle_withdrawn:and`,
      ...(start && { start }),
    });
    const { models: more, next } = await http.send({
      method: 'GET',
      url: `${serviceUrl}${vendor.paths.models}?${query}`,
      origin: new URL(serviceUrl).origin,
      accept: 'application/json',
      budget,
      maxBytes: MAX_PAGE_BYTES,
      signal,
      failure: inferenceFailure,
      read: async ({ bytes }) => readModels(parseJson(await readText(bytes))),
    });
    models.push(...more);
    start = startOf(next);
    if (!start) break;
  }
  return models;
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
