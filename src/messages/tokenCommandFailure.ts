import { services } from '../service/builtInServices.ts';
import type { CommandProblem, ErrorDetails } from '../service/errors.ts';
import { commandOf } from '../service/service.ts';
import type { Message } from './actions.ts';
import type { FailureContext } from './failureContext.ts';

/** The message for a failed token command. It contains nothing that the command printed. Pure. */

const PROBLEMS: Readonly<Record<Exclude<CommandProblem, 'not-found'>, string>> = {
  exit: 'failed',
  stopped: 'was killed by a signal',
  'too-slow': 'took longer than 30 seconds',
  'too-long': 'printed more than 64 KB',
  nothing: 'printed nothing',
  'no-token': 'printed no usable token',
  expired: 'printed an expired token',
};

/**
 * Maximum length of a command in a failure message, in characters. The approval prompt shows the
 * full command.
 */
const MAX_SHOWN = 300;

/**
 * Formats a command as it would be typed in a terminal. Quotes arguments that contain special
 * characters.
 */
export function commandText(command: readonly string[]): string {
  return command
    .map((one) => (/^[\w@%+=:,./\\-]+$/.test(one) ? one : JSON.stringify(one)))
    .join(' ');
}

function shortCommandText(command: readonly string[]): string {
  const text = commandText(command);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}

/**
 * Returns the message for a failed token command. Leaves out the command if `withoutCommand` has
 * removed it from the service.
 */
export function commandFailed(
  { problem = 'exit', exitCode }: ErrorDetails,
  { labels: { service = services[0] } }: FailureContext,
): Message {
  const command = commandOf(service) ?? [];
  const actions = ['retry', 'diagnose'] as const;
  if (problem === 'not-found') {
    const program = shortCommandText(command.slice(0, 1)) || 'the program';
    return {
      text: `Couldn’t start ${program} to get a token. VS Code’s PATH can differ from your terminal’s, especially if you didn’t open VS Code from a terminal. Use the program’s full path.`,
      actions,
    };
  }
  const code = exitCode === undefined ? '' : ` with exit code ${exitCode}`;
  const shown = command.length > 0 ? `: “${shortCommandText(command)}”` : '';
  return {
    text: `The token command ${PROBLEMS[problem]}${code}. Try it in a terminal${shown}.`,
    actions,
  };
}
