import { bareValue, parseServiceUrl } from '../service/credentials.ts';
import type { Region, Vendor } from '../service/vendors.ts';
import { type Issue, type IssuePlace, placeOf } from './envFile.ts';
import type { Assignment } from './envText.ts';
import { type ColumnRange, partsOf } from './settingValue.ts';

/** How to change a `.env` text so that an issue is gone. Changes its line alone. */

export type EnvEdit =
  | { readonly kind: 'replace'; readonly place: IssuePlace; readonly newText: string }
  | { readonly kind: 'remove-line'; readonly line: number };

export interface EnvFix {
  readonly edit: EnvEdit;
  /** Where a mending chooses one of the maker's regions. */
  readonly region: Region | undefined;
}

/**
 * The ways to mend an issue, of which one is to be applied. Empty where only the user knows what is
 * right, where the line is no longer what the issue speaks of, and where the line would then be
 * read as another value.
 * @param lines the assignments of the text as it is now
 */
export function envFixes(
  lines: ReadonlyMap<number, Assignment>,
  issue: Issue,
  vendor: Vendor,
): readonly EnvFix[] {
  const assignment = lines.get(issue.place?.line ?? -1);
  const name = assignment && placeOf(assignment);
  if (!name || assignment.name !== issue.name) return [];
  const { line } = name;
  const { padded, value: span, comment } = partsOf(assignment);
  const value = readOf(assignment);
  const rewrite = (where: ColumnRange, text: string, isRead = text, region?: Region): EnvFix[] => {
    // A comment without a blank before it would become a part of the value.
    const isGlued = text !== '' && comment?.start === where.end;
    const written = isGlued ? `${text} ` : text;
    const { raw } = assignment;
    const after = raw.slice(0, Math.max(0, where.start)) + written + raw.slice(where.end);
    if (readOf({ gap: '', raw: after }) !== isRead) return [];
    const place = placeOf(assignment, where) ?? name;
    const newText = where.start < 0 ? `=${written}` : written;
    return [{ edit: { kind: 'replace', place, newText }, region }];
  };
  switch (issue.kind) {
    case 'blanks':
    case 'quotes':
    case 'bearer':
    case 'control':
      // All at once: nobody wants the quotes gone and the blanks within them kept.
      return rewrite(padded, value);
    case 'comment':
      return comment ? rewrite({ start: padded.end, end: comment.end }, '', value) : [];
    case 'duplicate': {
      // Which of them is right, only the user knows.
      const { otherLine = -1 } = issue;
      return lines.has(otherLine) ? [removal(line), removal(otherLine)] : [];
    }
    case 'similar-name': {
      const newText = issue.expected;
      return [{ edit: { kind: 'replace', place: name, newText }, region: undefined }];
    }
    case 'bad-url':
    case 'endpoint-url':
    case 'url-path': {
      const address = mendedUrl(value, issue.kind);
      return address === undefined ? [] : rewrite(span, address);
    }
    case 'unknown-region':
      return vendor.regions.flatMap((region) => rewrite(span, region.url, region.url, region));
    case 'empty':
    case 'placeholder':
    case 'non-ascii':
    case 'malformed':
      return [];
  }
}

function readOf(assignment: Pick<Assignment, 'gap' | 'raw'>): string {
  const { start, end } = partsOf(assignment).value;
  return bareValue(assignment.raw.slice(start, end)).value;
}

function removal(line: number): EnvFix {
  return { edit: { kind: 'remove-line', line }, region: undefined };
}

/** Only a missing `s` is certain enough to be added to an address that cannot be used. */
function mendedUrl(
  value: string,
  kind: 'bad-url' | 'endpoint-url' | 'url-path',
): string | undefined {
  const parsed = parseServiceUrl(kind === 'bad-url' ? value.replace(/^http:/i, 'https:') : value);
  if (!parsed.ok) return undefined;
  return kind === 'url-path' ? parsed.origin : parsed.url;
}
