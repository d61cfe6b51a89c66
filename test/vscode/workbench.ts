/** Drives a VS Code window as a user at the keyboard would. */

import { mkdir } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import type { Page } from 'playwright-core';
import { DeadlineError, until } from './deadline.ts';
import { Dialogs } from './dialogs.ts';
import { Editor } from './editor.ts';
import { QuickInput } from './input.ts';
import { testDirectory } from './install.ts';
import { Notifications } from './notifications.ts';
import { Screen, usualWait } from './screen.ts';
import type { Settings, VSCodeServer } from './server.ts';
import { StatusItem } from './status.ts';

/** Milliseconds that a new window may take to start and list an extension's commands. */
const startMilliseconds = 180_000;

/** Milliseconds to look for a row before reopening the palette. */
const lookMilliseconds = 1500;

export type Theme = 'dark' | 'light' | 'high contrast' | 'high contrast light';

/** The names of VS Code's built-in themes. */
export const themes: Readonly<Record<Theme, string>> = {
  dark: 'Dark 2026',
  light: 'Light 2026',
  'high contrast': 'Default High Contrast',
  'high contrast light': 'Default High Contrast Light',
};

export class Workbench {
  readonly page: Page;
  readonly screen: Screen;
  readonly quickInput: QuickInput;
  readonly notifications: Notifications;
  readonly dialogs: Dialogs;
  readonly editor: Editor;
  readonly #server: VSCodeServer;
  #settingsApplied = 0;

  constructor(page: Page, server: VSCodeServer) {
    this.page = page;
    this.screen = new Screen(page);
    this.quickInput = new QuickInput(this.screen);
    this.notifications = new Notifications(this.screen);
    this.dialogs = new Dialogs(this.screen);
    this.editor = new Editor(this.screen);
    this.#server = server;
  }

  /** Opens a window, and waits for its status bar. Extensions may still be starting. */
  async open(url = this.#server.url()): Promise<void> {
    await this.page.goto(url);
    await this.#waitForStatusBar();
  }

  /** Reloads the window. Secrets and saved documents are kept. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.#waitForStatusBar();
  }

  /**
   * Waits until the explorer lists a workspace folder, and reloads the window if the folder doesn't
   * appear in time. On a busy machine, a window sometimes applied a workspace file's settings but
   * showed its folders only after a reload. A test in such a window would run without a folder.
   */
  async waitForFolder(name: string): Promise<void> {
    const rows = this.page.locator('.explorer-folders-view .monaco-list-row');
    const isListed = async () =>
      (await rows.filter({ hasText: name }).count()) > 0 ? true : undefined;
    await this.screen.until(
      `the folder ${name} in the explorer`,
      async () => {
        const listed = await within(usualWait / 3, isListed);
        if (!listed) await this.reload();
        return listed;
      },
      startMilliseconds,
    );
  }

  /**
   * Runs a command by its full title in the palette, which is `Category: Title` if the command has
   * a category. Reopens the palette until the command is listed, because an open palette doesn't
   * add commands that are registered later.
   */
  async runCommand(title: string): Promise<void> {
    await this.screen.until(
      `the command "${title}" in the palette`,
      () => this.#tryCommand(title),
      startMilliseconds,
    );
  }

  /** True if the palette currently lists this exact title. */
  async listsCommand(title: string): Promise<boolean> {
    await this.#fillPalette(`>${title}`);
    const listed = await within(lookMilliseconds, async () =>
      (await this.quickInput.state())?.items.find((item) => item.label === title),
    );
    await this.quickInput.dismiss();
    return listed !== undefined;
  }

  /** Types text such as `task name` into Quick Open, and leaves it open. */
  quickOpen(text: string): Promise<void> {
    return this.#fillPalette(text);
  }

  statusItem(id: string): StatusItem {
    return new StatusItem(this.screen, id);
  }

  /** Opens a file by its absolute path, and waits until its editor has focus. */
  async openFile(path: string): Promise<void> {
    if (!isAbsolute(path)) throw new Error(`${path} is not an absolute path.`);
    // Types the full path, because a search by name needs a program that the server lacks.
    await this.#fillPalette(path);
    await this.quickInput.waitFor({ item: basename(path) });
    await this.quickInput.accept();
    await this.editor.waitFor(basename(path));
  }

