import { type Clock, systemClock } from '../clock.ts';
import type { Credentials } from '../credentials.ts';
import { isKind, ServiceError } from '../errors.ts';
import type { Retry } from '../http/httpRequest.ts';
import { withoutSecrets } from '../secrets/redact.ts';
import type { ClientSettings, Session } from '../session.ts';
import {
  CHECKS,
  type CheckContext,
  type CheckFacts,
  type CheckName,
  isWorrying,
  type Probe,
  RUN,
} from './checks.ts';

/** Runs the checks of a diagnosis, and says what they come to. */

export type CheckResult = { readonly check: CheckName } & (
  | { readonly state: 'running'; readonly retry?: Retry }
  | { readonly state: 'passed' | 'warning'; readonly facts: CheckFacts }
  | { readonly state: 'failed'; readonly error: ServiceError }
  /** It would have told nothing after the one that failed. */
  | { readonly state: 'not-run' }
);

export interface Diagnosis {
  /** One for each check, in order. */
  readonly results: readonly CheckResult[];
  /** The first failure. */
  readonly failure: ServiceError | undefined;
}

export interface DiagnoseOptions {
  readonly session: Session;
  readonly credentials: Credentials;
  readonly settings: ClientSettings;
  /** Whether these credentials still are what would be used; asked before each step that sends them. */
  readonly mayUse?: () => Promise<boolean>;
  readonly clock?: Clock;
}

/**
 * Runs the checks one after the other, up to the first failure that makes the rest meaningless.
 * @param onResult called when a check starts and when it is over
 * @throws {ServiceError} `cancelled` when the signal aborts
 */
export async function diagnose(
  options: DiagnoseOptions,
  onResult: (result: CheckResult) => void,
  signal: AbortSignal,
): Promise<Diagnosis> {
  const { session, credentials, settings, mayUse } = options;
  let opened: Probe | undefined;
  const probe = async () => {
    if (mayUse && !(await mayUse())) throw new ServiceError('credentials-changed');
    opened ??= session.probe(credentials, settings);
    return opened;
  };
  const results: CheckResult[] = [];
  let found: CheckFacts = {};
  let failure: ServiceError | undefined;
  for (const check of CHECKS) {
    let result: CheckResult = { check, state: 'not-run' };
    if (!failure || (check === 'service-host' && isOfOneHost(failure))) {
      onResult({ check, state: 'running' });
      const onRetry = (retry: Retry) => onResult({ check, state: 'running', retry });
      const bench = { clock: systemClock, ...options, probe, found, onRetry, signal };
      result = await resultOf(check, bench);
      if (signal.aborted) throw new ServiceError('cancelled');
    }
    if (result.state === 'failed') {
      const first = results[0];
      if (first?.state === 'failed' && isOffline(first.error, result.error)) {
        results[0] = { ...first, error: offline(first.error) };
        onResult(results[0]);
        failure = results[0].error;
        result = { ...result, error: offline(result.error) };
      }
      failure ??= result.error;
    }
    if ('facts' in result) found = { ...found, ...result.facts };
    results.push(result);
    onResult(result);
  }
  return { results, failure };
}

async function resultOf(check: CheckName, bench: CheckContext): Promise<CheckResult> {
  try {
    const facts = await RUN[check](bench);
    return { check, state: isWorrying(check, facts) ? 'warning' : 'passed', facts };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { check, state: 'failed', error: withoutSecrets(error, secretsOf(bench)) };
  }
}

/** What no report may repeat, whoever puts it into an answer. */
function secretsOf({ credentials }: CheckContext): string[] {
  return [credentials.apiKey, credentials.projectId];
}

/**
 * Whether two failures say more together than each of them: systems without a network call every
 * name unknown, so that of two hosts neither is likely to be misspelt.
 */
function isOffline(one: ServiceError, other: ServiceError): boolean {
  const areOut = [one, other].every((error) => isKind(error, 'unreachable', 'timeout'));
  return areOut && one.details.host !== other.details.host;
}

function offline({ details }: ServiceError): ServiceError {
  return new ServiceError('offline', details);
}

/** Whether the other host is still worth a look: it tells one host from the whole network. */
function isOfOneHost(error: ServiceError): boolean {
  return isKind(error, 'unreachable', 'connection-lost', 'timeout', 'certificate', 'tls');
}
