import type { GitRisk } from '../connection/gitRisk.ts';
import { envFixes } from '../dotenv/envFix.ts';
import { assignmentsOf, ENV_FILE_LIMIT_BYTES } from '../dotenv/envText.ts';
import type { Issue, IssueKind, LineRange } from '../dotenv/settingValue.ts';
import {
  firstReading,
  likelyReading,
  readForAll,
  type ServiceReading,
  type SourceReading,
} from '../dotenv/sourceReading.ts';
import type { Service } from '../service/service.ts';
import { incompleteText, issueText, RISK_TEXTS } from './envFileMessages.ts';

/** Finds the problems that the editor shows in a `.env` file, and applies fixes. Pure. */

export interface Problem {
  readonly kind: IssueKind | 'incomplete' | GitRisk;
  /** The name of a `DiagnosticSeverity`. */
  readonly severity: 'Error' | 'Warning' | 'Information';
  readonly place: LineRange;
  readonly message: string;
  /** Undefined for problems that affect the whole file. */
  readonly issue: Issue | undefined;
}

/**
 * Parses the text of an open `.env` file.
 * @param services the services whose settings the text may contain; if the text contains none of
 * their settings, `inUse` is assumed
 * @param isServiceSet false if VS Code's settings don't name a service; the text then determines
 * the service
 */
export function parseEnvText(
  text: string,
  inUse: Service,
  services: readonly Service[] = [inUse],
  isServiceSet = true,
): ServiceReading {
  // A file that exceeds the size limit isn't used, so its problems don't matter.
  const isTooLarge = Buffer.byteLength(text) > ENV_FILE_LIMIT_BYTES;
  const assignments = isTooLarge ? [] : assignmentsOf(text);
  const all = readForAll(assignments, inUse, services);
  return isServiceSet ? likelyReading(all) : firstReading(all, services);
}

/** Calls `parseEnvText` with the settings that apply to the file. */
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

/**
 * Returns the problems in no particular order. Empty if none of the service's settings appear in
 * the file.
 */
export function problemsOf({ reading, service }: ServiceReading, risk?: GitRisk): Problem[] {
  const problems = reading.issues.flatMap((issue): Problem[] => {
    const { kind, isError, place } = issue;
    if (!place) return [];
    const severity = isError ? 'Error' : 'Warning';
    return [{ kind, severity, place, message: issueText(issue, service), issue }];
  });
  const [first] = reading.named;
  if (!first?.place) return problems;
  const add = (kind: 'incomplete' | GitRisk, place: LineRange, message: string) => {
    const severity = kind === 'incomplete' ? 'Information' : 'Warning';
    problems.push({ kind, severity, place, message, issue: undefined });
  };
  const absent = absentNames(reading);
  if (absent.length > 0) add('incomplete', first.place, incompleteText(absent));
  if (risk) {
    const key = reading.named.find(({ setting }) => setting === 'apiKey');
    add(risk, key?.place ?? first.place, RISK_TEXTS[risk]);
  }
  return problems;
}

/**
 * Returns the names of missing settings that have no line in the file. If a line has an empty value
 * or a placeholder, that's reported as a separate problem.
 */
export function absentNames({ missing, named }: SourceReading): string[] {
  return missing.filter((name) => !named.some((one) => one.name === name));
}
