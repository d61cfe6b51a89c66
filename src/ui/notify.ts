import { commands, window } from 'vscode';

/**
 * Shows a notification without buttons. VS Code shows it on a single line, so the text must be at
 * most 60 characters long, not counting quoted names.
 */
export function inform(text: string): void {
  void window.showInformationMessage(text);
}

/**
 * Shows a message with a button. Doesn't wait for the user's choice, because the message can stay
 * open for hours.
 * @param run the command to execute, or the function to call, if the user selects the button
 */
export function offer(
  severity: 'warning' | 'error',
  text: string,
  button: string,
  run: string | (() => Thenable<unknown>),
): void {
  const { showErrorMessage, showWarningMessage } = window;
  const show = severity === 'error' ? showErrorMessage : showWarningMessage;
  void show(text, button).then((picked) => {
    if (picked === button) void (typeof run === 'string' ? commands.executeCommand(run) : run());
  });
}
