/** The active text editor, by keyboard alone. */
import { readFile } from 'node:fs/promises';
import { matches, type Screen } from './screen.ts';

const active = '.editor-group-container.active';
const titleButton = `${active} .title .editor-actions .action-label`;

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

  /** The words on the active tab, which a comparison can choose for itself; empty without one. */
  title(): Promise<string> {
    // The end of a file's name stands apart from the rest.
    return this.#screen.read<string>(
      `[...document.querySelectorAll('${active} .tab.active :is(.label-name, .label-suffix)')]
        .map((part) => part.textContent).join('')`,
    );
  }

  /** Waits until the active tab shows these words and its editor has the keyboard. */
  async waitForTitle(title: string): Promise<void> {
    await this.#screen.until(`the title ${title}`, async () =>
      (await this.title()) === title ? true : undefined,
    );
    await this.#waitForFocus();
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

  /**
   * Selects each of these lines on its own, counted from 1, with a cursor at its start. The last one
   * must hold some text; an empty one among them gets a cursor that selects nothing.
   */
  async selectEachLine(first: number, last: number): Promise<void> {
    await this.selectLines(first, last);
    await this.splitSelection();
  }

  /** Splits the selection into one selection for each of its lines, with a cursor at its start. */
  async splitSelection(): Promise<void> {
    const { page } = this.#screen;
    await page.keyboard.press('Shift+Alt+I');
    await this.waitForPosition(/^\d+ selections$/);
    await page.keyboard.press('Shift+Home');
    await this.waitForPosition(/^\d+ selections \(/);
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

  /** Whether any tab of this name has something to save. */
  hasUnsaved(name: string): Promise<boolean> {
    const script = `[...document.querySelectorAll('.tab.dirty')].some((tab) =>
      tab.dataset.resourceName === ${JSON.stringify(name)})`;
    return this.#screen.read<boolean>(script);
  }

  /** Saves the active document and reads its file. @param path absolute. */
  async savedText(path: string): Promise<string> {
    await this.focus();
    await this.save();
    // VS Code empties a file for a moment while it writes it anew.
    return this.#screen.until(
      `text in ${path}`,
      async () => (await readFile(path, 'utf8')) || undefined,
    );
  }

  /** The lines in view, without saving anything; a long document shows only a part. */
  visibleText(): Promise<string> {
    return this.#screen.read<string>(linesScript(`${active} .monaco-editor`));
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

  /** The lines in view on the modified side of the active comparison, without what was deleted. */
  modifiedText(): Promise<string> {
    return this.#screen.read<string>(linesScript(`${active} .editor.modified .lines-content >`));
  }

  waitForModifiedText(text: string | RegExp): Promise<string> {
    return this.#screen.until(`the modified side to be ${text}`, async () => {
      const visible = await this.modifiedText();
      return matches(visible, text) ? visible : undefined;
    });
  }

  /**
   * Watches every text that is drawn in any editor from now on, however short it stands there.
   * @returns tells how many there were, and which lines of them matched the expression
   */
  async watchDrawn(
    expression: RegExp,
  ): Promise<() => Promise<{ drawings: number; lines: string[] }>> {
    await this.#screen.read(`(() => {
      const drawn = { drawings: 0, lines: [] };
      const look = () => {
        drawn.drawings += 1;
        for (const line of document.querySelectorAll('.monaco-editor .view-line')) {
          if (${expression}.test(line.textContent)) drawn.lines.push(line.textContent);
        }
      };
      new MutationObserver(look).observe(document.querySelector('.part.editor'),
        { subtree: true, childList: true, characterData: true });
      globalThis.drawnText = drawn;
    })()`);
    return () => this.#screen.read<{ drawings: number; lines: string[] }>('globalThis.drawnText');
  }

  /** What a screen reader calls the buttons in the title of the active group, with their keys. */
  titleButtons(): Promise<string[]> {
    return this.#screen.read<string[]>(
      `[...document.querySelectorAll('${titleButton}')].map((button) => button.ariaLabel ?? '')`,
    );
  }

  /** Waits for a button in the title and clicks it. @param label the beginning of its name */
  async clickTitleButton(label: string): Promise<void> {
    await this.#screen.page.locator(`${titleButton}[aria-label^=${JSON.stringify(label)}]`).click();
  }

  async #waitForFocus(): Promise<void> {
    const script = `document.activeElement?.closest('${active} .monaco-editor') != null`;
    await this.#screen.until('the editor to have the keyboard', async () =>
      (await this.#screen.read<boolean>(script)) ? true : undefined,
    );
  }
}

/** Lines are placed absolutely and in any order; spaces are drawn as no-break spaces. */
function linesScript(editor: string): string {
  return `[...document.querySelectorAll('${editor} .view-lines .view-line')]
  .sort((one, other) => Number.parseFloat(one.style.top) - Number.parseFloat(other.style.top))
  .map((line) => line.textContent.replaceAll('\\u00a0', ' ').replaceAll('\\u200b', '')).join('\\n')`;
}
