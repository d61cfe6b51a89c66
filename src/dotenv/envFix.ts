import { strippedValue } from '../service/pastedValue.ts';
import { mayBeUnencrypted, type Region, type Service } from '../service/service.ts';
import { parseServiceUrl } from '../service/serviceUrl.ts';
import { type Assignment, assignmentsOf, LINE_END } from './envText.ts';
import { type Issue, type LineRange, partsOf, valueRange } from './settingValue.ts';
import type { ServiceReading } from './sourceReading.ts';

/**
 * Edits that fix an issue in a `.env` file's text or add lines to it. All other lines stay
 * unchanged.
 */

/**
 * VS Code converts the line breaks in `newText` to those of the document. `region` is the region
 * whose URL the edit inserts, if any.
 */
export type EnvFix =
  | {
      readonly kind: 'replace';
      readonly place: LineRange;
      readonly newText: string;
      readonly region?: Region | undefined;
    }
  | { readonly kind: 'remove-line'; readonly line: number };

/**
 * Returns the fixes that the user can choose from. Empty if only the user knows the right value, or
 * if parsing the edited line wouldn't return the intended value.
 * @param content the line with the issue, unchanged since the issue was found
 */
export function envFixes(content: string, issue: Issue, service: Service): readonly EnvFix[] {
  const { place } = issue;
  const [assignment] = assignmentsOf(content);
  const name = assignment && valueRange(assignment);
  if (!place || !name) return [];
  const { line } = place;
  const { gap, raw } = assignment;
  const { padded, comment } = partsOf(assignment);
  const value = readOf(assignment);
  const valueEnd = name.end + gap.length + 1 + padded.end;
  // Replace all text between the name and the end of the value. Removing only the quotes would
  // leave the spaces around them.
  const rewrite = (text: string, region?: Region): EnvFix[] => {
    // Without a space before it, the comment would become part of the value.
    const isGlued = text !== '' && comment?.start === padded.end;
    const written = isGlued ? `${text} ` : text;
    if (readOf({ gap: '', raw: written + raw.slice(padded.end) }) !== text) return [];
    const rewritten = { line, start: name.end, end: valueEnd };
    return [{ kind: 'replace', place: rewritten, newText: `=${written}`, region }];
  };
  switch (issue.kind) {
    case 'whitespace':
    case 'quotes':
    case 'bearer':
    case 'control':
      return rewrite(value);
    case 'similar-name':
      return [{ kind: 'replace', place, newText: issue.name }];
    case 'comment':
      return [
        {
          kind: 'replace',
          place: { line, start: 0, end: content.length },
          newText: `${content.slice(place.start)}\n${content.slice(0, valueEnd)}`,
        },
      ];
    case 'duplicate': {
      // Only the user knows which line is right, so offer to remove either line.
      const { otherLine = line } = issue;
      return [line, otherLine].map((one) => ({ kind: 'remove-line', line: one }));
    }
    case 'bad-url':
    case 'endpoint-url':
    case 'url-path': {
      const address = fixedUrl(value, issue.kind, service);
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

/** Returns an edit that appends lines to the text. */
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

/**
 * A host name at the start of an address without `https://`. Doesn't match uppercase letters or a
 * last label with digits, because such text could be an IP address or a misplaced key.
 */
const BARE_HOST = /^(?:[a-z0-9-]+\.)+[a-z]{2,}(?=[:/]|$)/;

/**
 * Returns the fixed address, or undefined if no fix is safe. For an invalid address, the only safe
 * fixes are to replace http with https, and to add a missing `https://`.
 */
function fixedUrl(
  value: string,
  kind: 'bad-url' | 'endpoint-url' | 'url-path',
  service: Service,
): string | undefined {
  const secure = BARE_HOST.test(value) ? `https://${value}` : value.replace(/^http:/i, 'https:');
  const address = kind === 'bad-url' ? secure : value;
  const parsed = parseServiceUrl(address, mayBeUnencrypted(service));
  if (!parsed.ok) return undefined;
  return kind === 'url-path' ? parsed.origin : parsed.url;
}

/** Parses the text of a `.env` file, based on the settings that apply to the file. */
export type Parse = (text: string) => ServiceReading;

/**
 * Maximum number of rounds, each of which fixes at most one issue per line. Higher than the number
 * of kinds of issues, so there are always enough rounds.
 */
const MAX_ROUNDS = 20;

/**
 * Fixes all errors that can be fixed in only one way. A line may need several fixes.
 * @returns the number of fixes and the new lines; a line contains a line break if a comment was
 * moved above it
 */
export function fixAll(
  lines: readonly string[],
  parse: Parse,
): { readonly lines: readonly string[]; readonly count: number } {
  const fixed = [...lines];
  let service: Service | undefined;
  let count = 0;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { reading, service: used } = parse(fixed.join('\n'));
    service ??= used;
    // After the fixes, the text may match another service. The editor doesn't show that service's
    // problems, so don't fix them.
    if (used.word !== service.word) break;
    const errors = reading.issues.filter(({ isError }) => isError);
    const others = errors.filter(({ kind }) => kind !== 'comment');
    const changed = fixEach(fixed, others, service);
    // Moving a comment adds a line, so the issues below it would refer to the wrong lines in the
    // next round. Move comments only after everything else is fixed.
    if (changed === 0) return { lines: fixed, count: count + fixEach(fixed, errors, service) };
    count += changed;
  }
  return { lines: fixed, count };
}

/**
 * Fixes at most one issue on each line, because a fix can shift the other issues on the line.
 * @returns the number of fixes
 */
function fixEach(lines: string[], issues: readonly Issue[], service: Service): number {
  const changed = new Set<number>();
  for (const issue of issues) {
    const { line = -1 } = issue.place ?? {};
    const text = lines[line];
    if (text === undefined || changed.has(line)) continue;
    const [fix] = envFixes(text, issue, service);
    // Never remove a duplicate line, because only the user knows which of the two lines is right.
    if (fix?.kind !== 'replace') continue;
    lines[line] = text.slice(0, fix.place.start) + fix.newText + text.slice(fix.place.end);
    changed.add(line);
  }
  return changed.size;
}
