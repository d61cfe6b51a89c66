import { commands, type WorkspaceFolder, window } from 'vscode';
import { contextOf } from '../credentials/credentialMessages.ts';
import { activeFolder, openEnvFile } from '../credentials/folders.ts';
import { ACTION_LABELS, type Message } from '../messages/actions.ts';
import { messageFor } from '../messages/messages.ts';
import { isKind, ServiceError } from '../service/errors.ts';
import { redact } from '../service/secrets.ts';
import { openSettings } from '../ui/openSettings.ts';
import { cancellable } from '../ui/progress.ts';
import { FINDING_CAUSE, inLines, SHOW_LOG } from './checkMessages.ts';
import type { DiagnosisDeps } from './copyReport.ts';
import { readyChoice, runChecks, type Used } from './diagnoseConnection.ts';

/** Shows failures with their causes, and writes them to the log. */

/** After a failure somebody waits for its message, not for a diagnosis. */
const EXPLANATION_MS = 15_000;

/**
 * Shows a failure with its cause and the way to the place where it can be mended, logs it and keeps
 * it for the status item.
 * @param used what a generation failed with; left out for any other command
 * @param lines of the selections that it failed for, where there are several
 * @returns true once the user asks for another try; false when the message is closed
 */
export async function reportFailure(
  deps: DiagnosisDeps,
  error: unknown,
  used?: Used,
  lines: readonly number[] = [],
): Promise<boolean> {
  const folder = used ? used.folder : activeFolder();
  const message = await explainFailure(deps, error, folder, used);
  if (!message) return false;
  const { text, actions } = message;
  const labels = actions.map((action) => ACTION_LABELS[action]);
  const shown = `Hosted Model: ${inLines(lines)}${text}`;
  const picked = await window.showErrorMessage(shown, ...labels, SHOW_LOG);
  if (picked === SHOW_LOG) deps.log.show();
  const action = actions.find((candidate) => ACTION_LABELS[candidate] === picked);
  if (action === 'retry') return true;
  if (action === 'openEnvFile') await openEnvFile(folder);
  else if (action === 'openSettings') await openSettings();
  else if (action) await commands.executeCommand(`hostedModel.${action}`);
  return false;
}

/**
 * Finds the cause of a failure, logs it, and keeps it for the status item. Shows nothing.
 * @returns what to say of it; undefined where silence is right
 */
export async function explainFailure(
  deps: DiagnosisDeps,
  error: unknown,
  folder: WorkspaceFolder | null,
  used?: Used,
): Promise<Message | undefined> {
  const isRefusal = isKind(error, 'unauthorized', 'forbidden');
  const cause = used && isRefusal ? await explained(deps, error, used) : error;
  const isToBeExplained = cause instanceof ServiceError && cause.kind !== 'cancelled';
  // Not to know where the credentials come from is no reason to hide a failure.
  const choice = isToBeExplained
    ? await readyChoice(deps, folder, used?.credentials).catch(() => undefined)
    : undefined;
  const context = choice ? contextOf(choice) : {};
  const message = messageFor(cause, context);
  if (!message) return undefined;
  const { log, status, history } = deps;
  status.update({ lastFailure: message });
  history.failed(cause instanceof ServiceError ? cause : undefined);
  log.error(logLine(cause));
  return message;
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
    if (!(await readyChoice(deps, used.folder, used.credentials))) return refusal;
    const { service } = used.credentials.approved;
    if ((await deps.runtime()).isPaused(service)) return refusal.with({ isUnchecked: true });
    deps.log.info(`finding the cause of: ${refusal.message}`);
    const failure = await cancellable(FINDING_CAUSE, (signal) =>
      runChecks(deps, used, () => {}, AbortSignal.any([signal, late])),
    ).catch((error: unknown) => {
      if (late.aborted) return new ServiceError('timeout');
      throw error;
    });
    return explain(refusal, failure);
  } catch {
    return refusal;
  }
}

/** Our own failures are safe by construction; of any other only its kind and place are told. */
function logLine(error: unknown): string {
  if (error instanceof ServiceError) return error.message;
  if (error instanceof Error) return redact(`${error.name} ${error.stack?.split('\n')[1]?.trim()}`);
  return 'unknown failure';
}
