import type { GitRisk } from '../connection/gitRisk.ts';
import {
  firstReading,
  likelyReading,
  readForAll,
  type ServiceReading,
  type SourceReading,
} from '../dotenv/envFile.ts';
import { assignmentsOf, ENV_FILE_LIMIT_BYTES } from '../dotenv/envText.ts';
import type { Issue, IssueKind, LineRange } from '../dotenv/settingValue.ts';
import type { Service } from '../service/services.ts';
import { incompleteText, issueText, RISK_TEXTS } from './envFileMessages.ts';

/** Everything worth saying about a `.env` file, as an editor shows it. Pure. */

export interface Problem {
  readonly kind: IssueKind | 'incomplete' | GitRisk;
  /** As VS Code calls it. */
  readonly severity: 'Error' | 'Warning' | 'Information';
  readonly place: LineRange;
  readonly message: string;
  /** Undefined for what concerns the file as a whole. */
  readonly issue: Issue | undefined;
}

/**
 * The text of an open file, read once for its problems and for what mends them.
 * @param services those that the text can be about; the one in use if it names none
 * @param isVendorSet false if the settings name no service, so that the first complete set is used
 */
export function parseEnvText(
  text: string,
  inUse: Service,
  services: readonly Service[] = [inUse],
  isServiceSet = true,
): ServiceReading {
  // A file of this size is not used, so nothing needs to be said about it.
  const assignments = text.length > ENV_FILE_LIMIT_BYTES ? [] : assignmentsOf(text);
  const all = readForAll(assignments, inUse, services);
  return isServiceSet ? likelyReading(all) : firstReading(all, services);
}

/** In no order. Empty if the file names none of the settings. */
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

/** The missing names that no line has; one with an empty value or a placeholder says so itself. */
export function absentNames({ missing, named }: SourceReading): string[] {
  return missing.filter((name) => !named.some((one) => one.name === name));
}
