import type { Api } from '../api/api.ts';
import { apiOf } from '../api/apis.ts';
import { MAX_MODELS, type Model, type ModelList, type ModelPage } from '../api/modelTypes.ts';
import type { Operation } from '../apiCapabilities.ts';
import { type Clock, type Moment, momentOf, passedSince } from '../clock.ts';
import { isKind, ServiceError } from '../errors.ts';
import type { RequestGate } from '../http/concurrencyLimit.ts';
import type { Http } from '../http/http.ts';
import type { Access, PublicAccess } from '../http/httpTypes.ts';
import { holdsSecret } from '../masking.ts';
import { parseJson } from '../schemaHelpers.ts';
import type { Service } from '../service.ts';
import { SharedTask } from '../sharedTask.ts';
import { withModelInfo } from './gatewayModelInfo.ts';
import { withFacts, withStatedFacts, withStatedModels } from './mergeModelFacts.ts';
import { lifecycleOf } from './modelLifecycle.ts';

const DEADLINE_MS = 30_000;
/**
 * Maximum size of a model list page, in bytes. Allows `MAX_MODELS` entries of 16 KB each, or
 * 100,000 entries that contain little more than an ID (about 150 bytes each).
 */
export const MAX_PAGE_BYTES = 16_777_216;
const MAX_PAGES = 10;

/**
 * Maximum time to spend looking up the current model, in milliseconds. The limit is low, because
 * the user sees an empty list during the lookup.
 */
const LOOKUP_DEADLINE_MS = 5_000;
const CACHE_MS = 3_600_000;

export interface ModelQuery {
  readonly service: Service;
  /** The validated origin and path prefix of the service. */
  readonly serviceUrl: string;
  readonly operation: Operation;
}

/**
 * Requests and caches the models of all services. Requests for public lists contain no key or
 * token, so the user can pick a model before entering a key. Models with a secret in any field are
 * dropped, because the fields are shown to the user.
 */
export class Models {
  readonly #http: Http;
  readonly #secrets: () => readonly string[];
  readonly #clock: Clock;
  /** The models that services have returned. Entries expire after an hour. */
  readonly #cache = new Map<string, Moment & { readonly model: Model }>();
  readonly #tasks = new Map<string, SharedTask<Model | undefined>>();

  constructor(http: Http, secrets: () => readonly string[], clock: Clock) {
    this.#http = http;
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /**
   * Lists the models that the user can pick: those that the service offers, and those that the user
   * describes. If the current model is missing because it has been withdrawn, adds it.
   * @param access includes a token if the list isn't public
   * @param current ID of the current model; empty if there is none yet
   * @throws {ServiceError} any failure of the service; `cancelled` if the signal aborts
   */
  async list(
    from: ModelQuery,
    access: Access,
    current: string,
    signal: AbortSignal,
  ): Promise<ModelList> {
    const all = await listModels(this.#http, from, access, signal).catch((error: unknown) => {
      if (from.service.models.length === 0 || !isKind(error, 'no-model-list')) throw error;
      return { models: [], hasMore: false };
    });
    // Lists rarely contain a secret, so one search of the whole list is usually enough.
    const isFree = (words: unknown) => !this.#holdsSecret(words, access.secrets);
    const listed = isFree(all.models) ? all.models : all.models.filter(isFree);
    this.#keep(from, listed);
    const list = { ...all, models: withStatedModels(listed, from) };
    if (current === '' || list.models.some(({ id }) => id === current)) return list;
    const brief = AbortSignal.any([signal, AbortSignal.timeout(LOOKUP_DEADLINE_MS)]);
    const known = await this.fetchModel(from, access, current, brief).catch(() => undefined);
    if (signal.aborted) throw new ServiceError('cancelled');
    const isWithdrawn = known && lifecycleOf(known).stage === 'withdrawn';
    return isWithdrawn ? { ...list, models: [...list.models, known] } : list;
  }

