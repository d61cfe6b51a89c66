/** Reads and clicks status bar items. */
import { matches, type Screen, textWithIcons } from './screen.ts';

export interface StatusItemState {
  /** The text, with icons as `$(name)`, or `$(name~spin)` if they spin. */
  text: string;
  /** The text for screen readers. */
  ariaLabel: string;
  background: 'none' | 'warning' | 'error' | 'other';
}

export interface StatusItemExpectation {
  text?: string | RegExp;
  ariaLabel?: string | RegExp;
  background?: StatusItemState['background'];
}

export class StatusItem {
  readonly #screen: Screen;
  readonly #selector: string;
  readonly #id: string;

  /** @param id the ID that the extension sets, or the full ID of one of VS Code's own items */
  constructor(screen: Screen, id: string) {
    this.#screen = screen;
    this.#id = id;
    // VS Code prepends the ID of the extension.
    this.#selector = `.statusbar-item:is([id="${id}"], [id$=".${id}"])`;
  }

  /** The item's state, or undefined if the item isn't shown. */
  async state(): Promise<StatusItemState | undefined> {
    const script = `(() => {
      const item = document.querySelector(${JSON.stringify(this.#selector)});
      if (!item) return null;
      const label = item.querySelector('.statusbar-item-label');
      const kinds = ['warning', 'error'].filter((kind) => item.classList.contains(kind + '-kind'));
      const other = item.classList.contains('has-background-color') ? 'other' : 'none';
      return { text: ${textWithIcons}(label), ariaLabel: label.getAttribute('aria-label') ?? '',
        background: kinds[0] ?? other };
    })()`;
    return (await this.#screen.read<StatusItemState | null>(script)) ?? undefined;
  }

  /** Waits at most `milliseconds` (by default, `usualWait`) for the item to match. */
  waitFor(expected: StatusItemExpectation = {}, milliseconds?: number): Promise<StatusItemState> {
    const wanted = Object.entries(expected).map(([name, value]) => `${name} ${value}`);
    return this.#screen.until(
      `the status item ${this.#id} ${wanted.join(', ')}`,
      async () => {
        const state = await this.state();
        return state !== undefined && fits(state, expected) ? state : undefined;
      },
      milliseconds,
    );
  }

  async click(): Promise<void> {
    await this.#screen.page.click(this.#selector);
  }

  /** Opens the tooltip and returns its text. The tooltip stays open until the pointer moves. */
  async tooltip(): Promise<string> {
    await this.#screen.page.mouse.move(0, 0);
    await this.#screen.page.hover(this.#selector);
    return this.#screen.until(`the tooltip of ${this.#id}`, async () => {
      const text = await this.#screen.read<string | null>(
        `document.querySelector('.workbench-hover-container .monaco-hover')?.innerText ?? null`,
      );
      return text === null || text.trim() === '' ? undefined : text.trim();
    });
  }

  /** Waits until the tooltip contains this text. */
  async waitForTooltip(text: string): Promise<void> {
    await this.#screen.until(`the tooltip to contain ${text}`, async () =>
      (await this.tooltip()).includes(text) ? true : undefined,
    );
  }

  /** Opens the tooltip and clicks a link in it. */
  async clickInTooltip(link: string): Promise<void> {
    await this.tooltip();
    await this.#screen.page.locator('.workbench-hover-container a', { hasText: link }).click();
  }
}

function fits(state: StatusItemState, expected: StatusItemExpectation): boolean {
  const { text, ariaLabel, background } = expected;
  return (
    (text === undefined || matches(state.text, text)) &&
    (ariaLabel === undefined || matches(state.ariaLabel, ariaLabel)) &&
    (background === undefined || state.background === background)
  );
}
