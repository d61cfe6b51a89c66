import { bareValue, parseServiceUrl } from './credentials.ts';
import { type Assignment, assignmentsOf } from './envText.ts';
import type { Finding, Place } from './settingSource.ts';
import { partsOf, type Span } from './settingValue.ts';
import type { Region, Vendor } from './vendors.ts';

/** How to change a `.env` text so that a finding is gone. Changes its line alone. */

export type EnvEdit =
  | { readonly kind: 'replace'; readonly place: Place; readonly newText: string }
  | { readonly kind: 'remove-line'; readonly line: number };

export interface Mending {
  readonly edit: EnvEdit;
  /** Where a mending chooses one of the maker's regions. */
  readonly region: Region | undefined;
}

/**
 * The ways to mend a finding, of which one is to be applied. Empty where only the user knows what is
 * right, and where the line is no longer what the finding speaks of.
 */
export function mendEnvFile(text: string, finding: Finding, vendor: Vendor): readonly Mending[] {
  const assignment = assignmentsOf(text).find(
    ({ name, at }) => name === finding.name && at?.line === finding.place?.line,
  );
  const at = assignment?.at;
  if (!assignment || !at) return [];
  const { line } = at;
  const { padded, value: span, comment } = partsOf(assignment);
  const written = assignment.raw.slice(span.start, span.end);
  const value = bareValue(written).value;
  const replace = (where: Span, newText: string, region?: Region): Mending => {
    const place = { line, ...columnsOf(assignment, at.column, where) };
    return { edit: { kind: 'replace', place, newText }, region };
  };
  switch (finding.flaw.kind) {
    case 'blanks':
    case 'quotes':
    case 'bearer':
    case 'control':
      // All at once: nobody wants the quotes gone and the blanks within them kept.
      return [replace(padded, assignment.gap === '' ? value : `=${value}`)];
    case 'comment':
      return comment ? [replace({ start: padded.end, end: comment.end }, '')] : [];
    case 'duplicate':
      return [{ edit: { kind: 'remove-line', line }, region: undefined }];
    case 'similar-name': {
      const end = at.column + assignment.name.length;
      const place = { line, start: at.column, end };
      return [
        { edit: { kind: 'replace', place, newText: finding.flaw.expected }, region: undefined },
      ];
    }
    case 'bad-url':
    case 'endpoint-url':
    case 'url-path': {
      const address = mendedUrl(value, finding.flaw.kind);
      return address === undefined ? [] : [replace(span, address)];
    }
    case 'unknown-region':
      return vendor.regions.map((region) => replace(span, region.url, region));
    case 'empty':
    case 'placeholder':
    case 'non-ascii':
    case 'malformed':
      return [];
  }
}

function columnsOf({ name, gap }: Assignment, column: number, { start, end }: Span): Span {
  const behind = column + name.length + gap.length + 1;
  return { start: behind + start, end: behind + end };
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
