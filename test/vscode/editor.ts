/** Drives the active text editor as a user would, and reads its text. */
import { readFile } from 'node:fs/promises';
import { matches, type Screen } from './screen.ts';

const active = '.editor-group-container.active';
const titleButton = `${active} .title .editor-actions .action-label`;

export class Editor {
  readonly #screen: Screen;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Moves the focus to the first editor group. */
  async focus(): Promise<void> {
    await this.#screen.page.keyboard.press('Control+1');
    await this.#waitForFocus();
  }

  /** Waits until the active tab has this name and its editor has focus. */
  async waitFor(name: string | RegExp): Promise<void> {
    await this.#screen.until(`the editor ${name}`, async () => {
      const label = await this.name();
      return label !== undefined && matches(label, name) ? label : undefined;
    });
    await this.#waitForFocus();
  }

  /** Name of the active tab, or undefined if no editor is open. */
  async name(): Promise<string | undefined> {
    const script = `document.querySelector('${active} .tab.active')?.dataset.resourceName ?? null`;
    return (await this.#screen.read<string | null>(script)) ?? undefined;
  }

  /**
   * Label of the active tab, or an empty string if no tab is open. For a response preview, the
   * label differs from the result of `name`.
   */
  title(): Promise<string> {
    // VS Code renders the end of a file name as a separate element.
    return this.#screen.read<string>(
      `[...document.querySelectorAll('${active} .tab.active :is(.label-name, .label-suffix)')]
        .map((part) => part.textContent).join('')`,
    );
  }

  /** Waits until the active tab has this label and its editor has focus. */
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

  /**
   * Selects the lines from `first` to `last` (counted from 1), without the last line break. The
   * last line must not be empty.
   */
  async selectLines(first: number, last = first): Promise<void> {
    await this.placeCursor(first, 1);
    for (let line = first; line < last; line++) {
      await this.#screen.page.keyboard.press('Shift+ArrowDown');
    }
    await this.#screen.page.keyboard.press('Shift+End');
    await this.waitForPosition(new RegExp(`^Ln ${last}, .*selected`));
  }

  /**
   * Selects each of these lines separately, with a cursor at the start of each line. Lines are
   * counted from 1. The last line must not be empty. The other lines may be empty, and then get an
   * empty selection.
   */
  async selectEachLine(first: number, last: number): Promise<void> {
    await this.selectLines(first, last);
    await this.splitSelection();
  }

  /** Splits the selection into one selection per line, with a cursor at the start of each line. */
  async splitSelection(): Promise<void> {
    const { page } = this.#screen;
    await page.keyboard.press('Shift+Alt+I');
    await this.waitForPosition(/^\d+ selections$/);
    await page.keyboard.press('Shift+Home');
    await this.waitForPosition(/^\d+ selections \(/);
  }

  /** Lines and columns are counted from 1. */
  async placeCursor(line: number, column: number): Promise<void> {
    const { page } = this.#screen;
    await this.focus();
    await page.keyboard.press('Control+G');
    await page.fill('.quick-input-widget .quick-input-box input', `:${line}:${column}`);
    await page.keyboard.press('Enter');
    await this.#waitForFocus();
    // This also waits until the status bar no longer shows an earlier selection.
    await this.waitForPosition(`Ln ${line}, Col ${column}`);
  }

  /** Cursor position as the status bar shows it, such as `Ln 1, Col 4 (3 selected)`. */
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
   * Types key by key, so VS Code may complete brackets and add indentation. The text appears a
   * moment later, so use `waitForText`.
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

  /** Saves the active document, and waits until its tab shows no unsaved changes. */
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

  /** True if any tab with this name has unsaved changes. */
  hasUnsaved(name: string): Promise<boolean> {
    const script = `[...document.querySelectorAll('.tab.dirty')].some((tab) =>
      tab.dataset.resourceName === ${JSON.stringify(name)})`;
    return this.#screen.read<boolean>(script);
  }

  /**
   * Saves the active document, and returns the text of its file.
   * @param path absolute path to the file
   */
  async savedText(path: string): Promise<string> {
    await this.focus();
    await this.save();
    // While VS Code rewrites a file, the file is empty for a moment.
    return this.#screen.until(
      `text in ${path}`,
      async () => (await readFile(path, 'utf8')) || undefined,
    );
  }

  /** The visible lines, including unsaved changes. Only part of a long document is visible. */
  visibleText(): Promise<string> {
    return this.#screen.read<string>(linesScript(`${active} .monaco-editor`));
  }

  /** Waits until the visible lines equal this text or match this expression. */
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

  /**
   * Waits until a word has the same color in all visible lines that contain it. VS Code colors new
   * text a moment after the text appears.
   */
  async waitForSameColor(word: string): Promise<void> {
    const script = `new Set([...document.querySelectorAll('${active} .view-line')]
      .filter((line) => line.textContent.includes(${JSON.stringify(word)}))
      .map((line) => [...line.querySelectorAll('span > span')]
        .find((part) => part.textContent.trim() === ${JSON.stringify(word)})?.className)
      ).size === 1`;
    await this.#screen.until(`one color for ${word}`, async () =>
      (await this.#screen.read<boolean>(script)) ? true : undefined,
    );
  }

  /** The visible lines on the modified side of the active diff editor, without deleted lines. */
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
   * Starts recording all matching lines in all editors, even if they appear only for a moment.
   * @returns a function that returns the number of renderings so far, and the lines that matched
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

  /** Accessible names of the buttons in the active group's title, with their shortcuts. */
  titleButtons(): Promise<string[]> {
    return this.#screen.read<string[]>(
      `[...document.querySelectorAll('${titleButton}')].map((button) => button.ariaLabel ?? '')`,
    );
  }

  /**
   * Waits for a button in the active group's title, and clicks it.
   * @param label the start of the button's name
   */
  async clickTitleButton(label: string): Promise<void> {
    await this.#screen.page.locator(`${titleButton}[aria-label^=${JSON.stringify(label)}]`).click();
  }

  async #waitForFocus(): Promise<void> {
    const script = `document.activeElement?.closest('${active} .monaco-editor') != null`;
    await this.#screen.until('the editor to have the focus', async () =>
      (await this.#screen.read<boolean>(script)) ? true : undefined,
    );
  }
}

/**
 * Returns a script that reads the visible lines. In the page, the lines are in no particular order,
 * and contain non-breaking spaces.
 */
function linesScript(editor: string): string {
  return `[...document.querySelectorAll('${editor} .view-lines .view-line')]
  .sort((one, other) => Number.parseFloat(one.style.top) - Number.parseFloat(other.style.top))
  .map((line) => line.textContent.replaceAll('\\u00a0', ' ').replaceAll('\\u200b', '')).join('\\n')`;
}
