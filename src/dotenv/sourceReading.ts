import type { Credentials } from '../service/credentials.ts';
import { neutralNameSet, resourceOf, serviceNameSets } from '../service/envNames.ts';
import {
  type NameSet,
  neededSettings,
  type Service,
  type SettingName,
} from '../service/service.ts';
import type { Assignment } from './envText.ts';
import {
  type Issue,
  issueOf,
  namesIn,
  type RecognizedSetting,
  recognizedSettings,
  type SettingOfName,
  valuesOf,
} from './settingValue.ts';

/**
 * Reads settings from the text of a `.env` file or from the environment, and locates their issues.
 * Values from different sets of names are never combined, so one set must be complete. A set with
 * an error isn't used, because silently fixing a value would hide an error that could break other
 * programs.
 */

/** All values that a service needs, from one set of names. */
export type SourceValues = Pick<Credentials, 'account' | 'apiKey' | 'projectId' | 'resource'> & {
  readonly url: string;
};

/** The settings of one service in a `.env` file or the environment. */
export interface SourceReading {
  /**
   * The values of the first complete and error-free set of names; undefined if there is no such
   * set.
   */
  readonly values: SourceValues | undefined;
  /**
   * True if a value under one of the service's own names has an error. Empty values and
   * placeholders don't count as errors. If true, neutral names and less preferred services are
   * ignored so that a stray quote can't cause another account to be billed.
   */
  readonly isMalformed: boolean;
  /**
   * The names that have no value, or only a placeholder, in the set that's closest to complete.
   * Empty if none of the names appear, or if any set is complete, even one with errors.
   */
  readonly missing: readonly string[];
  /** The recognized settings, in line order. */
  readonly named: readonly RecognizedSetting[];
  /** The issues, in line order. */
  readonly issues: readonly Issue[];
}

/** The recognized settings, missing names, and issues of a reading, without the values. */
export interface PublicReading extends Pick<SourceReading, 'missing' | 'issues'> {
  readonly named: readonly SettingName[];
}

export function publicReading({ missing, named, issues }: SourceReading): PublicReading {
  return { missing, named: named.map(({ setting }) => setting), issues };
}

/** A service and the settings that were read for it. */
export interface ServiceReading {
  readonly service: Service;
  readonly reading: SourceReading;
}

/**
 * Reads the settings for all known services. The service in use comes first, even if none of its
 * names appear. Neutral names such as `VENDOR_API_KEY` belong to the service in use. Another
 * service is included only if one of its own names appears.
 * @param services all services, including the one in use
 */
export function readForAll(
  assignments: readonly Assignment[],
  inUse: Service,
  services: readonly Service[],
): readonly [inUse: ServiceReading, ...others: ServiceReading[]] {
  const readings = services
    .filter(({ word }) => word !== inUse.word)
    .map((service) => ({ service, reading: readAssignments(assignments, service, false) }));
  const named = readings.filter(({ reading }) => reading.named.length > 0);
  return [{ service: inUse, reading: readAssignments(assignments, inUse) }, ...named];
}

/**
 * Returns the reading for the service in use or, if none of its names appear, for the first service
 * whose names appear.
 */
export function likelyReading([inUse, ...others]: ReturnType<typeof readForAll>): ServiceReading {
  return inUse.reading.named.length === 0 ? (others[0] ?? inUse) : inUse;
}

/**
 * Returns the reading to use if the settings don't name a service. Prefers the first reading that
 * is usable or malformed (see `isMalformed`), and then the first reading with a recognized setting.
 * Defaults to the reading for the service in use.
 * @param services in order of preference
 */
export function firstReading(
  all: ReturnType<typeof readForAll>,
  services: readonly Service[],
): ServiceReading {
  const inOrder = services.flatMap(
    ({ word }) => all.find(({ service }) => service.word === word) ?? [],
  );
  const deciding = inOrder.find(({ reading }) => reading.values || reading.isMalformed);
  return deciding ?? inOrder.find(({ reading }) => reading.named.length > 0) ?? all[0];
}

