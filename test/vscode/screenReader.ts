/** Reads a window as a screen reader does, from the browser's accessibility tree and alerts. */
import type { CDPSession } from 'playwright-core';
import { matches, type Screen } from './screen.ts';

/**
 * The role, name, and description that a screen reader reads, or should read, for an element. An
 * expected string must equal the whole text, and an expected expression must match part of it.
 */
export interface Reading {
  readonly role: string | RegExp;
  readonly name: string | RegExp;
  /** Read after the name. Descriptions are compared only if an expected one is given. */
  readonly description?: string | RegExp;
}

export class ScreenReader {
  readonly #screen: Screen;
  readonly #browser: CDPSession;

  private constructor(screen: Screen, browser: CDPSession) {
    this.#screen = screen;
    this.#browser = browser;
  }

  /**
   * Creates a screen reader that records announcements from now on, until the window is reloaded.
   */
  static async on(screen: Screen): Promise<ScreenReader> {
    await screen.read(listenScript);
    return new ScreenReader(screen, await screen.page.context().newCDPSession(screen.page));
  }

  /** Waits until the focused element has this reading. */
  waitForKeyboardOn(expected: Reading): Promise<Reading> {
    return this.#waitFor(expected, 'document.activeElement');
  }

  /** Waits until the active row of the focused list has this reading. */
  waitForMarked(expected: Reading): Promise<Reading> {
    const id = `document.activeElement.getAttribute('aria-activedescendant')`;
    return this.#waitFor(expected, `document.getElementById(${id})`);
  }

  /** Waits until this text is announced, regardless of what has focus. */
  waitForAloud(text: string | RegExp): Promise<string> {
    return this.#screen.until(`the announcement ${text}`, async () =>
      (await this.#screen.read<string[]>('globalThis.announcements')).find((announced) =>
        matches(announced, text),
      ),
    );
  }

  #waitFor({ role, name, description = '' }: Reading, element: string): Promise<Reading> {
    return this.#screen.until(`${role} ${name} ${description}`, async () => {
      const { result } = await this.#browser.send('Runtime.evaluate', { expression: element });
      if (result.objectId === undefined) return undefined;
      const { nodes } = await this.#browser.send('Accessibility.getPartialAXTree', {
        objectId: result.objectId,
        fetchRelatives: false,
      });
      const [read] = nodes.map((node) => ({
        role: String(node.role?.value),
        name: String(node.name?.value),
        description: String(node.description?.value ?? ''),
      }));
      if (!read || !matches(read.role, role) || !matches(read.name, name)) return undefined;
      return description === '' || matches(read.description, description) ? read : undefined;
    });
  }
}

/** A screen reader announces an alert when it appears and when its text changes. */
const listenScript = `(() => {
  const announced = [];
  const alertsOf = (node) => [node.parentElement?.closest('[role="alert"]'),
    ...(node.matches?.('[role="alert"]') ? [node] : []),
    ...(node.querySelectorAll?.('[role="alert"]') ?? [])].filter(Boolean);
  new MutationObserver((changes) => {
    const nodes = changes.flatMap(({ target, addedNodes }) =>
      addedNodes.length > 0 ? [...addedNodes] : target.nodeType === 3 ? [target] : []);
    for (const alert of new Set(nodes.flatMap(alertsOf))) {
      const text = (alert.ariaLabel ?? alert.textContent).trim();
      if (text !== '') announced.push(text);
    }
  }).observe(document, { subtree: true, childList: true, characterData: true });
  globalThis.announcements = announced;
})()`;
