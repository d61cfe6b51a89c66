import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Emulator } from '../../emulator/emulator.ts';
import { gate } from '../../emulator/faults.ts';
import type { PlacingMode } from '../../host/jobs.ts';
import { type InsertModeId, modeKeys } from '../../vscode/keybindings.ts';
import type { Workbench } from '../../vscode/workbench.ts';
import {
  legibleComments,
  type PicturePart,
  takeComposite,
  takePicture,
  takeScreenshot,
} from '../pictures.ts';
import { chatPath, generate, openWindow, startService, storeKey } from '../service.ts';
import { nightly, type Session } from '../session.ts';

/**
 * Test data for an insert mode that writes into the document: the original lines, the selected
 * line, the response, and the result.
 */
interface Written {
  readonly before: readonly string[];
  /** The number of the line to select, counted from 1. Its indentation is selected, too. */
  readonly line: number;
  readonly answer: string;
  readonly after: readonly string[];
  /**
   * The final cursor position, as the status bar shows it. If the mode keeps the selection, the
   * position changes only if text is inserted before the selection.
   */
  readonly position: RegExp;
}

const written = {
  below: {
    before: ['def total(prices):', '    # Add up the prices.', '    return total', ''],
    line: 2,
    answer: 'total = 0\nfor price in prices:\n    total += price',
    after: [
      'def total(prices):',
      '    # Add up the prices.',
      '    total = 0',
      '    for price in prices:',
      '        total += price',
      '    return total',
      '',
    ],
    position: /^Ln 2, Col 25 \(24 selected\)$/,
  },
  after: {
    before: ['def total(prices):', '    total = ', '    return total', ''],
    line: 2,
    answer: 'sum(\n    price for price in prices\n)',
    after: [
      'def total(prices):',
      '    total = sum(',
      '        price for price in prices',
      '    )',
      '    return total',
      '',
    ],
    position: /^Ln 2, Col 13 \(12 selected\)$/,
  },
  above: {
    before: ['def total(prices):', '    return sum(prices)', ''],
    line: 2,
    answer: '# Prices are in cents,\n# so that no cent is lost.',
    after: [
      'def total(prices):',
      '    # Prices are in cents,',
      '    # so that no cent is lost.',
      '    return sum(prices)',
      '',
    ],
    position: /^Ln 4, Col 23 \(22 selected\)$/,
  },
  replace: {
    before: ['def total(prices):', '    return 0', ''],
    line: 2,
    answer: 'total = 0\nfor price in prices:\n    total += price\nreturn total',
    after: [
      'def total(prices):',
      '    total = 0',
      '    for price in prices:',
      '        total += price',
      '    return total',
      '',
    ],
    position: /^Ln 5, Col 17$/,
  },
} satisfies Readonly<Record<PlacingMode, Written>>;

/**
 * Captions in the combined picture, for modes whose screenshots alone don't show which text was
 * generated.
 */
const notes: Readonly<Partial<Record<InsertModeId, string>>> = {
  below: '(response: lines 3–5)',
  after: '(response: “sum(…)”)',
  above: '(response: lines 2–3)',
  replace: '(the selection was “return 0”)',
  preview: '(the selection was “return 0”)',
};

const asked = ['def total(prices):', '    return sum(prices)', ''];
const test = 'def test_none():\n    assert total([]) == 0';
const lines = (text: readonly string[], lineEnd = '\r\n') => text.join(lineEnd);

