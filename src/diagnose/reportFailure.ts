import { commands, type WorkspaceFolder, window } from 'vscode';
import { folderKey } from '../connection/activeConnection.ts';
import { openEnvFile } from '../connection/connectionDialogs.ts';
import type { Connections } from '../connection/connections.ts';
import { readyConnection } from '../connection/createConnection.ts';
import { activeFolder } from '../connection/folders.ts';
import { contextOf } from '../connection/messageContext.ts';
import { otherCredentialsText, UNSAVED_NOT_USED } from '../connection/sourceMessages.ts';
import { sourceWithOtherCredentials } from '../connection/sourceSelection.ts';
import { unsavedEnvFile } from '../connection/workspaceEnvFiles.ts';
import { ACTION_LABELS, type Message, SHOW_LOG } from '../messages/actions.ts';
import type { FailedTemplate } from '../messages/failureContext.ts';
import { messageFor } from '../messages/messages.ts';
import type { Connection } from '../service/connection.ts';
import { isKind, ServiceError } from '../service/errors.ts';
import { redact } from '../service/masking.ts';
import { explain } from '../service/models/rejectionCause.ts';
import { inform } from '../ui/notify.ts';
import { oneLine } from '../ui/oneLine.ts';
import { openSettings } from '../ui/openSettings.ts';
import { cancellable } from '../ui/progress.ts';
import { CHECKS_PASSED, FINDING_CAUSE, NEW_TOKEN, NO_TOKEN, REPAIRED } from './checkMessages.ts';
import { isStillUsed, type LookUp, lookUpFor } from './connectionLookup.ts';
import { refreshToken } from './refreshToken.ts';
import { type DiagnosisDeps, runChecks } from './runChecks.ts';

/** Shows failures with their causes, and writes them to the log. */

/** Maximum time, in milliseconds, to look for the cause before the error message is shown. */
const EXPLANATION_MS = 15_000;

interface FailureOptions {
  readonly folder?: WorkspaceFolder | null;
  readonly prefix?: string;
  readonly template?: FailedTemplate | undefined;
  readonly diagnose?: (folder: WorkspaceFolder | null) => Promise<boolean>;
}

/**
 * Finds the cause of a failure, and shows an error message with actions that may fix it. Also logs
 * the cause and shows it in the status item's tooltip.
 * @param connection the connection of the failed generation; undefined for other commands
 * @param options.folder the folder of the selected text; by default, the active folder
 * @param options.prefix the start of the message, which names the document or lines whose
 * generations failed; empty by default
 * @param options.template the template that the failed generation used, if any
 * @param options.diagnose runs a diagnosis, and resolves to true if all checks passed; undefined to
 * run *Diagnose Connection* without offering a retry
 * @returns true if the user chose to retry
 */
export async function reportFailure(
  deps: DiagnosisDeps,
  error: unknown,
  connection?: Connection,
  options: FailureOptions = {},
): Promise<boolean> {
  const { folder = activeFolder(), prefix = '', template, diagnose } = options;
  const message = await explainFailure(deps, error, lookUpFor(deps, folder), connection, template);
  if (!message) return false;
  const { text, actions, setting } = message;
  const labels = actions.map((action) => ACTION_LABELS[action]);
  const hints = [
    actions.includes('openEnvFile') && unsavedEnvFile(folder) && UNSAVED_NOT_USED,
    actions.includes('changeKey') && otherCredentialsHint(deps.connections, connection, folder),
  ];
  const shown = [`${prefix}${text}`, ...hints].filter(Boolean).join(' ');
  const picked = await window.showErrorMessage(shown, ...labels, SHOW_LOG);
  if (picked === SHOW_LOG) deps.log.show();
  const action = actions.find((candidate) => ACTION_LABELS[candidate] === picked);
  if (action === 'retry') return true;
  if (action === 'changeProject') {
    return (await deps.connections.changeProject(folder)) && offerRetry();
  }
  if (action === 'changeKey') {
    return (await deps.connections.changeKey(folder)) && offerRetry();
  }
  if (action === 'selectModel' && connection) {
    await commands.executeCommand('hostedModel.selectModel');
    return (await usesOtherModel(deps, connection, folder)) && offerRetry();
  }
  if (action === 'setUp' && connection) {
    return (await deps.connections.setUp({ isRepair: true }, folder)) && offerRetry();
  }
  if (action === 'diagnose' && diagnose) {
    return (await diagnose(folder)) && offerRetry(CHECKS_PASSED);
  }
  if (action === 'refreshToken' && connection) {
    return refreshAndRetry(deps, connection, { ...options, folder });
  }
  if (action === 'openEnvFile') await openEnvFile(folder);
  else if (action === 'openSettings') await openSettings(setting);
  else if (action) await commands.executeCommand(`hostedModel.${action}`);
  return false;
}

