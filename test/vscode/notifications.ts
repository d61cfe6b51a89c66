/**
 * Reads, clicks, and closes notifications, including progress.
 *
 * VS Code shows at most three new notifications as toasts within 800 ms, and hides toasts without
 * buttons after 10 to 15 s. Notifications without a toast are only in the notification center,
 * which `Workbench.showNotifications` opens.
 */
import { matches, notificationInView, type Screen, textWithIcons } from './screen.ts';

export interface NotificationState {
  severity: 'info' | 'warning' | 'error';
  text: string;
  /** Labels of the buttons, without the icon buttons for configuring and closing. */
  buttons: string[];
  /** True if the notification shows progress that hasn't ended. */
  running: boolean;
}

/**
 * Timeout in milliseconds for each hover and each click in `close`. After each attempt, `close`
 * lists all notifications again.
 */
const TRY_MS = 2_000;

export class Notifications {
  readonly #screen: Screen;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** The visible notifications, newest first: up to three toasts, or those in the open center. */
  list(): Promise<NotificationState[]> {
    return this.#screen.read<NotificationState[]>(listScript);
  }

  /** @param text the whole message, or an expression that matches part of it */
  waitFor(text: string | RegExp): Promise<NotificationState> {
    return this.#screen.until(`the notification ${text}`, async () =>
      (await this.list()).find((notification) => matches(notification.text, text)),
    );
  }

  waitUntilGone(text: string | RegExp): Promise<true> {
    return this.#screen.until(`the notification ${text} to go`, async () =>
      (await this.list()).some((notification) => matches(notification.text, text))
        ? undefined
        : true,
    );
  }

  /** Waits for a notification, and clicks one of its buttons. */
  async click(text: string | RegExp, button: string): Promise<void> {
    const { index } = await this.#screen.until(
      `the button "${button}" of the notification ${text}`,
      async () => {
        const list = await this.list();
        const found = list.findIndex(
          (notification) =>
            matches(notification.text, text) && notification.buttons.includes(button),
        );
        return found === -1 ? undefined : { index: found };
      },
    );
    // If the pointer is on a button, the button's tooltip would cover the other buttons.
    await this.#screen.page.mouse.move(1, 1);
    await this.#at(index).locator('.monaco-button', { hasText: button }).first().click();
  }

  /**
   * Closes a notification with its close button, even if other notifications appear or disappear in
   * the meantime.
   */
  async close(text: string | RegExp): Promise<void> {
    await this.waitFor(text);
    await this.#screen.until(`the notification ${text} to be closed`, async () => {
      const list = await this.list();
      const index = list.findIndex((notification) => matches(notification.text, text));
      if (index === -1) return true;
      // The close button appears only while the pointer is over the notification.
      const item = this.#at(index);
      await item.hover({ timeout: TRY_MS }).catch(() => {});
      await item
        .locator('.codicon-notifications-clear')
        .click({ timeout: TRY_MS })
        .catch(() => {});
      return undefined;
    });
    // A tooltip under the pointer would cover the buttons of the next notification.
    await this.#screen.page.mouse.move(1, 1);
  }

  /**
   * Waits for a progress notification that is still active. The text of such a notification is
   * `title: message`.
   */
  progress(text: string | RegExp = /(?:)/): Promise<NotificationState> {
    return this.#screen.until(`progress ${text}`, async () =>
      (await this.list()).find(
        (notification) => notification.running && matches(notification.text, text),
      ),
    );
  }

  async cancelProgress(text: string | RegExp = /(?:)/): Promise<void> {
    const running = await this.progress(text);
    await this.click(running.text, 'Cancel');
  }

  /**
   * Starts recording the part of each notification's text that matches, even if the text is
   * replaced immediately.
   * @returns a function that returns the recorded parts in order, without consecutive duplicates
   */
  async watchShown(expression: RegExp): Promise<() => Promise<string[]>> {
    await this.#screen.read(`(() => {
      const shown = (globalThis.shownTexts = []);
      const look = (records) => {
        for (const { target, addedNodes } of records) {
          if (!target.closest('.notifications-toasts, .notifications-center')) continue;
          for (const { textContent } of addedNodes) {
            const match = ${expression}.exec(textContent.replaceAll('\\u00a0', ' '))?.[0];
            if (match !== undefined && match !== shown.at(-1)) shown.push(match);
          }
        }
      };
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
    })()`);
    return () => this.#screen.read<string[]>('globalThis.shownTexts');
  }

  #at(index: number) {
    return this.#screen.page.locator(notificationInView).nth(index);
  }
}

const listScript = `(() => {
  const text = ${textWithIcons};
  return [...document.querySelectorAll(${JSON.stringify(notificationInView)})].map((item) => {
    const icon = item.querySelector('.notification-list-item-icon').className;
    const progress = item.parentElement.querySelector('.monaco-progress-container');
    return {
      severity: ['error', 'warning'].find((kind) => icon.includes('codicon-' + kind)) ?? 'info',
      text: text(item.querySelector('.notification-list-item-message')),
      buttons: [...item.querySelectorAll('.notification-list-item-buttons-container .monaco-button')]
        .map(text).filter((label) => label !== ''),
      running: progress?.classList.contains('active') ?? false,
    };
  });
})()`;
