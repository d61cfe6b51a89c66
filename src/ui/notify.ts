import { StatusBarAlignment, window } from 'vscode';

/** Says something that needs no answer. */
export function inform(text: string): void {
  void window.showInformationMessage(`Hosted Model: ${text}`);
}

/** Long enough to be read, short enough not to become part of the status bar. */
const ANNOUNCED_MS = 5_000;
/** Left of the token: what a narrow status bar has no room for, it hides from the left. */
const PRIORITY = 101;

/**
 * Says something in the status bar for a moment. Screen readers speak it at once, since it appears
 * with the role of an alert; VS Code gives extensions no other way to speak.
 */
export function announce(text: string): void {
  const { Right } = StatusBarAlignment;
  const item = window.createStatusBarItem('hostedModel.announcement', Right, PRIORITY);
  item.name = 'Hosted Model Announcements';
  item.text = `$(check) ${text}`;
  item.accessibilityInformation = { label: `Hosted Model: ${text}`, role: 'alert' };
  item.show();
  // Nobody waits for it to go when the window closes.
  setTimeout(() => item.dispose(), ANNOUNCED_MS).unref();
}
