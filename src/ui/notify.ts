import { StatusBarAlignment, type StatusBarItem, window } from 'vscode';

/** Says something that needs no answer. */
export function inform(text: string): void {
  void window.showInformationMessage(`Hosted Model: ${text}`);
}

/** Long enough to be read, short enough not to become part of the status bar. */
const ANNOUNCED_MS = 5_000;
/** Left of the token: what a narrow status bar has no room for, it hides from the left. */
const PRIORITY = 101;

/** Says in the status bar that something is done. */
export function announce(text: string): void {
  speak('announcement', `$(check) ${text}`, text);
}

/**
 * Says in the status bar that something has begun, and that in words: the item beside it only turns.
 * @returns takes it away
 */
export function announceStart(text: string): () => void {
  const item = speak('start', text, text);
  return () => item.dispose();
}

/**
 * Shows something for a moment. Screen readers speak it at once, since it appears with the role of
 * an alert; VS Code gives extensions no other way to speak.
 */
function speak(id: string, text: string, words: string): StatusBarItem {
  const { Right } = StatusBarAlignment;
  const item = window.createStatusBarItem(`hostedModel.${id}`, Right, PRIORITY);
  item.name = 'Hosted Model Announcements';
  item.text = text;
  item.accessibilityInformation = { label: `Hosted Model: ${words}`, role: 'alert' };
  item.show();
  // Nobody waits for it to go when the window closes.
  setTimeout(() => item.dispose(), ANNOUNCED_MS).unref();
  return item;
}
