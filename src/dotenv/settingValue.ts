import type { ResourceKind } from '../service/apiCapabilities.ts';
import { AUTH_INPUTS, SECRETS } from '../service/authInputs.ts';
import { allNameSets, resourceOf } from '../service/envNames.ts';
import {
  cleanValue,
  MAX_VALUE_LENGTH,
  strippedValue,
  type ValueFlaw,
} from '../service/pastedValue.ts';
import {
  mayBeUnencrypted,
  type NameSet,
  SETTING_NAMES,
  type Service,
  type SettingName,
} from '../service/service.ts';
import { parseServiceUrl, type UrlProblem } from '../service/serviceUrl.ts';
import type { Assignment } from './envText.ts';

/** Reads the value of a setting from an assignment, and locates any issues. */

type IssueDetails =
  /**
   * A `malformed` value is too long or contains characters that aren't allowed, such as spaces in
   * an API key.
   */
  | { readonly kind: ValueFlaw | 'comment' | 'empty' | 'malformed' }
  | { readonly kind: 'endpoint-url' | 'url-path' | 'unknown-region' }
  /** The name is similar to the name of a missing setting, and may be a typo. */
  | { readonly kind: 'similar-name' }
  /**
   * The value differs from the value on the first line with the same setting. `otherLine` is the
   * zero-based number of that line, or undefined for the environment.
   */
  | { readonly kind: 'duplicate'; readonly otherLine: number | undefined }
  | { readonly kind: 'bad-url'; readonly problem: UrlProblem };

export type IssueKind = IssueDetails['kind'];

/** An issue with a setting or its line. Never contains a value. */
export type Issue = IssueDetails & {
  readonly setting: SettingName;
  /**
   * The name as written in the source, or the correct name if the written name is only similar to
   * it.
   */
  readonly name: string;
  /** True if the issue makes the whole `NameSet` unusable; false for a warning. */
  readonly isError: boolean;
  /**
   * The position of the value, including the whitespace around it for a whitespace issue. For a
   * comment issue, the position of the comment. For a duplicate, an empty value, or a similar
   * name, the position of the name. Undefined for the environment.
   */
  readonly place: LineRange | undefined;
};

