import { isDeepStrictEqual } from 'node:util';
import { commands, type WorkspaceFolder, window } from 'vscode';
import { activeFolder, openEnvFile } from '../credentials/folders.ts';
import { type LookupResult, vendorInUse } from '../credentials/sourceSelection.ts';
import { messageFor } from '../messages/messages.ts';
import type { CheckResult } from '../service/checks/diagnose.ts';
import type { Credentials } from '../service/credentials.ts';
import { isOutOfReach, type ServiceError } from '../service/errors.ts';
import { readSettings, type Settings, settingsFor } from '../settings.ts';
import { setContextKey } from '../ui/contextKeys.ts';
import { openSettings } from '../ui/openSettings.ts';
import { type ShownCheck, shownCheck } from './checkMessages.ts';
import { copyReport, type DiagnosisDeps, versions } from './copyReport.ts';
import { type DiagnosisOptions, showDiagnosis } from './diagnosisList.ts';
import { READING, UNANSWERED, whatToDiagnose } from './preliminaryChecks.ts';
import { buildReport } from './reportText.ts';

/** Finds the cause of a failure: when the user asks for it, and after a refusal that tells none. */

/** What a generation was made with, or would be: the checks are run with the same. */
export interface Used {
  /** Where the text is from: it may have brought the credentials. */
  readonly folder: WorkspaceFolder | null;
  readonly credentials: Credentials;
  readonly settings: Settings;
}

/** For secret storage and the folder, which may never answer while a failure waits to be shown. */
const CREDENTIALS_LOOK_MS = 2_000;

/** A keyring that takes longer is probably waiting for its password. */
const KEYRING_MS = 10_000;

/**
 * Runs all checks in a list that stays open, and then the fix that the user picks.
 * @param insertModes ids of all there are, for the report
 */
export async function diagnoseConnection(
  deps: DiagnosisDeps,
  insertModes: readonly string[],
): Promise<void> {
  for (;;) {
    const uri = window.activeTextEditor?.document.uri;
    const folder = activeFolder(uri);
    let settings = readSettings(uri);
    let looked: LookupResult | undefined;
    let anonymous: readonly ShownCheck[] = [];
    const run: DiagnosisOptions['run'] = async (show, signal) => {
      show(READING);
      looked = await (await deps.access()).lookUpWithin(KEYRING_MS, folder);
      if (!looked) return show(UNANSWERED);
      settings = settingsFor(vendorInUse(looked), settings);
      const diagnosed = whatToDiagnose(looked.found, looked.choice);
      const { credentials, context } = diagnosed;
      anonymous = diagnosed.anonymous;
      for (const check of diagnosed.preliminary) show(check);
      if (!credentials || signal.aborted) return;
      const used = { credentials, settings, folder };
      const onResult = (result: CheckResult) => show(shownCheck(result, context));
      const failure = await runChecks(deps, used, onResult, signal);
      deps.status.update({
        unreachable: isOutOfReach(failure),
        lastFailure: failure && messageFor(failure, { ...context, isCheck: true }),
      });
    };
    const fix = await showDiagnosis({
      run,
      copy: async (shown) => {
        const runtime = await deps.runtimeIfMade();
        const report = buildReport({
          now: Date.now(),
          versions: versions(deps),
          checks: shown.map(
            (check) => anonymous.find(({ title }) => title === check.title) ?? check,
          ),
          settings,
          insertModes,
          looked,
          status: deps.status.facts,
          loads: runtime?.limiterReports ?? [],
          history: deps.history,
        });
        return copyReport(deps, report, looked, settings);
      },
    });
    if (fix === undefined) return;
    // On behalf of what was checked, whatever is shown by now.
    if (fix === 'approve') await (await deps.access()).require(uri ?? folder?.uri);
    else if (fix === 'openEnvFile') return openEnvFile(folder);
    else if (fix === 'openSettings') return openSettings();
    else if (fix !== 'retry') {
      await commands.executeCommand(`hostedModel.${fix}`);
      return;
    }
  }
}

/** @returns the first failure; undefined if all checks passed */
export async function runChecks(
  deps: DiagnosisDeps,
  used: Used,
  onResult: (result: CheckResult) => void,
  signal: AbortSignal,
): Promise<ServiceError | undefined> {
  const { diagnose } = await import('../service/checks/diagnose.ts');
  const { credentials, folder } = used;
  const settings = settingsFor(credentials.vendor, used.settings);
  const runtime = await deps.runtime();
  const note = (result: CheckResult) => {
    if (result.state !== 'running') deps.log.info(`check ${result.check}: ${outcome(result)}`);
    if (result.check === 'access' && 'facts' in result && !result.facts.isUnchecked) {
      setContextKey('isTested');
    }
    onResult(result);
  };
  // What nobody can tell in time is not used.
  const mayUse = async () => (await readyChoice(deps, folder, credentials)) !== undefined;
  const ends = AbortSignal.any([signal, deps.signOutSignal]);
  return diagnose({ runtime, credentials, settings, mayUse }, note, ends);
}

/**
 * The credentials to be used on behalf of a folder, and where they are from. Undefined where there
 * are none, where something does not answer in time, and where they are not the given ones.
 */
export async function readyChoice(
  deps: DiagnosisDeps,
  folder: WorkspaceFolder | null,
  wanted?: Credentials,
) {
  const looked = await (await deps.access()).lookUpWithin(CREDENTIALS_LOOK_MS, folder);
  if (looked?.choice.kind !== 'ready') return undefined;
  const { choice } = looked;
  return wanted && !isDeepStrictEqual(choice.credentials, wanted) ? undefined : choice;
}

function outcome(result: CheckResult): string {
  return result.state === 'failed' ? result.error.message : result.state;
}
