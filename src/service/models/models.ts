import { apiOf } from '../api/apis.ts';
import { MOST_MODELS, type Model, type ModelList } from '../api/modelList.ts';
import { type Clock, type Moment, momentOf, passedSince } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import type { RequestGate } from '../http/concurrencyLimit.ts';
import type { Http } from '../http/http.ts';
import type { Access } from '../http/httpRequest.ts';
import { parseJson } from '../responseSchemas.ts';
import { holdsSecret } from '../secrets.ts';
import type { Operation, Service } from '../services.ts';
import { SharedTask } from '../sharedTask.ts';
import { lifecycleOf } from './modelLifecycle.ts';

const DEADLINE_MS = 30_000;
/** 4 KB for each model, where a service puts all that are looked at on one page. */
const MAX_PAGE_BYTES = 4_194_304;
const MAX_PAGES = 10;

/** For the entry of a single model, while somebody looks at an empty list. */
const LOOK_MS = 5_000;
const LIFE_MS = 3_600_000;

/** Whose list of models, and for what. */
export interface ModelSource {
  readonly service: Service;
  /** Origin and path prefix, already checked. */
  readonly serviceUrl: string;
  readonly operation: Operation;
  /** Keys that no URL may contain, in case one was pasted as a model ID. */
  readonly secrets?: readonly string[];
}

/** The same, with the one origin that may be asked. */
interface BoundSource extends ModelSource {
  readonly origin: string;
}

/**
 * What services say about their models. Where that is public no request has a credential, so that a
 * model can be picked before a key is set. Nothing is handed out whose words repeat a secret: it
 * would be shown.
 */
export class Models {
  readonly #http: Http;
  readonly #secrets: () => readonly string[];
  readonly #clock: Clock;
  /** What was said in the last hour. */
  readonly #cache = new Map<string, Moment & { readonly model: Model }>();
  readonly #tasks = new Map<string, SharedTask<Model | undefined>>();

  constructor(http: Http, secrets: () => readonly string[], clock: Clock) {
    this.#http = http;
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /**
   * The models that a service offers at this moment, as for a person who picks one; and the current
   * one at the end if the service has withdrawn it, so that it can be shown what becomes of it.
   * @param access what a list is asked with that is not public
   * @throws {ServiceError} as the service failed; `cancelled` when the signal aborts
   */
  async list(
    from: ModelSource,
    current: string,
    signal: AbortSignal,
    access?: Access,
  ): Promise<ModelList> {
    const all = await listModels(this.#http, from, signal, access);
    // Nearly every list is free of secrets: one search in place of a thousand.
    const isFree = (words: unknown) => !this.#holdsSecret(words, from);
    const list = isFree(all.models) ? all : { ...all, models: all.models.filter(isFree) };
    this.#keep(from, list.models);
    if (list.models.some(({ id }) => id === current)) return list;
    const source = { ...from, origin: new URL(from.serviceUrl).origin };
    const brief = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
    const known = await this.fetchModel(source, current, brief).catch(() => undefined);
    if (signal.aborted) throw new ServiceError('cancelled');
    const isWithdrawn = known && lifecycleOf(known).stage === 'withdrawn';
    return isWithdrawn ? { ...list, models: [...list.models, known] } : list;
  }

  /**
   * What a service says about one model, also one that it has withdrawn or does not offer for this
   * operation. Whatever comes of it, a connection is open afterwards that the next request can use.
   * @param limiter counts the request, where it is none that somebody waits to see
   * @returns undefined where it says nothing, as for a custom deployment
   * @throws {ServiceError} where it cannot be reached; `cancelled` when the signal aborts
   */
  async fetchModel(
    from: BoundSource,
    modelId: string,
    signal: AbortSignal,
    limiter?: RequestGate,
  ): Promise<Model | undefined> {
    const { entryUrl, read } = apiOf(from.service).models;
    const model = await this.#http.probe({
      url: entryUrl(from, modelId),
      origin: from.origin,
      secrets: from.secrets ?? [],
      signal,
      ...(limiter && { limiter }),
      read: async ({ body, header }) => {
        const { models } = read(parseJson(await body.text()), header('date'));
        return models.find(({ id }) => id === modelId);
      },
    });
    if (!model || this.#holdsSecret(model, from)) return undefined;
    this.#keep(from, [model]);
    return model;
  }

  /** The same for those who ask for it at the same time: they share one request. */
  fetchModelTogether(
    from: BoundSource,
    modelId: string,
    signal: AbortSignal,
    limiter: RequestGate,
  ): Promise<Model | undefined> {
    const key = keyOf(from, modelId);
    const ask = (ended: AbortSignal) => this.fetchModel(from, modelId, ended, limiter);
    const task = this.#tasks.get(key) ?? new SharedTask(ask, () => this.#tasks.delete(key));
    this.#tasks.set(key, task);
    return task.wait(signal);
  }

  /** One model as far as it is known without asking. */
  knownModel(from: ModelSource, modelId: string): Model | undefined {
    const entry = this.#cache.get(keyOf(from, modelId));
    return entry && passedSince(entry, this.#clock) < LIFE_MS ? entry.model : undefined;
  }

  clear(): void {
    this.#cache.clear();
  }

  #keep(from: ModelSource, models: readonly Model[]): void {
    const moment = momentOf(this.#clock);
    for (const model of models) this.#cache.set(keyOf(from, model.id), { model, ...moment });
  }

  #holdsSecret(words: unknown, { secrets = [] }: ModelSource): boolean {
    return holdsSecret(JSON.stringify(words), [...secrets, ...this.#secrets()]);
  }
}

/** The models a service offers for an operation. @throws {ServiceError} */
export async function listModels(
  http: Http,
  from: ModelSource,
  signal: AbortSignal,
  access: Access = { origin: new URL(from.serviceUrl).origin, secrets: from.secrets ?? [] },
): Promise<ModelList> {
  const { failure, models: calls } = apiOf(from.service);
  const budget = http.budget(DEADLINE_MS);
  const models: Model[] = [];
  let start: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const left = MOST_MODELS - models.length;
    const read = await http.send({
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
    models.push(...read.models);
    // Only the marker is taken from the link to the next page; the address stays ours.
    start = URL.parse(read.next ?? '')?.searchParams.get('start') ?? undefined;
    if (read.hasMore || !start) return { models, hasMore: read.hasMore };
    if (models.length >= MOST_MODELS) break;
  }
  return { models, hasMore: true };
}

function keyOf({ service, serviceUrl, operation }: ModelSource, modelId: string): string {
  return [service.word, serviceUrl, operation, modelId].join('\n');
}
