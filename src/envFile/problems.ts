import type { GitRisk } from '../connection/gitRisk.ts';
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

/** Finds the problems that the editor shows in a `.env` file. Pure. */

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
