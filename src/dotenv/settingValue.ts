import {
  type Blemish,
  cleanValue,
  LONGEST_VALUE,
  parseServiceUrl,
  strippedValue,
  type UrlProblem,
} from '../service/credentials.ts';
import {
  AUTH_METHODS,
  allNameSets,
  type NameSet,
  type ResourceKind,
  resourceOf,
  SETTING_NAMES,
  type Service,
  type SettingName,
} from '../service/services.ts';
import type { Assignment } from './envText.ts';

/** What an assignment says about one setting: its value, and what is wrong with it. */

type IssueDetails =
  /**
   * `malformed`: holds what no key or project ID holds, such as blanks inside. `endpoint-url`: the
   * address of an endpoint; only what is before its path is the service URL.
   */
  | { readonly kind: Blemish | 'comment' | 'empty' | 'malformed' }
  | { readonly kind: 'endpoint-url' | 'url-path' | 'unknown-region' }
  /** Another value than the first line of the same setting; no line in the environment. */
  | { readonly kind: 'duplicate'; readonly otherLine: number | undefined }
  | { readonly kind: 'bad-url'; readonly problem: UrlProblem };

export type IssueKind = IssueDetails['kind'];

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
  readonly place: LineRange | undefined;
};

/** Lines and columns count from 0; columns in UTF-16 units, the end excluded. */
export interface LineRange {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** An assignment to a name that is read. */
export interface RecognisedSetting extends SettingOfName {
  readonly assignment: Assignment;
  /** Of the name; undefined for the environment. */
  readonly place: LineRange | undefined;
  /** Without what does not belong to it; a placeholder as it stands. */
  readonly value: string;
  /** Whether it is there, and no placeholder. */
  readonly isGiven: boolean;
  readonly issues: readonly Issue[];
}

/** A name that is read, and what it stands for. */
interface SettingOfName {
  readonly name: string;
  readonly setting: SettingName;
  readonly set: NameSet;
}

/** A part of an assignment's right side. */
interface ColumnRange {
  readonly start: number;
  readonly end: number;
}

/**
 * True if a value has a valid length and only valid characters.
 * @param service the service of a key; without one, the rules of an API key apply
 */
export function isWellFormed(setting: SettingName, value: string, service?: Service): boolean {
  // Dots alone would be a step in the address that a deployment stands in.
  if (setting === 'projectId') return /^(?!\.{1,2}$)[\w.-]{1,128}$/.test(value);
  if (setting === 'url') return true;
  if (value.length > LONGEST_VALUE) return false;
  return !(setting === 'apiKey' && !mayHoldSpaces(service) ? /\s/ : /[^\S ]/).test(value);
}

/** True for the secret of an OAuth client: https://www.rfc-editor.org/rfc/rfc6749#appendix-A.2 */
export function mayHoldSpaces(service: Service | undefined): boolean {
  return (
    service !== undefined && AUTH_METHODS[service.authentication.kind].secret === 'CLIENT_SECRET'
  );
}

/** The assignments that are meant for this client, in their order. */
export function recognisedSettings(
  assignments: readonly Assignment[],
  service: Service,
  sets: readonly NameSet[] = allNameSets(service),
): RecognisedSetting[] {
  const known = new Map(namesIn(sets).map((one) => [one.name, one]));
  return assignments.flatMap((assignment) => {
    const own = known.get(assignment.name);
    if (!own) return [];
    const read = readValue(own.setting, assignment, service);
    return { ...own, assignment, place: placeOf(assignment), ...read };
  });
}

/** Values of one set of names, as far as they are there. */
export type GivenValues = Readonly<Partial<Record<SettingName, string | undefined>>> & {
  readonly resource?: ResourceKind | undefined;
};

/** The values that a set gives, each by the first line of its setting. */
export function valuesOf(set: NameSet, given: readonly RecognisedSetting[]): GivenValues {
  const firstOf = (setting: SettingName) => {
    const all = given.filter((one) => one.set === set && one.setting === setting);
    // Environment variables have no order, so a project always wins.
    return all.find(({ name }) => resourceOf(name) === 'project') ?? all[0];
  };
  const first = (setting: SettingName) => firstOf(setting)?.value;
  const { value: projectId, name = '' } = firstOf('projectId') ?? {};
  const [account, resource] = [first('account'), resourceOf(name)];
  return {
    ...(account && { account }),
    ...{ apiKey: first('apiKey'), projectId, url: first('url') },
    ...(resource !== 'project' && { resource }),
  };
}

/** The names of each set, setting by setting. */
function namesIn(sets: readonly NameSet[]): SettingOfName[] {
  return sets.flatMap((set) =>
    SETTING_NAMES.flatMap((setting) => set[setting].map((name) => ({ name, setting, set }))),
  );
}

function readValue(
  setting: SettingName,
  assignment: Assignment,
  service: Service,
): Pick<RecognisedSetting, 'value' | 'isGiven' | 'issues'> {
  const { padded, value: span, comment } = partsOf(assignment);
  const written = assignment.raw.slice(span.start, span.end);
  const { value } = strippedValue(written);
  const { blemishes } = cleanValue(written);
  const issues: Issue[] = [];
  const add = (details: IssueDetails, where?: ColumnRange) =>
    void issues.push(issueOf(details, setting, assignment, where));
  if (assignment.gap !== '' || span.start > 0 || span.end < padded.end) {
    add({ kind: 'blanks' }, padded);
  }
  for (const kind of blemishes) {
    // A host may have letters outside ASCII; where it then leads is in `parseServiceUrl`.
    if (kind === 'non-ascii' && setting === 'url') continue;
    add({ kind }, span);
  }
  if (comment) add({ kind: 'comment' }, comment);
  if (value === '') add({ kind: 'empty' });
  const isGiven = value !== '' && !blemishes.includes('placeholder');
  if (isGiven && setting === 'url') {
    for (const details of urlIssues(value, service)) add(details, span);
  }
  if (isGiven && !blemishes.includes('non-ascii') && !isWellFormed(setting, value, service)) {
    add({ kind: 'malformed' }, span);
  }
  return { value, isGiven, issues };
}

/** @param span columns of the right side; left out for the name */
export function issueOf(
  details: IssueDetails,
  setting: SettingName,
  assignment: Assignment,
  span?: ColumnRange,
): Issue {
  const isError = !['url-path', 'unknown-region'].includes(details.kind);
  const place = placeOf(assignment, span);
  return { ...details, setting, name: assignment.name, isError, place };
}

/** Where an assignment or a part of it stands; undefined for the environment. */
export function placeOf({ name, gap, at }: Assignment, span?: ColumnRange): LineRange | undefined {
  if (!at) return undefined;
  const { line, column } = at;
  const nameEnd = column + name.length;
  if (!span) return { line, start: column, end: nameEnd };
  const behind = nameEnd + gap.length + 1;
  return { line, start: behind + span.start, end: behind + span.end };
}

/**
 * Where value and comment stand; `padded` is the value with the blanks around it, also those before
 * the `=`.
 */
export function partsOf({ gap, raw }: Pick<Assignment, 'gap' | 'raw'>) {
  const mark = commentAt(raw);
  const before = mark === undefined ? raw : raw.slice(0, mark).trimEnd();
  const body = before.trim();
  const start = before.indexOf(body);
  return {
    padded: { start: gap === '' ? 0 : -gap.length - 1, end: before.length },
    value: { start, end: start + body.length },
    comment: mark === undefined ? undefined : { start: mark, end: raw.length },
  };
}

/** A `#` at the start or behind a blank, which no key, ID or URL holds; not within quotes. */
function commentAt(raw: string): number | undefined {
  const from = /^\s*(["'`]).*?\1/s.exec(raw)?.[0].length ?? 0;
  for (let at = raw.indexOf('#', from); at >= 0; at = raw.indexOf('#', at + 1)) {
    if (at === from || /\s/.test(raw[at - 1] ?? '')) return at;
  }
  return undefined;
}

function urlIssues(value: string, { regions, privatePrefix }: Service): IssueDetails[] {
  const parsed = parseServiceUrl(value);
  if (!parsed.ok) return [{ kind: 'bad-url', problem: parsed.problem }];
  const issues: IssueDetails[] = [];
  if (parsed.cut) issues.push({ kind: 'endpoint-url' });
  if (parsed.url !== parsed.origin) issues.push({ kind: 'url-path' });
  const isKnown = regions.some(({ url }) =>
    [url, url.replace('//', `//${privatePrefix}`)].includes(parsed.origin),
  );
  if (!isKnown && regions.length > 0) issues.push({ kind: 'unknown-region' });
  return issues;
}
