/** Reads and clicks modal dialogs. */
import { matches, type Screen, textWithIcons } from './screen.ts';

export interface DialogState {
  severity: 'info' | 'warning' | 'error' | 'question';
  text: string;
  detail: string;
  buttons: string[];
}

const box = '.monaco-dialog-box';

export class Dialogs {
  readonly #screen: Screen;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** The open dialog, or undefined if none is open. */
  async state(): Promise<DialogState | undefined> {
    return (await this.#screen.read<DialogState | null>(stateScript)) ?? undefined;
  }

  /** @param text the whole message, or an expression that matches part of it */
  waitFor(text: string | RegExp = /(?:)/): Promise<DialogState> {
    return this.#screen.until(`the dialog ${text}`, async () => {
      const state = await this.state();
      return state !== undefined && matches(state.text, text) ? state : undefined;
    });
  }

  /**
   * Waits for a dialog with this button, clicks the button, and waits until the dialog has closed.
   */
  async click(button: string): Promise<void> {
    const { page } = this.#screen;
    const { text } = await this.#screen.until(`a dialog with the button "${button}"`, async () => {
      const state = await this.state();
      return state?.buttons.includes(button) === true ? state : undefined;
    });
    // Marks the dialog, because another dialog with the same text can open right after it.
    await page.evaluate(`document.querySelector('${box}').classList.add('clicked')`);
    await page.click(`${box}.clicked .monaco-button:text-is(${JSON.stringify(button)})`);
    await this.#screen.until(`the dialog "${text}" to go`, async () =>
      (await page.locator(`${box}.clicked`).count()) === 0 ? true : undefined,
    );
  }
}

const stateScript = `(() => {
  const text = ${textWithIcons};
  const dialog = document.querySelector('${box}');
  if (!dialog) return null;
  const icon = dialog.querySelector('.dialog-icon').className;
  return {
    severity: /codicon-dialog-(error|warning)/.exec(icon)?.[1] ??
      (icon.includes('question') ? 'question' : 'info'),
    text: text(dialog.querySelector('.dialog-message')),
    detail: text(dialog.querySelector('.dialog-message-detail')) ||
      text(dialog.querySelector('.dialog-message-body')),
    buttons: [...dialog.querySelectorAll('.dialog-buttons .monaco-button')].map(text),
  };
})()`;
