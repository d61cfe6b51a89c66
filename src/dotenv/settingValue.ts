import {
  bareValue,
  cleanValue,
  LONGEST_VALUE,
  parseServiceUrl,
  type SettingName,
} from '../service/credentials.ts';
import type { Vendor } from '../service/vendors.ts';
import type { Assignment } from './envText.ts';
import type { Flaw } from './settingSource.ts';

/** What the right side of an assignment says about one setting. */

export interface SettingValue {
  /** Without what does not belong to it; a placeholder as it stands. */
  readonly value: string;
  /** Whether it is there, and no placeholder. */
  readonly isGiven: boolean;
  readonly flaws: readonly ValueFlaw[];
}

export interface ValueFlaw {
  readonly flaw: Flaw;
  /** The columns it covers, counted from the first one behind the `=`; undefined for the name. */
  readonly span: ColumnRange | undefined;
}

export interface ColumnRange {
  readonly start: number;
  readonly end: number;
}

/** The columns of an assignment's right side. */
export interface AssignmentColumns {
  /** The value with the blanks around it, also those before the `=`. */
  readonly padded: ColumnRange;
  readonly value: ColumnRange;
  readonly comment: ColumnRange | undefined;
}

/** Characters of a key; anything shorter is a word of every day, as in `API_KEY=test`. */
export const SHORTEST_KEY = 8;

/** Whether a key or a project ID has only characters that one may have, and as many. */
export function isWellFormed(setting: SettingName, value: string): boolean {
  if (setting === 'projectId') return /^[\w.-]{1,128}$/.test(value);
  if (setting !== 'apiKey') return true;
  return value.length >= SHORTEST_KEY && value.length <= LONGEST_VALUE && !/\s/.test(value);
}

export function readValue(
  setting: SettingName,
  assignment: Pick<Assignment, 'gap' | 'raw'>,
  vendor: Vendor,
): SettingValue {
  const { padded, value: span, comment } = partsOf(assignment);
  const written = assignment.raw.slice(span.start, span.end);
  const { value } = bareValue(written);
  const { blemishes } = cleanValue(written);
  const flaws: ValueFlaw[] = [];
  const add = (flaw: Flaw, where: ColumnRange | undefined) =>
    void flaws.push({ flaw, span: where });
  if (assignment.gap !== '' || span.start > 0 || span.end < padded.end) {
    add({ kind: 'blanks' }, padded);
  }
  for (const kind of blemishes) {
    // A host may have letters outside ASCII; where it then leads is in `parseServiceUrl`.
    if (kind === 'non-ascii' && setting === 'url') continue;
    add({ kind }, span);
  }
  if (comment) add({ kind: 'comment' }, comment);
  if (value === '') add({ kind: 'empty' }, undefined);
  const isGiven = value !== '' && !blemishes.includes('placeholder');
  if (isGiven && setting === 'url') for (const flaw of urlFlaws(value, vendor)) add(flaw, span);
  if (isGiven && !blemishes.includes('non-ascii') && !isWellFormed(setting, value)) {
    add({ kind: 'malformed' }, span);
  }
  return { value, isGiven, flaws };
}

/** Where blanks, value and comment stand. */
export function partsOf({ gap, raw }: Pick<Assignment, 'gap' | 'raw'>): AssignmentColumns {
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

function urlFlaws(value: string, { regions, privatePrefix }: Vendor): Flaw[] {
  const parsed = parseServiceUrl(value);
  if (!parsed.ok) return [{ kind: 'bad-url', problem: parsed.problem }];
  const flaws: Flaw[] = [];
  if (parsed.cut) flaws.push({ kind: 'endpoint-url' });
  if (parsed.url !== parsed.origin) flaws.push({ kind: 'url-path' });
  const isKnown = regions.some(({ url }) =>
    [url, url.replace('//', `//${privatePrefix}`)].includes(parsed.origin),
  );
  if (!isKnown) flaws.push({ kind: 'unknown-region' });
  return flaws;
}
