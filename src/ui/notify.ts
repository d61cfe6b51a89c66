import { type Disposable, StatusBarAlignment, type StatusBarItem, window } from 'vscode';

/** Shows a notification without buttons. */
export function inform(text: string): void {
  void window.showInformationMessage(`Hosted Model: ${text}`);
}

/** Long enough to read, short enough not to seem permanent. */
const ANNOUNCED_MS = 5_000;
/** Left of the status item at 100. A status bar that is too narrow hides items from the left. */
const PRIORITY = 101;

/**
 * Briefly announces in the status bar that something has started or is done. The next announcement
 * replaces the current one. Screen readers read it immediately because of its alert role. VS Code
 * has no other API for that.
 */
export class Announcements implements Disposable {
  #item: StatusBarItem | undefined;

  done(text: string): void {
    this.#show('announcement', `$(check) ${text}`, text);
  }

  /**
   * Announces a start in words, since the status item only spins.
   * @returns a function that removes it
   */
  started(text: string): () => void {
    const item = this.#show('start', text, text);
    return () => item.dispose();
  }

  dispose(): void {
    this.#item?.dispose();
  }

  #show(id: string, text: string, words: string): StatusBarItem {
    this.dispose();
    const { Right } = StatusBarAlignment;
    const item = window.createStatusBarItem(`hostedModel.${id}`, Right, PRIORITY);
    item.name = 'Hosted Model Announcements';
    item.text = text;
    item.accessibilityInformation = { label: `Hosted Model: ${words}`, role: 'alert' };
    item.show();
    // Without `unref`, the timer would keep a closing window alive.
    setTimeout(() => item.dispose(), ANNOUNCED_MS).unref();
    this.#item = item;
    return item;
  }
}
