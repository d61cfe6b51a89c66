/** Waits for something on the screen, and describes the screen if the wait fails. */
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Page } from 'playwright-core';
import { DeadlineError, until } from './deadline.ts';
import { repositoryRoot, testDirectory } from './install.ts';

/** Milliseconds until a wait counts as hung, even on a busy machine. */
export const usualWait = 60_000;

/** A toast or an entry in the open notification center. */
export const notificationInView =
  ':is(.notifications-toasts, .notifications-center.visible) .notification-list-item';

/** Selectors for the elements that a failure message quotes. */
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
   * Waits until `probe` returns something other than undefined, and returns that result.
   *
   * @param description completes the sentence "Waited 60 s for …".
   * @throws {Error} after `milliseconds`, with the text on the screen and the path to a screenshot
   */
  async until<T>(
    description: string,
    probe: () => Promise<T | undefined>,
    milliseconds = usualWait,
  ): Promise<T> {
    try {
      return await until(description, milliseconds, probe);
    } catch (error) {
      if (error instanceof DeadlineError) await this.fail(error.message);
      throw error;
    }
  }

  /**
   * @throws {Error} always, with `message`, the text on the screen, and the path to a screenshot
   */
  async fail(message: string): Promise<never> {
    const picture = await this.saveFailure(message);
    throw new Error(`${message}\nOn the screen:\n${await this.describe()}\nScreenshot: ${picture}`);
  }

  /**
   * Saves a screenshot of a failure, and returns its path relative to the repository.
   */
  async saveFailure(title: string): Promise<string> {
    const folder = join(testDirectory, 'failures');
    await mkdir(folder, { recursive: true });
    const name = title.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 80);
    const path = join(folder, `${Date.now()}-${name}.png`);
    await this.page.screenshot({ path });
    return relative(repositoryRoot, path);
  }

  /**
   * Describes the screen: the visible elements in `places`, with one line per place, and the
   * focused element.
   */
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

  /**
   * Runs a script in the page. Scripts are strings, because the project is type-checked without
   * browser types.
   */
  read<T>(script: string): Promise<T> {
    return this.page.evaluate<T>(script);
  }
}

/**
 * True if the text equals the expected string, or if the expected expression matches part of the
 * text.
 */
export function matches(text: string, expected: string | RegExp): boolean {
  return typeof expected === 'string' ? text === expected : expected.test(text);
}

/** Source code of a function that returns an element's text, with icons as `$(name)`. */
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