for (const theme of ['dark', 'light'] as const) {
  describe(`insert modes (${theme}) ${nightly}`, () => {
    let emulator: Emulator;
    let session: Session;
    const results: PicturePart[] = [];
    before(async () => {
      emulator = await startService();
      session = await openWindow(emulator, {
        theme,
        viewport: { width: 940, height: 480 },
        // Hides everything that would distract from the insert mode in the pictures.
        userSettings: {
          ...legibleComments,
          'breadcrumbs.enabled': false,
          'editor.folding': false,
          'editor.glyphMargin': false,
          'editor.hideCursorInOverviewRuler': true,
          'editor.lightbulb.enabled': 'off',
          'editor.lineNumbersMinChars': 2,
          'editor.minimap.enabled': false,
          'editor.scrollBeyondLastLine': false,
          'editor.scrollbar.horizontal': 'hidden',
          'editor.scrollbar.vertical': 'hidden',
          'editor.fontSize': 16,
        },
        folderFiles: {
          ...Object.fromEntries(
            Object.entries(written).map(([mode, { before }]) => [
              `${mode}/prices.py`,
              lines(before),
            ]),
          ),
          'newDocument/prices.py': lines(asked),
          'clipboard/prices.py': lines(asked),
          'preview/prices.py': lines(written.replace.before),
        },
      });
      await storeKey(session);
    });
    after(async () => {
      const name = `insert-modes-${theme}`;
      await takeComposite(session.workbench.page.context(), name, results);
      await emulator.close();
    });

    /**
     * Temporarily makes the window shorter, and takes a screenshot of the editor area and any
     * notifications over it.
     */
    const keepResult = async (mode: InsertModeId) => {
      const { page } = session.workbench;
      const usual = page.viewportSize();
      await page.setViewportSize({ width: 940, height: 280 });
      // Moves the pointer away from anything with a tooltip.
      await page.mouse.move(0, 0);
      const clip = await page.locator('.part.editor').boundingBox();
      assert.ok(clip);
      const note = notes[mode] ?? '';
      results.push({ caption: mode, note, screenshot: await takeScreenshot(page, clip) });
      if (mode === 'preview') await takePicture(page, `insert-preview-${theme}`, clip);
      if (usual) await page.setViewportSize(usual);
    };

    const generateInto = async (file: string, line: number, mode: InsertModeId, answer: string) => {
      const { workbench, path } = session;
      emulator.settings.answer = () => answer;
      await workbench.runCommand('View: Close All Editors');
      await workbench.openFile(path(file));
      await workbench.editor.selectLines(line);
      await workbench.page.keyboard.press(modeKeys[mode]);
    };
    const onDisk = (file: string) => readFileSync(session.path(file), 'utf8');

    for (const mode of Object.keys(written) as PlacingMode[]) {
      const { before, line, answer, after, position }: Written = written[mode];
      it(`${mode}: writes exactly the expected bytes, and one undo restores the document`, async () => {
        const { editor, page } = session.workbench;
        await generateInto(`${mode}/prices.py`, line, mode, answer);
        await editor.waitForText(lines(after, '\n'));
        await editor.waitForPosition(position);
        await keepResult(mode);
        // The document still has focus. It hasn't been saved, because saving would end the undo
        // step.
        await page.keyboard.press('Control+Z');
        await editor.waitForText(lines(before, '\n'));
        await page.keyboard.press('Control+Y');
        await editor.waitForText(lines(after, '\n'));
        await editor.save();
        assert.equal(onDisk(`${mode}/prices.py`), lines(after));
      });
    }

    it("newDocument: opens a document in the original's language, and leaves the original unchanged", async () => {
      const { editor, page, screen } = session.workbench;
      await generateInto('newDocument/prices.py', 2, 'newDocument', test);
      await editor.waitFor(/^Untitled/);
      await editor.waitForText(test);
      await page.locator('[id="status.editor.mode"]', { hasText: 'Python' }).waitFor();
      await keepResult('newDocument');
      await page.keyboard.press('Control+Z');
      await editor.waitForText('');
      await page.keyboard.press('Control+Y');
      await editor.waitForText(test);
      assert.equal(await editor.hasUnsaved('prices.py'), false);
      assert.equal(onDisk('newDocument/prices.py'), lines(asked));
      await editor.focus();
      // Checks the selection through the clipboard, because the status bar sometimes still shows
      // the position in the other document.
      await page.keyboard.press('Control+C');
      await screen.until('the selection on the clipboard', async () =>
        (await clipboard(page)) === asked[1] ? true : undefined,
      );
      await page.keyboard.press('Control+2');
      await editor.waitFor(/^Untitled/);
      await session.workbench.runCommand('View: Revert and Close Editor');
      await editor.waitFor('prices.py');
    });

    it('clipboard: copies the whole response without changing the document, selection, or focus', async () => {
      const { editor, notifications, page } = session.workbench;
      await generateInto('clipboard/prices.py', 2, 'clipboard', test);
      await notifications.waitFor('Copied the generated text to the clipboard.');
      assert.equal(await clipboard(page), test);
      await keepResult('clipboard');
      assert.equal(await editor.hasUnsaved('prices.py'), false);
      assert.match(await editor.position(), /^Ln 2, Col 23 \(22 selected\)$/);
      await page.keyboard.press('End');
      await page.keyboard.press('Control+V');
      await editor.waitForText(`${lines(asked.slice(0, 2), '\n')}${test}\n`);
      await page.keyboard.press('Control+Z');
      await notifications.close(/to the clipboard/);
    });

    it("preview: doesn't change the document until the user accepts the displayed result", async () => {
      const { editor, page } = session.workbench;
      const { before, after, answer, line, position } = written.replace;
      await generateInto('preview/prices.py', line, 'preview', answer);
      await editor.waitForTitle(previewOf('prices.py'));
      await editor.waitForModifiedText(lines(after, '\n'));
      await keepResult('preview');
      assert.equal(await editor.hasUnsaved('prices.py'), false);
      await session.workbench.runCommand('Hosted Model: Accept Preview');
      await editor.waitFor('prices.py');
      await editor.waitForText(lines(after, '\n'));
      await editor.waitForPosition(position);
      await page.keyboard.press('Control+Z');
      await editor.waitForText(lines(before, '\n'));
      await page.keyboard.press('Control+Y');
      await editor.save();
      assert.equal(onDisk('preview/prices.py'), lines(after));
    });
  });
}