/** A zero-based line and a range of columns, counted in UTF-16 code units; `end` is exclusive. */
export interface LineRange {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** An assignment to a known name, with its value and issues. */
export interface RecognizedSetting extends SettingOfName {
  readonly assignment: Assignment;
  /** The position of the name; undefined for the environment. */
  readonly place: LineRange | undefined;
  /** The value as cleaned by `strippedValue`. A placeholder is kept. */
  readonly value: string;
  /** True if the value is neither empty nor a placeholder. */
  readonly isGiven: boolean;
  readonly issues: readonly Issue[];
}

/** A known name such as `VENDOR_API_KEY`, with its setting and its set of names. */
export interface SettingOfName {
  readonly name: string;
  readonly setting: SettingName;
  readonly set: NameSet;
}

/** Columns relative to the start of the text after the `=`; `end` is exclusive. */
interface ColumnRange {
  readonly start: number;
  readonly end: number;
}

/**
 * True if a value has a valid length and only valid characters. Always true for a URL, because
 * `parseServiceUrl` checks URLs.
 * @param service the service that the key belongs to; if omitted, the rules for API keys apply
 */
export function isWellFormed(setting: SettingName, value: string, service?: Service): boolean {
  // A deployment ID becomes a path segment of the URL, where `.` or `..` would change the path.
  if (setting === 'projectId') return /^(?!\.{1,2}$)[\w.-]{1,128}$/.test(value);
  if (setting === 'url') return true;
  if (value.length > MAX_VALUE_LENGTH) return false;
  return !(setting === 'apiKey' && !mayHoldSpaces(service) ? /\s/ : /[^\S ]/).test(value);
}

/** True if this service's secret may contain spaces. */
export function mayHoldSpaces(service: Service | undefined): boolean {
  const { secret } = service ? AUTH_INPUTS[service.authentication.kind] : {};
  return secret !== undefined && SECRETS[secret].mayHoldSpaces;
}

/** Returns the assignments to known names, in their original order. */
export function recognizedSettings(
  assignments: readonly Assignment[],
  service: Service,
  sets: readonly NameSet[] = allNameSets(service),
): RecognizedSetting[] {
  const known = new Map(namesIn(sets).map((one) => [one.name, one]));
  return assignments.flatMap((assignment) => {
    const own = known.get(assignment.name);
    if (!own) return [];
    const read = readValue(own.setting, assignment, service);
    return { ...own, assignment, place: valueRange(assignment), ...read };
  });
}

/** The values of one set of names; missing values are undefined. */
export type GivenValues = Readonly<Partial<Record<SettingName, string | undefined>>> & {
  readonly resource?: ResourceKind | undefined;
};

/**
 * Returns the values of a set of names. If several lines contain the same setting, the first one
 * applies. However, a project ID takes precedence over a space ID or deployment ID.
 */
export function valuesOf(set: NameSet, given: readonly RecognizedSetting[]): GivenValues {
  const firstOf = (setting: SettingName) => {
    const all = given.filter((one) => one.set === set && one.setting === setting);
    // Environment variables have no order, so a project ID takes precedence over other IDs.
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

export function namesIn(sets: readonly NameSet[]): SettingOfName[] {
  return sets.flatMap((set) =>
    SETTING_NAMES.flatMap((setting) => set[setting].map((name) => ({ name, setting, set }))),
  );
}

function readValue(
  setting: SettingName,
  assignment: Assignment,
  service: Service,
): Pick<RecognizedSetting, 'value' | 'isGiven' | 'issues'> {
  const { padded, value: span, comment } = partsOf(assignment);
  const written = assignment.raw.slice(span.start, span.end);
  const { value } = strippedValue(written);
  const { flaws } = cleanValue(written);
  const issues: Issue[] = [];
  const add = (details: IssueDetails, where?: ColumnRange) =>
    void issues.push(issueOf(details, setting, assignment, where));
  if (assignment.gap !== '' || span.start > 0 || span.end < padded.end) {
    add({ kind: 'whitespace' }, padded);
  }
  for (const kind of flaws) {
    // A host may contain non-ASCII letters, which `parseServiceUrl` converts to ASCII.
    if (kind === 'non-ascii' && setting === 'url') continue;
    add({ kind }, span);
  }
  if (comment) add({ kind: 'comment' }, comment);
  if (value === '') add({ kind: 'empty' });
  const isGiven = value !== '' && !flaws.includes('placeholder');
  if (isGiven && setting === 'url') {
    for (const details of urlIssues(value, service)) add(details, span);
  }
  if (isGiven && !flaws.includes('non-ascii') && !isWellFormed(setting, value, service)) {
    add({ kind: 'malformed' }, span);
  }
  return { value, isGiven, issues };
}

/** Creates an issue at the given span after the `=`, or at the name if there is no span. */
export function issueOf(
  details: IssueDetails,
  setting: SettingName,
  assignment: Assignment,
  span?: ColumnRange,
): Issue {
  const isError = !['url-path', 'unknown-region', 'similar-name'].includes(details.kind);
  const place = valueRange(assignment, span);
  return { ...details, setting, name: assignment.name, isError, place };
}

/**
 * Returns the position of the given span after the `=`, or of the name if there is no span.
 * Undefined for the environment.
 */
export function valueRange(
  { name, gap, at }: Assignment,
  span?: ColumnRange,
): LineRange | undefined {
  if (!at) return undefined;
  const { line, column } = at;
  const nameEnd = column + name.length;
  if (!span) return { line, start: column, end: nameEnd };
  const behind = nameEnd + gap.length + 1;
  return { line, start: behind + span.start, end: behind + span.end };
}

/**
 * Returns the ranges of the value and the comment in the text after the `=`. `padded` also covers
 * the whitespace around the value, except before a comment. If there is whitespace before the `=`,
 * `padded` starts there, at a negative column.
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

/**
 * Finds the start of a comment: a `#` at the start, after whitespace, or directly after a quoted
 * value. No key, ID, or URL contains such a `#`.
 */
function commentAt(raw: string): number | undefined {
  const from = /^\s*(["'`]).*?\1/s.exec(raw)?.[0].length ?? 0;
  for (let at = raw.indexOf('#', from); at >= 0; at = raw.indexOf('#', at + 1)) {
    if (at === from || /\s/.test(raw[at - 1] ?? '')) return at;
  }
  return undefined;
}

function urlIssues(value: string, service: Service): IssueDetails[] {
  const { regions, privatePrefix } = service;
  const parsed = parseServiceUrl(value, mayBeUnencrypted(service));
  if (!parsed.ok) return [{ kind: 'bad-url', problem: parsed.problem }];
  const issues: IssueDetails[] = [];
  if (parsed.hadEndpoint) issues.push({ kind: 'endpoint-url' });
  if (parsed.url !== parsed.origin) issues.push({ kind: 'url-path' });
  const isKnown = regions.some(({ url }) =>
    [url, url.replace('//', `//${privatePrefix}`)].includes(parsed.origin),
  );
  if (!isKnown && regions.length > 0) issues.push({ kind: 'unknown-region' });
  return issues;
}
