import { type Disposable, StatusBarAlignment, type StatusBarItem, window } from 'vscode';

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
  #timer: NodeJS.Timeout | undefined;
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
    return () => {
      if (this.#item === item) this.#hide();
    };
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#hide();
  }

  #show(id: string, text: string, words: string): StatusBarItem | undefined {
    // Don't announce the end of generations that were active when the window closed.
    if (this.#isDisposed) return undefined;
    this.#hide();
    const { Right } = StatusBarAlignment;
    const item = window.createStatusBarItem(`hostedModel.${id}`, Right, PRIORITY);
    item.name = 'Hosted Model Announcements';
    item.text = text;
    item.accessibilityInformation = { label: `Hosted Model: ${words}`, role: 'alert' };
    item.show();
    // Without `unref`, the timer could keep the extension host running after the window closes.
    this.#timer = setTimeout(() => this.#hide(), ANNOUNCED_MS).unref();
    this.#item = item;
    return item;
  }

  /**
   * Disposes the current item, but only once. Disposing an item again would remove a newer item
   * with the same ID (seen in VS Code 1.139).
   */
  #hide(): void {
    clearTimeout(this.#timer);
    this.#item?.dispose();
    this.#item = undefined;
  }
}
