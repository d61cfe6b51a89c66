/** The active text editor, by keyboard alone. */
import { readFile } from 'node:fs/promises';
import { matches, type Screen } from './screen.ts';

const active = '.editor-group-container.active';

export class Editor {
  readonly #screen: Screen;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Puts the keyboard into the first editor group. */
  async focus(): Promise<void> {
    await this.#screen.page.keyboard.press('Control+1');
    await this.#waitForFocus();
  }

  /** Waits until the active tab carries this name and its editor has the keyboard. */
  async waitFor(name: string | RegExp): Promise<void> {
    await this.#screen.until(`the editor ${name}`, async () => {
      const label = await this.name();
      return label !== undefined && matches(label, name) ? label : undefined;
    });
    await this.#waitForFocus();
  }

  /** Name on the active tab; undefined when no editor is open. */
  async name(): Promise<string | undefined> {
    const script = `document.querySelector('${active} .tab.active')?.dataset.resourceName ?? null`;
    return (await this.#screen.read<string | null>(script)) ?? undefined;
  }

  /** Selects the whole document, which must not be empty. */
  async selectAll(): Promise<void> {
    await this.focus();
    await this.#screen.page.keyboard.press('Control+A');
    await this.waitForPosition(/selected/);
  }

  /** Selects lines, counted from 1, without the end of the last one, which must hold some text. */
  async selectLines(first: number, last = first): Promise<void> {
    await this.placeCursor(first, 1);
    for (let line = first; line < last; line++) {
      await this.#screen.page.keyboard.press('Shift+ArrowDown');
    }
    await this.#screen.page.keyboard.press('Shift+End');
    await this.waitForPosition(new RegExp(`^Ln ${last}, .*selected`));
  }

  /** @param line counted from 1. @param column counted from 1. */
  async placeCursor(line: number, column: number): Promise<void> {
    const { page } = this.#screen;
    await this.focus();
    await page.keyboard.press('Control+G');
    await page.fill('.quick-input-widget .quick-input-box input', `:${line}:${column}`);
    await page.keyboard.press('Enter');
    await this.#waitForFocus();
    // "(… selected)" of an earlier selection goes away as well.
    await this.waitForPosition(`Ln ${line}, Col ${column}`);
  }

  /** As the status bar shows it, for instance `Ln 1, Col 4 (3 selected)`. */
  position(): Promise<string> {
    const script = `document.querySelector('[id="status.editor.selection"]')?.innerText.trim() ?? ''`;
    return this.#screen.read<string>(script);
  }

  waitForPosition(expected: string | RegExp): Promise<string> {
    return this.#screen.until(`the cursor at ${expected}`, async () => {
      const position = await this.position();
      return matches(position, expected) ? position : undefined;
    });
  }

  /**
   * Types key by key; VS Code may complete brackets and indent as it does for a person. It shows the
   * text a moment later: see `waitForText`.
   */
  async type(text: string): Promise<void> {
    await this.#screen.page.keyboard.type(text);
  }

  async undo(): Promise<void> {
    await this.focus();
    await this.#screen.page.keyboard.press('Control+Z');
  }

  async redo(): Promise<void> {
    await this.focus();
    await this.#screen.page.keyboard.press('Control+Y');
  }

  /** Saves the active document and waits until its tab says so. */
  async save(): Promise<void> {
    await this.#screen.page.keyboard.press('Control+S');
    await this.#screen.until('the document to be saved', async () =>
      (await this.isDirty()) ? undefined : true,
    );
  }

  isDirty(): Promise<boolean> {
    return this.#screen.read<boolean>(
      `document.querySelector('${active} .tab.active.dirty') !== null`,
    );
  }

  /** Saves the active document and reads its file. @param path absolute. */
  async savedText(path: string): Promise<string> {
    await this.focus();
    await this.save();
    return readFile(path, 'utf8');
  }

  /** The lines in view, without saving anything; a long document shows only a part. */
  visibleText(): Promise<string> {
    return this.#screen.read<string>(visibleTextScript);
  }

  /** Waits until the lines in view are this text, or hold this expression. */
  waitForText(text: string | RegExp, milliseconds?: number): Promise<string> {
    return this.#screen.until(
      `the editor's text to be ${text}`,
      async () => {
        const visible = await this.visibleText();
        return matches(visible, text) ? visible : undefined;
      },
      milliseconds,
    );
  }

  async #waitForFocus(): Promise<void> {
    const script = `document.activeElement?.closest('${active} .monaco-editor') != null`;
    await this.#screen.until('the editor to have the keyboard', async () =>
      (await this.#screen.read<boolean>(script)) ? true : undefined,
    );
  }
}

/** Lines are placed absolutely and in any order; spaces are drawn as no-break spaces. */
const visibleTextScript = `[...document.querySelectorAll('${active} .monaco-editor .view-line')]
  .sort((one, other) => Number.parseFloat(one.style.top) - Number.parseFloat(other.style.top))
  .map((line) => line.textContent.replaceAll('\\u00a0', ' ').replaceAll('\\u200b', '')).join('\\n')`;