  /**
   * Writes the user settings while the window is open, and waits until they apply. The server
   * doesn't watch the settings file, so this also saves the file in the window.
   */
  async applyUserSettings(settings: Settings): Promise<void> {
    this.#settingsApplied += 1;
    const sign = `settings ${this.#settingsApplied}`;
    await this.#server.writeUserSettings({
      ...settings,
      'window.title': `\${rootName} (${sign})`,
    });
    await this.runCommand('Preferences: Open User Settings (JSON)');
    // The settings file opens in a modal editor without a tab.
    const focused = `document.activeElement?.ariaLabel?.startsWith('settings.json') === true`;
    await this.screen.until('the settings file to have the focus', async () =>
      (await this.screen.read<boolean>(focused)) ? true : undefined,
    );
    await this.page.keyboard.press('Control+S');
    await this.screen.until('the settings to apply', async () =>
      (await this.page.title()).includes(sign) ? true : undefined,
    );
    // The palette has no command that closes a modal editor, so this clicks the editor's Close
    // button.
    await this.page.click('.modal-editor-header .action-label[aria-label^="Close"]');
    await this.screen.until('the settings file to close', async () =>
      (await this.page.locator('.monaco-modal-editor-block').count()) === 0 ? true : undefined,
    );
  }

  async toggleTheme(): Promise<void> {
    const isDark = () =>
      this.screen.read<boolean>(`document.querySelector('.monaco-workbench.vs-dark') !== null`);
    const before = await isDark();
    await this.runCommand('Preferences: Toggle between Light/Dark Themes');
    await this.screen.until('another theme', async () =>
      (await isDark()) === before ? undefined : true,
    );
  }

  /**
   * Opens the notification center, which lists all open notifications. Doesn't click the bell,
   * because VS Code redraws it when the first message arrives, and a click at that moment is lost.
   * The center closes when its last message is cleared.
   */
  async showNotifications(): Promise<void> {
    const centre = this.page.locator('.notifications-center.visible');
    await this.screen.until('the notification center', async () => {
      await this.runCommand('Notifications: Show Notifications');
      return within(lookMilliseconds, async () => ((await centre.count()) > 0 ? true : undefined));
    });
  }

  /**
   * Clears all messages in the open notification center. Repeats the command if a message is still
   * listed, which happened twice but couldn't be reproduced in 220 attempts.
   */
  async clearNotifications(): Promise<void> {
    await this.screen.until('all messages to go', async () => {
      await this.runCommand('Notifications: Clear All Notifications');
      return within(lookMilliseconds, async () =>
        (await this.notifications.list()).length === 0 ? true : undefined,
      );
    });
  }

  /** Trusts the open folder with the button in VS Code's Workspace Trust editor. */
  async trustFolder(): Promise<void> {
    await this.runCommand('Workspaces: Manage Workspace Trust');
    await this.page
      .locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ })
      .click();
    await this.screen.until('Restricted Mode to end', async () =>
      (await this.page.locator('.workspace-trust-editor.trusted').count()) > 0 ? true : undefined,
    );
    // Don't use the palette: while this modal editor has focus, VS Code ignores F1.
    await this.page.locator('.modal-editor-header .codicon-close').click();
    await this.page.locator('.modal-editor-part').waitFor({ state: 'detached' });
  }

  /** Saves a screenshot in `.vscode-test/screenshots/`, and returns its path. */
  async screenshot(name: string): Promise<string> {
    const folder = join(testDirectory, 'screenshots');
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${name}.png`);
    await this.page.screenshot({ path });
    return path;
  }

  async #waitForStatusBar(): Promise<void> {
    await this.screen.until(
      'the workbench',
      async () =>
        (await this.page.locator('.monaco-workbench .statusbar-item').count()) > 0
          ? true
          : undefined,
      startMilliseconds,
    );
  }

  async #tryCommand(title: string): Promise<true | undefined> {
    await this.#fillPalette(`>${title}`);
    const ready = await within(lookMilliseconds, async () => {
      const items = (await this.quickInput.state())?.items ?? [];
      const row = items.find((item) => item.label === title);
      // Recent commands are listed above this row, so the focus must move down. A click could miss
      // the row while the list is still moving.
      if (row?.focused === false) await this.page.keyboard.press('ArrowDown');
      return row?.focused === true ? true : undefined;
    });
    if (ready === true) {
      await this.quickInput.accept();
      // An accepted command runs even if the palette closes late. Another attempt would run it
      // again.
      const closed = await within(usualWait, async () =>
        (await this.quickInput.state())?.value === `>${title}` ? undefined : true,
      );
      if (closed === true) return closed;
    }
    // The command didn't run: it wasn't listed yet, the list changed, or the window closed the
    // palette while starting.
    if ((await this.quickInput.state()) !== undefined) await this.quickInput.dismiss();
    return undefined;
  }

  async #fillPalette(text: string): Promise<void> {
    const opened = async () =>
      (await this.quickInput.state())?.value.startsWith('>') === true ? true : undefined;
    await this.screen.until('the palette', async () => {
      // A window that is still starting may drop the keystroke.
      await this.page.keyboard.press('F1');
      return within(lookMilliseconds, opened);
    });
    await this.quickInput.type(text);
  }
}

/** Returns the first defined result of `probe`, or undefined if there is none within this time. */
async function within<T>(milliseconds: number, probe: () => Promise<T | undefined>) {
  try {
    return await until('it', milliseconds, probe);
  } catch (error) {
    if (error instanceof DeadlineError) return undefined;
    throw error;
  }
}
