import { isDeepStrictEqual } from 'node:util';
import { commands, type Uri, type WorkspaceFolder, window } from 'vscode';
import type { CredentialAccess } from '../credentials/access.ts';
import { activeFolder, openEnvFile } from '../credentials/folders.ts';
import { contextOf } from '../credentials/sentences.ts';
import { messageFor } from '../messages/messages.ts';
import type { CheckResult } from '../service/checks/diagnose.ts';
import type { Credentials } from '../service/credentials.ts';
import { isKind, isOutOfReach, ServiceError } from '../service/errors.ts';
import { redact } from '../service/secrets/redact.ts';
import type { Session } from '../service/session.ts';
import { readSettings, type Settings } from '../settings.ts';
import { cancellable } from '../ui/progress.ts';
import { completeWalkthroughStep } from '../ui/walkthrough.ts';
import { showDiagnosis } from './diagnosisPicker.ts';
import { whatToDiagnose } from './preliminaryChecks.ts';
import { type Circumstances, type ReportDeps, report } from './report.ts';

/** Finds the cause of a failure: when the user asks for it, and after a refusal that tells none. */

/** What a diagnosis needs from the rest of the extension. */
export interface DiagnosisDeps extends ReportDeps {
  /** Aborts when the key is deleted, in this window or another. */
  readonly signOutSignal: AbortSignal;
  readonly session: () => Promise<Session>;
  readonly access: () => Promise<CredentialAccess>;
}

/** What a generation was made with. */
export interface Used {
  /** What the text is from: its folder may have brought the credentials. */
  readonly document: Uri;
  readonly credentials: Credentials;
  readonly settings: Settings;
}

/** What the checks are run with, and the folder on whose behalf. */
interface Subject {
  readonly credentials: Credentials;
  readonly settings: Settings;
  readonly folder: WorkspaceFolder | undefined;
}

/** After a failure somebody waits for its message, not for a diagnosis. */
const EXPLANATION_MS = 15_000;
/** For secret storage and the folder, which may never answer while a failure waits to be shown. */
const CREDENTIALS_LOOK_MS = 2_000;

/** Runs all checks in a list that stays open, and then the fix that the user picks. */
export async function diagnoseConnection(deps: DiagnosisDeps): Promise<void> {
  for (;;) {
    const document = window.activeTextEditor?.document.uri;
    const folder = activeFolder(document);
    const { found, choice } = await (await deps.access()).lookUp(folder);
    const { credentials, ...shown } = whatToDiagnose(found, choice);
    const settings = readSettings(document);
    const session = credentials && (await deps.session());
    const run = async (onResult: (result: CheckResult) => void, signal: AbortSignal) => {
      if (!credentials) return;
      const subject = { credentials, settings, folder };
      const failure = await runChecks(deps, subject, onResult, signal);
      deps.status.update({
        unreachable: isOutOfReach(failure),
        lastFailure: failure && messageFor(failure, { ...shown.context, isCheck: true }),
      });
    };
    const fix = await showDiagnosis({
      ...shown,
      run: credentials && run,
      redact: (text) => (session ? session.redact(text) : redact(text)),
    });
    if (fix === undefined) return;
    // On behalf of what was checked, whatever is shown by now.
    if (fix === 'approve') await (await deps.access()).require(document ?? folder?.uri);
    else if (fix === 'openEnvFile') return openEnvFile(folder);
    else if (fix !== 'retry') {
      await commands.executeCommand(`hostedModel.${fix}`);
      return;
    }
  }
}

/**
 * Shows a failure with its cause and the way to the place where it can be mended.
 * @param used what a generation failed with; left out for any other command
 * @param lines of the selections that it failed for, where there are several
 * @returns true once the user asks for another try
 */
export async function reportFailure(
  deps: DiagnosisDeps,
  error: unknown,
  used?: Used,
  lines: readonly number[] = [],
): Promise<boolean> {
  const cause = used ? await causeOf(deps, error, used) : error;
  // Not to know where the credentials come from is no reason to hide a failure.
  const known = await circumstances(deps, cause, used).catch(() => ({}));
  return report(deps, cause, { ...known, lines });
}

async function causeOf(deps: DiagnosisDeps, error: unknown, used: Used): Promise<unknown> {
  return isKind(error, 'unauthorized', 'forbidden') ? explained(deps, error, used) : error;
}

/**
 * What a generation was refused for, by the same checks where they find it. Generates nothing; at
 * most one run for each failure. Never throws: the refusal itself is worth more.
 */
async function explained(
  deps: DiagnosisDeps,
  refusal: ServiceError,
  used: Used,
): Promise<ServiceError> {
  const late = AbortSignal.timeout(EXPLANATION_MS);
  try {
    const { explain } = await import('../service/models/explain.ts');
    const subject = { ...used, folder: activeFolder(used.document) };
    if (!(await isInUse(deps, subject))) return refusal;
    const { service } = used.credentials.approved;
    if ((await deps.session()).isPaused(service)) return refusal.with({ isUnchecked: true });
    deps.log.info(`finding the cause of: ${refusal.message}`);
    const failure = await cancellable('finding the cause…', (signal) =>
      runChecks(deps, subject, () => {}, AbortSignal.any([signal, late])),
    ).catch((error: unknown) => {
      if (late.aborted) return new ServiceError('timeout');
      throw error;
    });
    return explain(refusal, failure);
  } catch {
    return refusal;
  }
}

/** @returns the first failure; undefined if all checks passed */
async function runChecks(
  deps: DiagnosisDeps,
  subject: Subject,
  onResult: (result: CheckResult) => void,
  signal: AbortSignal,
): Promise<ServiceError | undefined> {
  const { diagnose } = await import('../service/checks/diagnose.ts');
  const { credentials, settings } = subject;
  const session = await deps.session();
  const note = (result: CheckResult) => {
    if (result.state !== 'running') deps.log.info(`check ${result.check}: ${outcome(result)}`);
    if (result.check === 'access' && 'facts' in result && !result.facts.isUnproven) {
      completeWalkthroughStep('isTested');
    }
    onResult(result);
  };
  const mayUse = () => isInUse(deps, subject);
  const ends = AbortSignal.any([signal, deps.signOutSignal]);
  return (await diagnose({ session, credentials, settings, mayUse }, note, ends)).failure;
}

/**
 * Whether these credentials still are the ones that would be used on behalf of this folder. What
 * nobody can tell in time is not used.
 */
async function isInUse(deps: DiagnosisDeps, { credentials, folder }: Subject): Promise<boolean> {
  const choice = await choiceFor(deps, folder);
  return choice?.kind === 'ready' && isDeepStrictEqual(choice.credentials, credentials);
}

/** Undefined where something does not answer in time. */
async function choiceFor(deps: DiagnosisDeps, folder: WorkspaceFolder | undefined) {
  const looked = await (await deps.access()).lookUpWithin(CREDENTIALS_LOOK_MS, folder);
  return 'choice' in looked ? looked.choice : undefined;
}

/** Where the credentials come from, unless they are others by now. */
async function circumstances(
  deps: DiagnosisDeps,
  error: unknown,
  used?: Used,
): Promise<Circumstances> {
  if (!(error instanceof ServiceError) || error.kind === 'cancelled') return {};
  const folder = activeFolder(used?.document);
  const choice = await choiceFor(deps, folder);
  if (choice?.kind !== 'ready') return {};
  if (used && !isDeepStrictEqual(choice.credentials, used.credentials)) return {};
  return { context: contextOf(choice), openEnvFile: () => openEnvFile(folder) };
}

function outcome(result: CheckResult): string {
  return result.state === 'failed' ? result.error.message : result.state;
}
