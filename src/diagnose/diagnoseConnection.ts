import { setTimeout } from 'node:timers/promises';
import { commands, type WorkspaceFolder, window } from 'vscode';
import { activeFolder, openEnvFile } from '../credentials/folders.ts';
import { type Lookup, vendorInUse } from '../credentials/sourceSelection.ts';
import { messageFor } from '../messages/messages.ts';
import type { CheckResult } from '../service/checks/diagnose.ts';
import type { Connection } from '../service/connection.ts';
import { isOutOfReach, type ServiceError } from '../service/errors.ts';
import { readSettings, settingsFor } from '../settings.ts';
import { setContextKey } from '../ui/contextKeys.ts';
import { openSettings } from '../ui/openSettings.ts';
import { type ShownCheck, shownCheck } from './checkMessages.ts';
import { copyReport, type DiagnosisDeps, versions } from './copyReport.ts';
import { type DiagnosisOptions, showDiagnosis } from './diagnosisList.ts';
import { READING, UNANSWERED, whatToDiagnose } from './preliminaryChecks.ts';
import { buildReport } from './reportText.ts';

/** Finds the cause of a failure: when the user asks for it, and after an unexplained refusal. */

/** For secret storage and the folder, which may never answer while a failure waits to be shown. */
const CREDENTIALS_LOOK_MS = 2_000;

/** A keyring that takes longer is probably waiting for its password. */
const KEYRING_MS = 10_000;

/**
 * Runs all checks in a list that stays open, and then the fix that the user picks.
 * @param insertModes IDs of all insert modes, for the report
 */
export async function diagnoseConnection(
  deps: DiagnosisDeps,
  insertModes: readonly string[],
): Promise<void> {
  for (;;) {
    const uri = window.activeTextEditor?.document.uri;
    const folder = activeFolder(uri);
    let settings = readSettings(uri);
    let looked: Lookup | undefined;
    let anonymous: readonly ShownCheck[] = [];
    const run: DiagnosisOptions['run'] = async (show, signal) => {
      show(READING);
      looked = await peekWithin(deps, KEYRING_MS, folder);
      if (!looked) return show(UNANSWERED);
      settings = settingsFor(vendorInUse(looked), settings);
      const diagnosed = whatToDiagnose(looked.found, looked.choice);
      const { connection, context } = diagnosed;
      anonymous = diagnosed.anonymous;
      for (const check of diagnosed.preliminary) show(check);
      if (!connection || signal.aborted) return;
      const onResult = (result: CheckResult) => show(shownCheck(result, context));
      const failure = await runChecks(deps, connection, folder, onResult, signal);
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
    // On behalf of the folder that was checked, even if another one is active by now.
    if (fix === 'approve') await deps.connections.for(uri ?? folder?.uri);
    else if (fix === 'openEnvFile') return openEnvFile(folder);
    else if (fix === 'openSettings') return openSettings();
    else if (fix !== 'retry') {
      await commands.executeCommand(`hostedModel.${fix}`);
      return;
    }
  }
}

/** @returns the first failure; undefined if all checks passed */
export function runChecks(
  deps: DiagnosisDeps,
  connection: Connection,
  folder: WorkspaceFolder | null,
  onResult: (result: CheckResult) => void,
  signal: AbortSignal,
): Promise<ServiceError | undefined> {
  const note = (result: CheckResult) => {
    if (result.state !== 'running') deps.log.info(`check ${result.check}: ${outcome(result)}`);
    if (result.check === 'access' && 'facts' in result && !result.facts.isUnchecked) {
      setContextKey('isTested');
    }
    onResult(result);
  };
  // If the sources don't answer in time, the connection isn't used.
  const mayUse = () => isStillUsed(deps, connection, folder);
  const ends = AbortSignal.any([signal, deps.connections.signOutSignal]);
  return connection.check(note, ends, mayUse);
}

/** True if the folder still leads to this connection. */
export async function isStillUsed(
  deps: DiagnosisDeps,
  connection: Connection,
  folder: WorkspaceFolder | null,
): Promise<boolean> {
  const looked = await peekWithin(deps, CREDENTIALS_LOOK_MS, folder);
  return looked?.choice.kind === 'ready' && looked.choice.connection.isSameAs(connection);
}

/** @returns undefined if secret storage or the folder doesn't answer in time */
function peekWithin(
  { connections }: DiagnosisDeps,
  patienceMs: number,
  folder: WorkspaceFolder | null,
): Promise<Lookup | undefined> {
  const late = setTimeout(patienceMs, undefined, { ref: false });
  return Promise.race([connections.peek(folder), late]);
}

function outcome(result: CheckResult): string {
  return result.state === 'failed' ? result.error.message : result.state;
}
