import type { Credentials } from '../service/credentials.ts';
import {
  type NameSet,
  neededSettings,
  neutralNameSet,
  resourceOf,
  type Service,
  type SettingName,
  serviceNameSets,
} from '../service/services.ts';
import type { Assignment } from './envText.ts';
import {
  type Issue,
  issueOf,
  type RecognizedSetting,
  recognizedSettings,
  valuesOf,
} from './settingValue.ts';

/**
 * Reads the settings from a `.env` text or an environment, with the positions of all issues. A set
 * of names must be complete: values of different sets are never combined. A set with an error is
 * not used. Cleaning the value silently would hide that the error still breaks other programs that
 * read the file.
 */

/** All values that a service needs, from one set of names. */
export type SourceValues = Pick<Credentials, 'account' | 'apiKey' | 'projectId' | 'resource'> & {
  readonly url: string;
};

/** The settings of one service in a `.env` text or an environment. */
export interface SourceReading {
  /**
   * The values of the first set of names that is complete and free of errors; undefined if there is
   * none.
   */
  readonly values: SourceValues | undefined;
  /**
   * True if one of the service's own names has a value with an error. Empty values and placeholders
   * don't count. If true, the neutral names and later services aren't used: a stray quote must not
   * bill another account.
   */
  readonly isMalformed: boolean;
  /**
   * The names without a value, or with a placeholder, in the set that is closest to complete. Empty
   * if a set is complete, even with errors, or if no setting is named.
   */
  readonly missing: readonly string[];
  /** The settings that are named, in the order of the lines. */
  readonly named: readonly RecognizedSetting[];
  /** In the order of the lines. */
  readonly issues: readonly Issue[];
}

/** The names and issues of a reading, without its values. */
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
 * Reads the settings for all known services. Services whose own names don't appear are omitted. The
 * service in use always comes first, and the neutral names belong to it.
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
 * Returns the reading that applies: the service in use, or else the first one that the text names.
 */
export function likelyReading([inUse, ...others]: ReturnType<typeof readForAll>): ServiceReading {
  return inUse.reading.named.length === 0 ? (others[0] ?? inUse) : inUse;
}

/**
 * Returns the first complete reading, for use if the settings name no service, unless an earlier
 * one is malformed. Incomplete readings are skipped. If none is complete, returns the first one
 * that names a setting.
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

/** @param isInUse true for the service to which the neutral names belong */
export function readAssignments(
  assignments: readonly Assignment[],
  service: Service,
  isInUse = true,
): SourceReading {
  const ownSets = serviceNameSets(service);
  const sets = isInUse ? [...ownSets, neutralNameSet(service)] : ownSets;
  const given = recognizedSettings(assignments, service, sets);
  // The first line of each setting, by the setting's list of names in its set.
  const firsts = new Map(given.toReversed().map((one) => [one.set[one.setting], one] as const));
  const [nearest] = sets
    .filter((set) => given.some((one) => one.set === set))
    .map((set) => missingOf(service, set, given))
    .sort((one, other) => one.length - other.length);
  const issues = given.flatMap((own) => {
    const first = firsts.get(own.set[own.setting]);
    // A duplicate with the same value is harmless. A project and a space are different resources,
    // not duplicates.
    const isOther = first && resourceOf(first.name) !== resourceOf(own.name);
    if (!first || isOther || first.value === own.value) return own.issues;
    const otherLine = first.place?.line;
    return [issueOf({ kind: 'duplicate', otherLine }, own.setting, own.assignment), ...own.issues];
  });
  const faulty = new Set(issues.flatMap(({ isError, name }) => (isError ? name : [])));
  const isMalformed = given.some(
    ({ set, name, isGiven }) => isGiven && faulty.has(name) && ownSets.includes(set),
  );
  const usable = isMalformed ? ownSets : sets;
  const values = usable.map((set) => usableValues(service, set, given, faulty)).find(Boolean);
  return { values, isMalformed, missing: nearest ?? [], named: given, issues };
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
  if (neededSettings(service).some((setting) => !values[setting])) return undefined;
  const { apiKey = '', projectId = '', url = '' } = values;
  return { ...values, apiKey, projectId, url };
}