/**
 * Reads the settings for one service.
 * @param isInUse true if the neutral names belong to this service
 */
export function readAssignments(
  assignments: readonly Assignment[],
  service: Service,
  isInUse = true,
): SourceReading {
  const ownSets = serviceNameSets(service);
  const sets = isInUse ? [...ownSets, neutralNameSet(service)] : ownSets;
  const given = recognizedSettings(assignments, service, sets);
  // For each setting in each set, maps its array of names to the first assignment to any of those
  // names.
  const firsts = new Map(given.toReversed().map((one) => [one.set[one.setting], one] as const));
  const [nearest] = sets
    .filter((set) => given.some((one) => one.set === set))
    .map((set) => missingOf(service, set, given))
    .sort((one, other) => one.length - other.length);
  const valueIssues = given.flatMap((own) => {
    const first = firsts.get(own.set[own.setting]);
    // A duplicate with the same value is harmless. A project ID and a space ID identify different
    // resources, so they aren't duplicates.
    const isOther = first && resourceOf(first.name) !== resourceOf(own.name);
    if (!first || isOther || first.value === own.value) return own.issues;
    const otherLine = first.place?.line;
    return [issueOf({ kind: 'duplicate', otherLine }, own.setting, own.assignment), ...own.issues];
  });
  const absent = namesIn(sets).filter(
    ({ name }) => nearest?.includes(name) && !given.some((one) => one.name === name),
  );
  const issues = [...valueIssues, ...similarNames(assignments, absent)].toSorted(
    (one, other) => (one.place?.line ?? 0) - (other.place?.line ?? 0),
  );
  const faulty = new Set(issues.flatMap(({ isError, name }) => (isError ? name : [])));
  const isMalformed = given.some(
    ({ set, name, isGiven }) => isGiven && faulty.has(name) && ownSets.includes(set),
  );
  const usable = isMalformed ? ownSets : sets;
  const values = usable.map((set) => usableValues(service, set, given, faulty)).find(Boolean);
  return { values, isMalformed, missing: nearest ?? [], named: given, issues };
}

/**
 * Returns a warning for each name in a file that differs from an absent name only in case and
 * punctuation. The part before the first separator must be the same, too. Otherwise, the name may
 * belong to another service, or the line may be commented out. Environment variables with similar
 * names probably belong to other programs.
 */
function similarNames(
  assignments: readonly Assignment[],
  absent: readonly SettingOfName[],
): Issue[] {
  const plain = (text: string) => text.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');
  const startOf = (name: string) => name.toUpperCase().split(/[_.-]/, 1)[0];
  const isSimilar = (one: string, other: string) =>
    plain(one) === plain(other) && startOf(one) === startOf(other);
  return assignments.flatMap((assignment) => {
    if (!assignment.at) return [];
    const similar = absent.find(({ name }) => isSimilar(name, assignment.name));
    if (!similar) return [];
    const { name, setting } = similar;
    return [{ ...issueOf({ kind: 'similar-name' }, setting, assignment), name }];
  });
}

function missingOf(service: Service, set: NameSet, given: readonly RecognizedSetting[]): string[] {
  return neededSettings(service).flatMap((setting) => {
    const own = given.filter((one) => one.set === set && one.setting === setting);
    if (own.some(({ isGiven }) => isGiven)) return [];
    return own[0]?.name ?? set[setting][0] ?? [];
  });
}

function usableValues(
  service: Service,
  set: NameSet,
  given: readonly RecognizedSetting[],
  faulty: ReadonlySet<string>,
): SourceValues | undefined {
  if (given.some((one) => one.set === set && faulty.has(one.name))) return undefined;
  const values = valuesOf(set, given);
  const needed = neededSettings(service);
  // For a service that needs no key, values from a file or the environment aren't used.
  if (!needed.includes('apiKey')) return undefined;
  if (needed.some((setting) => !values[setting])) return undefined;
  const { apiKey = '', projectId = '', url = '' } = values;
  return { ...values, apiKey, projectId, url };
}