/**
 * Returns a sentence about different credentials in another source. Undefined if there are none, if
 * another folder is active now, or if the failed connection is no longer in use.
 */
function otherCredentialsHint(
  { current }: Connections,
  failed: Connection | undefined,
  folder: WorkspaceFolder | null,
): string | undefined {
  if (!failed || !current) return undefined;
  if (folderKey(current.found.folder.workspaceFolder) !== folderKey(folder)) return undefined;
  if (!readyConnection(current.choice)?.isSameAs(failed)) return undefined;
  const other = sourceWithOtherCredentials(current);
  return other && otherCredentialsText(other.id, current.found);
}

/** True if a retry would use a different model, possibly from a different service. */
async function usesOtherModel(
  { connections }: DiagnosisDeps,
  failed: Connection,
  folder: WorkspaceFolder | null,
): Promise<boolean> {
  const used = readyConnection((await connections.peek(folder)).choice);
  if (!used) return false;
  return used.modelId !== failed.modelId || used.service.word !== failed.service.word;
}

/**
 * Refreshes the token, then offers to retry the failed generation. If the refresh fails, *Retry*
 * repeats the refresh, because a generation without a new token would be rejected again.
 * @param isWanted true if the user has already chosen to retry
 * @returns true if the user chose to retry and the refresh succeeded
 */
async function refreshAndRetry(
  deps: DiagnosisDeps,
  connection: Connection,
  options: FailureOptions,
  isWanted = false,
): Promise<boolean> {
  try {
    const hasToken = await refreshToken(deps, options.folder);
    if (isWanted) return hasToken !== undefined;
    if (hasToken === false) inform(NO_TOKEN);
    return hasToken === true && (await offerRetry(NEW_TOKEN));
  } catch (failure) {
    const wantsRetry = await reportFailure(deps, failure, connection, options);
    return wantsRetry && refreshAndRetry(deps, connection, options, true);
  }
}

/**
 * Offers to retry a failed generation after its connection has been repaired.
 * @returns true if the user chose to retry
 */
export async function offerRetry(text = REPAIRED): Promise<boolean> {
  const { retry } = ACTION_LABELS;
  return (await window.showInformationMessage(text, retry)) === retry;
}

/**
 * Finds the cause of a failure, logs it, and shows it in the status item's tooltip. Doesn't show an
 * error message.
 * @param lookUp returns the connections that the failed request could use now
 * @returns the message; undefined if the user canceled
 */
export async function explainFailure(
  deps: DiagnosisDeps,
  error: unknown,
  lookUp: LookUp,
  connection?: Connection,
  template?: FailedTemplate,
): Promise<Message | undefined> {
  const isRejection = isKind(error, 'unauthorized', 'forbidden');
  const cause =
    connection && isRejection ? await explained(deps, error, connection, lookUp) : error;
  const shownTemplate = template && { ...template, name: oneLine(template.name) };
  const context = {
    ...contextOf(connection ?? deps.connections.active),
    template: shownTemplate,
  };
  const message = messageFor(cause, context);
  if (!message) return undefined;
  const { log, status, history } = deps;
  status.update({ lastFailure: message });
  history.recordFailure(cause instanceof ServiceError ? cause : undefined);
  log.error(logLine(cause));
  return message;
}

/**
 * Finds the cause of a rejection by running the diagnostic checks, which don't generate text. If
 * the checks can't be run or are canceled, returns the rejection. If requests are paused, skips the
 * checks and returns the rejection, marked as `isUnchecked`. Never throws.
 */
async function explained(
  deps: DiagnosisDeps,
  rejection: ServiceError,
  connection: Connection,
  lookUp: LookUp,
): Promise<ServiceError> {
  const late = AbortSignal.timeout(EXPLANATION_MS);
  try {
    if (!(await isStillUsed(connection, lookUp))) return rejection;
    if (connection.isPaused) return rejection.with({ isUnchecked: true });
    deps.log.info(`finding the cause of: ${rejection.message}`);
    const failure = await cancellable(FINDING_CAUSE, (signal) =>
      runChecks(deps, connection, lookUp, () => {}, AbortSignal.any([signal, late])),
    ).catch((error: unknown) => {
      if (late.aborted) return new ServiceError('timeout');
      throw error;
    });
    return explain(rejection, failure);
  } catch {
    return rejection;
  }
}

/**
 * Formats an error for the log. The message of a `ServiceError` contains no secrets. Any other
 * message may contain a secret, so only the error's name and first stack frame are logged.
 */
function logLine(error: unknown): string {
  if (error instanceof ServiceError) return error.message;
  if (error instanceof Error) return redact(`${error.name} ${error.stack?.split('\n')[1]?.trim()}`);
  return 'unknown failure';
}
