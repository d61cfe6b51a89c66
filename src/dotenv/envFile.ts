import type { Credentials } from '../service/credentials.ts';
import {
  allNameSets,
  type NameSet,
  neededSettings,
  resourceOf,
  type Vendor,
  vendorNameSets,
} from '../service/vendors.ts';
import type { Assignment } from './envText.ts';
import {
  type Issue,
  issueOf,
  type RecognisedSetting,
  recognisedSettings,
  valuesOf,
} from './settingValue.ts';

/**
 * Reads the three settings out of a `.env` text or an environment, with the place of what is wrong.
 * Values count only together with those of the same set of names. A set with an error is not used:
 * what would be taken off silently here would still break the other programs that read the file.
 */

/** All that a service needs, of one set of names. */
export type SourceValues = Pick<Credentials, 'account' | 'apiKey' | 'projectId' | 'resource'> & {
  readonly url: string;
};

/** What a `.env` text or an environment says about the settings of one service. */
export interface SourceReading {
  /**
   * The values of the first set of names that is complete and free of errors, as they stand there;
   * undefined if there is none.
   */
  readonly values: SourceValues | undefined;
  /**
   * The names that lack a value, or hold a placeholder, in the set that is nearest to complete.
   * Empty if a set is complete (though it may have errors) and if none of the settings is named.
   */
  readonly missing: readonly string[];
  /** The settings that are named, by a name that is read; in the order of the lines. */
  readonly named: readonly RecognisedSetting[];
  /** In the order of the lines. */
  readonly issues: readonly Issue[];
}

/** The reading of a service, by whose words the settings are named. */
export interface VendorReading {
  readonly vendor: Vendor;
  readonly reading: SourceReading;
}

/**
 * The same for all services that are known. Those whose own words name nothing are left out, but for
 * the one in use, which comes first and is meant by the neutral names.
 * @param vendors the one in use among them
 */
export function readForAll(
  assignments: readonly Assignment[],
  inUse: Vendor,
  vendors: readonly Vendor[],
): readonly [inUse: VendorReading, ...others: VendorReading[]] {
  const named = vendors.filter((vendor) => {
    if (vendor.word === inUse.word) return false;
    return recognisedSettings(assignments, vendor, vendorNameSets(vendor)).length > 0;
  });
  const readings = named.map((vendor) => {
    const reading = readAssignments(assignments, vendor, vendorNameSets(vendor));
    return { vendor, reading };
  });
  return [{ vendor: inUse, reading: readAssignments(assignments, inUse) }, ...readings];
}

/** The one of them that the text is about: the service in use, or else one that it names. */
export function likelyReading([inUse, ...others]: ReturnType<typeof readForAll>): VendorReading {
  return inUse.reading.named.length === 0 ? (others[0] ?? inUse) : inUse;
}

/**
 * Returns the first complete reading, for use if the settings name no service. An earlier reading
 * with a gap or an error wins if it uses a name of its own service, since a typo must not bill
 * another account. The neutral names belong to no service, so they don't count.
 * @param vendors in order of preference
 */
export function firstReading(
  all: ReturnType<typeof readForAll>,
  vendors: readonly Vendor[],
): VendorReading {
  const inOrder = vendors.flatMap(
    ({ word }) => all.find(({ vendor }) => vendor.word === word) ?? [],
  );
  return inOrder.find((one) => one.reading.values || isNamed(one)) ?? likelyReading(all);
}

function isNamed({ vendor, reading }: VendorReading): boolean {
  const ownNames = vendorNameSets(vendor).flatMap((set) => Object.values(set).flat());
  return reading.named.some(({ name }) => ownNames.includes(name));
}

/** @param sets the names that are read */
export function readAssignments(
  assignments: readonly Assignment[],
  vendor: Vendor,
  sets: readonly NameSet[] = allNameSets(vendor),
): SourceReading {
  const given = recognisedSettings(assignments, vendor, sets);
  // The first line of each setting, by the names that it goes by in its set.
  const firsts = new Map(given.toReversed().map((one) => [one.set[one.setting], one] as const));
  const [nearest] = sets
    .filter((set) => given.some((one) => one.set === set))
    .map((set) => missingOf(vendor, set, given))
    .sort((one, other) => one.length - other.length);
  const issues = given.flatMap((own) => {
    const first = firsts.get(own.set[own.setting]);
    // The same value twice is the same for whoever reads it, whichever line that takes.
    // A project beside a space is no project twice.
    const isOther = first && resourceOf(first.name) !== resourceOf(own.name);
    if (!first || isOther || first.value === own.value) return own.issues;
    const otherLine = first.place?.line;
    return [issueOf({ kind: 'duplicate', otherLine }, own.setting, own.assignment), ...own.issues];
  });
  const values = sets.map((set) => usableValues(vendor, set, given, issues)).find(Boolean);
  return { values, missing: nearest ?? [], named: given, issues };
}

function missingOf(vendor: Vendor, set: NameSet, given: readonly RecognisedSetting[]): string[] {
  return neededSettings(vendor).flatMap((setting) => {
    const own = given.filter((one) => one.set === set && one.setting === setting);
    if (own.some(({ isGiven }) => isGiven)) return [];
    return own[0]?.name ?? set[setting][0] ?? [];
  });
}

function usableValues(
  vendor: Vendor,
  set: NameSet,
  given: readonly RecognisedSetting[],
  issues: readonly Issue[],
): SourceValues | undefined {
  const names = new Set(given.flatMap((one) => (one.set === set ? one.name : [])));
  if (issues.some(({ isError, name }) => isError && names.has(name))) return undefined;
  const values = valuesOf(set, given);
  if (neededSettings(vendor).some((setting) => !values[setting])) return undefined;
  const { apiKey = '', projectId = '', url = '' } = values;
  return { ...values, apiKey, projectId, url };
}
