import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Emulator } from '../emulator/emulator.ts';
import {
  generate,
  generateByKeys,
  openWindow,
  startAfresh,
  startService,
  storeKey,
} from './service.ts';
import { nightly, type Session } from './session.ts';

interface Notebook {
  readonly cells: readonly { readonly source: readonly string[] }[];
}

const cells = ['# First cell', '# Second cell'].map((source) => ({
  cell_type: 'code',
  execution_count: null,
  metadata: {},
  outputs: [],
  source: [source],
}));
const notebook = JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 });
const line = 'Write a reply.';

describe(`a response ${nightly}`, () => {
  let emulator: Emulator;
  let session: Session;
  before(async () => {
    emulator = await startService();
    session = await openWindow(emulator, {
      folderFiles: {
        'cells.ipynb': notebook,
        'right.txt': `${line}\nMore.\n`,
        'locked.txt': `${line}\n`,
      },
      userSettings: { 'files.readonlyInclude': { '**/locked.txt': true } },
    });
    await storeKey(session);
  });
  after(() => emulator.close());
  beforeEach(async () => {
    await startAfresh(emulator, session);
    emulator.settings.answer = () => 'Short.';
  });

  const opensDocument = async () => {
    const { editor } = session.workbench;
    await editor.waitFor(/Untitled/);
    await editor.waitForText('Short.');
  };

  it('goes into the selected notebook cell', async () => {
    const { workbench, path } = session;
    const { page } = workbench;
    await workbench.quickOpen(path('cells.ipynb'));
    await workbench.quickInput.waitFor({ item: 'cells.ipynb' });
    await workbench.quickInput.accept();
    const second = page.locator('.notebookOverlay .code-cell-row .monaco-editor').nth(1);
    await second.locator('.view-lines').click();
    await page.keyboard.press('Control+A');
    await generateByKeys(session);
    await second.filter({ hasText: 'Short.' }).waitFor();
    await workbench.editor.save();
    const saved = JSON.parse(await readFile(path('cells.ipynb'), 'utf8')) as Notebook;
    const sources = saved.cells.map(({ source }) => source.join(''));
    assert.deepEqual(sources, ['# First cell', '# Second cell\nShort.']);
  });

  it('goes into an untitled document', async () => {
    const { editor } = session.workbench;
    await session.workbench.runCommand('File: New Untitled Text File');
    await editor.waitFor(/Untitled/);
    await editor.type(line);
    await editor.selectAll();
    await session.workbench.runCommand(generate);
    await editor.waitForText(`${line}\nShort.`);
  });

  it("goes into a diff editor's modified side, but never into the original", async () => {
    const { page } = session.workbench;
    await page.evaluate(`navigator.clipboard.writeText('An older reply.')`);
    await session.workbench.openFile(session.path('right.txt'));
    await session.workbench.runCommand('File: Compare Active File with Clipboard');
    const side = (name: string) => page.locator(`.monaco-diff-editor .editor.${name} .view-lines`);
    await side('modified').click();
    await page.keyboard.press('Control+A');
    await generateByKeys(session);
    await side('modified').filter({ hasText: 'Short.' }).waitFor();
    await side('original').click();
    await page.keyboard.press('Control+A');
    await session.workbench.runCommand(generate);
    await opensDocument();
    assert.doesNotMatch((await side('original').textContent()) ?? '', /Short/);
  });

  it('J10: is offered in a new document if a setting makes the file read-only', async () => {
    const { editor, notifications } = session.workbench;
    await session.workbench.openFile(session.path('locked.txt'));
    await editor.selectLines(1);
    await session.workbench.runCommand(generate);
    await notifications.click(
      /Couldn’t insert the generated text.*read-only/,
      'Open in New Document',
    );
    await opensDocument();
    assert.equal(await readFile(session.path('locked.txt'), 'utf8'), `${line}\n`);
  });
});