describe(`inserting a response ${nightly}`, () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startService();
  });
  after(() => emulator.close());

  it('uses the insert mode from `hostedModel.insertMode`', async () => {
    const session = await openWindow(emulator, {
      userSettings: { 'hostedModel.insertMode': 'above' },
      folderFiles: { 'a.py': lines(asked) },
    });
    const { editor } = session.workbench;
    await storeKey(session);
    emulator.settings.answer = () => '# one';
    await session.workbench.openFile(session.path('a.py'));
    await editor.selectLines(2);
    await session.workbench.runCommand(generate);
    await editor.waitForText('def total(prices):\n    # one\n    return sum(prices)\n');
  });

  it('leaves out code fences and the text around them, except in Markdown files', async () => {
    const fenced = [
      ...['He', 're is it:\n\n', '``', '`py', 'thon\n', 'total = 0', '\nreturn', ' total\n', '`'],
      ...['``', '\n\n', 'Here', ' it is done.'],
    ];
    const session = await openWindow(emulator, {
      folderFiles: { 'a.py': lines(asked), 'b.py': lines(asked), 'notes.md': 'Show it.\r\n' },
    });
    const { editor } = session.workbench;
    await storeKey(session);
    emulator.settings.answer = () => fenced;
    emulator.settings.tokenDelayMs = 40;
    const fences = await editor.watchDrawn(/`|Here/);
    const code = 'def total(prices):\n    return sum(prices)\n    total = 0\n    return total\n';

    await session.workbench.openFile(session.path('a.py'));
    await editor.selectLines(2);
    await session.workbench.runCommand(generate);
    await editor.waitForText(code);
    assert.equal(await editor.savedText(session.path('a.py')), code.replaceAll('\n', '\r\n'));

    await session.workbench.openFile(session.path('b.py'));
    await editor.selectLines(2);
    await session.workbench.page.keyboard.press(modeKeys.preview);
    await editor.waitForTitle(previewOf('b.py'));
    await editor.waitForModifiedText('def total(prices):\n    total = 0\n    return total\n');
    await session.workbench.runCommand('Hosted Model: Discard Preview');
    await editor.waitForTitle('b.py');
    const { drawings, lines: seen } = await fences();
    assert.deepEqual(seen, []);
    assert.ok(drawings > 10, `${drawings} drawings`);

    await session.workbench.openFile(session.path('notes.md'));
    await editor.selectLines(1);
    await session.workbench.runCommand(generate);
    await editor.waitForText(`Show it.\n${fenced.join('')}\n`);
    assert.equal(
      await editor.savedText(session.path('notes.md')),
      `Show it.\n${fenced.join('')}\n`.replaceAll('\n', '\r\n'),
    );
    emulator.settings.tokenDelayMs = 0;
  });

  const json = '{\n  "name": "sample",\n  "private": true\n}\n';
  const obeyed = {
    '.vscode/tasks.json': json,
    '.env': '# of the team\n  TEAM=blue\n',
    'x.code-workspace': json,
    'package.json': json,
  };
  const added = '  "version": "1.0.0",';
  for (const [mode, change] of Object.entries({
    below: (text: string) => text.replace(/^.*\n.*/, `$&\n${added}`),
    replace: (text: string) => text.replace(/\n.*/, `\n${added}`),
  })) {
    it(`J27: uses a preview instead of ${mode} in files that run automatically`, async () => {
      const session = await openWindow(emulator, {
        userSettings: { 'hostedModel.insertMode': mode },
        folderFiles: obeyed,
      });
      const { editor, page } = session.workbench;
      await storeKey(session);
      emulator.settings.answer = () => [...added.trim()];
      for (const [file, text] of Object.entries(obeyed)) {
        const name = file.split('/').at(-1) ?? '';
        const isUntouched = async () => {
          assert.equal(await editor.hasUnsaved(name), false, file);
          assert.equal(readFileSync(session.path(file), 'utf8'), text);
        };
        const stalled = gate();
        emulator.faults.next(chatPath, {
          beforePart: (index) => (index < 8 ? Promise.resolve() : stalled.opened),
        });
        await session.workbench.openFile(session.path(file));
        await editor.selectLines(2);
        await session.workbench.runCommand(generate);
        await editor.waitForTitle(previewOf(name));
        await editor.waitForModifiedText(/"vers/);
        await isUntouched();
        stalled.open();
        await editor.waitForModifiedText(change(text));
        await isUntouched();
        await session.workbench.runCommand('Hosted Model: Discard Preview');
        await editor.waitForTitle(name);
        await editor.waitForText(text);
        await page.keyboard.press('Control+Z');
        await editor.waitForText(text);
        await isUntouched();
        await session.workbench.runCommand(generate);
        await editor.waitForTitle(previewOf(name));
        await editor.waitForModifiedText(change(text));
        await session.workbench.runCommand('Hosted Model: Accept Preview');
        await editor.waitForText(change(text));
        assert.equal(await editor.savedText(session.path(file)), change(text));
      }
    });
  }
});

function previewOf(name: string): string {
  return `${name} (preview)`;
}

function clipboard(page: Workbench['page']): Promise<string> {
  return page.evaluate<string>('navigator.clipboard.readText()');
}
