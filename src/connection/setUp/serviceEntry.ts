import { readServices, wordOf } from '../../service/addedServices.ts';
import type { Service } from '../../service/service.ts';

/** Converts between services and their entries in `hostedModel.services`. Pure. */

export type ServiceEntry = Readonly<Record<string, unknown>>;

/**
 * A service that setup adds or changes, with its entry. `steps` is the number of steps that the
 * user took to describe the service.
 */
export interface NewService {
  readonly entry: ServiceEntry;
  readonly service: Service;
  readonly steps: number;
}

/**
 * Adds or replaces fields in the service's entry. Returns the resulting service; undefined if it
 * isn't valid.
 */
export function withFields(added: NewService, fields: ServiceEntry): NewService | undefined {
  const entry = { ...added.entry, ...fields };
  const [service] = readServices([entry]).own;
  return service && { ...added, entry, service };
}

/**
 * Returns the list with `entry` added, or substituted for the existing entry with the same `word`.
 */
export function withEntry(entries: readonly unknown[], entry: ServiceEntry): readonly unknown[] {
  const isSame = (one: unknown) => wordOf(one) === wordOf(entry);
  return entries.some(isSame)
    ? entries.map((one) => (isSame(one) ? entry : one))
    : [...entries, entry];
}

/** Returns the entry of a service that the user added. */
export function serviceEntry({ definition = '{}' }: Service): ServiceEntry {
  return JSON.parse(definition);
}

/** Converts an existing service to the format that the setup steps edit. */
export function existingService(service: Service): NewService {
  return { entry: serviceEntry(service), service, steps: 0 };
}
