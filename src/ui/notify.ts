import { commands, type Disposable, StatusBarAlignment, type StatusBarItem, window } from 'vscode';

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

/**
 * Duration of an announcement in milliseconds: long enough to read, but too short to seem
 * permanent.
 */
const ANNOUNCED_MS = 5_000;
/**
 * Puts announcements to the left of the status item, which has priority 100. If space is tight, VS
 * Code hides the leftmost items first, so announcements are hidden before the status item is.
 */
const PRIORITY = 101;

/**
 * Shows brief announcements in the status bar, one at a time. Screen readers read them immediately,
 * because they have the alert role. VS Code has no other API for announcing text.
 */
export class Announcements implements Disposable {
  #item: StatusBarItem | undefined;
  #isDisposed = false;

  done(text: string, icon = 'check'): void {
    this.#show('announcement', `$(${icon}) ${text}`, text);
  }

  /**
   * Announces that work has started, because the status item shows only a spinner.
   * @returns a function that removes the announcement
   */
  started(text: string): () => void {
    const item = this.#show('start', text, text);
    return () => item?.dispose();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#item?.dispose();
  }

  #show(id: string, text: string, words: string): StatusBarItem | undefined {
    // Don't announce the end of generations that were active when the window closed.
    if (this.#isDisposed) return undefined;
    this.#item?.dispose();
    const { Right } = StatusBarAlignment;
    const item = window.createStatusBarItem(`hostedModel.${id}`, Right, PRIORITY);
    item.name = 'Hosted Model Announcements';
    item.text = text;
    item.accessibilityInformation = { label: `Hosted Model: ${words}`, role: 'alert' };
    item.show();
    // Without `unref`, the timer could keep the extension host running after the window closes.
    setTimeout(() => item.dispose(), ANNOUNCED_MS).unref();
    this.#item = item;
    return item;
  }
}
