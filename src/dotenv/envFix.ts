import { parseServiceUrl, strippedValue } from '../service/credentials.ts';
import type { Region, Service } from '../service/services.ts';
import { type Assignment, assignmentsOf, LINE_END } from './envText.ts';
import { type Issue, type LineRange, partsOf, placeOf } from './settingValue.ts';

/** How to change a `.env` text so that an issue is gone, or a name there. Changes no other line. */

/** `region` is there where a mending chooses one of the maker's. */
export type EnvFix =
  | {
      readonly kind: 'replace';
      readonly place: LineRange;
      readonly newText: string;
      readonly region?: Region | undefined;
    }
  | { readonly kind: 'remove-line'; readonly line: number };

/**
 * The ways to mend an issue, of which one is to be applied. Empty where only the user knows what is
 * right, and where the line would then be read as another value.
 * @param content the line of the issue, in the text that was read for it
 */
export function envFixes(content: string, issue: Issue, service: Service): readonly EnvFix[] {
  const { place } = issue;
  const [assignment] = assignmentsOf(content);
  const name = assignment && placeOf(assignment);
  if (!place || !name) return [];
  const { line } = place;
  const { gap, raw } = assignment;
  const { padded, comment } = partsOf(assignment);
  const value = readOf(assignment);
  const valueEnd = name.end + gap.length + 1 + padded.end;
  // From behind the name on: nobody wants the quotes gone and the blanks around them kept.
  const rewrite = (text: string, region?: Region): EnvFix[] => {
    // A comment without a blank before it would become a part of the value.
    const isGlued = text !== '' && comment?.start === padded.end;
    const written = isGlued ? `${text} ` : text;
    if (readOf({ gap: '', raw: written + raw.slice(padded.end) }) !== text) return [];
    const rewritten = { line, start: name.end, end: valueEnd };
    return [{ kind: 'replace', place: rewritten, newText: `=${written}`, region }];
  };
  switch (issue.kind) {
    case 'blanks':
    case 'quotes':
    case 'bearer':
    case 'control':
      return rewrite(value);
    case 'comment':
      return [{ kind: 'replace', place: { ...place, start: valueEnd }, newText: '' }];
    case 'duplicate': {
      // Which of them is right, only the user knows.
      const { otherLine = line } = issue;
      return [line, otherLine].map((one) => ({ kind: 'remove-line', line: one }));
    }
    case 'bad-url':
    case 'endpoint-url':
    case 'url-path': {
      const address = mendedUrl(value, issue.kind);
      return address === undefined ? [] : rewrite(address);
    }
    case 'unknown-region':
      return service.regions.flatMap((region) => rewrite(region.url, region));
    case 'empty':
    case 'placeholder':
    case 'non-ascii':
    case 'malformed':
      return [];
  }
}

/** Adds lines at the end of a text. An editor gives them the line ends of its document. */
export function appendedLines(
  text: string,
  lines: readonly string[],
): Extract<EnvFix, { readonly kind: 'replace' }> {
  const before = text.split(LINE_END);
  const { length: end } = before.at(-1) ?? '';
  const place = { line: before.length - 1, start: end, end };
  const start = end === 0 ? '' : '\n';
  return { kind: 'replace', place, newText: start + lines.map((line) => `${line}\n`).join('') };
}

function readOf(assignment: Pick<Assignment, 'gap' | 'raw'>): string {
  const { start, end } = partsOf(assignment).value;
  return strippedValue(assignment.raw.slice(start, end)).value;
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
