/** What is on the screen: waits for it, and says what was there instead when the wait was in vain. */
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Page } from 'playwright-core';
import { DeadlineError, until } from './deadline.ts';
import { repositoryRoot, testDirectory } from './install.ts';

/** Milliseconds a window may take to show something, however busy the machine: it only ends what hangs. */
export const usualWait = 60_000;

/** A toast, or an entry of the open notification centre. */
export const notificationInView =
  ':is(.notifications-toasts, .notifications-center.visible) .notification-list-item';

/** Where things are that a failure message quotes. */
const places = {
  dialog: '.monaco-dialog-box',
  'quick input': '.quick-input-widget:not([style*="display: none"])',
  notifications: notificationInView,
  banner: '.part.banner',
  tabs: '.tabs-container .tab',
  editor: '.editor-group-container.active .view-lines',
  'status bar': '.statusbar-item',
};

export class Screen {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /**
   * Waits until `probe` finds something other than undefined.
   *
   * @param what completes the sentence "Waited 60 s for …".
   * @throws Error that quotes the screen and names a screenshot of it.
   */
  async until<T>(
    what: string,
    probe: () => Promise<T | undefined>,
    milliseconds = usualWait,
  ): Promise<T> {
    try {
      return await until(what, milliseconds, probe);
    } catch (error) {
      if (error instanceof DeadlineError) await this.fail(error.message);
      throw error;
    }
  }

  /** @throws Error always: `message`, what is on the screen, and where its screenshot is. */
  async fail(message: string): Promise<never> {
    const picture = await this.saveFailure(message);
    throw new Error(`${message}\nOn the screen:\n${await this.describe()}\nScreenshot: ${picture}`);
  }

  /** Saves a screenshot among the failures; returns its path, relative to the repository. */
  async saveFailure(title: string): Promise<string> {
    const folder = join(testDirectory, 'failures');
    await mkdir(folder, { recursive: true });
    const name = title.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 80);
    const path = join(folder, `${Date.now()}-${name}.png`);
    await this.page.screenshot({ path });
    return relative(repositoryRoot, path);
  }

  /** The visible text of everything that matters, one line a place, and what has the keyboard. */
  async describe(): Promise<string> {
    const script = `Object.entries(${JSON.stringify(places)}).map(([place, selector]) => {
      const found = [...document.querySelectorAll(selector)].filter((e) => e.offsetParent !== null);
      const texts = found.map((e) => (e.getAttribute('aria-label') ?? e.innerText).trim());
      return texts.some((text) => text !== '') ? '  ' + place + ': ' + texts.join(' | ') : '';
    }).filter((line) => line !== '').join('\\n')`;
    const keyboard = `(({ tagName, className, ariaLabel }) =>
      '  keyboard: ' + [tagName, className, ariaLabel].filter(Boolean).join(' | '))(document.activeElement)`;
    const texts = [await this.read<string>(script), await this.read<string>(keyboard)];
    return texts.filter((text) => text !== '').join('\n');
  }

  /** Runs a script in the page; strings, since this project knows no types of a browser. */
  read<T>(script: string): Promise<T> {
    return this.page.evaluate<T>(script);
  }
}

/** Compares a text with what is expected: a string wholly, an expression anywhere in it. */
export function matches(text: string, expected: string | RegExp): boolean {
  return typeof expected === 'string' ? text === expected : expected.test(text);
}

/** Script of a function: text of an element with icons as `$(name)`, the way an extension writes them. */
export const textWithIcons = `((element) => {
  const read = (node) => {
    if (node.nodeType === 3) return node.data;
    const icon = /codicon-(?!colored|modifier)([a-z0-9-]+)/.exec(node.className ?? '')?.[1];
    const spin = /codicon-modifier-([a-z]+)/.exec(node.className ?? '')?.[1];
    if (icon) return '$(' + icon + (spin ? '~' + spin : '') + ')';
    return [...node.childNodes].map(read).join('');
  };
  return element ? read(element).replaceAll('\\u00a0', ' ').replaceAll(/\\s+/g, ' ').trim() : '';
})`;
