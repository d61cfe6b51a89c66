import { SETTING_NAMES, type SettingName } from '../service/credentials.ts';
import { type NameSet, nameSets, type Vendor } from '../service/vendors.ts';
import { type Assignment, assignmentsIn, assignmentsOf } from './envText.ts';
import { type NearName, nearName } from './nearName.ts';
import { type RecognisedSetting, recognisedSettings } from './recognisedSettings.ts';
import type { Finding, FindingPlace, Flaw, SourceReading } from './settingSource.ts';
import type { ColumnRange } from './settingValue.ts';

/**
 * Reads the three settings out of a `.env` text or an environment, with the place of what is wrong.
 * Values count only together with those of the same set of names. A set with an error is not used:
 * what would be taken off silently here would still break the other programs that read the file.
 */

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
  const findings = assignments.flatMap((assignment) => {
    const own = givenBy.get(assignment);
    if (own) return findingsOf(own, firsts);
    const near = nearName(assignment.name, sets, nearest ?? vendor.aliases, vendor);
    return near ? nameFindings(near, assignment, firsts) : [];
  });
  return {
    values: sets.map((set) => valuesOf(set, given, findings)).find((values) => values),
    missing: nearest ? missingOf(nearest, given) : [],
    named: given.map(({ setting, assignment }) => ({
      setting,
      name: assignment.name,
      place: placeOf(assignment, undefined),
    })),
    findings,
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
    return own[0]?.assignment.name ?? set[setting][0] ?? [];
  });
}

function valuesOf(
  set: NameSet,
  given: readonly RecognisedSetting[],
  findings: readonly Finding[],
): Record<SettingName, string> | undefined {
  const own = given.filter((one) => one.set === set);
  const names = new Set(own.map(({ assignment }) => assignment.name));
  if (findings.some(({ isError, name }) => isError && names.has(name))) return undefined;
  const value = (setting: SettingName) => own.find((one) => one.setting === setting)?.value;
  const [apiKey, projectId, url] = SETTING_NAMES.map(value);
  return apiKey && projectId && url ? { apiKey, projectId, url } : undefined;
}

function findingsOf(
  { assignment, set, setting, flaws, value }: RecognisedSetting,
  firsts: Firsts,
): Finding[] {
  const first = firsts.get(set[setting]);
  const all = flaws.map(({ flaw, span }) => finding(flaw, setting, assignment, span));
  // The same value twice is the same for whoever reads it, whichever line that takes.
  if (!first || first.value === value) return all;
  const otherLine = first.assignment.at?.line;
  return [finding({ kind: 'duplicate', otherLine }, setting, assignment, undefined), ...all];
}

/** A name that is nearly right matters only while its setting is not given by the right one. */
function nameFindings(
  { set, setting, expected }: NearName,
  assignment: Assignment,
  firsts: Firsts,
): Finding[] {
  if (firsts.has(set[setting])) return [];
  return [finding({ kind: 'similar-name', expected }, setting, assignment, undefined)];
}

function finding(
  flaw: Flaw,
  setting: SettingName,
  assignment: Assignment,
  span: ColumnRange | undefined,
): Finding {
  const isError = !['similar-name', 'url-path', 'unknown-region'].includes(flaw.kind);
  const place = placeOf(assignment, span);
  return { flaw, setting, name: assignment.name, isError, place };
}

/**
 * Where an assignment or a part of it stands; undefined for the environment.
 * @param span columns of the right side; undefined for the name
 */
export function placeOf(
  { name, gap, at }: Assignment,
  span: ColumnRange | undefined,
): FindingPlace | undefined {
  if (!at) return undefined;
  const { line, column } = at;
  const nameEnd = column + name.length;
  if (!span) return { line, start: column, end: nameEnd };
  const behind = nameEnd + gap.length + 1;
  return { line, start: behind + span.start, end: behind + span.end };
}
