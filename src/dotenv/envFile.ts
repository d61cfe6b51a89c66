import { SETTING_NAMES, type SettingName } from '../service/credentials.ts';
import { type NameSet, nameSets, type Vendor } from '../service/vendors.ts';
import { type Assignment, assignmentsIn, assignmentsOf } from './envText.ts';
import {
  type ColumnRange,
  type IssueDetails,
  type RecognisedSetting,
  recognisedSettings,
  valuesOf,
} from './settingValue.ts';
import { nearestSetting } from './spelling.ts';

/**
 * Reads the three settings out of a `.env` text or an environment, with the place of what is wrong.
 * Values count only together with those of the same set of names. A set with an error is not used:
 * what would be taken off silently here would still break the other programs that read the file.
 */

/** What a `.env` text or an environment says about the three settings. */
export interface SourceReading {
  /**
   * The three values of the first set of names that is complete and free of errors, as they stand
   * there; undefined if there is none.
   */
  readonly values: Readonly<Record<SettingName, string>> | undefined;
  /**
   * The names that lack a value, or hold a placeholder, in the set that is nearest to complete.
   * Empty if a set is complete (though it may have errors) and if none of the settings is named.
   */
  readonly missing: readonly string[];
  /** The settings that are named, by a name that is read; in the order of the lines. */
  readonly named: readonly NamedSetting[];
  /** In the order of the lines. */
  readonly issues: readonly Issue[];
}

export interface NamedSetting {
  readonly setting: SettingName;
  readonly name: string;
  /** The place of the name; undefined for the environment. */
  readonly place: IssuePlace | undefined;
}

/** Something wrong with one of the settings, or with its line. Never holds a value. */
export type Issue = IssueDetails & {
  readonly setting: SettingName;
  /** The name as it is written in the source. */
  readonly name: string;
  /** An error keeps the set of its name from being used; the rest is worth knowing. */
  readonly isError: boolean;
  /**
   * Where it stands: the name for what is wrong with the name or for want of a value, the comment
   * for a comment, else the value. Undefined for the environment, which has no lines.
   */
  readonly place: IssuePlace | undefined;
};

/** Lines and columns count from 0; columns in UTF-16 units, the end excluded. */
export interface IssuePlace {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

export function readEnvFile(text: string, vendor: Vendor): SourceReading {
  return readAssignments(assignmentsOf(text), vendor);
}

export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  vendor: Vendor,
): SourceReading {
  return readAssignments(assignmentsIn(environment), vendor);
}

export function readAssignments(assignments: readonly Assignment[], vendor: Vendor): SourceReading {
  const sets = nameSets(vendor);
  const given = recognisedSettings(assignments, vendor, sets);
  const givenBy = new Map(given.map((one) => [one.assignment, one]));
  const firsts: Firsts = new Map(
    given.toReversed().map((one) => [one.set[one.setting], one] as const),
  );
  const nearest = nearestSet(sets, given);
  const issues = assignments.flatMap((assignment) => {
    const own = givenBy.get(assignment);
    if (own) return issuesOf(own, firsts);
    const near = nearestSetting(assignment.name, sets, nearest ?? vendor.aliases, vendor);
    // A name that is nearly right matters only while its setting is not given by the right one.
    if (!near || firsts.has(near.set[near.setting])) return [];
    return issueOf({ kind: 'similar-name', expected: near.name }, near.setting, assignment);
  });
  return {
    values: sets.map((set) => usableValues(set, given, issues)).find((values) => values),
    missing: nearest ? missingOf(nearest, given) : [],
    named: given.map(({ setting, name, assignment }) => ({
      setting,
      name,
      place: placeOf(assignment),
    })),
    issues,
  };
}

/** The first line of each setting, by the names that it goes by in its set. */
type Firsts = ReadonlyMap<readonly string[], RecognisedSetting>;

function nearestSet(
  sets: readonly NameSet[],
  given: readonly RecognisedSetting[],
): NameSet | undefined {
  const named = sets.filter((set) => given.some((one) => one.set === set));
  const gaps = named.map((set) => missingOf(set, given).length);
  return named[gaps.indexOf(Math.min(...gaps))];
}

function missingOf(set: NameSet, given: readonly RecognisedSetting[]): string[] {
  return SETTING_NAMES.flatMap((setting) => {
    const own = given.filter((one) => one.set === set && one.setting === setting);
    if (own.some(({ isGiven }) => isGiven)) return [];
    return own[0]?.name ?? set[setting][0] ?? [];
  });
}

function usableValues(
  set: NameSet,
  given: readonly RecognisedSetting[],
  issues: readonly Issue[],
): Record<SettingName, string> | undefined {
  const names = new Set(given.flatMap((one) => (one.set === set ? one.name : [])));
  if (issues.some(({ isError, name }) => isError && names.has(name))) return undefined;
  const { apiKey, projectId, url } = valuesOf(set, given);
  return apiKey && projectId && url ? { apiKey, projectId, url } : undefined;
}

function issuesOf(
  { assignment, set, setting, issues, value }: RecognisedSetting,
  firsts: Firsts,
): Issue[] {
  const first = firsts.get(set[setting]);
  const all = issues.map(({ details, span }) => issueOf(details, setting, assignment, span));
  // The same value twice is the same for whoever reads it, whichever line that takes.
  if (!first || first.value === value) return all;
  const otherLine = first.assignment.at?.line;
  return [issueOf({ kind: 'duplicate', otherLine }, setting, assignment), ...all];
}

function issueOf(
  details: IssueDetails,
  setting: SettingName,
  assignment: Assignment,
  span?: ColumnRange,
): Issue {
  const isError = !['similar-name', 'url-path', 'unknown-region'].includes(details.kind);
  const place = placeOf(assignment, span);
  return { ...details, setting, name: assignment.name, isError, place };
}

/**
 * Where an assignment or a part of it stands; undefined for the environment.
 * @param span columns of the right side; undefined for the name
 */
export function placeOf({ name, gap, at }: Assignment, span?: ColumnRange): IssuePlace | undefined {
  if (!at) return undefined;
  const { line, column } = at;
  const nameEnd = column + name.length;
  if (!span) return { line, start: column, end: nameEnd };
  const behind = nameEnd + gap.length + 1;
  return { line, start: behind + span.start, end: behind + span.end };
}
