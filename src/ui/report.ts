import { commands, type LogOutputChannel, window } from 'vscode';
import { redact, ServiceError } from '../service/errors.ts';
import { type Action, type Message, messageFor } from './messages.ts';

/** Shows failures to the user and writes them to the log. */

const LABELS: Readonly<Record<Action, string>> = {
  setUp: 'Set Up Credentials',
  setApiKey: 'Set API Key',
  openSettings: 'Open Settings',
  selectModel: 'Select Model',
  refreshToken: 'Try Key Again',
  retry: 'Retry',
};

const SHOW_LOG = 'Show Log';

/**
 * Logs a failure and shows its message; the buttons work whenever they are pressed.
 * @returns the message; undefined where silence is right
 */
export function reportFailure(
  log: LogOutputChannel,
  error: unknown,
  retry: () => void,
): Message | undefined {
  const message = messageFor(error);
  if (!message) return undefined;
  log.error(logLine(error));
  void show(log, message, retry);
  return message;
}

async function show(log: LogOutputChannel, { text, actions }: Message, retry: () => void) {
  const labels = actions.map((action) => LABELS[action]);
  const picked = await window.showErrorMessage(`Hosted Model: ${text}`, ...labels, SHOW_LOG);
  if (picked === SHOW_LOG) log.show();
  const action = actions.find((candidate) => LABELS[candidate] === picked);
  if (action === 'retry') retry();
  else if (action) await commands.executeCommand(`hostedModel.${action}`);
}

/** Our own failures are safe by construction; of any other only its kind and place are told. */
function logLine(error: unknown): string {
  if (error instanceof ServiceError) return error.message;
  if (error instanceof Error) return redact(`${error.name} ${error.stack?.split('\n')[1]?.trim()}`);
  return 'unknown failure';
}
