import { commands, window } from 'vscode';
import { ACTION_LABELS } from '../messages/actions.ts';
import type { MessageContext } from '../messages/fixLocation.ts';
import { messageFor } from '../messages/messages.ts';
import { ServiceError } from '../service/errors.ts';
import { redact } from '../service/secrets/redact.ts';
import type { SessionHistory } from '../status/sessionHistory.ts';
import type { StatusItem } from '../status/statusItem.ts';
import type { Log } from '../ui/log.ts';

/** Shows failures to the user and writes them to the log. */

const SHOW_LOG = 'Show Log';

/** What shows and keeps failures. */
export interface ReportDeps {
  readonly log: Log;
  readonly status: StatusItem;
  readonly history: SessionHistory;
}

/** What is known about a failure besides itself. */
export interface Circumstances {
  readonly context?: MessageContext;
  /** Shows the file that the credentials came from; needed where the context names that source. */
  readonly openEnvFile?: () => Promise<void>;
  /** Of the selections that failed, where a command had several. */
  readonly lines?: readonly number[];
}

/**
 * Logs a failure, shows its message and keeps it for the status item.
 * @returns true once the user asks for another try; false when the message is closed
 */
export async function report(
  { log, status, history }: ReportDeps,
  error: unknown,
  { context, openEnvFile, lines = [] }: Circumstances = {},
): Promise<boolean> {
  const message = messageFor(error, context);
  if (!message) return false;
  status.update({ lastFailure: message });
  history.failed(error instanceof ServiceError ? error : undefined);
  log.error(logLine(error));
  const { text, actions } = message;
  const labels = actions.map((action) => ACTION_LABELS[action]);
  const shown = `Hosted Model: ${inLines(lines)}${text}`;
  const picked = await window.showErrorMessage(shown, ...labels, SHOW_LOG);
  if (picked === SHOW_LOG) log.show();
  const action = actions.find((candidate) => ACTION_LABELS[candidate] === picked);
  if (action === 'retry') return true;
  if (action === 'openEnvFile') await openEnvFile?.();
  else if (action) await commands.executeCommand(`hostedModel.${action}`);
  return false;
}

/** In which lines, if that has to be said. */
export function inLines(lines: readonly number[]): string {
  if (lines.length === 0) return '';
  const list = new Intl.ListFormat('en').format(lines.map(String));
  return `${lines.length === 1 ? 'line' : 'lines'} ${list}: `;
}

/** Our own failures are safe by construction; of any other only its kind and place are told. */
function logLine(error: unknown): string {
  if (error instanceof ServiceError) return error.message;
  if (error instanceof Error) return redact(`${error.name} ${error.stack?.split('\n')[1]?.trim()}`);
  return 'unknown failure';
}
