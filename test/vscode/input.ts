/** Drives the quick input, which shows the palette, pick lists, and input boxes. */
import { matches, type Screen, textWithIcons } from './screen.ts';

export interface QuickInputState {
  /** The title without the step number. */
  title: string;
  /** The step as shown, such as `2/3`. Empty if the input has no steps. */
  step: string;
  /**
   * Text below the box, without the hint "(Press 'Enter' …)" that VS Code adds. Empty if a
   * validation message takes its place.
   */
  prompt: string;
  placeholder: string;
  /** The validation message. Empty if there is none. */
  validation: string;
  severity: 'none' | 'info' | 'warning' | 'error';
  password: boolean;
  value: string;
  /** The visible rows. A long list can have more rows. */
  items: QuickInputItem[];
  /** Tooltips of the buttons in the title and in the box, without their shortcuts. */
  buttons: string[];
}

export interface QuickInputItem {
  /** The label, with icons as `$(name)`. */
  label: string;
  description: string;
  detail: string;
  focused: boolean;
}

/**
 * Conditions to wait for. A string must equal the whole text, and an expression must match a part
 * of it.
 */
export interface QuickInputExpectation {
  title?: string | RegExp;
  step?: string | RegExp;
  prompt?: string | RegExp;
  placeholder?: string | RegExp;
  validation?: string | RegExp;
  password?: boolean;
  /** The label of an item that must be listed, with or without its icon. */
  item?: string;
}

const widget = '.quick-input-widget';
const box = `${widget} .quick-input-box input`;

export class QuickInput {
  readonly #screen: Screen;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** The open quick input, or undefined if none is open. */
  async state(): Promise<QuickInputState | undefined> {
    return (await this.#screen.read<QuickInputState | null>(stateScript)) ?? undefined;
  }

  /** Waits for a quick input that matches. By default, any quick input matches. */
  waitFor(expected: QuickInputExpectation = {}): Promise<QuickInputState> {
    return this.#screen.until(`a quick input with ${describe(expected)}`, async () => {
      const state = await this.state();
      return state !== undefined && fits(state, expected) ? state : undefined;
    });
  }

  waitUntilClosed(): Promise<true> {
    return this.#screen.until('the quick input to close', async () =>
      (await this.state()) === undefined ? true : undefined,
    );
  }

  /** Replaces the text in the box. */
  async type(text: string): Promise<void> {
    await this.#screen.page.fill(box, text);
  }

  /** Types one key at a time after the existing text. */
  async typeKeys(text: string): Promise<void> {
    await this.#screen.page.focus(box);
    await this.#screen.page.keyboard.type(text);
  }

  async accept(): Promise<void> {
    await this.#screen.page.press(box, 'Enter');
  }

  async dismiss(): Promise<void> {
    await this.#screen.page.press(box, 'Escape');
  }

  /** Waits for an item with this label (with or without its icon) and clicks it. */
  async pick(label: string): Promise<void> {
    await this.waitFor({ item: label });
    // Finds the item again by its text, because the list may have changed in the meantime.
    const text = JSON.stringify(bare(label));
    await this.#screen.page.click(
      `${widget} .monaco-list-row .quick-input-list-row:first-child .label-name .monaco-highlighted-label:text-is(${text})`,
    );
  }

  /** Clicks the button with this tooltip, such as `Back`, in the title or in the box. */
  async clickButton(tooltip: string): Promise<void> {
    await this.#screen.until(`the button "${tooltip}"`, async () =>
      (await this.state())?.buttons.includes(tooltip) === true ? true : undefined,
    );
    const exact = `[aria-label="${tooltip}"]`;
    const withKeys = `[aria-label^="${tooltip} ("]`;
    await this.#screen.page
      .locator(`${widget} .action-label${exact}, ${widget} .action-label${withKeys}`)
      .first()
      .click();
  }
}

function fits(state: QuickInputState, expected: QuickInputExpectation): boolean {
  const { title, step, prompt, placeholder, validation, password, item } = expected;
  return (
    (title === undefined || matches(state.title, title)) &&
    (step === undefined || matches(state.step, step)) &&
    (prompt === undefined || matches(state.prompt, prompt)) &&
    (placeholder === undefined || matches(state.placeholder, placeholder)) &&
    (validation === undefined || matches(state.validation, validation)) &&
    (password === undefined || state.password === password) &&
    (item === undefined || state.items.some(({ label }) => label === item || bare(label) === item))
  );
}

function describe(expected: QuickInputExpectation): string {
  const parts = Object.entries(expected).map(([name, value]) => `${name} ${value}`);
  return parts.length === 0 ? 'anything' : parts.join(', ');
}

/** Returns a label without its icons. */
function bare(label: string): string {
  return label.replaceAll(/\$\([^)]*\)/g, '').trim();
}

const stateScript = `(() => {
  const text = ${textWithIcons};
  const widget = document.querySelector('${widget}');
  if (!widget || widget.style.display === 'none') return null;
  const input = widget.querySelector('.quick-input-box input');
  const title = text(widget.querySelector('.quick-input-title'));
  const step = /^(.*?) ?\\((\\d+\\/\\d+|\\d+)\\)$/.exec(title);
  const message = widget.querySelector('.quick-input-message');
  const severity = ['error', 'warning', 'info'].find((kind) =>
    widget.querySelector('.quick-input-box .monaco-inputbox.' + kind)) ?? 'none';
  const shown = message.style.display === 'none' ? '' : text(message);
  const rows = widget.querySelectorAll('.quick-input-list .monaco-list-row');
  const buttons = widget.querySelectorAll('.monaco-toolbar:not(.quick-input-list-entry-action-bar) ' +
    '.action-label, .quick-input-box .action-label');
  return {
    title: step ? step[1] : title,
    step: step ? step[2] : '',
    prompt: severity === 'none' ? shown.replace(/ ?\\(Press '.*\\)$/, '') : '',
    placeholder: input.placeholder,
    validation: severity === 'none' ? '' : shown,
    severity,
    password: input.type === 'password',
    value: input.value,
    items: [...rows].filter((row) => row.offsetParent !== null).map((row) => ({
      label: text(row.querySelector('.quick-input-list-row .monaco-icon-name-container')),
      description: text(row.querySelector('.label-description')),
      detail: text(row.querySelector('.quick-input-list-label-meta')),
      focused: row.classList.contains('focused'),
    })),
    buttons: [...buttons].filter((button) => button.offsetParent !== null)
      .map((button) => (button.getAttribute('aria-label') ?? '').replace(/ \\([^)]*\\)$/, '')),
  };
})()`;