  /**
   * Requests information about one model, even if the model is withdrawn or doesn't support the
   * operation. The request contains no token. It also opens a network connection that the next
   * request can reuse.
   * @param limiter the concurrency limit for the request; undefined to skip the queue, for example
   * while the user is waiting for the result
   * @returns the model; undefined if neither the settings, the cache, nor the response describes
   * it. Ignores descriptions with secrets, even cached ones.
   * @throws {ServiceError} under the same conditions as `Http.probe`; `cancelled` if the signal
   * aborts
   */
  async fetchModel(
    from: ModelQuery,
    { origin, secrets, fixedHeaders }: PublicAccess,
    modelId: string,
    signal: AbortSignal,
    limiter?: RequestGate,
  ): Promise<Model | undefined> {
    const { entryUrl, read, info } = apiOf(from.service).models;
    const model = await this.#http.probe({
      url: entryUrl(from, modelId),
      origin,
      secrets,
      fixedHeaders,
      signal,
      ...(limiter && { limiter }),
      read: async ({ body, header }) => {
        const { models } = read(parseJson(await body.text()), header('date'));
        return models.find(({ id }) => id === modelId);
      },
    });
    // The cached model can contain more information than the response, because `list` combines two
    // responses.
    const cached = info && this.#cached(from, modelId);
    const listed = [cached, model].find((one) => one && !this.#holdsSecret(one, secrets));
    if (listed && listed !== cached) this.#keep(from, [listed]);
    return withStatedFacts(listed, modelId, from);
  }

  /** Like `fetchModel`, but concurrent calls for the same model share one request. */
  fetchModelTogether(
    from: ModelQuery,
    access: PublicAccess,
    modelId: string,
    signal: AbortSignal,
    limiter: RequestGate,
  ): Promise<Model | undefined> {
    const key = keyOf(from, modelId);
    const ask = (ended: AbortSignal) => this.fetchModel(from, access, modelId, ended, limiter);
    const task = this.#tasks.get(key) ?? new SharedTask(ask, () => this.#tasks.delete(key));
    this.#tasks.set(key, task);
    return task.wait(signal);
  }

  /**
   * Like `fetchModel`, but uses only the cache and the settings, and sends no request.
   * @param stored the model as listed earlier; limits in the cache take precedence over those in
   * `stored`
   */
  knownModel(from: ModelQuery, modelId: string, stored?: Model): Model | undefined {
    const cached = this.#cached(from, modelId);
    const limits = { context: cached?.contextLength, output: cached?.maxOutputTokens };
    return withStatedFacts(stored ? withFacts(stored, limits) : cached, modelId, from);
  }

  clear(): void {
    this.#cache.clear();
  }

  #cached(from: ModelQuery, modelId: string): Model | undefined {
    const entry = this.#cache.get(keyOf(from, modelId));
    return entry && passedSince(entry, this.#clock) < CACHE_MS ? entry.model : undefined;
  }

  #keep(from: ModelQuery, models: readonly Model[]): void {
    const moment = momentOf(this.#clock);
    for (const model of models) this.#cache.set(keyOf(from, model.id), { model, ...moment });
  }

  #holdsSecret(words: unknown, secrets: readonly string[]): boolean {
    return holdsSecret(JSON.stringify(words), [...secrets, ...this.#secrets()]);
  }
}

/**
 * Lists the models that a service offers for an operation. If the service seems to be a gateway
 * that lists limits and capabilities separately, requests this information, too.
 * @throws {ServiceError}
 */
export async function listModels(
  http: Http,
  from: ModelQuery,
  access: Access,
  signal: AbortSignal,
): Promise<ModelList> {
  const { models, hasMore, mayHaveInfo } = await readPages(http, from, access, signal);
  if (!mayHaveInfo) return { models, hasMore };
  return { models: await withModelInfo(models, { http, from, access, signal }), hasMore };
}

async function readPages(
  http: Http,
  from: ModelQuery,
  access: Access,
  signal: AbortSignal,
): Promise<Omit<ModelPage, 'next'>> {
  const { failure, models: calls } = apiOf(from.service);
  const budget = http.budget(DEADLINE_MS);
  const models: Model[] = [];
  let start: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const left = MAX_MODELS - models.length;
    const request = http.sendWithAccess({
      ...access,
      method: 'GET',
      url: calls.listUrl(from, from.operation, start),
      accept: 'application/json',
      budget,
      maxBytes: MAX_PAGE_BYTES,
      signal,
      failure: (answer) => failure(answer),
      read: async ({ body, header }) =>
        calls.read(parseJson(await body.text()), header('date'), left),
    });
    const read = await request.catch((error: unknown) => {
      throw asNoModelListError(error, apiOf(from.service));
    });
    models.push(...read.models);
    // Use only the cursor from the link to the next page, because the link could point to another
    // host.
    start = URL.parse(read.next ?? '')?.searchParams.get('start') ?? undefined;
    const { hasMore, mayHaveInfo = false } = read;
    if (hasMore || !start) return { models, hasMore, mayHaveInfo };
    if (models.length >= MAX_MODELS) break;
  }
  return { models, hasMore: true };
}

/**
 * Returns a `no-model-list` error if the given error shows that the service has no model list.
 * Returns any other error unchanged.
 */
export function asNoModelListError(error: unknown, { models }: Api): unknown {
  return error instanceof ServiceError && models.isMissing?.(error)
    ? new ServiceError('no-model-list', error.details)
    : error;
}

function keyOf({ service, serviceUrl, operation }: ModelQuery, modelId: string): string {
  return [service.word, serviceUrl, operation, modelId].join('\n');
}
