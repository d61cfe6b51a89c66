import { type Clock, type Moment, momentOf, passedSince } from './clock.ts';
import { ServiceError } from './errors.ts';
import { Flight } from './flight.ts';
import type { Model, ModelList } from './modelList.ts';
import type { ModelSource } from './models.ts';

/** How long a caller is ready to wait for what it can do without. */
export interface Patience {
  readonly signal: AbortSignal;
  readonly patienceMs: number;
}

interface Entry extends Moment {
  readonly list: ModelList;
}

const LIFE_MS = 3_600_000;
/** After a failure, or a list that took too long, nobody waits for another one before this. */
const PAUSE_MS = 300_000;

/**
 * The model lists of the last hour, one for each vendor, service URL and operation, and single
 * models that are not in them. Those who ask
 * for the same list at the same time share one flight. A failure is not kept, nor does it take away
 * a list that came before it; but whoever can do without a list does without it for a while.
 */
export class ModelCache {
  readonly #fetch: (from: ModelSource, signal: AbortSignal) => Promise<ModelList>;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #flights = new Map<string, Flight<ModelList>>();
  /** When somebody last asked a service in vain. */
  readonly #vain = new Map<string, Moment>();

  constructor(fetch: (from: ModelSource, signal: AbortSignal) => Promise<ModelList>, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /**
   * A list that is at most an hour old.
   * @throws {ServiceError} as the service failed; `cancelled` when the signal aborts
   */
  get(from: ModelSource, signal: AbortSignal): Promise<ModelList> {
    const kept = this.#kept(keyOf(from));
    return kept && !signal.aborted ? Promise.resolve(kept) : this.refresh(from, signal);
  }

  /**
   * The list of this moment, kept for those who ask later.
   * @throws {ServiceError} as the service failed; `cancelled` when the signal aborts
   */
  refresh(from: ModelSource, signal: AbortSignal): Promise<ModelList> {
    if (signal.aborted) return Promise.reject(new ServiceError('cancelled'));
    const key = keyOf(from);
    const flight = this.#flights.get(key) ?? this.#startFlight(key, from);
    return flight.wait(signal, () => this.#forget(key, flight));
  }

  /**
   * One model as the service describes it: by the list, or where that does not hold it by its own
   * entry, which is there also for one that is withdrawn. Whoever loses patience leaves the flight
   * behind, so that the list is there for the next who asks.
   * @returns undefined where the service does not know it, or could not be asked in time or a few
   * minutes ago
   * @throws {ServiceError} `cancelled` when the signal aborts, and nothing else
   */
  async find(
    from: ModelSource,
    modelId: string,
    { signal, patienceMs }: Patience,
  ): Promise<Model | undefined> {
    if (signal.aborted) throw new ServiceError('cancelled');
    if (this.#wasVain(from)) return this.peek(from, modelId);
    const patience = Promise.withResolvers<never>();
    const takeBack = this.#clock.after(patienceMs, () => {
      patience.reject(new ServiceError('timeout'));
    });
    try {
      return await Promise.race([this.#search(from, modelId, signal), patience.promise]);
    } catch {
      if (signal.aborted) throw new ServiceError('cancelled');
      this.#vain.set(keyOf(from), momentOf(this.#clock));
      return undefined;
    } finally {
      takeBack();
    }
  }

  /** One model as far as it is known without asking. */
  peek(from: ModelSource, modelId: string): Model | undefined {
    for (const each of [from, { ...from, modelId }]) {
      const known = this.#kept(keyOf(each))?.models.find(({ id }) => id === modelId);
      if (known) return known;
    }
    return undefined;
  }

  /** Gives up what is under way, and forgets the lists. */
  dispose(): void {
    for (const flight of this.#flights.values()) flight.abort();
    this.#flights.clear();
    this.#entries.clear();
    this.#vain.clear();
  }

  async #search(
    from: ModelSource,
    modelId: string,
    signal: AbortSignal,
  ): Promise<Model | undefined> {
    await this.get(from, signal);
    const listed = this.peek(from, modelId);
    if (listed) return listed;
    return (await this.get({ ...from, modelId }, signal)).models[0];
  }

  #wasVain(from: ModelSource): boolean {
    const vain = this.#vain.get(keyOf(from));
    return vain !== undefined && passedSince(vain, this.#clock) < PAUSE_MS;
  }

  #kept(key: string): ModelList | undefined {
    const entry = this.#entries.get(key);
    return entry && passedSince(entry, this.#clock) < LIFE_MS ? entry.list : undefined;
  }

  #startFlight(key: string, from: ModelSource): Flight<ModelList> {
    // Before the request: what changes while the answer is on its way is not in it.
    const start = momentOf(this.#clock);
    const flight = new Flight(async (signal) => {
      const list = await this.#fetch(from, signal);
      if (signal.aborted) return list;
      this.#entries.set(key, { list, ...start });
      this.#vain.delete(key);
      return list;
    });
    this.#flights.set(key, flight);
    const landed = () => this.#forget(key, flight);
    flight.result.then(landed, landed);
    return flight;
  }

  #forget(key: string, flight: Flight<ModelList>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}

function keyOf({ vendor, serviceUrl, operation, modelId = '' }: ModelSource): string {
  return [vendor.word, serviceUrl, operation, modelId].join('\n');
}
