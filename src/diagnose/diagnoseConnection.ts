import { commands, type Extension, type WorkspaceFolder } from 'vscode';
import { readSettings, settingsFor } from '../config/settings.ts';
import { openEnvFile } from '../connection/connectionDialogs.ts';
import { readyConnection } from '../connection/createConnection.ts';
import { activeFolder } from '../connection/folders.ts';
import { type Lookup, serviceInUse } from '../connection/sourceSelection.ts';
import { messageFor } from '../messages/messages.ts';
import type { CheckResult } from '../service/checks/connectionChecks.ts';
import { isUnreachable } from '../service/errors.ts';
import type { ServiceRuntime } from '../service/serviceRuntime.ts';
import { openSettings } from '../ui/openSettings.ts';
import { type ShownCheck, shownCheck } from './checkMessages.ts';
import { LOOKUP_MS, lookUpFor, within } from './connectionLookup.ts';
import { copyReport, versions } from './copyReport.ts';
import { type DiagnosisOptions, showDiagnosis } from './diagnosisList.ts';
import { prepareDiagnosis, READING, UNANSWERED } from './preliminaryChecks.ts';
import { buildReport, type Load } from './reportText.ts';
import { type DiagnosisDeps, runChecks } from './runChecks.ts';

/**
 * The *Diagnose Connection* command, which shows the checks in a list and offers to copy a report.
 */

interface ReportDeps {
  readonly extension: Extension<unknown>;
  readonly runtime: ServiceRuntime;
}

/**
 * Runs all checks and shows them in a list, then runs the fix that the user picks. After some
 * fixes, runs the checks again.
 * @param insertModes IDs of all insert modes, for the report
 * @param owner the folder to check; by default, the folder that is active when the checks start
 * @returns true if all checks in the last list passed and the user closed the list
 */
export async function diagnoseConnection(
  deps: DiagnosisDeps & ReportDeps,
  insertModes: readonly string[],
  owner?: WorkspaceFolder | null,
): Promise<boolean> {
  for (;;) {
    const folder = owner === undefined ? activeFolder() : owner;
    let hasPassed = false;
    let settings = readSettings(folder?.uri);
    let looked: Lookup | undefined;
    // The checks, keyed by title, with folder and program names removed.
    const anonymous = new Map<string, ShownCheck>();
    const run: DiagnosisOptions['run'] = async (show, signal) => {
      show(READING);
      looked = await within(LOOKUP_MS, deps.connections.peek(folder));
      if (!looked) return show(UNANSWERED);
      settings = settingsFor(serviceInUse(looked), settings);
      const diagnosed = prepareDiagnosis(looked.found, looked.choice);
      const { connection, context, anonymousContext } = diagnosed;
      for (const check of diagnosed.anonymous) anonymous.set(check.title, check);
      for (const check of diagnosed.preliminary) show(check);
      if (!connection || signal.aborted) return;
      const onResult = (result: CheckResult) => {
        const check = shownCheck(result, anonymousContext);
        anonymous.set(check.title, check);
        show(shownCheck(result, context));
      };
      const failure = await runChecks(deps, connection, lookUpFor(deps, folder), onResult, signal);
      hasPassed = failure === undefined;
      deps.status.update({
        unreachable: isUnreachable(failure),
        lastFailure: failure && messageFor(failure, { ...context, isCheck: true }),
      });
    };
    const fix = await showDiagnosis({
      run,
      copy: async (shown) => {
        const { runtime } = deps;
        const report = buildReport({
          now: Date.now(),
          versions: versions(deps.extension),
          checks: shown.map((check) => anonymous.get(check.title) ?? check),
          settings,
          insertModes,
          looked,
          status: deps.status.facts,
          loads: loadsOf(runtime, looked),
          history: deps.history,
        });
        return copyReport(runtime, report, looked, settings);
      },
    });
    if (fix === undefined) return hasPassed;
    // Use the folder that was checked, even if another folder has become active since.
    if (fix === 'approve' || fix === 'useOtherSources') {
      await deps.connections.for(folder);
    } else if (fix === 'changeProject') {
      if (!(await deps.connections.changeProject(folder))) return false;
    } else if (fix === 'changeKey') {
      if (!(await deps.connections.changeKey(folder))) return false;
    } else if (fix !== 'retry') {
      if (fix === 'openEnvFile') await openEnvFile(folder);
      else if (fix === 'openSettings') await openSettings();
      else await commands.executeCommand(`hostedModel.${fix}`);
      return false;
    }
  }
}

/** Returns the state of each concurrency limit in this window. */
function loadsOf({ limits }: ServiceRuntime, looked: Lookup | undefined): Load[] {
  const active = readyConnection(looked?.choice)?.approved.service;
  return [...limits].map(([origin, { state }]) => ({ isInUse: origin === active, state }));
}
