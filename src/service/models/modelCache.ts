import { type Clock, type Moment, momentOf, passedSince } from '../clock.ts';
import { SharedTask } from '../sharedTask.ts';
import type { Model } from './modelList.ts';
import type { ModelSource } from './models.ts';

const LIFE_MS = 3_600_000;

/** What services have said about their models in the last hour. */
export class ModelCache {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Moment & { readonly model: Model }>();

  readonly #flights = new Map<string, SharedTask<Model | undefined>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  keep(from: ModelSource, models: readonly Model[]): void {
    const moment = momentOf(this.#clock);
    for (const model of models) this.#entries.set(keyOf(from, model.id), { model, ...moment });
  }

  /** One model as far as it is known without asking. */
  peek(from: ModelSource, modelId: string): Model | undefined {
    const entry = this.#entries.get(keyOf(from, modelId));
    return entry && passedSince(entry, this.#clock) < LIFE_MS ? entry.model : undefined;
  }

  /** Asks for one model; those who ask for the same at the same time share one request. */
  shared(
    from: ModelSource,
    modelId: string,
    ask: (signal: AbortSignal) => Promise<Model | undefined>,
    signal: AbortSignal,
  ): Promise<Model | undefined> {
    const key = keyOf(from, modelId);
    const flight = this.#flights.get(key) ?? new SharedTask(ask);
    this.#flights.set(key, flight);
    const forget = () => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    flight.result.then(forget, forget);
    return flight.wait(signal, forget);
  }

  clear(): void {
    this.#entries.clear();
  }
}

function keyOf({ vendor, serviceUrl, operation }: ModelSource, modelId: string): string {
  return [vendor.word, serviceUrl, operation, modelId].join('\n');
}
